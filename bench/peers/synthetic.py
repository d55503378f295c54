"""Marginal errors of MST by dpmm 0.1.9, on the tables and the cells of bench/synthetic.bench.ts. Resumable: each run is one JSON line.

Needs Python below 3.12: pip install dpmm==0.1.9.
Usage: synthetic.py RESULTS.jsonl SEEDS TABLE.csv [TABLE.csv ...]; what RESULTS.jsonl holds is not run again. A summary is printed.
       synthetic.py compare OURS.jsonl RESULTS.jsonl [RESULTS.jsonl ...]; means of both and the difference, with its interval.
A table is one of TABLES by how the name of its file begins.

Same for both: the coded columns, one row more or less as neighbours, rho in place of (epsilon, delta), a number of rows that is estimated and not read
(made-up tables have the true number, for the measure alone). MST gets the rho of which our Gaussian noise is exactly (epsilon, 1e-6): its own
conversion would give it less, so this favours it.
"""
import csv
import datetime
import itertools
import json
import math
import os
import sys
import time

# Of the exact trade-off of Gaussian noise at delta = 1e-6, as the bench prints them.
RHO = {0.5: 0.007701, 1.0: 0.028014, 2.0: 0.100502}


def numbers(rows, name):
    import numpy

    return numpy.array([float(row[name]) for row in rows])


def pums(rows):
    """The columns of the published comparison."""
    import numpy

    return {
        "sex": numbers(rows, "sex"),
        "age": numpy.minimum(13, (numbers(rows, "age") - 18) // 5),
        "educ": numbers(rows, "educ"),
        "income": numpy.clip(numbers(rows, "income") // 10_000, 0, 14),
        **{name: numbers(rows, name) for name in ("latino", "black", "asian", "married")},
        "puma": numbers(rows, "puma") // 100,
    }


def flights(rows):
    """When a flight was planned, by whom, from where to where, and how late it left: quarters of an hour, apart where it never did."""
    import numpy

    weekday = [datetime.date(*(int(row[name]) for name in ("year", "month", "day"))).weekday() for row in rows]
    late = [99 if row["dep_delay"] == "NA" else min(8, max(-2, int(row["dep_delay"]) // 15)) for row in rows]
    return {
        "month": numbers(rows, "month"),
        "weekday": numpy.array(weekday),
        "hour": numbers(rows, "hour"),
        **{name: numpy.array([row[name] for row in rows]) for name in ("carrier", "origin", "dest")},
        "late": numpy.array(late),
    }


TABLES = {"pums": pums, "flights": flights}


def coded(path):
    """The columns of a table in the same cells as the bench; none with one value."""
    import numpy
    import pandas

    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    raw = next(read for name, read in TABLES.items() if os.path.basename(path).startswith(name))(rows)
    places = {name: numpy.unique(values, return_inverse=True)[1] for name, values in raw.items()}
    return pandas.DataFrame({name: values for name, values in places.items() if values.max() > 0})


def distances(real, made, sizes, many):
    """L1 distance of all marginals of this many columns, over n: mean and largest."""
    import numpy

    found = []
    for chosen in itertools.combinations(real.columns, many):
        cells = math.prod(sizes[name] for name in chosen)
        counts = []
        for table in (real, made):
            place = 0
            for name in chosen:
                place = place * sizes[name] + table[name].to_numpy(dtype=int)
            counts.append(numpy.bincount(place, minlength=cells) / len(table))
        found.append(float(abs(counts[0] - counts[1]).sum()))
    return [sum(found) / len(found), max(found)]


def run(table, epsilon, seed):
    import numpy
    from dpmm.models.mst import MSTGM

    sizes = {name: int(values.max()) + 1 for name, values in table.items()}
    model = MSTGM(epsilon=epsilon, delta=1e-6, n_jobs=1)
    rho = RHO[epsilon]
    model.generator.rho, model.generator.sigma = rho, math.sqrt(3 / (2 * rho))
    model.set_random_state(numpy.random.RandomState(seed))
    model.set_domain(sizes)
    start = time.perf_counter()
    model.fit(table)
    made = model.generate(n_records=len(table))
    return {
        "seconds": time.perf_counter() - start,
        "errors": [distances(table, made, sizes, many) for many in (1, 2, 3)],
    }


def summary(lines):
    for key in sorted({(line["table"], line["epsilon"]) for line in lines}):
        runs = [line for line in lines if (line["table"], line["epsilon"]) == key]
        mean = lambda of: sum(of(line) for line in runs) / len(runs)
        errors = [f"{mean(lambda l: l['errors'][m][0]):.3f} / {mean(lambda l: l['errors'][m][1]):.3f}" for m in range(3)]
        print(key, len(runs), "seeds", *errors, f"{mean(lambda l: l['seconds']):.0f} s")


def read_lines(path):
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return [json.loads(line) for line in file]


def compare(ours, *theirs):
    """Ours less MST's, mean error: 95 % by Welch's t, as runs are not paired."""
    from statistics import mean, variance

    from scipy.stats import t

    mine, mst = read_lines(ours), [line for path in theirs for line in read_lines(path)]
    for table, epsilon in sorted({(line["table"], line["epsilon"]) for line in mst}):
        for many in range(3):
            runs = [[l["errors"][many] for l in lines if (l["table"], l["epsilon"]) == (table, epsilon)] for lines in (mine, mst)]
            if min(map(len, runs)) < 2:
                continue
            means = [[each[0] for each in run] for run in runs]
            parts = [variance(each) / len(each) for each in means]
            freedom = sum(parts) ** 2 / sum(part**2 / (len(each) - 1) for part, each in zip(parts, means))
            half = t.ppf(0.975, freedom) * math.sqrt(sum(parts))
            off = mean(means[0]) - mean(means[1])
            largest = [mean(each[1] for each in run) for run in runs]
            print(
                f"{table} {epsilon} {many + 1}-way: ours {mean(means[0]):.4f} / {largest[0]:.4f} ({len(means[0])}), MST {mean(means[1]):.4f} / {largest[1]:.4f}"
                f" ({len(means[1])}), difference {off:+.4f} ({off - half:+.4f} to {off + half:+.4f})"
            )


def main(results, seeds, *paths):
    lines = read_lines(results)
    done = {(line["table"], line["epsilon"], line["seed"]) for line in lines}
    tables = {os.path.basename(path): coded(path) for path in paths}
    for seed in range(int(seeds)):
        for (name, table), epsilon in itertools.product(tables.items(), RHO):
            if (name, epsilon, seed) in done:
                continue
            line = {"table": name, "epsilon": epsilon, "seed": seed, **run(table, epsilon, seed)}
            lines.append(line)
            with open(results, "a") as file:
                file.write(json.dumps(line) + "\n")
    summary(lines)


if __name__ == "__main__":
    compare(*sys.argv[2:]) if sys.argv[1] == "compare" else main(*sys.argv[1:])
