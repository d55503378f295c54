"""A plan as Python writes it: one statistic, several, or the whole plan of the HTTP interface."""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from .amounts import Amount, amount_text, invalid
from .http import written

Statistic = Mapping[str, Any]
Asked = Statistic | Sequence[Statistic]
"""One statistic, a list of them, or a whole plan: a mapping with `statistics`."""

Reuse = str | Mapping[str, str]
"""`never`, `asAccurate`, `free`, or one of these, or an offer's id, for each row."""


def statistic(
    name: str,
    column: str | None = None,
    *,
    by: str | Sequence[str] = (),
    where: str | None = None,
    epsilon: Amount | None = None,
    rho: Amount | None = None,
    **settings: Any,
) -> Statistic:
    """One row of a plan: `statistic("mean", "income", by="education", epsilon="0.1")`.

    `settings` are those of the row (docs/statistics.md) in Python's spelling: `values_per_unit=2`, `with_="age"`.
    """
    groups = [by] if isinstance(by, str) else list(by)
    row: dict[str, Any] = {"statistic": name}
    given = {"column": column, "groupBy": groups or None, "where": where}
    row.update({field: value for field, value in given.items() if value is not None})
    for field, price in (("epsilon", epsilon), ("rho", rho)):
        if price is not None:
            row[field] = amount_text(field, price)
    row.update({_wire(field): value for field, value in settings.items() if value is not None})
    return row


def row(name: str, given: dict[str, Any]) -> Statistic:
    """A row of the settings that a function of `statistics` was given; InvalidParameter for one that it does not take."""
    for field, value in given.pop("wrong").items():
        takes = list(given)
        meant = _ELSEWHERE.get(field) or near(field, takes)
        raise invalid(field, value, f"absent: {name} takes {', '.join(takes)}{f' (did you mean {meant}?)' if meant else ''}")
    return statistic(name, given.pop("column", None), **given)


_ELSEWHERE = {"group_by": "by", "groupby": "by", "groupBy": "by", "filter": "where", "condition": "where"}


def near(word: str, names: Iterable[str]) -> str | None:
    """The one of `names` that was probably meant."""
    known = list(names)
    begun = [name for name in known if len(word) > 2 and name.startswith(word.lower())]
    return next(iter([*begun, *difflib.get_close_matches(word.lower(), known, 1, 0.7)]), None)


def _wire(name: str) -> str:
    """`values_per_unit` is `valuesPerUnit`, and `with_`, which Python keeps for itself otherwise, is `with`."""
    first, *rest = name.rstrip("_").split("_")
    return first + "".join(part.capitalize() for part in rest)


def plan_of(asked: Asked) -> Mapping[str, Any]:
    """The plan that is asked for; InvalidParameter for what is none."""
    if isinstance(asked, Mapping):
        return asked if "statistics" in asked else {"statistics": [asked]}
    if isinstance(asked, (str, bytes)) or not all(isinstance(row, Mapping) for row in asked):
        raise invalid("plan", asked, "a statistic, a list of them, or a plan; SQL goes to sql()")
    return {"statistics": list(asked)}


_AMOUNTS = ("epsilon", "rho", "delta", "keyShare", "rate")
_DECIMAL = re.compile(r"[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,2})?")


def canonical(asked: Any) -> Any:
    """One way to write a question, whatever its order of fields: amounts as plain decimal text, whole floats as `int`.

    What is sent with the key of a question is written this way: the server compares it with what the key was used for.
    """
    if isinstance(asked, Mapping):
        return {name: _amount(name, asked[name]) if name in _AMOUNTS else canonical(asked[name]) for name in sorted(asked)}
    if isinstance(asked, (list, tuple)):
        return [canonical(each) for each in asked]
    return int(asked) if isinstance(asked, float) and asked.is_integer() else asked


def _amount(name: str, value: Any) -> Any:
    if value is None or isinstance(value, (Mapping, list, tuple)):
        return canonical(value)
    text = amount_text(name, value)
    if not _DECIMAL.fullmatch(text):
        return text
    plain = format(Decimal(text), "f")
    return plain.rstrip("0").rstrip(".") if "." in plain else plain


def key_of(route: str, body: Mapping[str, object], version: int) -> str:
    """The idempotency key of a canonical question: the same question about the same version of the rows has the same key."""
    content = written({"body": body, "route": route, "version": version})
    return f"py-{hashlib.sha256(content).hexdigest()[:40]}"
