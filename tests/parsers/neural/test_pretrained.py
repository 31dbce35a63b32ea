"""Pretrained encoders: very small ones with random weights."""

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training needs torch: pip install 'spindle-parser[neural]'")
pytest.importorskip("transformers", reason="needs transformers: pip install 'spindle-parser[neural]'")

import numpy as np
import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from spindle.errors import ParserError
from spindle.parsers.neural import NeuralParser, optimizer
from spindle.parsers.neural.classes import Classes
from spindle.parsers.neural.constituents import CONSTITUENT_ROLES
from spindle.parsers.neural.encoders import make_encoder
from spindle.parsers.neural.network import Network
from spindle.parsers.neural.pretrained import load_pretrained
from spindle.parsers.neural.readers import SubwordReader
from spindle.parsers.neural.words import WordTable
from spindle.trees import Token
from support.neural_toys import Silent, examples, settings


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an encoder that reads 18 sub-words, each a single character."""
    folder = tmp_path_factory.mktemp("encoder")
    characters = "abcdefghijklmnopqrstuvwxyz0123456789"
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *characters, *(f"##{one}" for one in characters)]
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    special = {"pad_token": "[PAD]", "mask_token": "[MASK]"}
    transformers.PreTrainedTokenizerFast(tokenizer_object=tokenizer, **special).save_pretrained(folder)
    config = transformers.BertConfig(
        vocab_size=len(pieces),
        hidden_size=16,
        num_hidden_layers=3,
        num_attention_heads=2,
        intermediate_size=24,
        max_position_embeddings=20,
    )
    transformers.BertModel(config).save_pretrained(folder)
    return folder


def test_an_encoder_is_trained_and_reads_long_sentences(encoder: Path) -> None:
    train = examples(8)
    parser = NeuralParser()
    parser.fit(train, [], settings(encoder=f"hf:{encoder}", epochs="1"), Silent())
    again = NeuralParser.from_part(parser.to_part())
    assert again.encoder == f"hf:{encoder.name}"  # the full path is private
    sentences = [list(example.tokens) for example in train] + [[Token("word")] * 60, [Token("\u0000")]]
    found = again.parse(sentences, 1)
    assert [len(one.heads) for one in found] == list(map(len, sentences))
    assert [list(one.heads) for one in parser.parse(sentences, 1)] == [list(one.heads) for one in found]


def test_bf16_changes_little_and_only_in_training(encoder: Path) -> None:
    train = examples(8)
    sentences = [list(example.tokens) for example in train]
    states = {}
    for precision in ("32", "16"):
        parser = NeuralParser()
        options = settings(encoder=f"hf:{encoder}", epochs="2", precision=precision)
        parser.fit(train, [], options, Silent())
        states[precision] = np.concatenate([found.state.states for found in parser.parse(sentences, 1)])
    difference = np.abs(states["32"] - states["16"]).max()
    assert 0 < difference < 0.1 * np.abs(states["32"]).max()


@pytest.mark.parametrize("hidden", ["1", "7"])
def test_the_layer_above_may_have_any_width(encoder: Path, hidden: str) -> None:
    parser = NeuralParser()
    parser.fit(examples(4), [], settings(encoder=f"hf:{encoder}", epochs="1", hidden=hidden), Silent())
    sentence = [Token("a"), Token("word")]
    assert len(parser.parse([sentence], 1)[0].heads) == 2


def test_all_weights_but_very_large_tables_are_trained(
    encoder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = SubwordReader(WordTable.learn([]), 1, (encoder / "tokenizer.json").read_text(), 18)
    made, _ = make_encoder(reader.words, 1, settings(encoder=f"hf:{encoder}").options)
    network = Network(made, Classes.learn(examples(2)), 0.1, 16, constituent_roles=0)

    def frozen() -> set[str]:
        groups = optimizer.parameter_groups(network, 0.002)
        learns = {id(weights) for group in groups for weights in group["params"]}
        named = list(network.named_parameters())
        assert all(weights.requires_grad is (id(weights) in learns) for _, weights in named)
        return {name for name, weights in named if id(weights) not in learns}

    assert frozen() == set()
    table = made.model.get_input_embeddings().weight
    monkeypatch.setattr(optimizer, "LARGEST_TABLE", table.numel() - 1)
    assert frozen() == {"sentence.encoder.model.embeddings.word_embeddings.weight"}


def test_some_sub_words_are_masked_but_only_in_training(encoder: Path) -> None:
    words = WordTable.learn([])
    made, reader = make_encoder(words, 1, settings(encoder=f"hf:{encoder}").options)
    seen = []
    made.model.register_forward_pre_hook(
        lambda _, __, given: seen.append(given["input_ids"]), with_kwargs=True
    )
    inputs = [torch.from_numpy(array) for array in reader.read([["abc"] * 5] * 40)]
    torch.manual_seed(1)
    for training in (True, False):
        made.train(training)(*inputs)
    in_training, in_evaluation = seen
    masked = in_training != in_evaluation
    assert (in_training[masked] == 4).all()
    assert 0.05 < masked.float().mean() < 0.15
    assert (in_evaluation == inputs[4]).all()
    made.mask_id = None  # an encoder without a mask token
    made.train()(*inputs)
    assert (seen[-1] == in_evaluation).all()


@pytest.mark.parametrize("family", ["Roberta", "DistilBert", "ModernBert"])
def test_encoders_of_other_families(encoder: Path, tmp_path: Path, family: str) -> None:
    sizes = {"hidden_size": 16, "num_hidden_layers": 3, "num_attention_heads": 2, "intermediate_size": 24}
    if family == "DistilBert":  # uses other names for the sizes
        sizes = {"dim": 16, "n_layers": 3, "n_heads": 2, "hidden_dim": 24}
    ends = dict.fromkeys(("pad_token_id", "bos_token_id", "eos_token_id", "cls_token_id", "sep_token_id"), 0)
    config = getattr(transformers, f"{family}Config")(
        vocab_size=77, max_position_embeddings=20, **sizes, **ends
    )
    getattr(transformers, f"{family}Model")(config).save_pretrained(tmp_path)
    for file in encoder.glob("tokenizer*"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    parser = NeuralParser()
    parser.fit(examples(4), [], settings(encoder=f"hf:{tmp_path}", epochs="1"), Silent())
    assert [len(found.heads) for found in parser.parse([[Token("word")] * 30], 1)] == [30]


def save_seq2seq(folder: Path, family: str) -> None:
    """Save a small encoder–decoder model, with a tokenizer that puts `</s>` after a sentence."""
    torch.manual_seed(2)
    size = {"vocab_size": 60, "d_model": 16, "pad_token_id": 0, "decoder_start_token_id": 0}
    if family == "Marian":
        layers = {"encoder_layers": 2, "encoder_attention_heads": 2, "encoder_ffn_dim": 24}
        layers |= {name.replace("encoder", "decoder"): number for name, number in layers.items()}
        config = transformers.MarianConfig(**size, **layers, max_position_embeddings=20, eos_token_id=1)
    else:
        config = transformers.T5Config(**size, d_kv=8, d_ff=24, num_layers=2, num_heads=2)
    getattr(transformers, f"{family}Model")(config).save_pretrained(folder)
    characters = "abcdefghijklmnopqrstuvwxyz0123456789"
    vocabulary = {piece: number for number, piece in enumerate(["<pad>", "</s>", "<unk>", *characters])}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="<unk>", continuing_subword_prefix=""))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    # nothing but the JSON file: the tokenizer class of these models needs other files
    tokenizer.save(str(folder / "tokenizer.json"))


@pytest.mark.parametrize("family", ["Marian", "T5"])
def test_the_encoder_of_an_encoder_decoder_model(tmp_path: Path, family: str) -> None:
    save_seq2seq(tmp_path, family)
    found = load_pretrained(str(tmp_path))
    assert not any("decoder" in name for name, _ in found.model.named_parameters())
    assert found.mask_id is None
    made, reader = make_encoder(WordTable.learn([]), 1, settings(encoder=f"hf:{tmp_path}").options)
    made.eval()
    sentences = [["abc", "de", "f"] * 2, ["gh", "i"], ["j"]]
    *_, subwords, mask, _ = reader.read(sentences)
    assert subwords[2, :3].tolist() == [12, 1, 0]  # `</s>` comes last
    assert mask[2, :3].tolist() == [1, 1, 0]

    def states(forms: list[list[str]]) -> torch.Tensor:
        with torch.no_grad():
            return made(*map(torch.from_numpy, reader.read(forms)))

    batch = states(sentences)
    for row, forms in zip(batch, sentences, strict=True):
        torch.testing.assert_close(row[: len(forms)], states([forms])[0], atol=1e-5, rtol=1e-4)

    train = examples(8)
    parser = NeuralParser()
    monitor = Silent()
    parser.fit(train, [], settings(encoder=f"hf:{tmp_path}", epochs=1), monitor)
    # the exported graph computes what torch computes with the same weights, at any length
    network = Network(made, parser.classes, 0.1, 256, CONSTITUENT_ROLES)
    weights = {
        name: torch.from_numpy(monitor.state.arrays[f"average.{name}"]) for name in network.state_dict()
    }
    network.load_state_dict(weights)
    network.eval()
    for forms in (["abc", "de"], ["f"] * 9, ["gh", "abc"] * 20):
        (prediction,) = parser.parse([[Token(form) for form in forms]], 1)
        with torch.no_grad():
            expected, arcs, *_ = network.sentence(*map(torch.from_numpy, reader.read([forms])))
        np.testing.assert_allclose(prediction.state.states, expected[0].numpy(), atol=1e-4)
        np.testing.assert_allclose(prediction.state.arc_table, arcs[0].numpy(), atol=1e-4)


def test_a_folder_without_a_tokenizer(tmp_path: Path) -> None:
    save_seq2seq(tmp_path, "Marian")
    (tmp_path / "tokenizer.json").unlink()
    with pytest.raises(ParserError, match=f"no encoder hf:{tmp_path}: .*tokenizer.json and weights"):
        load_pretrained(str(tmp_path))


def test_a_word_has_the_position_of_its_first_sub_word(encoder: Path) -> None:
    reader = SubwordReader(WordTable.learn([]), 1, (encoder / "tokenizer.json").read_text(), 18)
    forms = ["ab", "c", "", "def", "g" * 90] + ["hi"] * 12
    *_, pieces, mask, positions = reader.read([forms, ["c"]])
    assert pieces.shape[1] <= 18
    assert (pieces[mask == 0] == 0).all()
    assert pieces.reshape(-1)[positions[0]].tolist() == [reader._subwords(form)[0] for form in forms]
    assert pieces.reshape(-1)[positions[1, 0]] == reader._subwords("c")[0]


def test_a_missing_encoder(tmp_path: Path) -> None:
    with pytest.raises(ParserError, match="no encoder hf:"):
        NeuralParser().fit(examples(2), [], settings(encoder=f"hf:{tmp_path / 'none'}"), Silent())


def test_pretrained_weights_have_a_rate_of_their_own(encoder: Path) -> None:
    made, _ = make_encoder(WordTable.learn([]), 1, settings(encoder=f"hf:{encoder}").options)
    network = Network(made, Classes.learn(examples(2)), 0.1, 16, constituent_roles=0)
    for given, expected in ((None, 0.0002), (0.00001, 0.00001)):
        new, pretrained = optimizer.parameter_groups(network, 0.002, given)
        assert (new["lr"], pretrained["lr"]) == (0.002, pytest.approx(expected))
    with pytest.raises(ParserError, match="encoder_rate applies to pretrained encoders only"):
        NeuralParser.check(settings(encoder="cnn", encoder_rate="0.001").options)
