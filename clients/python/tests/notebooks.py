"""Runs the code cells of notebooks in one namespace each, without Jupyter: `python tests/notebooks.py a.ipynb …`."""

from __future__ import annotations

import ast
import json
import sys
from pathlib import Path


def shown(value: object) -> str:
    """What a notebook would show of the last expression of a cell; HTML and SVG are made too."""
    for name in ("_repr_html_", "_repr_svg_"):
        draw = getattr(value, name, None)
        if draw is not None and not draw().strip():
            raise ValueError(f"{name} of {value!r} is empty")
    return str(value)


def run(path: Path) -> None:
    namespace: dict[str, object] = {"__name__": "__main__"}
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    for place, cell in enumerate(cells):
        if cell["cell_type"] != "code":
            continue
        if cell["outputs"] or cell["execution_count"] is not None:
            raise ValueError(f"cell {place} of {path.name} keeps an output: clear it")
        tree = ast.parse("".join(cell["source"]), f"{path.name}, cell {place}")
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, f"{path.name}, cell {place}", "exec"), namespace)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), f"{path.name}, cell {place}", "eval"), namespace)
            if value is not None:
                print(shown(value))


if __name__ == "__main__":
    for name in sys.argv[1:]:
        run(Path(name))
