"""Networks in model files that no training of ours writes are refused before onnxruntime sees them."""

from collections.abc import Callable
from typing import Any

import pytest

from spindle.errors import ModelError
from spindle.models import read_model
from spindle.models.bundled import find_model
from spindle.parsers.neural.graph_check import check_graph
from spindle.parsers.neural.protobuf import MalformedMessage, read_fields

onnx = pytest.importorskip("onnx")


def graph(**changes: Any) -> Any:
    """Return a network of one product that is allowed."""
    from onnx import TensorProto, helper

    weights = helper.make_tensor("w", TensorProto.FLOAT, [2, 2], [1.0, 2.0, 3.0, 4.0])
    given = helper.make_tensor_value_info("input0", TensorProto.FLOAT, ["n", 2])
    found = helper.make_tensor_value_info("out", TensorProto.FLOAT, ["n", 2])
    node = helper.make_node(changes.get("operator", "MatMul"), ["input0", "w"], ["out"])
    node.domain = changes.get("domain", "")
    made = helper.make_graph([node], "g", [given], [found], [weights])
    opsets = [helper.make_opsetid("", changes.get("opset", 17))]
    return helper.make_model(made, opset_imports=opsets, ir_version=8)


def external(model: Any) -> None:
    weights = model.graph.initializer[0]
    weights.ClearField("float_data")
    weights.data_location = 1
    entry = weights.external_data.add()
    entry.key, entry.value = "location", "private/id_rsa"


def sub_graph(model: Any) -> None:
    attribute = model.graph.node[0].attribute.add()
    attribute.name, attribute.type = "body", 5
    attribute.g.CopyFrom(graph().graph)


def function(model: Any) -> None:
    model.functions.add().name = "f"


def huge_shape(model: Any) -> None:
    from onnx import TensorProto, helper

    model.graph.initializer.append(helper.make_tensor("s", TensorProto.INT64, [2], [1 << 40, 1 << 40]))


def negative_side(model: Any) -> None:
    model.graph.initializer[0].dims[0] = -2


def missing_values(model: Any) -> None:
    model.graph.initializer[0].dims[0] = 90_000_000


def text_tensor(model: Any) -> None:
    model.graph.initializer[0].data_type = 8


def sparse(model: Any) -> None:
    model.graph.sparse_initializer.add()


def other_input(model: Any) -> None:
    model.graph.input[0].name = "x"


CHANGES: list[tuple[Callable[[Any], None], str]] = [
    (external, "another file|field 13"),
    (sub_graph, "field 6,"),
    (function, "field 25"),
    (huge_shape, "too large a shape"),
    (negative_side, "negative or too long"),
    (missing_values, "no such values"),
    (text_tensor, "type 8"),
    (sparse, "field 15"),
    (other_input, "an input 'x'"),
]


def test_a_plain_network_is_allowed() -> None:
    check_graph("sentence", graph().SerializeToString())


@pytest.mark.parametrize(("change", "said"), CHANGES)
def test_hostile_networks(change: Callable[[Any], None], said: str) -> None:
    model = graph()
    change(model)
    with pytest.raises(ModelError, match=said):
        check_graph("sentence", model.SerializeToString())


@pytest.mark.parametrize(
    "operator", ["Loop", "If", "Scan", "SequenceMap", "ImageDecoder", "RandomNormal", "Tile"]
)
def test_other_operators(operator: str) -> None:
    with pytest.raises(ModelError, match=f"operator '{operator}'"):
        check_graph("sentence", graph(operator=operator).SerializeToString())


def test_other_domains_and_versions() -> None:
    with pytest.raises(ModelError, match=r"operators of 'ai\.onnx\.ml'"):
        check_graph("sentence", graph(domain="ai.onnx.ml").SerializeToString())
    with pytest.raises(ModelError, match="operator 'MatMul'"):
        check_graph("sentence", graph(domain="com.microsoft").SerializeToString())
    with pytest.raises(ModelError, match="version 99"):
        check_graph("sentence", graph(opset=99).SerializeToString())


@pytest.mark.parametrize(("columns", "said"), [(2, ""), (1, "bias 'b'"), (0, "bias 'b'")])
def test_a_bias_has_the_columns_of_its_weights(columns: int, said: str) -> None:
    from onnx import TensorProto, helper

    model = graph()
    del model.graph.node[:]
    names = ["input0", "w", "", "", "", "", "b"]
    product = helper.make_node("MatMulIntegerToFloat", names, ["out"], domain="com.microsoft")
    model.graph.node.append(product)
    model.opset_import.append(helper.make_opsetid("com.microsoft", 1))
    if columns:
        model.graph.initializer.append(helper.make_tensor("b", TensorProto.FLOAT, [columns], [1.0] * columns))
    if not said:
        check_graph("sentence", model.SerializeToString())
        return
    with pytest.raises(ModelError, match=said):
        check_graph("sentence", model.SerializeToString())


@pytest.mark.parametrize(
    "content", [b"", b"ORTM\x00\x00", b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f", b"\x0b"]
)
def test_files_that_are_no_onnx(content: bytes) -> None:
    with pytest.raises(ModelError, match="no onnx file"):
        check_graph("sentence", content)


def test_every_cut_of_a_message_is_noticed_or_harmless() -> None:
    content = graph().SerializeToString()
    for length in range(len(content)):
        with pytest.raises((ModelError, MalformedMessage)):
            check_graph("sentence", content[:length])
    assert [field.number for field in read_fields(memoryview(content))]


def test_the_bundled_network_is_allowed() -> None:
    arrays = read_model(find_model("english"), "parser").parts["parser"].arrays
    for name in ("sentence", "arcs", "nodes"):
        check_graph(name, arrays[name])
