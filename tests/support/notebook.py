"""Runs the code cells of a notebook; as a program, also writes their outputs into it.

python tests/support/notebook.py docs/notebook.ipynb
"""

from __future__ import annotations

import ast
import json
import re
import sys
from code import InteractiveInterpreter
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

_ID = re.compile(r"spindle-[0-9a-f]{32}")


def run(notebook: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """Return the outputs of every code cell, in the form of the notebook format 4."""
    interpreter = _Interpreter()
    return [_outputs("".join(cell["source"]), interpreter) for cell in code_cells(notebook)]


def code_cells(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def comparable(outputs: Any) -> str:
    """Return outputs as text, without the random names of elements and the numbers of cells."""
    plain = [{name: value for name, value in one.items() if name != "execution_count"} for one in outputs]
    return _ID.sub("spindle-ID", json.dumps(plain, sort_keys=True))


class _Interpreter(InteractiveInterpreter):
    def showtraceback(self) -> None:
        raise  # the error that is being handled


def _outputs(source: str, interpreter: InteractiveInterpreter) -> list[dict[str, Any]]:
    module = ast.parse(source)
    last = module.body.pop() if module.body and isinstance(module.body[-1], ast.Expr) else None
    printed = StringIO()
    values: list[Any] = []
    with redirect_stdout(printed):
        interpreter.runcode(compile(module, "<cell>", "exec"))
        if last is not None:  # a notebook shows the value of the last expression
            shown, sys.displayhook = sys.displayhook, values.append
            try:
                interpreter.runcode(compile(ast.Interactive([last]), "<cell>", "single"))
            finally:
                sys.displayhook = shown
    found: list[dict[str, Any]] = []
    if printed.getvalue():
        found.append({"output_type": "stream", "name": "stdout", "text": _lines(printed.getvalue())})
    for value in values:
        if value is None:
            continue
        data = {"text/plain": _lines(repr(value))}
        for method, kind in (("_repr_html_", "text/html"), ("_repr_svg_", "image/svg+xml")):
            if hasattr(value, method):
                data[kind] = _lines(getattr(value, method)())
        found.append({"output_type": "execute_result", "metadata": {}, "data": data})
    return found


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def main() -> None:
    path = Path(sys.argv[1])
    notebook = json.loads(path.read_text(encoding="utf-8"))
    for number, (cell, outputs) in enumerate(zip(code_cells(notebook), run(notebook), strict=True), start=1):
        for one in outputs:
            if one["output_type"] == "execute_result":
                one["execution_count"] = number
        cell |= {"execution_count": number, "outputs": outputs}
    path.write_text(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
