"""What was released: answers with their intervals, the receipt, and tables of both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from .amounts import Number
from .errors import InvalidParameter
from .http import Http, segment
from .quote import Cost, cost_of
from .table import HasTable, Table, cells_table


@dataclass(frozen=True)
class Cell:
    """One number: of a group, or of a bin of one. Its interval holds with the confidence of its answer.

    Of a median or a quantile the interval is all that is declared, and `rows_off` says by how many rows it may be off.
    """

    group: Mapping[str, Any]
    bin: str | None
    value: Number
    low: Number
    high: Number
    rows_off: Number | None
    unreliable: bool


@dataclass(frozen=True)
class Answer:
    """One noisy statistic. A date counts days, weeks, months, quarters or years from 1970-01-01 on."""

    id: str
    statistic: str
    label: str
    column: str | None
    confidence: Number
    cells: Sequence[Cell]
    notes: Sequence[str]
    raw: Mapping[str, Any] = field(repr=False)

    @property
    def value(self) -> Number:
        """The number of an answer that has one; InvalidParameter where it has several cells."""
        if len(self.cells) != 1:
            raise InvalidParameter(f"{self.id} has {len(self.cells)} cells, must be one; read its cells", {"name": self.id})
        return self.cells[0].value


class Release(HasTable):
    """A finished release. Reading it again is free, and its answers never change."""

    def __init__(self, raw: Mapping[str, Any], http: Http) -> None:
        self.raw = raw
        self._http = http
        self.id: str = raw["id"]
        self.title: str = raw["title"]
        self.version: int = raw["version"]
        self.plan: Mapping[str, Any] = raw["plan"]
        self.receipt: Mapping[str, Any] = raw["receipt"]
        self.cost: Cost = cost_of(raw)
        self.answers: tuple[Answer, ...] = tuple(_answer(answer) for answer in raw["answers"])

    def __getitem__(self, row: int | str) -> Answer:
        """An answer by its place, or by the id of its row."""
        if isinstance(row, int):
            return self.answers[row]
        found = next((answer for answer in self.answers if answer.id == row), None)
        if found is None:
            ids = ", ".join(answer.id for answer in self.answers)
            raise KeyError(f"no answer is called {row!r}; there are {ids}")
        return found

    @property
    def table(self) -> Table:
        """Every cell of every answer, its interval as the columns low and high."""
        return cells_table(self.raw["answers"])

    def save_report(self, path: str | Path) -> Path:
        """Writes the server's report, by the ending of the name: `.xlsx`, `.parquet`, `.csv`, `.sdmx`, `.html`, else a PDF."""
        where = Path(path)
        ending = where.suffix.lower().removeprefix(".")
        query = f"?format={ending}" if ending in ("html", "csv", "sdmx", "xlsx", "parquet") else ""
        where.write_bytes(self._http.content(f"/v1/releases/{segment('release', self.id)}/report{query}"))
        return where

    def save_rows(
        self, path: str | Path, *, rows: int | None = None, seed: int = 0, row: str | None = None
    ) -> Path:
        """Writes made-up rows of a synthetic table: Parquet where the name ends so, else CSV. Free, and the same for a seed.

        At most 100,000 rows; as many as the table seems to have when absent. `row` is the id of the answer where a
        release has several tables.
        """
        where = Path(path)
        kind = "parquet" if where.suffix.lower() == ".parquet" else "csv"
        asked = _given({"rows": rows, "seed": seed, "row": row, "format": kind})
        where.write_bytes(self._http.content(f"/v1/releases/{segment('release', self.id)}/rows", asked))
        return where

    def ask_rows(
        self, where: str | None = None, *, mean: str | None = None, seed: int = 0, row: str | None = None
    ) -> Mapping[str, Any]:
        """How many made-up rows of a synthetic table match a condition ("age < 30"), and the mean of a column over them.

        Free. `basis` says what the answer rests on, `noise` how far the noise alone moves it, `notes` what not to use it for.
        InvalidParameter where neither `where` nor `mean` is given.
        """
        asked = _given({"where": where, "mean": mean, "seed": seed, "row": row})
        counted: Mapping[str, Any] = self._http.get(f"/v1/releases/{segment('release', self.id)}/rows/count", asked)
        return counted

    def __str__(self) -> str:
        return f"{self.title}\n{self.table}"

    def __repr__(self) -> str:
        return f"<Release {self.id}: {self.title}>"

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


class SqlRelease(HasTable):
    """What a query answered: one table for each SELECT, and the release, which has every interval."""

    def __init__(self, raw: Mapping[str, Any], release: Release) -> None:
        self.raw = raw
        self.release = release
        self.plan: Mapping[str, Any] = raw["plan"]
        self.notes: tuple[str, ...] = tuple(raw["notes"])
        self.tables: tuple[Table, ...] = tuple(
            Table(table["columns"], table["rows"], table["notes"]) for table in raw["tables"]
        )

    @property
    def cost(self) -> Cost:
        return self.release.cost

    @property
    def table(self) -> Table:
        """The table of a query with one SELECT; InvalidParameter where there are several."""
        if len(self.tables) != 1:
            raise InvalidParameter(f"the query has {len(self.tables)} tables, must be one; read `tables`", {"name": "table"})
        return self.tables[0]

    def __str__(self) -> str:
        return "\n\n".join(str(table) for table in self.tables)

    def _repr_html_(self) -> str:
        return "".join(table._repr_html_() for table in self.tables)


def _answer(raw: Mapping[str, Any]) -> Answer:
    return Answer(
        id=raw["id"],
        statistic=raw["statistic"],
        label=raw["label"],
        column=raw["column"],
        confidence=raw["confidence"],
        cells=tuple(_cell(cell) for cell in raw["cells"]),
        notes=tuple(raw["notes"]),
        raw=raw,
    )


def _cell(raw: Mapping[str, Any]) -> Cell:
    low, high = raw["interval"]
    return Cell(
        group=raw["group"],
        bin=raw.get("bin", {}).get("label"),
        value=raw["value"],
        low=low,
        high=high,
        rows_off=raw.get("rank"),
        unreliable=bool(raw.get("unreliable")),
    )


def _given(values: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in values.items() if value is not None}
