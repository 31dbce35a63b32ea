"""A toy language: the ending of a word or the word before it determines its tag."""

from random import Random

from spindle.trees import Token

STEMS = ["bal", "dor", "fim", "gek", "lun", "mos", "nip", "rav", "sut", "tev"]


def toy_sentences(count: int, seed: int = 1, *, with_morph: bool = False) -> list[list[Token]]:
    """Return sentences such as `the balon dorar a fimons .`, tagged; plural nouns end in s."""
    random = Random(seed)
    sentences = []
    for _ in range(count):
        tokens = []
        for clause in range(random.randint(1, 3)):
            if clause:
                tokens.append(Token("and", "CONJ"))
            plural = random.random() < 0.5
            noun = "".join(random.choices(STEMS, k=2)) + ("ons" if plural else "on")
            tokens.append(Token("the", "DET"))
            tokens.append(Token(noun, "NOUN", lemma="?", function="SB", morph="pl" if plural else "sg"))
            # "can" is a noun after an article and a verb elsewhere
            tokens.append(Token("can", "VERB", morph="fin"))
            if random.random() < 0.5:
                tokens += [Token("the", "DET"), Token("can", "NOUN", morph="sg")]
        tokens.append(Token(".", "."))
        sentences.append(tokens)
    if with_morph:
        return [
            [token if token.morph else token._replace(morph="-") for token in tokens] for tokens in sentences
        ]
    return [[token._replace(morph="") for token in tokens] for tokens in sentences]
