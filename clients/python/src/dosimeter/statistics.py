"""One function a statistic: a row of a plan, its settings typed. Written from the registry (test/python-statistics.test.ts)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, NoReturn

from .amounts import Amount
from .plan import Statistic, row

Names = str | Sequence[str]
Price = Amount | None
Text = str | None
Edge = int | float | str | None
Noise = Literal["auto", "laplace", "gaussian"] | None
Keys = Literal["select"] | None
Numbers = Literal["whole"] | None

__all__ = [
    "bounds",
    "cdf",
    "clipped_values",
    "correlation",
    "count",
    "covariance",
    "cut_units",
    "distinct_units",
    "distinct_values",
    "histogram",
    "interquartile_range",
    "key_counts",
    "maximum",
    "mean",
    "median",
    "minimum",
    "quantile_interval",
    "quantiles",
    "regression",
    "running_count",
    "running_total",
    "standard_deviation",
    "sum",
    "synthetic_table",
    "table_sums",
    "tables",
    "top_values",
    "unit_sum",
    "variance",
]

SAID = {
    "altogether": "sum", "average": "mean", "avg": "mean", "biggest": "maximum", "breakdown": "histogram",
    "commonest": "top_values", "corr": "correlation", "cov": "covariance", "distinct": "distinct_values",
    "distribution": "histogram", "highest": "maximum", "iqr": "interquartile_range", "largest": "maximum", "least": "minimum",
    "lowest": "minimum", "margins": "tables", "max": "maximum", "med": "median", "middle": "median", "min": "minimum",
    "number": "count", "percentile": "quantiles", "percentiles": "quantiles", "quantile": "quantiles", "quartile": "quantiles",
    "quartiles": "quantiles", "range": "bounds", "rows": "count", "sd": "standard_deviation", "smallest": "minimum",
    "spread": "standard_deviation", "std": "standard_deviation", "stddev": "standard_deviation", "top": "top_values",
    "total": "sum", "trend": "regression", "typical": "mean", "var": "variance",
}
"""What people call them."""


def count(
    column: Text = None, *, by: Names = (), where: Text = None, epsilon: Price = None, rho: Price = None, id: Text = None,
    keys: Keys = None, keys_from: Text = None, key_share: Price = None, delta: Price = None, at_least: int | None = None,
    noise: Noise = None, **wrong: NoReturn,
) -> Statistic:
    """Count. How many rows there are, or how many have a value in a column."""
    return row("count", locals())


def distinct_units(
    *, by: Names = (), where: Text = None, epsilon: Price = None, rho: Price = None, id: Text = None, keys: Keys = None,
    keys_from: Text = None, key_share: Price = None, delta: Price = None, at_least: int | None = None, noise: Noise = None,
    **wrong: NoReturn,
) -> Statistic:
    """Number of people. How many different privacy units there are."""
    return row("distinctUnits", locals())


def sum(
    column: str, *, by: Names = (), where: Text = None, epsilon: Price = None, rho: Price = None, id: Text = None,
    lower: Edge = None, upper: Edge = None, granularity: float | None = None, keys: Keys = None, keys_from: Text = None,
    key_share: Price = None, delta: Price = None, at_least: int | None = None, noise: Noise = None, **wrong: NoReturn,
) -> Statistic:
    """Sum. The total of a column, each value first capped at its bounds."""
    return row("sum", locals())


def unit_sum(
    column: str, *, by: Names = (), where: Text = None, epsilon: Price = None, rho: Price = None, id: Text = None,
    unit_lower: float | None = None, unit_upper: float | None = None, lower: Edge = None, upper: Edge = None,
    granularity: float | None = None, keys: Keys = None, keys_from: Text = None, key_share: Price = None, delta: Price = None,
    at_least: int | None = None, noise: Noise = None, **wrong: NoReturn,
) -> Statistic:
    """Sum by person. The total of a column, each person's total first capped."""
    return row("unitSum", locals())


def mean(
    column: str, *, by: Names = (), where: Text = None, epsilon: Price = None, rho: Price = None, id: Text = None,
    lower: Edge = None, upper: Edge = None, granularity: float | None = None, keys: Keys = None, keys_from: Text = None,
    key_share: Price = None, delta: Price = None, at_least: int | None = None, noise: Noise = None, **wrong: NoReturn,
) -> Statistic:
    """Mean. The average of a column, each value first capped at its bounds."""
    return row("mean", locals())


