"""The jobs of bench/engine-peers.bench.ts by other libraries, one JSON line each: time, peak memory, error.

Needs some of: pip install numpy opendp diffprivlib pipeline-dp tmlt.analytics. What is missing is said, not failed on.
Usage: engine.py FOLDER JOB PEER, where FOLDER holds uid.i64, g.i32 and x.f64, little-endian columns of the same length.
"""
import json
import math
import resource
import sys
import time

LOWER, UPPER, EPSILON, GROUPS = 0.0, 200_000.0, 1.0, 50
ROUNDS = 5


def columns(folder):
    import numpy

    kinds = {"uid": ("i64", "<i8"), "g": ("i32", "<i4"), "x": ("f64", "<f8")}
    return {name: numpy.fromfile(f"{folder}/{name}.{end}", dtype=kind) for name, (end, kind) in kinds.items()}


def truth(data):
    import numpy

    clamped = numpy.clip(data["x"], LOWER, UPPER)
    sums = numpy.bincount(data["g"], clamped, GROUPS)
    return sums / numpy.bincount(data["g"], minlength=GROUPS)


def diffprivlib_rows(data):
    """No privacy unit but the row; the number of rows is taken as public."""
    from diffprivlib.tools import mean

    order = data["g"].argsort(kind="stable")
    edges = data["g"][order].searchsorted(range(GROUPS + 1))
    values = data["x"][order]
    return [
        mean(values[edges[i] : edges[i + 1]], epsilon=EPSILON, bounds=(LOWER, UPPER), accountant=None)
        for i in range(GROUPS)
    ]


def opendp_rows(data):
    """Half of the budget for a count, half for a sum about the middle, as its sized-free constructors allow."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    middle = int((LOWER + UPPER) / 2)
    half = int((UPPER - LOWER) / 2)
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.symmetric_distance()
    count = dp.binary_search_chain(lambda s: space >> dp.t.then_count() >> dp.m.then_laplace(s), 1, EPSILON / 2)
    total = dp.binary_search_chain(
        lambda s: space >> dp.t.then_clamp((-half, half)) >> dp.t.then_sum() >> dp.m.then_laplace(s), 1, EPSILON / 2
    )
    order = data["g"].argsort(kind="stable")
    edges = data["g"][order].searchsorted(range(GROUPS + 1))
    values = (data["x"][order] - middle).round().astype("int64")
    answers = []
    for i in range(GROUPS):
        part = values[edges[i] : edges[i + 1]].tolist()
        answers.append(middle + total(part) / max(1, count(part)))
    return answers


def pipelinedp_units(data):
    """At most 3 groups of a person and 2 rows in each; the groups are public."""
    import pipeline_dp

    rows = list(zip(data["uid"].tolist(), data["g"].tolist(), data["x"].tolist()))
    accountant = pipeline_dp.NaiveBudgetAccountant(total_epsilon=EPSILON, total_delta=1e-9)
    engine = pipeline_dp.DPEngine(accountant, pipeline_dp.LocalBackend())
    params = pipeline_dp.AggregateParams(
        noise_kind=pipeline_dp.NoiseKind.LAPLACE,
        metrics=[pipeline_dp.Metrics.MEAN],
        max_partitions_contributed=3,
        max_contributions_per_partition=2,
        min_value=LOWER,
        max_value=UPPER,
    )
    extractors = pipeline_dp.DataExtractors(
        privacy_id_extractor=lambda row: row[0],
        partition_extractor=lambda row: row[1],
        value_extractor=lambda row: row[2],
    )
    result = engine.aggregate(rows, params, extractors, public_partitions=list(range(GROUPS)))
    accountant.compute_budgets()
    found = dict(result)
    return [found[i].mean for i in range(GROUPS)]


def tumult_units(data):
    """At most 3 groups of a person and 2 rows in each; the groups are public."""
    import pandas
    from pyspark.sql import SparkSession
    from tmlt.analytics import AddRowsWithID, KeySet, MaxGroupsPerID, MaxRowsPerGroupPerID, PureDPBudget, QueryBuilder, Session

    spark = SparkSession.builder.getOrCreate()
    frame = spark.createDataFrame(pandas.DataFrame(data))
    session = Session.from_dataframe(PureDPBudget(EPSILON), "rows", frame, protected_change=AddRowsWithID("uid"))
    query = (
        QueryBuilder("rows")
        .enforce(MaxGroupsPerID("g", 3))
        .enforce(MaxRowsPerGroupPerID("g", 2))
        .groupby(KeySet.from_dict({"g": list(range(GROUPS))}))
        .average("x", LOWER, UPPER, "mean")
    )
    found = {row["g"]: row["mean"] for row in session.evaluate(query, PureDPBudget(EPSILON)).collect()}
    return [found[i] for i in range(GROUPS)]


PEERS = {
    "rows": {"diffprivlib": diffprivlib_rows, "OpenDP": opendp_rows},
    "units": {"PipelineDP": pipelinedp_units, "Tumult": tumult_units},
}


def main(folder, job, peer):
    try:
        data = columns(folder)
        exact = truth(data)
        run = PEERS[job][peer]
        times, squares = [], []
        for _ in range(ROUNDS):
            start = time.perf_counter()
            answers = run(data)
            times.append(time.perf_counter() - start)
            squares += [(a - e) ** 2 for a, e in zip(answers, exact)]
            if sum(times) > 120:
                break
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        error = math.sqrt(sum(squares) / len(squares))
        print(json.dumps({"job": job, "peer": peer, "seconds": min(times), "peakMB": peak, "rmse": error}))
    except Exception as why:  # a peer that is absent or refuses is said, not failed on
        print(json.dumps({"job": job, "peer": peer, "skipped": f"{type(why).__name__}: {why}"[:160]}))


if __name__ == "__main__":
    main(*sys.argv[1:4])
