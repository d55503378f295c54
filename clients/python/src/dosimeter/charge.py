"""Charges of programs outside: the account pays before the program runs, and nothing is given back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from .amounts import amount_text, invalid
from .http import Http, segment
from .quote import decimal_of

Event = Mapping[str, Any]
"""One run of a mechanism as docs/accounting.md has it: `{"kind": "gaussian", "noiseMultiplier": 1.1}`."""

Relation = str
ADD_OR_REMOVE: Relation = "add-or-remove-one"
REPLACE: Relation = "replace-one"


@dataclass(frozen=True)
class ChargePrice:
    """What is counted in each sum of the ledger; None in a sum that has no price for it."""

    epsilon: Decimal | None
    delta: Decimal | None
    mu2: Decimal | None

    def __str__(self) -> str:
        counted = {"ε": self.epsilon, "μ²": self.mu2, "δ": self.delta or None}
        return ", ".join(f"{name} = {value}" for name, value in counted.items() if value is not None)


@dataclass(frozen=True)
class ChargeQuote:
    """What a charge would cost, and whether it fits; `why` it does not."""

    fits: bool
    price: ChargePrice | None
    remaining: ChargePrice
    why: str | None
    raw: Mapping[str, Any] = field(repr=False)

    def __str__(self) -> str:
        return f"It does not fit: {self.why}" if not self.fits else f"Cost: {self.price}; left before it: {self.remaining}"


class Permit:
    """A charge that was paid. `text` is the server's signed statement, which a scheduler or a data gateway may ask for.

    A permit is for one run: `with` redeems it, and Conflict is raised where it was redeemed before. Who hands `text` to
    another program lets that one redeem it.
    """

    def __init__(self, http: Http, raw: Mapping[str, Any]) -> None:
        self._http = http
        self.text: str = raw["permit"]
        self.price: ChargePrice = charge_price(raw["price"])
        self.raw: Mapping[str, Any] = raw["charge"]
        self.id: str = self.raw["id"]
        self.key: str = self.raw["key"]

    def redeem(self) -> Permit:
        """Uses the permit up: the program runs now, and once."""
        self.raw = self._http.post("/v1/permits/redeem", {"permit": self.text, "key": self.key})["charge"]
        return self

    def evidence(
        self,
        *,
        commit: str | None = None,
        container: str | None = None,
        sha256: str | None = None,
        report: str | None = None,
        address: str | None = None,
    ) -> None:
        """Says, once, what ran and what came out: commit, container digest, hash of the result, a report or where it is."""
        said = {"commit": commit, "container": container, "sha256": sha256, "report": report, "address": address}
        given = {name: value for name, value in said.items() if value is not None}
        self.raw = self._http.post(f"/v1/charges/{segment('charge', self.id)}/evidence", given)

    def __enter__(self) -> Permit:
        return self.redeem()

    def __exit__(self, *_: object) -> None:
        """Nothing is given back, however the program ended."""

    def __repr__(self) -> str:
        return f"<Permit {self.key}: {self.price}>"


def charge_body(
    dataset: str,
    events: Event | Sequence[Event],
    relation: Relation,
    rows_per_unit: int | None,
    said: Mapping[str, Any],
) -> dict[str, object]:
    """What is sent; InvalidParameter for what can be no charge."""
    listed = [events] if isinstance(events, Mapping) else events
    if isinstance(listed, (str, bytes)) or not listed or not all(isinstance(each, Mapping) for each in listed):
        raise invalid("events", events, 'a list of events like {"kind": "pure", "epsilon": 0.1}')
    delta = said.get("delta")
    body = {
        "dataset": dataset,
        "events": list(listed),
        "relation": checked_relation(relation),
        "rowsPerUnit": rows_per_unit,
        **said,
        "delta": None if delta is None else amount_text("delta", delta),
    }
    return {name: value for name, value in body.items() if value is not None}


def checked_relation(relation: Relation) -> Relation:
    if relation not in (ADD_OR_REMOVE, REPLACE):
        raise invalid("relation", relation, f"{ADD_OR_REMOVE} or {REPLACE}")
    return relation


def charge_quote(raw: Mapping[str, Any]) -> ChargeQuote:
    price = raw["price"]
    return ChargeQuote(
        fits=raw["fits"],
        price=None if price is None else charge_price(price),
        remaining=charge_price(raw["remaining"]),
        why=raw.get("why"),
        raw=raw,
    )


def charge_price(raw: Mapping[str, Any]) -> ChargePrice:
    return ChargePrice(decimal_of(raw["epsilon"]), decimal_of(raw["delta"]), decimal_of(raw["mu2"]))
