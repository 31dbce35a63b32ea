"""Mutants of the networks in model files: altered nodes, attributes, weights and shapes of onnx graphs."""

from __future__ import annotations

import random
from typing import Any

import numpy

from spindle.parsers.neural.graph_check import OPERATORS
from support.hostile_models import Arrays

NUMBERS = [
    0,
    1,
    -1,
    2,
    3,
    7,
    255,
    65_536,
    1 << 24,
    (1 << 24) + 1,
    1 << 31,
    (1 << 62) + 1,
    (1 << 63) - 1,
    -(1 << 63),
]
FLOATS = [0.0, -1.0, 1e-40, 1e38, float("nan"), float("inf"), float("-inf")]
TEXTS = ["", "x", "\x1b[31m", "../secret", "a" * 2_000, "Loop", "edge", "zeros", "forward", "bidirectional"]
REFUSED = ["Loop", "If", "Scan", "SequenceMap", "NonZero", "Tile", "ReadFile", "Resize", "TopK"]
GRAPHS = ["sentence", "arcs", "nodes", "constituents"]


def mutate_graph(arrays: Arrays, chance: random.Random) -> str:
    """Change a random network among the arrays of a neural model; return what was done."""
    import onnx

    name = f"parser/{chance.choice(GRAPHS)}"
    model = onnx.ModelProto()
    model.ParseFromString(arrays[name].tobytes())
    steps = []
    for _ in range(chance.choice((1, 1, 2, 4))):
        change = chance.choice(CHANGES)
        try:
            change(model, chance)
            steps.append(change.__name__.strip("_"))
        except (ValueError, IndexError, TypeError, OverflowError):  # does not apply to this place
            steps.append("nothing")
    arrays[name] = numpy.frombuffer(model.SerializeToString(), dtype=numpy.uint8)
    return f"{' '.join(steps)} in {name}"


# ── changes of nodes ─────────────────────────────────────────────────────────────────────────────────


def _values(model: Any) -> list[str]:
    graph = model.graph
    made = [output for node in graph.node for output in node.output]
    return [one.name for one in (*graph.initializer, *graph.input)] + made


def _operator(model: Any, chance: random.Random) -> None:
    node = chance.choice(model.graph.node)
    node.op_type = chance.choice(sorted(OPERATORS[""]) if chance.random() < 0.95 else REFUSED)
    if chance.random() < 0.05:
        node.domain = chance.choice(["com.microsoft", "ai.onnx.ml", "x"])


def _rewired(model: Any, chance: random.Random) -> None:
    node = chance.choice(model.graph.node)
    node.input[chance.randrange(len(node.input))] = chance.choice([*_values(model), "", "missing"])


def _fewer_inputs(model: Any, chance: random.Random) -> None:
    node = chance.choice(model.graph.node)
    del node.input[chance.randrange(len(node.input))]


def _more_inputs(model: Any, chance: random.Random) -> None:
    chance.choice(model.graph.node).input.append(chance.choice(_values(model)))


def _no_node(model: Any, chance: random.Random) -> None:
    del model.graph.node[chance.randrange(len(model.graph.node))]


def _inserted(model: Any, chance: random.Random) -> None:
    """Put a new operator before an input of a node."""
    at = chance.randrange(len(model.graph.node))
    node = model.graph.node[at]
    place = chance.randrange(len(node.input))
    new = type(node)()
    new.op_type = chance.choice(sorted(OPERATORS[""]))
    new.output.append(f"new{chance.randrange(10**9)}")
    new.input.extend([node.input[place], *chance.choices(_values(model), k=chance.randrange(3))])
    node.input[place] = new.output[0]
    nodes = list(model.graph.node)
    del model.graph.node[:]
    model.graph.node.extend([*nodes[:at], new, *nodes[at:]])


def _same_output(model: Any, chance: random.Random) -> None:
    node = chance.choice(model.graph.node)
    node.output[0] = chance.choice(_values(model))


def _other_order(model: Any, chance: random.Random) -> None:
    nodes = list(model.graph.node)
    chance.shuffle(nodes)
    del model.graph.node[:]
    model.graph.node.extend(nodes)


def _attribute(model: Any, chance: random.Random) -> None:
    node = chance.choice([node for node in model.graph.node if node.attribute])
    attribute = chance.choice(node.attribute)
    kind = chance.randrange(6)
    if kind == 0:
        attribute.i = chance.choice(NUMBERS)
    elif kind == 1:
        attribute.f = chance.choice(FLOATS)
    elif kind == 2:
        attribute.s = chance.choice(TEXTS).encode()
    elif kind == 3:
        del attribute.ints[:]
        attribute.ints.extend(chance.choices(NUMBERS, k=chance.randrange(5)))
    elif kind == 4:
        attribute.type = chance.randrange(1, 15)
    else:
        attribute.name = chance.choice(["axis", "axes", "perm", "to", "hidden_size", "x", ""])


