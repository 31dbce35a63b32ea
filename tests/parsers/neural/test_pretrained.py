"""A pretrained encoder, very small and made up on the spot."""

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="training needs torch: pip install 'spindle-parser[neural]'")
pytest.importorskip("transformers", reason="needs transformers: pip install 'spindle-parser[neural]'")

import numpy as np
import torch
import transformers
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from spindle.errors import ParserError
from spindle.parsers.neural import NeuralParser, trainer
from spindle.parsers.neural.classes import Classes
from spindle.parsers.neural.network import Network
from spindle.parsers.neural.readers import SubwordReader
from spindle.parsers.neural.words import WordTable
from spindle.reduction import Encoding
from spindle.trees import Token
from support.neural_toys import Silent, examples, settings


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with an encoder that reads 18 sub-words, which are single characters."""
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


def test_it_is_trained_and_reads_long_sentences(encoder: Path) -> None:
    train = examples(8)
    parser = NeuralParser()
    parser.fit(train, [], settings(encoder=f"hf:{encoder}", epochs="1"), Silent())
    again = NeuralParser.from_part(parser.to_part())
    assert again.encoder == f"hf:{encoder.name}"  # nobody else has that folder
    sentences = [list(example.tokens) for example in train] + [[Token("word")] * 60, [Token("\u0000")]]
    found = again.parse(sentences, 1)
    assert [len(one.heads) for one in found] == list(map(len, sentences))
    assert [list(one.heads) for one in parser.parse(sentences, 1)] == [list(one.heads) for one in found]


def test_halves_change_little_and_only_while_it_learns(encoder: Path) -> None:
    train = examples(8)
    sentences = [list(example.tokens) for example in train]
    states = {}
    for precision in ("32", "16"):
        parser = NeuralParser()
        options = settings(encoder=f"hf:{encoder}", epochs="2", precision=precision)
        parser.fit(train, [], options, Silent())
        states[precision] = np.concatenate([found.memory.states for found in parser.parse(sentences, 1)])
    difference = np.abs(states["32"] - states["16"]).max()
    assert 0 < difference < 0.1 * np.abs(states["32"]).max()


@pytest.mark.parametrize("hidden", ["1", "7"])
def test_a_layer_above_of_any_width(encoder: Path, hidden: str) -> None:
    parser = NeuralParser()
    parser.fit(examples(4), [], settings(encoder=f"hf:{encoder}", epochs="1", hidden=hidden), Silent())
    sentence = [Token("a"), Token("word")]
    assert len(parser.parse([sentence], 1)[0].heads) == 2


def test_all_learns_but_very_large_tables(encoder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = SubwordReader(WordTable.learn([]), 1, (encoder / "tokenizer.json").read_text(), 18)
    made, _ = trainer.make_encoder(reader.words, 1, settings(encoder=f"hf:{encoder}").options)
    network = Network(made, Classes.learn(examples(2), Encoding.DIRECT), 0.1, 16)

    def frozen() -> set[str]:
        groups = trainer.groups_of_weights(network, 0.002)
        learns = {id(weights) for group in groups for weights in group["params"]}
        named = list(network.named_parameters())
        assert all(weights.requires_grad is (id(weights) in learns) for _, weights in named)
        return {name for name, weights in named if id(weights) not in learns}

    assert frozen() == set()
    table = made.model.get_input_embeddings().weight
    monkeypatch.setattr(trainer, "LARGEST_TABLE", table.numel() - 1)
    assert frozen() == {"sentence.encoder.model.embeddings.word_embeddings.weight"}


def test_some_sub_words_are_hidden_but_only_while_it_learns(encoder: Path) -> None:
    words = WordTable.learn([])
    made, reader = trainer.make_encoder(words, 1, settings(encoder=f"hf:{encoder}").options)
    seen = []
    made.model.register_forward_pre_hook(
        lambda _, __, given: seen.append(given["input_ids"]), with_kwargs=True
    )
    inputs = [torch.from_numpy(array) for array in reader.read([["abc"] * 5] * 40)]
    torch.manual_seed(1)
    for training in (True, False):
        made.train(training)(*inputs)
    learning_from, reading = seen
    hidden = learning_from != reading
    assert (learning_from[hidden] == 4).all()
    assert 0.05 < hidden.float().mean() < 0.15
    assert (reading == inputs[4]).all()
    made.mask = None  # an encoder that knows no such sub-word
    made.train()(*inputs)
    assert (seen[-1] == reading).all()


@pytest.mark.parametrize("family", ["Roberta", "DistilBert", "ModernBert"])
def test_encoders_of_other_families(encoder: Path, tmp_path: Path, family: str) -> None:
    sizes = {"hidden_size": 16, "num_hidden_layers": 3, "num_attention_heads": 2, "intermediate_size": 24}
    if family == "DistilBert":  # has its own names for them
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


def test_a_model_that_also_writes_is_refused(encoder: Path, tmp_path: Path) -> None:
    config = transformers.T5Config(d_model=16, d_kv=8, d_ff=24, num_layers=2, num_heads=2, vocab_size=77)
    transformers.T5Model(config).save_pretrained(tmp_path)
    for file in encoder.glob("tokenizer*"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    with pytest.raises(ParserError, match="both reads and writes"):
        NeuralParser().fit(examples(2), [], settings(encoder=f"hf:{tmp_path}"), Silent())


def test_every_word_is_where_its_first_sub_word_is(encoder: Path) -> None:
    reader = SubwordReader(WordTable.learn([]), 1, (encoder / "tokenizer.json").read_text(), 18)
    forms = ["ab", "c", "", "def", "g" * 90] + ["hi"] * 12
    *_, pieces, there, places = reader.read([forms, ["c"]])
    assert pieces.shape[1] <= 18
    assert (pieces[there == 0] == 0).all()
    assert pieces.reshape(-1)[places[0]].tolist() == [reader._pieces(form)[0] for form in forms]
    assert pieces.reshape(-1)[places[1, 0]] == reader._pieces("c")[0]


def test_an_encoder_that_is_nowhere(tmp_path: Path) -> None:
    with pytest.raises(ParserError, match="no encoder hf:"):
        NeuralParser().fit(examples(2), [], settings(encoder=f"hf:{tmp_path / 'none'}"), Silent())
