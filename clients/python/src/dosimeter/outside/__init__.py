"""Programs outside: what other tools spend on the same people is charged to the same account, before they run.

    from dosimeter import outside
    ds = dosimeter.connect().dataset("adults")
    with outside.charge(ds, [{"kind": "gaussian", "noiseMultiplier": 4}], key="report-1", purpose="yearly report"):
        ...

Adapters are modules of their own, each of which needs its package: `opendp`, `dp_accounting`, `diffprivlib`, `opacus`, `tumult`.
"""

from __future__ import annotations

from decimal import ROUND_CEILING, Context, Decimal
from importlib import metadata
from typing import Any

from ..amounts import invalid
from ..charge import ADD_OR_REMOVE, REPLACE, ChargePrice, ChargeQuote, Event, Permit, Relation, checked_relation
from ..client import Dataset

__all__ = [
    "ADD_OR_REMOVE",
    "REPLACE",
    "ChargePrice",
    "ChargeQuote",
    "Event",
    "Permit",
    "Relation",
    "Run",
    "at_least",
    "charge",
    "checked_relation",
]

charge = Dataset.charge
"""`ds.charge(events, …)` as a function: `charge(ds, events, …)`."""


class Run:
    """One run of a program of `package`. Its n-th charge has the key `key/n`, and its permit is redeemed at once.

    Who runs again under the same key is refused: a second run draws again, and that was not paid for.
    """

    def __init__(self, ds: Dataset, package: str, *, key: str, purpose: str, **settings: Any) -> None:
        """`settings` are those of `Dataset.charge`, such as `account` and `rows_per_unit`."""
        self.permits: list[Permit] = []
        self._ds = ds
        self._key = key
        self._said: dict[str, Any] = {"purpose": purpose, "tool": tool_of(package), **settings}

    def charge(self, event: Event, name: str | None = None, **said: Any) -> Permit:
        """Pays for `event`, and says that it runs now. Raises the server's refusal; then nothing may run."""
        key = f"{self._key}/{name or len(self.permits) + 1}"
        permit = self._ds.charge(event, key=key, **{**self._said, **said}).redeem()
        self.permits.append(permit)
        return permit


def tool_of(package: str) -> dict[str, str] | None:
    try:
        return {"name": package, "version": metadata.version(package)}
    except metadata.PackageNotFoundError:
        return None


def at_least(value: float) -> str:
    """A computed loss as decimal text that is not below it: its shortest decimal, or where that is smaller 18 places, up."""
    exact, short = Decimal(value), Decimal(repr(float(value)))
    if not exact.is_finite() or exact < 0:
        raise invalid("loss", value, "a finite number, 0 or more")
    return format(short if short >= exact else exact.quantize(Decimal("1e-18"), ROUND_CEILING, Context(400)), "f")
