"""Checks a graph of a model file before onnxruntime sees its bytes.

An onnx file can name other files to load, contain functions and sub-graphs, loop for ever, or ask for
operators of other libraries. A graph of ours does nothing of that: it is a list of operators of a short list
over weights that are in the file itself. Everything else is refused, every field that this page does not know
included.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from spindle.errors import ModelError
from spindle.parsers.neural.protobuf import (
    BYTES,
    FIXED32,
    FIXED64,
    VARINT,
    MalformedMessage,
    read_fields,
    read_varints,
    signed,
)


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


OPERATORS: Mapping[str, frozenset[str]] = {
    "": _names(
        """
        Abs Add And ArgMax Cast Ceil Clip Concat Constant ConstantOfShape Conv Cos CumSum Div
        DynamicQuantizeLinear Einsum Equal Erf Exp Expand Flatten Floor Gather GatherElements GatherND Gemm
        Greater GreaterOrEqual Identity LSTM LayerNormalization LeakyRelu Less LessOrEqual Log LogSoftmax
        MatMul MatMulInteger Max Min Mod Mul Neg Not Or Pad Pow QuantizeLinear Range Reciprocal ReduceMax
        ReduceMean ReduceMin ReduceSum Relu Reshape Shape Sigmoid Sign Sin Slice Softmax Softplus Split Sqrt
        Squeeze Sub Tanh Transpose Trilu Unsqueeze Where
        """
    ),
    "com.microsoft": _names("DynamicQuantizeLSTM MatMulIntegerToFloat"),
}
"""The operators that exported and quantised networks consist of, by domain. None reads a file,
loops, branches or contains another graph."""
DOMAINS = {"": "", "ai.onnx": "", "com.microsoft": "com.microsoft"}
OPSETS = {"": range(13, 21), "com.microsoft": range(1, 2)}
"""The versions of the operators of each domain."""
IR_VERSIONS = range(3, 11)
MAX_BYTES = 2_000_000_000
"""The largest graph; a protocol buffer cannot be larger."""
MAX_NODES = 200_000
MAX_TENSORS = 100_000
MAX_NAME = 1_000
MAX_DIMENSIONS = 8
MAX_SIDE = 100_000_000
"""The largest dimension of a tensor in the file."""
MAX_SHAPE_NUMBER = 1 << 24
"""The largest number in a short list of whole numbers, which may become a shape. Numbers near 2**63 mean "to
the end" of an axis."""
SHORT = 16
"""The number of values of such a list."""
ITEM_BYTES = {1: 4, 2: 1, 3: 1, 6: 4, 7: 8, 9: 1, 10: 2, 11: 8, 12: 4, 13: 8}
"""The bytes of a value by the number of its type: floats, integers and truth values, but no texts."""
INT64 = 7
BIAS = 6
"""The position of the bias among the inputs of a product of integers."""
INPUTS = 7
"""The number of inputs that an encoder may have."""


def check_graph(name: str, graph: Any) -> None:
    """Raise a `ModelError` unless this is a graph as Spindle exports it."""
    view = memoryview(graph).cast("B")
    if len(view) > MAX_BYTES:
        raise _refused(name, f"it has {len(view):,} bytes")
    try:
        _GraphCheck(name).model(view)
    except MalformedMessage as error:
        raise _refused(name, f"it is no onnx file: {error}") from None


def _refused(name: str, reason: str) -> ModelError:
    return ModelError(
        f"the network {name!r} is refused: {reason}",
        hint="a model of Spindle has no such network; do not use this file",
    )