def variance(
    column: str, *, by: Names = (), where: Text = None, epsilon: Price = None, rho: Price = None, id: Text = None,
    lower: Edge = None, upper: Edge = None, granularity: float | None = None, keys: Keys = None, keys_from: Text = None,
    key_share: Price = None, delta: Price = None, at_least: int | None = None, noise: Noise = None, **wrong: NoReturn,
) -> Statistic:
    """Variance. The mean squared distance from the mean, each value first capped at its bounds."""
    return row("variance", locals())


def standard_deviation(
    column: str, *, by: Names = (), where: Text = None, epsilon: Price = None, rho: Price = None, id: Text = None,
    lower: Edge = None, upper: Edge = None, granularity: float | None = None, keys: Keys = None, keys_from: Text = None,
    key_share: Price = None, delta: Price = None, at_least: int | None = None, noise: Noise = None, **wrong: NoReturn,
) -> Statistic:
    """Standard deviation. How far values typically are from their mean."""
    return row("standardDeviation", locals())


def median(
    column: str, *, by: Names = (), where: Text = None, epsilon: Price = None, rho: Price = None, id: Text = None,
    lower: Edge = None, upper: Edge = None, granularity: float | None = None, keys: Keys = None, keys_from: Text = None,
    key_share: Price = None, delta: Price = None, at_least: int | None = None, noise: Noise = None, **wrong: NoReturn,
) -> Statistic:
    """Median. The value with half of the rows on either side."""
    return row("median", locals())


def quantiles(
    column: str, *, by: Names = (), where: Text = None, epsilon: Price = None, rho: Price = None, id: Text = None,
    quantiles: Sequence[float] | None = None, lower: Edge = None, upper: Edge = None, granularity: float | None = None,
    keys: Keys = None, keys_from: Text = None, key_share: Price = None, delta: Price = None, at_least: int | None = None,
    noise: Noise = None, **wrong: NoReturn,
) -> Statistic:
    """Quantiles. Values below which the given shares of the rows lie, 0.25 and 0.75 for the quartiles."""
    return row("quantiles", locals())


def minimum(
    column: str, *, by: Names = (), where: Text = None, epsilon: Price = None, rho: Price = None, id: Text = None,
    lower: Edge = None, upper: Edge = None, granularity: float | None = None, keys: Keys = None, keys_from: Text = None,
    key_share: Price = None, delta: Price = None, at_least: int | None = None, noise: Noise = None, **wrong: NoReturn,
) -> Statistic:
    """Least value. About the least value."""
    return row("minimum", locals())


def maximum(
    column: str, *, by: Names = (), where: Text = None, epsilon: Price = None, rho: Price = None, id: Text = None,
    lower: Edge = None, upper: Edge = None, granularity: float | None = None, keys: Keys = None, keys_from: Text = None,
    key_share: Price = None, delta: Price = None, at_least: int | None = None, noise: Noise = None, **wrong: NoReturn,
) -> Statistic:
    """Largest value. About the largest value."""
    return row("maximum", locals())


def interquartile_range(
    column: str, *, by: Names = (), where: Text = None, epsilon: Price = None, rho: Price = None, id: Text = None,
    lower: Edge = None, upper: Edge = None, granularity: float | None = None, keys: Keys = None, keys_from: Text = None,
    key_share: Price = None, delta: Price = None, at_least: int | None = None, noise: Noise = None, **wrong: NoReturn,
) -> Statistic:
    """Interquartile range. How long the range is that holds the middle half of the rows."""
    return row("interquartileRange", locals())


def quantile_interval(
    column: str, *, by: Names = (), where: Text = None, epsilon: Price = None, rho: Price = None, id: Text = None,
    quantiles: Sequence[float] | None = None, lower: Edge = None, upper: Edge = None, granularity: float | None = None,
    keys: Keys = None, keys_from: Text = None, key_share: Price = None, delta: Price = None, at_least: int | None = None,
    noise: Noise = None, **wrong: NoReturn,
) -> Statistic:
    """Quantile with an interval. One quantile, the median if you name none, with an interval in the column's own unit."""
    return row("quantileInterval", locals())


