"""The model that comes with the package: small, free to use, and it parses."""

import spindle
from spindle.models.bundled import bundled_models, find_model


def test_it_is_small() -> None:
    assert "fast" in bundled_models()
    assert find_model().stat().st_size <= 8_000_000


def test_it_parses_out_of_the_box() -> None:
    parser = spindle.load()
    tree = parser.parse("The public is still cautious.")
    assert tree is not None
    assert [token.form for token in tree.tokens] == ["The", "public", "is", "still", "cautious", "."]
    assert tree.labels[:4] == ("ROOT", "S", "NP", "VP")
    assert tree.is_continuous


def test_its_card_names_data_and_licence() -> None:
    card = spindle.load().card
    assert "CC BY" in card.licence
    assert set(card.training.files) == {"english-gum (free genres)", "english-craft"}
    assert card.scores["f1"] > 75
