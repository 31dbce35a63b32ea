"""CPU time of `nlp.pipe` beside that of `parser.parse_many`, for the same words, in turns.

`share` is the CPU time of `parse_many` divided by that of `nlp.pipe`. The documents are made before the clock
starts, as the sentences are.

    python benchmarks/spacy_speed.py fast english --sentences 400
"""

from __future__ import annotations

from itertools import islice

import spacy

import spindle
from measuring import command_line, has_words, part_trees, timed


def main() -> None:
    arguments = command_line(__doc__)
    arguments.add_argument("models", nargs="+")
    arguments.add_argument("--treebank", default="english-gum")
    arguments.add_argument("--sentences", type=int, default=400)
    arguments.add_argument("--per-document", type=int, default=20)
    arguments.add_argument("--rounds", type=int, default=3)
    options = arguments.parse_args()
    trees = islice(filter(has_words, part_trees(options.treebank, "dev")), options.sentences)
    sentences = [[token.form for token in tree.tokens if not token.is_empty] for tree in trees]
    groups = [
        sentences[at : at + options.per_document] for at in range(0, len(sentences), options.per_document)
    ]
    print(f"{len(sentences)} sentences, {sum(map(len, sentences))} words, {len(groups)} documents, 1 thread")
    for model in options.models:
        parser = spindle.load(model)
        nlp = spacy.blank("en")
        nlp.add_pipe("spindle", config={"model": model, "threads": 1})
        warm = next(nlp.pipe(["It works."]))
        assert warm._.trees

        def documents(nlp: spacy.Language = nlp) -> list[spacy.tokens.Doc]:
            return [
                spacy.tokens.Doc(
                    nlp.vocab,
                    [word for sentence in group for word in sentence],
                    sent_starts=[at == 0 for sentence in group for at in range(len(sentence))],
                )
                for group in groups
            ]

        alone, piped = [], []
        for _ in range(options.rounds):
            alone.append(timed(lambda parser=parser: list(parser.parse_many(sentences, threads=1))).cpu)
            docs = documents()
            piped.append(timed(lambda nlp=nlp, docs=docs: list(nlp.pipe(docs))).cpu)
        print(
            f"{model}: parse_many {min(alone):.2f} s, nlp.pipe {min(piped):.2f} s, "
            f"share {min(alone) / min(piped):.3f}"
        )


if __name__ == "__main__":
    main()