def histogram(
    column: str, *, by: Names = (), where: Text = None, epsilon: Price = None, rho: Price = None, id: Text = None,
    bins: int | str | Sequence[float | str] | Mapping[str, Any] | None = None, lower: Edge = None, upper: Edge = None,
    granularity: float | None = None, keys: Keys = None, keys_from: Text = None, key_share: Price = None, delta: Price = None,
    at_least: int | None = None, noise: Noise = None, **wrong: NoReturn,
) -> Statistic:
    """Histogram. How many rows fall in each bin."""
    return row("histogram", locals())


def cdf(
    column: str, *, by: Names = (), where: Text = None, epsilon: Price = None, rho: Price = None, id: Text = None,
    bins: int | str | Sequence[float | str] | Mapping[str, Any] | None = None, lower: Edge = None, upper: Edge = None,
    granularity: float | None = None, keys: Keys = None, keys_from: Text = None, key_share: Price = None, delta: Price = None,
    at_least: int | None = None, noise: Noise = None, **wrong: NoReturn,
) -> Statistic:
    """Cumulative counts. How many rows lie at or below each value."""
    return row("cdf", locals())


def running_count(
    column: str, *, by: Names = (), where: Text = None, epsilon: Price = None, rho: Price = None, id: Text = None,
    bins: int | str | Sequence[float | str] | Mapping[str, Any] | None = None, lower: Edge = None, upper: Edge = None,
    granularity: float | None = None, keys: Keys = None, keys_from: Text = None, key_share: Price = None, delta: Price = None,
    at_least: int | None = None, noise: Noise = None, **wrong: NoReturn,
) -> Statistic:
    """Running count. How many rows there are up to and with each period."""
    return row("runningCount", locals())


def running_total(
    column: str, *, by: Names = (), where: Text = None, epsilon: Price = None, rho: Price = None, id: Text = None,
    with_: Names | None = None, bins: int | str | Sequence[float | str] | Mapping[str, Any] | None = None, lower: Edge = None,
    upper: Edge = None, granularity: float | None = None, keys: Keys = None, keys_from: Text = None, key_share: Price = None,
    delta: Price = None, at_least: int | None = None, noise: Noise = None, **wrong: NoReturn,
) -> Statistic:
    """Running total. The total of a column up to and with each period of another, each value first capped at its bounds."""
    return row("runningTotal", locals())


def key_counts(
    column: str, *, by: Names = (), where: Text = None, epsilon: Price = None, rho: Price = None, id: Text = None,
    keys: Keys = None, keys_from: Text = None, key_share: Price = None, delta: Price = None, at_least: int | None = None,
    noise: Noise = None, **wrong: NoReturn,
) -> Statistic:
    """People for each value. How many people have each value of a column whose values are not declared."""
    return row("keyCounts", locals())


def top_values(
    column: str, *, by: Names = (), where: Text = None, epsilon: Price = None, rho: Price = None, id: Text = None,
    k: int | None = None, keys: Keys = None, keys_from: Text = None, key_share: Price = None, delta: Price = None,
    at_least: int | None = None, noise: Noise = None, **wrong: NoReturn,
) -> Statistic:
    """Most frequent values. The values that most people have, the most frequent first."""
    return row("topValues", locals())


def bounds(
    column: str, *, by: Names = (), where: Text = None, epsilon: Price = None, rho: Price = None, id: Text = None,
    lower: Edge = None, upper: Edge = None, granularity: float | None = None, keys: Keys = None, keys_from: Text = None,
    key_share: Price = None, delta: Price = None, at_least: int | None = None, noise: Noise = None, **wrong: NoReturn,
) -> Statistic:
    """Bounds. Between which powers of two the values lie, for a column whose bounds are unknown."""
    return row("bounds", locals())


def covariance(
    column: str, *, by: Names = (), where: Text = None, epsilon: Price = None, rho: Price = None, id: Text = None,
    with_: Names | None = None, lower: Edge = None, upper: Edge = None, granularity: float | None = None, keys: Keys = None,
    keys_from: Text = None, key_share: Price = None, delta: Price = None, at_least: int | None = None, noise: Noise = None,
    **wrong: NoReturn,
) -> Statistic:
    """Covariance. How two columns move together."""
    return row("covariance", locals())


def correlation(
    column: str, *, by: Names = (), where: Text = None, epsilon: Price = None, rho: Price = None, id: Text = None,
    with_: Names | None = None, lower: Edge = None, upper: Edge = None, granularity: float | None = None, keys: Keys = None,
    keys_from: Text = None, key_share: Price = None, delta: Price = None, at_least: int | None = None, noise: Noise = None,
    **wrong: NoReturn,
) -> Statistic:
    """Correlation. How closely two columns follow a straight line, from −1 to 1."""
    return row("correlation", locals())


