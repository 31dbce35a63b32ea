"""Makes the outputs of a quantised network independent of the batch. Needs onnx.

onnxruntime's dynamic quantisation rounds activations with one scale for the whole batch, padding included: a
sentence would have other numbers, and sometimes another tree, beside other sentences. So every scale becomes
a constant: the range of the activation, measured once (`activation_ranges`). Values outside are cut off.

Sums of integers are the same in any order, but sums of floats are not. The other products sum few terms, or
have zeros where a sentence is padded. Only the product of head and modifier vectors has enough terms that
onnxruntime cuts their sum into blocks, whose size depends on the length of the longest sentence; it becomes
the sum of two products of half as many terms.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy

from spindle.models import Array
from spindle.parsers.neural.activation_ranges import Range, Ranges
from spindle.parsers.neural.fixed_lstm import fixed_lstm
from spindle.parsers.neural.graph_tables import Tables

CONTRIBUTED = "com.microsoft"
"""The domain of onnxruntime's own operators."""


def fix_scales(file: Array, ranges: Ranges) -> Array:
    """Return a graph of `quantize` in which the scales of all activations are constants."""
    import onnx
    from onnx import helper

    model: Any = onnx.load_model_from_string(file.tobytes())
    nodes = list(_GraphRewriter(model.graph, ranges).nodes())
    used = {name for node in nodes for name in node.input}
    tables = [table for table in model.graph.initializer if table.name in used]
    for field, kept in ((model.graph.node, nodes), (model.graph.initializer, tables)):
        del field[:]
        field.extend(kept)
    if CONTRIBUTED not in {opset.domain for opset in model.opset_import}:
        model.opset_import.append(helper.make_opsetid(CONTRIBUTED, 1))
    return numpy.frombuffer(model.SerializeToString(), dtype=numpy.uint8)


def scale_and_zero(found: Range) -> tuple[Array, Array]:
    """Return the scale and the zero point with which a byte stands for the values of a range, and for zero.

    >>> [item.item() for item in scale_and_zero(Range(-1.0, 1.55))]
    [0.009999999776482582, 100]
    """
    low, high = min(found.low, 0.0), max(found.high, 0.0)
    scale = numpy.float32((high - low) / 255 or 1.0)
    return numpy.array(scale), numpy.array(numpy.rint(-low / scale), dtype=numpy.uint8)


class _GraphRewriter:
    """Yields the nodes of a graph with those that depend on the batch replaced."""

    def __init__(self, graph: Any, ranges: Ranges) -> None:
        self.ranges = ranges
        self.tables = Tables(graph)
        self._graph = graph
        self._makers = {output: node for node in graph.node for output in node.output}
        self._users: dict[str, list[Any]] = {}
        for node in graph.node:
            for name in node.input:
                self._users.setdefault(name, []).append(node)
        self._dropped: set[str] = set()
        """The first outputs of nodes that others have replaced."""

    def nodes(self) -> Iterator[Any]:
        rewriters = {
            "DynamicQuantizeLinear": self._quantized,
            "MatMulInteger": self._product,
            "DynamicQuantizeLSTM": self._lstm,
            "MatMul": self._halved,
        }
        nodes = list(self._graph.node)
        for node in nodes:
            if node.op_type == "DynamicQuantizeLinear":
                # the products of scales, which come before the products that they scale
                self._dropped |= {user.output[0] for user in self._users[node.output[1]]}
        found: list[Any] = []
        for node in nodes:
            if node.output[0] in self._dropped:
                continue
            rewrite = rewriters.get(node.op_type)
            found += [node] if rewrite is None else rewrite(node)
        return self._needed(found)

    def _quantized(self, node: Any) -> Iterator[Any]:
        from onnx import helper

        activation = node.input[0]
        names = f"{activation}_scale", f"{activation}_zero"
        for name, number in zip(names, scale_and_zero(self.ranges[activation]), strict=True):
            self.tables.add(name, number)
        yield helper.make_node("QuantizeLinear", [activation, *names], [node.output[0]])

    def _product(self, node: Any) -> Iterator[Any]:
        """A product of integers, made floats, scaled, and a bias added: one operator does it all."""
        from onnx import helper

        integers, weights, _, zeros = node.input
        activation = self._makers[integers].input[0]
        (cast,) = self._users[node.output[0]]
        (scaled,) = self._users[cast.output[0]]
        scales = self._makers[scaled.input[1]].input[1]
        names = [integers, weights, f"{activation}_scale", scales, f"{activation}_zero", zeros]
        replaced = [cast, scaled]
        added = self._users.get(scaled.output[0], [])
        if len(added) == 1 and added[0].op_type == "Add":
            others = [name for name in added[0].input if name != scaled.output[0]]
            if others and self.tables.sides(others[0]) == self.tables.sides(scales):
                replaced += added
                names += others
        self._dropped |= {other.output[0] for other in replaced}
        output = replaced[-1].output[0]
        yield helper.make_node("MatMulIntegerToFloat", names, [output], domain=CONTRIBUTED)

    def _lstm(self, node: Any) -> Iterator[Any]:
        return fixed_lstm(node, self.ranges[node.input[0]], self.tables)

    def _halved(self, node: Any) -> Iterator[Any]:
        """The product of two computed arrays that is an output: that of head and modifier vectors."""
        from onnx import helper

        left, right = node.input
        output = node.output[0]
        if output not in {one.name for one in self._graph.output} or self.tables.has(right):
            yield node
            return
        parts: Mapping[str, list[str]] = {name: [f"{name}_first", f"{name}_second"] for name in (left, right)}
        yield helper.make_node("Split", [left], parts[left], axis=2)
        yield helper.make_node("Split", [right], parts[right], axis=1)
        halves = [f"{output}_first", f"{output}_second"]
        for half, factors in zip(halves, zip(parts[left], parts[right], strict=True), strict=True):
            yield helper.make_node("MatMul", factors, [half])
        yield helper.make_node("Add", halves, [output])

    def _needed(self, nodes: list[Any]) -> Iterator[Any]:
        """Yield the nodes that something uses."""
        used = {output.name for output in self._graph.output}
        kept = []
        for node in reversed(nodes):
            if used.intersection(node.output):
                used.update(node.input)
                kept.append(node)
        yield from reversed(kept)
