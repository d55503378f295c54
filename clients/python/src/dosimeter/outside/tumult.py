"""Tumult Analytics: the whole budget of a session is charged to an account before the session is built.

    from dosimeter.outside import tumult
    change = AddMaxRows(2)
    budget = tumult.budget(ds, PureDPBudget(0.5), change, key="tables-2026", purpose="…")
    session = Session.Builder().with_privacy_budget(budget).with_private_dataframe("people", rows, protected_change=change).build()
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from ..amounts import invalid
from ..client import Dataset
from ..errors import UnsupportedEvent
from . import ADD_OR_REMOVE, Event, Run, at_least

Budget = TypeVar("Budget")


def event_of(budget: Any) -> Event:
    """What a session of this budget loses at most, whatever it is asked: pure ε, (ε, δ), or ρ of zCDP."""
    name = type(budget).__name__
    values = budget.value if isinstance(budget.value, tuple) else (budget.value,)
    amounts = [at_least(each.to_float(round_up=True)) for each in values]
    if name == "PureDPBudget":
        return {"kind": "pure", "epsilon": amounts[0]}
    if name == "ApproxDPBudget":
        return {"kind": "approximate", "epsilon": amounts[0], "delta": amounts[1]}
    if name == "RhoZCDPBudget":
        return {"kind": "zcdp", "rho": amounts[0]}
    raise UnsupportedEvent(f"budget is {name}, must be PureDPBudget, ApproxDPBudget or RhoZCDPBudget", {"name": "budget", "got": name})


def unit_of(protected_change: Any) -> Mapping[str, Any]:
    """The relation and the rows of one person that a protected change stands for. All rows of an id are as many as the dataset
    lets a person have: who protects ids says rows_per_unit."""
    name = type(protected_change).__name__
    if name in ("AddOneRow", "AddMaxRows"):
        return {"relation": ADD_OR_REMOVE, "rows_per_unit": protected_change.max_rows}
    if name == "AddMaxRowsInMaxGroups":
        return {"relation": ADD_OR_REMOVE, "rows_per_unit": protected_change.max_groups * protected_change.max_rows_per_group}
    if name == "AddRowsWithID":
        return {"relation": ADD_OR_REMOVE}
    raise invalid("protected_change", name, "AddOneRow, AddMaxRows, AddMaxRowsInMaxGroups or AddRowsWithID")


def budget(ds: Dataset, budget: Budget, protected_change: Any, *, key: str, purpose: str, **settings: Any) -> Budget:
    """The same budget, once it is paid for as `key/session`: for one session, all of whose tables have this protected change.

    `settings` are those of `Dataset.charge`. What the session does not spend is not given back.
    """
    unit = unit_of(protected_change)
    Run(ds, "tmlt.analytics", key=key, purpose=purpose, **{**unit, **settings}).charge(event_of(budget), "session")
    return budget