def regression(
    column: str, *, by: Names = (), where: Text = None, epsilon: Price = None, rho: Price = None, id: Text = None,
    with_: Names | None = None, lower: Edge = None, upper: Edge = None, granularity: float | None = None, keys: Keys = None,
    keys_from: Text = None, key_share: Price = None, delta: Price = None, at_least: int | None = None, noise: Noise = None,
    **wrong: NoReturn,
) -> Statistic:
    """Linear regression. The straight line that predicts a column from one or several others."""
    return row("regression", locals())


def distinct_values(
    column: str, *, by: Names = (), where: Text = None, epsilon: Price = None, rho: Price = None, id: Text = None,
    values_per_unit: int | None = None, keys: Keys = None, keys_from: Text = None, key_share: Price = None, delta: Price = None,
    at_least: int | None = None, noise: Noise = None, **wrong: NoReturn,
) -> Statistic:
    """Number of different values. How many different values a column has, counting only a few of each person's."""
    return row("distinctValues", locals())


def clipped_values(
    column: str, *, by: Names = (), where: Text = None, epsilon: Price = None, rho: Price = None, id: Text = None,
    lower: Edge = None, upper: Edge = None, granularity: float | None = None, keys: Keys = None, keys_from: Text = None,
    key_share: Price = None, delta: Price = None, at_least: int | None = None, noise: Noise = None, **wrong: NoReturn,
) -> Statistic:
    """Values outside the bounds. How many values lie below, within and above the bounds."""
    return row("clippedValues", locals())


def cut_units(
    *, by: Names = (), where: Text = None, epsilon: Price = None, rho: Price = None, id: Text = None, keys: Keys = None,
    keys_from: Text = None, key_share: Price = None, delta: Price = None, at_least: int | None = None, noise: Noise = None,
    **wrong: NoReturn,
) -> Statistic:
    """People over the row limit. How many people have more rows than the contribution bounds let count."""
    return row("cutUnits", locals())


def tables(
    *, by: Names = (), where: Text = None, epsilon: Price = None, rho: Price = None, id: Text = None,
    tables: str | Sequence[str | Sequence[str]] | None = None, with_: Names | None = None,
    bins: int | str | Sequence[float | str] | Mapping[str, Any] | None = None, weights: str | Mapping[str, float] | None = None,
    impossible: str | Mapping[str, Any] | None = None, numbers: Numbers = None, keys: Keys = None, keys_from: Text = None,
    key_share: Price = None, delta: Price = None, at_least: int | None = None, noise: Noise = None, **wrong: NoReturn,
) -> Statistic:
    """Set of tables. Counts by several columns at once, such as by region, by sex, and by both, with all that they add up to."""
    return row("tables", locals())


def table_sums(
    column: str, *, by: Names = (), where: Text = None, epsilon: Price = None, rho: Price = None, id: Text = None,
    tables: str | Sequence[str | Sequence[str]] | None = None, with_: Names | None = None,
    bins: int | str | Sequence[float | str] | Mapping[str, Any] | None = None, weights: str | Mapping[str, float] | None = None,
    impossible: str | Mapping[str, Any] | None = None, lower: Edge = None, upper: Edge = None, granularity: float | None = None,
    keys: Keys = None, keys_from: Text = None, key_share: Price = None, delta: Price = None, at_least: int | None = None,
    noise: Noise = None, **wrong: NoReturn,
) -> Statistic:
    """Totals in tables. Totals of a column by several others at once, such as by region, by sex, and by both, each value first capped at its bounds."""
    return row("tableSums", locals())


def synthetic_table(
    *, by: Names = (), where: Text = None, epsilon: Price = None, rho: Price = None, id: Text = None,
    with_: Names | None = None, bins: int | str | Sequence[float | str] | Mapping[str, Any] | None = None,
    weights: str | Mapping[str, float] | None = None, impossible: str | Mapping[str, Any] | None = None, **wrong: NoReturn,
) -> Statistic:
    """Synthetic table. A table of made-up rows that keeps the counts of every column and of the pairs of columns that depend on each other most."""
    return row("syntheticTable", locals())
