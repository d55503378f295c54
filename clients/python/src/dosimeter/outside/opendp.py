"""OpenDP: `charge_measurement(ds, m, d_in, …)`, and `context(ds, …)` whose queries are charged to an account.

    from dosimeter.outside import opendp
    context = opendp.context(ds, data, dp.unit_of(contributions=1), "epsilon", key="histogram", purpose="…", domain=…)
    context.query(epsilon=0.2).count_by_categories(categories).laplace().release()
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import opendp.prelude as dp
from opendp.context import Context

from ..amounts import invalid
from ..client import Dataset
from ..errors import UnsupportedEvent
from . import ADD_OR_REMOVE, REPLACE, Event, Permit, Relation, Run, at_least, tool_of


def event_of(measurement: Any, d_in: int, delta: float | None = None) -> Event:
    """What a measurement loses where data differ by `d_in`, as OpenDP states it: pure ε, ρ of zCDP, or (ε, δ).

    With `delta`, a ρ and a privacy profile are converted to (ε, δ) by OpenDP. UnsupportedEvent for any other measure.
    """
    measure = measurement.output_measure
    name = str(measure)
    if delta is not None and name == "ZeroConcentratedDivergence":
        return event_of(dp.c.make_zCDP_to_approxDP(measurement), d_in, delta)
    if delta is not None and name == "SmoothedMaxDivergence":
        return event_of(dp.c.make_fix_delta(measurement, delta), d_in)
    if name == "MaxDivergence":
        return {"kind": "pure", "epsilon": at_least(measurement.map(d_in))}
    if name == "ZeroConcentratedDivergence":
        return {"kind": "zcdp", "rho": at_least(measurement.map(d_in))}
    if name == "Approximate(MaxDivergence)":
        epsilon, mass = measurement.map(d_in)
        return {"kind": "approximate", "epsilon": at_least(epsilon), "delta": at_least(mass)}
    way = "give delta=" if name == "SmoothedMaxDivergence" else "MaxDivergence, ZeroConcentratedDivergence or Approximate(MaxDivergence)"
    raise UnsupportedEvent(f"output_measure is {name}, must be one with a price: {way}", {"name": "output_measure", "got": name})


def unit_of(metric: Any, d_in: int) -> Mapping[str, Any]:
    """The relation and the rows of one person that a distance between data stands for.

    The symmetric distance counts rows that come or go; one row that is changed is a distance of two of it, so that on a
    ledger of replaced people who have k rows d_in is 2k: say relation="replace-one" there.
    """
    if not isinstance(d_in, int) or d_in < 1:
        raise invalid("d_in", d_in, "a whole number of rows, 1 or more")
    name = str(metric)
    if name in ("SymmetricDistance()", "InsertDeleteDistance()"):
        return {"relation": ADD_OR_REMOVE, "rows_per_unit": d_in}
    if name in ("ChangeOneDistance()", "HammingDistance()"):
        return {"relation": REPLACE, "rows_per_unit": d_in}
    raise UnsupportedEvent(
        f"input_metric is {name}, must be one of rows: SymmetricDistance() or ChangeOneDistance()",
        {"name": "input_metric", "got": name},
    )


def charge_measurement(
    ds: Dataset,
    measurement: Any,
    d_in: int,
    *,
    key: str,
    purpose: str,
    relation: Relation | None = None,
    delta: float | None = None,
    **settings: Any,
) -> Permit:
    """Charges a measurement before it is invoked: `with charge_measurement(ds, m, 1, …): m(rows)`.

    `settings` are those of `Dataset.charge`.
    """
    unit = _unit(measurement.input_metric, d_in, relation)
    event = event_of(measurement, d_in, delta)
    return ds.charge([event], key=key, purpose=purpose, tool=tool_of("opendp"), **{**unit, **settings})


def _unit(metric: Any, d_in: int, relation: Relation | None) -> Mapping[str, Any]:
    unit = unit_of(metric, d_in)
    if relation in (None, unit["relation"]):
        return unit
    if relation == REPLACE and d_in % 2 == 0:
        return {"relation": REPLACE, "rows_per_unit": d_in // 2}
    raise invalid("d_in", d_in, f"of the relation {relation}: twice the rows of a person for {REPLACE} in the symmetric distance")


class AccountContext(Context):  # type: ignore[misc]
    """A Context that charges each query to an account before it runs, and keeps no budget of its own."""

    def __init__(self, made: Any, run: Run, delta: float | None) -> None:
        super().__init__(made.accountant, made.queryable, made.d_in, made.d_mids, made.d_out, made.query_space)
        self.run = run
        self._delta = delta

    def query(self, **losses: Any) -> Any:
        """As in OpenDP. A loss is its decimal: 0.2 is not the double above it, so that five of them are 1."""
        return super().query(**{name: _at_most(value) for name, value in losses.items()})

    def __call__(self, query: Any) -> Any:
        d_in: Any = self.d_in
        self.run.charge(event_of(query, d_in, self._delta))
        return super().__call__(query)


def _at_most(value: Any) -> Any:
    above = isinstance(value, float) and math.isfinite(value) and Decimal(value) > Decimal(repr(value))
    return math.nextafter(value, 0) if above else value


_MEASURES = {
    "epsilon": dp.max_divergence(),
    "rho": dp.zero_concentrated_divergence(),
    "epsilon, delta": dp.approximate(dp.max_divergence()),
}


def context(
    ds: Dataset,
    data: Any,
    privacy_unit: tuple[Any, int],
    counted: str = "epsilon",
    *,
    key: str,
    purpose: str,
    domain: Any = None,
    relation: Relation | None = None,
    delta: float | None = None,
    **settings: Any,
) -> AccountContext:
    """A Context over `data` whose budget is the account. `counted` is what its queries state: epsilon, rho, or both
    "epsilon, delta". With `delta`, a ρ is charged as the (ε, δ) that OpenDP converts it to.

    The n-th query has the key `key/n`. Raises what `Dataset.charge` does, from `release()`, before the data are read.
    """
    metric, d_in = privacy_unit
    if counted not in _MEASURES:
        raise invalid("counted", counted, f"one of {'; '.join(_MEASURES)}")
    unit = _unit(metric, d_in, relation)
    nothing = {"epsilon": float("inf"), "rho": float("inf"), "epsilon, delta": (float("inf"), 1.0)}[counted]
    made = Context.compositor(data, privacy_unit, (_MEASURES[counted], nothing), domain=domain)
    return AccountContext(made, Run(ds, "opendp", key=key, purpose=purpose, **{**unit, **settings}), delta)
