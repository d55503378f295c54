"""dp_accounting: `event_of(DpEvent)` is what the ledger prices, `dp_event_of(event)` the way back.

    from dosimeter.outside.dp_accounting import event_of
    run = SelfComposedDpEvent(PoissonSampledDpEvent(0.01, GaussianDpEvent(1.1)), 1000)
    with ds.charge([event_of(run)], key="train-7", purpose="…") as permit: ...
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from dp_accounting import dp_event as theirs

from ..amounts import invalid
from ..errors import UnsupportedEvent
from . import ADD_OR_REMOVE, REPLACE, Event, Relation, at_least, checked_relation

MAX_DEPTH = 100


def event_of(event: Any, relation: Relation = ADD_OR_REMOVE) -> Event:
    """The event of the ledger that loses what `event` does, or more, under this neighbour relation.

    dp_accounting scales noise to the norm of one record, which a replaced one moves twice: under replace-one the
    multiplier is halved. UnsupportedEvent names what has no bound here.
    """
    checked_relation(relation)
    return _ours(event, relation, 0)


def _ours(event: Any, relation: Relation, depth: int) -> Event:
    name = type(event).__name__
    if depth > MAX_DEPTH:
        raise invalid("event", "…", f"nested at most {MAX_DEPTH} deep")
    read = _READ.get(name) if isinstance(event, theirs.DpEvent) else None
    found = None if read is None else read(event, relation, lambda inner: _ours(inner, relation, depth + 1))
    if found is None:
        raise UnsupportedEvent(
            f"{name} has no bound under {relation}, must be one of {', '.join(sorted(_READ))} under a relation that it is for",
            {"name": "event", "got": name},
        )
    return found


Inner = Callable[[Any], Event]
_NOTHING: Event = {"kind": "composed", "events": []}


def _noise(value: Any, relation: Relation) -> float:
    noise = float(value)
    if not 0 < noise < math.inf:
        raise UnsupportedEvent(f"noise_multiplier is {value!r}, must be > 0 and finite", {"name": "noise_multiplier"})
    return noise if relation == ADD_OR_REMOVE else noise / 2


def _randomized_response(event: Any, relation: Relation, _: Inner) -> Event | None:
    p, buckets = Fraction(event.noise_parameter), int(event.num_buckets)
    if buckets == 1:
        return _NOTHING
    if relation == ADD_OR_REMOVE or not 0 < p <= 1:
        return None
    epsilon = math.log1p(float(buckets * (1 - p) / p))
    # Eight units in the last place are more than the logarithm and its argument may be off.
    return {"kind": "randomizedResponse", "epsilon": at_least(epsilon * (1 + 2**-49)), "categories": buckets}


def _poisson(event: Any, relation: Relation, inner: Inner) -> Event | None:
    rate = float(event.sampling_probability)
    if relation == ADD_OR_REMOVE:
        return {"kind": "poissonSampled", "rate": rate, "event": inner(event.event)}
    if not isinstance(event.event, theirs.GaussianDpEvent):
        return None
    # Ours is over the norm of one person's part too.
    return {"kind": "poissonReplaced", "rate": rate, "noiseMultiplier": _noise(event.event.noise_multiplier, ADD_OR_REMOVE)}


def _tree(event: Any, relation: Relation, _: Inner) -> Event:
    counts = event.step_counts
    # A record is in one tree at most: the largest loses most.
    steps = int(counts if isinstance(counts, int) else max(counts, default=0))
    if steps < 1:
        return _NOTHING
    tree = {"kind": "treeAggregation", "steps": steps, "participations": 1, "separation": 1}
    return {**tree, "noiseMultiplier": _noise(event.noise_multiplier, relation)}


def _mixture(event: Any, relation: Relation, _: Inner) -> Event | None:
    if relation == REPLACE:
        return None
    return {
        "kind": "gaussianMixture",
        "noiseMultiplier": _noise(event.standard_deviation, relation),
        "sensitivities": [float(each) for each in event.sensitivities],
        "probabilities": [float(each) for each in event.sampling_probs],
    }


def _truncated(event: Any, relation: Relation, _: Inner) -> Event | None:
    if relation == REPLACE:
        return None
    return {
        "kind": "truncatedPoisson",
        "rate": float(event.sampling_probability),
        "noiseMultiplier": _noise(event.noise_multiplier, relation),
        "batch": int(event.truncated_batch_size),
        "population": int(event.dataset_size),
    }


def _discrete_laplace(event: Any, relation: Relation, _: Inner) -> Event:
    scale = 1 / Fraction(repr(_noise(event.noise_parameter, ADD_OR_REMOVE)))
    sensitivity = int(event.sensitivity) * (1 if relation == ADD_OR_REMOVE else 2)
    return {"kind": "discreteLaplace", "scale": str(scale), "sensitivity": sensitivity}


def _without_replacement(event: Any, relation: Relation, inner: Inner) -> Event | None:
    if relation == ADD_OR_REMOVE:
        return None
    size, population = int(event.sample_size), int(event.source_dataset_size)
    return {"kind": "sampledWithoutReplacement", "size": size, "population": population, "event": inner(event.event)}


_READ: Mapping[str, Callable[[Any, Relation, Inner], Event | None]] = {
    "NoOpDpEvent": lambda event, relation, inner: _NOTHING,
    "GaussianDpEvent": lambda event, relation, inner: {
        "kind": "gaussian",
        "noiseMultiplier": _noise(event.noise_multiplier, relation),
    },
    "LaplaceDpEvent": lambda event, relation, inner: {
        "kind": "laplace",
        "noiseMultiplier": _noise(event.noise_multiplier, relation),
    },
    "DiscreteLaplaceDpEvent": _discrete_laplace,
    "RandomizedResponseDpEvent": _randomized_response,
    "ZCDpEvent": lambda event, relation, inner: None if event.xi else {"kind": "zcdp", "rho": float(event.rho)},
    "PoissonSampledDpEvent": _poisson,
    "SampledWithoutReplacementDpEvent": _without_replacement,
    "TruncatedSubsampledGaussianDpEvent": _truncated,
    "MixtureOfGaussiansDpEvent": _mixture,
    "SingleEpochTreeAggregationDpEvent": _tree,
    "SelfComposedDpEvent": lambda event, relation, inner: {
        "kind": "repeated",
        "count": int(event.count),
        "event": inner(event.event),
    },
    "ComposedDpEvent": lambda event, relation, inner: {
        "kind": "composed",
        "events": [inner(each) for each in event.events],
    },
}


def dp_event_of(event: Event, relation: Relation = ADD_OR_REMOVE) -> Any:
    """The DpEvent whose accountants count what `event` loses, or more. UnsupportedEvent names what they have not."""
    checked_relation(relation)
    twice = 1 if relation == ADD_OR_REMOVE else 2

    def number(name: str) -> float:
        return float(Fraction(str(event[name])))

    def inner() -> Any:
        return dp_event_of(event["event"], relation)

    kind = event.get("kind")
    if kind == "gaussian":
        return theirs.GaussianDpEvent(number("noiseMultiplier") * twice)
    if kind == "gdp":
        mu = number("mu")
        return theirs.GaussianDpEvent(math.nextafter(twice / mu, 0)) if mu > 0 else theirs.NoOpDpEvent()
    if kind == "laplace":
        return theirs.LaplaceDpEvent(number("noiseMultiplier") * twice)
    if kind == "discreteLaplace" and event["sensitivity"] % twice == 0:
        return theirs.DiscreteLaplaceDpEvent(float(1 / Fraction(str(event["scale"]))), event["sensitivity"] // twice)
    if kind == "randomizedResponse" and relation == REPLACE:
        buckets, epsilon = event.get("categories", 2), number("epsilon")
        return theirs.RandomizedResponseDpEvent(buckets / (buckets + math.expm1(epsilon)) * (1 - 2**-49), buckets)
    if kind == "zcdp":
        return theirs.ZCDpEvent(number("rho"))
    if kind == "poissonSampled" and relation == ADD_OR_REMOVE:
        return theirs.PoissonSampledDpEvent(number("rate"), inner())
    if kind == "poissonReplaced" and relation == REPLACE:
        return theirs.PoissonSampledDpEvent(number("rate"), theirs.GaussianDpEvent(number("noiseMultiplier")))
    if kind == "sampledWithoutReplacement" and relation == REPLACE:
        return theirs.SampledWithoutReplacementDpEvent(event["population"], event["size"], inner())
    if kind == "truncatedPoisson" and relation == ADD_OR_REMOVE:
        return theirs.TruncatedSubsampledGaussianDpEvent(
            event["population"], number("rate"), event["batch"], number("noiseMultiplier")
        )
    if kind == "gaussianMixture" and relation == ADD_OR_REMOVE:
        lists = ([float(Fraction(str(each))) for each in event[name]] for name in ("sensitivities", "probabilities"))
        return theirs.MixtureOfGaussiansDpEvent(number("noiseMultiplier"), *lists)
    if kind == "treeAggregation" and event["participations"] == 1:
        return theirs.SingleEpochTreeAggregationDpEvent(number("noiseMultiplier") * twice, event["steps"])
    if kind == "repeated":
        return theirs.SelfComposedDpEvent(inner(), event["count"])
    if kind == "composed":
        return theirs.ComposedDpEvent([dp_event_of(each, relation) for each in event["events"]])
    raise UnsupportedEvent(f"{kind} has no DpEvent under {relation}, must be declared by the events that it is made of", {"got": kind})
