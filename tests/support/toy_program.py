"""A dependency parser as a separate program, for the tests of backends that run one.

    toy_program.py train FILE MODEL [FAULT]
    toy_program.py parse FILE OUTPUT MODEL [FAULT]

Each word gets the head offset and the label that are the most frequent for its tag in the training file.
FAULT names a failure to imitate.
"""

import json
import os
import subprocess
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path


def read(path: str) -> list[list[list[str]]]:
    blocks = Path(path).read_text(encoding="utf-8").strip("\n").split("\n\n")
    return [[line.split("\t") for line in block.split("\n")] for block in blocks]


def write(path: str, sentences: list[list[list[str]]]) -> None:
    text = "".join("".join("\t".join(row) + "\n" for row in rows) + "\n" for rows in sentences)
    if path == "-":
        sys.stdout.write(text)
    else:
        Path(path).write_text(text, encoding="utf-8")


def train(path: str, model: str) -> None:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for rows in read(path):
        for row in rows:
            offset = 0 if row[6] == "0" else int(row[6]) - int(row[0])
            counts[row[4]][f"{offset} {row[7]}"] += 1
    known = {tag: min(found, key=lambda it: (-found[it], it)) for tag, found in counts.items()}
    Path(model).mkdir()
    Path(model, "known.json").write_text(json.dumps(known), encoding="utf-8")
    Path(model, "empty").touch()


def parse(path: str, output: str, model: str, fault: str) -> None:
    known = json.loads(Path(model, "known.json").read_text(encoding="utf-8"))
    sentences = read(path)
    for rows in sentences:
        for row in rows:
            offset, label = known.get(row[4], "1 X.1").split(" ")
            head = int(row[0]) + int(offset)
            row[6] = str(head) if offset != "0" and 0 < head <= len(rows) else "0"
            row[7] = label
    if fault == "drop":
        del sentences[1]
    elif fault == "drop-last":
        del sentences[-1]
    elif fault == "more":
        sentences.append(sentences[0])
    elif fault == "reorder":
        sentences[0], sentences[1] = sentences[1], sentences[0]
    elif fault == "change":
        sentences[1][1][1] = "changed"
    elif fault == "split":
        sentences[1].append([str(len(sentences[1]) + 1), *sentences[1][-1][1:]])
    elif fault == "garbage":
        sentences[1][0] = ["What", "a", "day"]
    elif fault == "no-head":
        sentences[1][0][6] = "_"
    if fault != "no-output":
        write(output, sentences)


def main(verb: str, *arguments: str) -> None:
    count = 2 if verb == "train" else 3
    fault = arguments[count] if len(arguments) > count else ""
    if fault == "crash":
        sys.exit("out of cheese")
    elif fault == "hang":
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        Path(os.environ["TOY_CHILD"]).write_text(str(child.pid), encoding="utf-8")
        time.sleep(600)
    elif fault == "greedy":
        sys.exit(len(bytearray(2_000_000_000)))
    if verb == "train":
        sys.stdout.write("the toy parser learns\n")
        if fault != "no-model":
            train(arguments[0], arguments[1])
    else:
        parse(arguments[0], arguments[1], arguments[2], fault)


if __name__ == "__main__":
    main(*sys.argv[1:])
