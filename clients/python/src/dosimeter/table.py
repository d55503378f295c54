"""Tables of answers: rows in Python, a data frame where pandas or polars is here, HTML in a notebook."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from decimal import Decimal
from html import escape
from typing import Any


class Table:
    """Named columns and rows. Numbers are exact: `int` or `Decimal`; a missing or unreliable one is None."""

    def __init__(self, columns: Sequence[str], rows: Sequence[Sequence[Any]], notes: Sequence[str] = ()) -> None:
        self.columns: tuple[str, ...] = tuple(columns)
        self.rows: tuple[tuple[Any, ...], ...] = tuple(tuple(row) for row in rows)
        self.notes: tuple[str, ...] = tuple(notes)

    def __len__(self) -> int:
        return len(self.rows)

    def records(self) -> list[dict[str, Any]]:
        """One dictionary a row."""
        return [dict(zip(self.columns, row)) for row in self.rows]

    def to_pandas(self) -> Any:
        """A `pandas.DataFrame`. Its fractions are float64, the doubles that the server wrote."""
        return _module("pandas").DataFrame(self._series(), columns=list(self.columns))

    def to_polars(self) -> Any:
        """A `polars.DataFrame`. Its fractions are Float64, the doubles that the server wrote."""
        return _module("polars").DataFrame(self._series(), strict=False)

    def to_arrow(self) -> Any:
        """A `pyarrow.Table`. Its fractions are doubles, those that the server wrote."""
        return _module("pyarrow").table(self._series())

    def _series(self) -> dict[str, list[Any]]:
        columns = {name: [row[place] for row in self.rows] for place, name in enumerate(self.columns)}
        return {name: _doubles(values) for name, values in columns.items()}

    def __str__(self) -> str:
        lines = [self.columns, *([shown(cell) for cell in row] for row in self.rows)]
        widths = [max(len(line[place]) for line in lines) for place in range(len(self.columns))]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines)

    def _repr_html_(self) -> str:
        return html_table(self.columns, self.rows, self.notes)


class HasTable:
    """What is read as the one table it has."""

    @property
    def table(self) -> Table:
        raise NotImplementedError

    def records(self) -> list[dict[str, Any]]:
        return self.table.records()

    def to_pandas(self) -> Any:
        return self.table.to_pandas()

    def to_polars(self) -> Any:
        return self.table.to_polars()

    def to_arrow(self) -> Any:
        return self.table.to_arrow()


def _doubles(values: list[Any]) -> list[Any]:
    """A column with a fraction is one of doubles: the shortest decimal of a double is that double again."""
    if not any(isinstance(value, Decimal) for value in values):
        return values
    return [float(value) if isinstance(value, (int, Decimal)) else value for value in values]


def _module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(f"{name} is not installed; records() needs nothing: pip install 'dosimeter[{name}]'") from error


def shown(value: Any) -> str:
    """A cell as people read it: at most six significant digits."""
    if value is None:
        return ""
    if isinstance(value, Decimal):
        return f"{value:.6g}"
    if isinstance(value, (list, tuple)):
        return ", ".join(shown(each) for each in value)
    return str(value)


def html_table(columns: Sequence[str], rows: Sequence[Sequence[Any]], notes: Sequence[str] = ()) -> str:
    """A table without style or script. Every text is escaped: names and values are other people's."""
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    body = "".join("<tr>" + "".join(f"<td>{escape(shown(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    below = "".join(f"<p>{escape(note)}</p>" for note in notes)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}"


def cells_table(answers: Sequence[Mapping[str, Any]]) -> Table:
    """Every cell of answers as one row: its group, its value, and its interval as two columns."""
    groups = list(dict.fromkeys(name for answer in answers for name in answer["groupBy"]))
    # A group may be called as one of our columns.
    named = {name: f"group.{name}" if name in (*_BEFORE, *_AFTER) else name for name in groups}
    rows = [
        (
            *(answer[field] for field in _BEFORE),
            *(cell["group"].get(name) for name in groups),
            cell.get("bin", {}).get("label"),
            cell["value"],
            *cell["interval"],
            cell.get("rank"),
            answer["confidence"],
            bool(cell.get("unreliable")),
        )
        for answer in answers
        for cell in answer["cells"]
    ]
    notes = list(dict.fromkeys(note for answer in answers for note in answer["notes"]))
    return Table((*_BEFORE, *named.values(), *_AFTER), rows, notes)


_BEFORE = ("id", "statistic", "label", "column")
_AFTER = ("bin", "value", "low", "high", "rows_off", "confidence", "unreliable")