def _new_attribute(model: Any, chance: random.Random) -> None:
    attribute = chance.choice(model.graph.node).attribute.add()
    attribute.name, attribute.type = (
        chance.choice(["axis", "to", "group", "body", "x"]),
        chance.choice((2, 5, 7)),
    )
    attribute.i = chance.choice(NUMBERS)


def _no_attribute(model: Any, chance: random.Random) -> None:
    node = chance.choice([node for node in model.graph.node if node.attribute])
    del node.attribute[chance.randrange(len(node.attribute))]


# ── changes of weights ───────────────────────────────────────────────────────────────────────────────


def _short_list(model: Any, chance: random.Random) -> None:
    """Change a list of whole numbers, which may be a shape, an axis or a length."""
    tensor = chance.choice(
        [one for one in _tensors(model) if one.data_type == 7 and len(one.raw_data) <= 128]
    )
    values = numpy.frombuffer(tensor.raw_data, "<i8").copy()
    values[chance.randrange(len(values))] = chance.choice(NUMBERS)
    tensor.raw_data = values.tobytes()


def _weights(model: Any, chance: random.Random) -> None:
    tensor = chance.choice([one for one in _tensors(model) if one.data_type == 1 and one.raw_data])
    values = numpy.frombuffer(tensor.raw_data, "<f4").copy()
    for _ in range(chance.choice((1, 100))):
        values[chance.randrange(len(values))] = chance.choice(FLOATS)
    tensor.raw_data = values.tobytes()


def _tensors(model: Any) -> list[Any]:
    constants = [
        attribute.t for node in model.graph.node for attribute in node.attribute if attribute.HasField("t")
    ]
    return [*model.graph.initializer, *constants]


def _other_shape(model: Any, chance: random.Random) -> None:
    tensor = chance.choice(_tensors(model))
    tensor.dims[chance.randrange(len(tensor.dims))] = chance.choice(NUMBERS)


def _transposed(model: Any, chance: random.Random) -> None:
    tensor = chance.choice([one for one in _tensors(model) if len(one.dims) > 1])
    dims = list(tensor.dims)
    chance.shuffle(dims)
    tensor.dims[:] = dims


def _other_type(model: Any, chance: random.Random) -> None:
    chance.choice(_tensors(model)).data_type = chance.randrange(20)


def _cut_weights(model: Any, chance: random.Random) -> None:
    tensor = chance.choice([one for one in _tensors(model) if one.raw_data])
    tensor.raw_data = tensor.raw_data[: chance.randrange(len(tensor.raw_data))]


def _elsewhere(model: Any, chance: random.Random) -> None:
    """Let weights come from another file, which must be refused."""
    tensor = chance.choice(_tensors(model))
    tensor.data_location = 1
    entry = tensor.external_data.add()
    entry.key, entry.value = "location", chance.choice(["secret", "/etc/passwd", "../x"])


# ── changes of the frame ─────────────────────────────────────────────────────────────────────────────


def _argument(model: Any, chance: random.Random) -> None:
    """Rename, retype, reshape, delete or repeat an input or an output."""
    arguments = chance.choice([model.graph.input, model.graph.output])
    at = chance.randrange(len(arguments))
    kind = chance.randrange(5)
    if kind == 0:
        arguments[at].name = chance.choice([*_values(model), "input0", "input6", "input7", ""])
    elif kind == 1:
        arguments[at].type.tensor_type.elem_type = chance.randrange(20)
    elif kind == 2:
        side = chance.choice(arguments[at].type.tensor_type.shape.dim)
        side.dim_value = chance.choice(NUMBERS)
    elif kind == 3:
        del arguments[at]
    else:
        arguments.append(arguments[at])


def _frame(model: Any, chance: random.Random) -> None:
    kind = chance.randrange(4)
    if kind == 0:
        model.opset_import[0].version = chance.choice([*range(10, 24), 0, -1, 1 << 40])
    elif kind == 1:
        model.ir_version = chance.choice([*range(1, 13), 1 << 40])
    elif kind == 2:
        model.opset_import.add().domain = chance.choice(["com.microsoft", "ai.onnx.ml", "evil"])
    else:
        model.functions.add().name = "f"


def _body(model: Any, chance: random.Random) -> None:
    """A graph inside an attribute, which must be refused."""
    attribute = chance.choice(model.graph.node).attribute.add()
    attribute.name, attribute.type = "body", 5
    attribute.g.name = "inside"


CHANGES = [
    *(_operator, _rewired, _fewer_inputs, _more_inputs, _no_node, _inserted, _inserted, _same_output),
    *(_other_order, _attribute, _attribute, _new_attribute, _no_attribute),
    *(_short_list, _short_list, _weights, _other_shape, _transposed, _other_type, _cut_weights, _elsewhere),
    *(_argument, _argument, _frame, _body),
]