class _GraphCheck:
    """Walks through a graph, message by message; every method refuses the fields that it does not know."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.nodes = self.tensors = 0
        self.sides: dict[str, list[int]] = {}
        """The shapes of the weights by name."""
        self.biased: list[list[str]] = []
        """The inputs of the products with a bias, which not every onnxruntime checks."""

    def refuse(self, reason: str) -> ModelError:
        return _refused(self.name, reason)

    def walk(self, message: memoryview, what: str, fields: Mapping[int, Any], *once: int) -> None:
        """Call the check of every field; those of `once` may occur once only."""
        seen: set[int] = set()
        for number, wire, value in read_fields(message):
            if number not in fields:
                raise self.refuse(f"{what} has a field {number}, which is not allowed")
            if number in seen and number in once:
                raise self.refuse(f"{what} has two fields {number}")
            seen.add(number)
            wires, check = fields[number]
            if wire != wires and not (isinstance(wires, tuple) and wire in wires):
                raise self.refuse(f"field {number} of {what} has another type")
            if check is not None:
                check(value)

    # ── the messages ─────────────────────────────────────────────────────────────────────────────────

    def model(self, message: memoryview) -> None:
        """The whole file; functions (25) and training information (20) are not allowed."""
        domains: dict[str, int] = {}

        def opset(value: memoryview) -> None:
            found: dict[str, Any] = {"domain": "", "version": 0}
            self.walk(
                value,
                "an operator set",
                {
                    1: (BYTES, lambda text: found.update(domain=self.text(text))),
                    2: (VARINT, lambda number: found.update(version=number)),
                },
            )
            domain = self.domain(str(found["domain"]))
            if int(found["version"]) not in OPSETS[domain]:
                raise self.refuse(
                    f"it needs version {found['version']} of the operators {domain or 'ai.onnx'}"
                )
            domains[domain] = int(found["version"])

        graphs: list[memoryview] = []
        self.walk(
            message,
            "the file",
            {
                1: (VARINT, self.ir_version),
                **dict.fromkeys((2, 3, 4, 6), (BYTES, None)),  # producer, domain, doc
                5: (VARINT, None),
                7: (BYTES, graphs.append),
                8: (BYTES, opset),
                14: (BYTES, None),  # metadata
            },
            *(1, 7),
        )
        if "" not in domains or not graphs:
            raise self.refuse("it is no onnx file: it has no operators")
        self.graph(graphs[0])

    def ir_version(self, number: int) -> None:
        if number not in IR_VERSIONS:
            raise self.refuse(f"it has the format version {number}")

    def graph(self, message: memoryview) -> None:
        """The graph; sparse weights (15) are not allowed."""
        outputs: list[memoryview] = []
        self.walk(
            message,
            "the graph",
            {
                1: (BYTES, self.node),
                2: (BYTES, None),
                5: (BYTES, self.tensor),
                10: (BYTES, None),
                11: (BYTES, self.input),
                12: (BYTES, outputs.append),
                13: (BYTES, None),  # the types of values, which onnxruntime infers anyway
                16: (BYTES, None),  # metadata
            },
        )
        if not outputs:
            raise self.refuse("it has no output")
        for _, weights, _, _, _, _, bias in self.biased:
            columns = self.sides.get(weights, [])[-1:]
            if not columns or self.sides.get(bias) != columns:
                raise self.refuse(f"the bias {_shown(bias)} does not have the columns of its weights")

    def node(self, message: memoryview) -> None:
        """An operator."""
        self.nodes += 1
        if self.nodes > MAX_NODES:
            raise self.refuse(f"it has more than {MAX_NODES:,} operators")
        found = {"type": "", "domain": ""}
        inputs: list[str] = []
        self.walk(
            message,
            "an operator",
            {
                1: (BYTES, lambda text: inputs.append(self.text(text))),
                **dict.fromkeys((2, 3), (BYTES, self.text)),  # outputs, name
                4: (BYTES, lambda text: found.update(type=self.text(text))),
                5: (BYTES, self.attribute),
                6: (BYTES, None),
                7: (BYTES, lambda text: found.update(domain=self.text(text))),
                9: (BYTES, None),  # metadata
            },
            *(4, 7),
        )
        domain = self.domain(found["domain"])
        if found["type"] not in OPERATORS[domain]:
            raise self.refuse(f"it has an operator {_shown(found['type'])}, which our networks do not use")
        if found["type"] == "MatMulIntegerToFloat" and len(inputs) > BIAS:
            if len(inputs) > BIAS + 1:
                raise self.refuse(f"a product has {len(inputs)} inputs")
            self.biased.append(inputs)

    def attribute(self, message: memoryview) -> None:
        """An attribute of an operator: numbers, a text, or a tensor, but no graph."""
        self.walk(
            message,
            "an attribute",
            {
                1: (BYTES, self.text),
                2: (FIXED32, None),
                3: (VARINT, None),
                4: (BYTES, self.text),
                5: (BYTES, self.tensor),
                7: ((BYTES, FIXED32, FIXED64), None),
                8: ((VARINT, BYTES), None),
                9: (BYTES, self.text),
                13: (BYTES, None),
                20: (VARINT, None),
            },
            *(1, 2, 3, 4, 5, 20),
        )

    def tensor(self, message: memoryview) -> None:
        """Weights, which must be in the file itself: external data (13) is not allowed."""
        self.tensors += 1
        if self.tensors > MAX_TENSORS:
            raise self.refuse(f"it has more than {MAX_TENSORS:,} tensors")
        dims: list[int] = []
        found: dict[str, Any] = {"type": 0, "raw": None, "short": []}

        def dimensions(value: int | memoryview) -> None:
            dims.extend([value] if isinstance(value, int) else read_varints(value))
            if len(dims) > MAX_DIMENSIONS:
                raise self.refuse(f"a tensor has more than {MAX_DIMENSIONS} dimensions")

        def numbers(value: int | memoryview) -> None:
            short = found["short"]
            short.extend([value] if isinstance(value, int) else read_varints(value[: 10 * (SHORT + 1)]))

        self.walk(
            message,
            "a tensor",
            {
                1: ((VARINT, BYTES), dimensions),
                2: (VARINT, lambda value: found.update(type=value)),
                4: ((BYTES, FIXED32, FIXED64), None),
                5: ((VARINT, BYTES), None),
                7: ((VARINT, BYTES), numbers),
                8: (BYTES, lambda text: found.update(name=self.text(text))),
                9: (BYTES, lambda value: found.update(raw=value)),
                10: ((BYTES, FIXED32, FIXED64), None),
                12: (BYTES, None),
                14: (VARINT, self.location),
            },
            *(2, 8, 9),
        )
        self.sides[str(found.get("name", ""))] = list(map(signed, dims))
        if found["type"] not in ITEM_BYTES:
            raise self.refuse(f"a tensor has values of the type {found['type']}")
        if any(not 0 <= signed(side) <= MAX_SIDE for side in dims):
            raise self.refuse("a tensor has a side that is negative or too long")
        count = math.prod(dims)
        if found["raw"] is not None and len(found["raw"]) != count * ITEM_BYTES[found["type"]]:
            raise self.refuse(f"a tensor of {count:,} values has {len(found['raw']):,} bytes")
        if found["raw"] is None and count > len(message) * 8:
            raise self.refuse(f"a tensor of {count:,} values has no such values")
        if found["type"] == INT64 and count <= SHORT:
            raw = found["raw"]
            values = list(map(signed, found["short"])) if raw is None else list(raw.cast("q"))
            for value in values:
                if not -MAX_SHAPE_NUMBER <= value <= MAX_SHAPE_NUMBER and abs(value) < (1 << 62):
                    raise self.refuse(f"a list of numbers has {value}, which would be too large a shape")

    def location(self, number: int) -> None:
        if number != 0:
            raise self.refuse("the weights of a tensor are in another file")

    def input(self, message: memoryview) -> None:
        """An input: its name is `input0`, `input1` and so on; it has numbers of 32 or 64 bits."""
        found: dict[str, Any] = {"name": "", "type": b""}
        self.walk(
            message,
            "an input",
            {
                1: (BYTES, lambda text: found.update(name=self.text(text))),
                2: (BYTES, lambda value: found.update(type=value)),
                3: (BYTES, None),
                4: (BYTES, None),
            },
            *(1, 2),
        )
        if found["name"] not in {f"input{number}" for number in range(INPUTS)}:
            raise self.refuse(f"it has an input {_shown(found['name'])}")

    # ── values ───────────────────────────────────────────────────────────────────────────────────────

    def text(self, value: memoryview) -> str:
        if len(value) > MAX_NAME:
            raise self.refuse(f"a name has {len(value):,} bytes")
        try:
            return str(value, "utf-8")
        except UnicodeDecodeError:
            raise self.refuse("a name is no text") from None

    def domain(self, name: str) -> str:
        if name not in DOMAINS:
            raise self.refuse(f"it uses operators of {_shown(name)}")
        return DOMAINS[name]


def _shown(name: str) -> str:
    return ascii(name[:60])
