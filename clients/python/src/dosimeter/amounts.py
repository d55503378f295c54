"""Exact amounts: ε and δ travel as decimal text, and are `Decimal` here. A binary fraction cannot hold 0.1."""

from __future__ import annotations

from decimal import Decimal

from .errors import InvalidParameter

Amount = str | int | float | Decimal
"""What may be given as an amount. A float means its shortest decimal: 0.1 is one tenth."""

Number = int | Decimal
"""What comes back: whole numbers as `int`, all others as `Decimal`."""


def amount_text(name: str, value: Amount) -> str:
    """The decimal text of an amount; InvalidParameter for what is none. The range is the server's to check."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float, Decimal)):
        raise invalid(name, value, "a number, a Decimal or a decimal text")
    exact = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    if not exact.is_finite():
        raise invalid(name, value, "a finite number")
    return format(exact, "f")


def invalid(name: str, got: object, want: str) -> InvalidParameter:
    """*name* is *got*, must be *want*."""
    shown = repr(got)
    if len(shown) > 80:
        shown = shown[:80] + "…"
    return InvalidParameter(f"{name} is {shown}, must be {want}", {"name": name, "want": want})
