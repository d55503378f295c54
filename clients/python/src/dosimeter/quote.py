"""What a plan would cost and how far off its answers would be: free, and read from no row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from .amounts import Number
from .table import html_table


@dataclass(frozen=True)
class Cost:
    """What leaves the budget. `epsilon` is None where Gaussian noise has no price by addition."""

    epsilon: Decimal | None
    delta: Decimal

    def __str__(self) -> str:
        paid = "Gaussian noise" if self.epsilon is None else f"ε = {self.epsilon}"
        return paid if self.delta == 0 else f"{paid}, δ = {self.delta}"


@dataclass(frozen=True)
class QuotedStatistic:
    """One row of a plan. `half_width` is in the answer's unit (of a median: in rows); None: it needs `people`."""

    id: str
    label: str
    sentence: str
    half_width: Number | None
    confidence: Number
    useless: bool
    key: str
    """Names the question: equal questions have equal keys, through whichever door they come."""
    offers: Sequence[Mapping[str, Any]]
    """Earlier answers that can be had instead, the free ones first."""


@dataclass(frozen=True)
class Quote:
    """`admitted`, `cost`, `left` after it; where it does not fit, `refusal` and `largest_epsilon`."""

    admitted: bool
    cost: Cost | None
    statistics: Sequence[QuotedStatistic]
    left: Decimal | None
    """ε that the paying account would have left; None where it would not fit or is not counted by addition."""
    refusal: str | None
    largest_epsilon: Decimal | None
    """The largest pure ε that would still fit, where the plan does not; 0: none."""
    version: int
    plan: Mapping[str, Any] | None
    """The plan that SQL was read as; None where a plan was asked for."""
    notes: Sequence[str]
    raw: Mapping[str, Any] = field(repr=False)
    """The whole answer of the server."""

    def __str__(self) -> str:
        lines = [row.sentence for row in self.statistics]
        return "\n".join([*lines, self._price(), *self.notes])

    def _price(self) -> str:
        if self.refusal is not None:
            return f"It does not fit: {self.refusal}"
        left = "" if self.left is None else f"; left after it: ε = {self.left}"
        return f"Cost: {self.cost}{left}"

    def _repr_html_(self) -> str:
        rows = [(row.id, row.label, row.sentence) for row in self.statistics]
        return html_table(("row", "statistic", "error"), rows, [self._price(), *self.notes])


def quote_of(raw: Mapping[str, Any], plan: Mapping[str, Any] | None = None, notes: Sequence[str] = ()) -> Quote:
    cost, refusal = raw["cost"], raw["refusal"]
    after = raw["path"][-1]["after"] if raw["path"] else None
    return Quote(
        admitted=raw["admitted"],
        cost=None if cost is None else cost_of(cost),
        statistics=tuple(_row(row) for row in raw["statistics"]),
        left=None if after is None else decimal_of(after["epsilon"]["left"]),
        refusal=None if refusal is None else refusal["detail"],
        largest_epsilon=None if refusal is None else decimal_of(refusal["largestEpsilon"]),
        version=raw["version"],
        plan=plan,
        notes=tuple(notes),
        raw=raw,
    )


def _row(row: Mapping[str, Any]) -> QuotedStatistic:
    accuracy, reuse = row["accuracy"], row["reuse"]
    return QuotedStatistic(
        id=row["id"],
        label=row["label"],
        sentence=row["sentence"],
        half_width=accuracy["halfWidth"],
        confidence=accuracy["confidence"],
        useless=accuracy["useless"],
        key=reuse["key"],
        offers=tuple(reuse["offers"]),
    )


def cost_of(raw: Mapping[str, Any]) -> Cost:
    return Cost(epsilon=decimal_of(raw["epsilon"]), delta=Decimal(raw["delta"]))


def decimal_of(text: str | None) -> Decimal | None:
    return None if text is None else Decimal(text)
