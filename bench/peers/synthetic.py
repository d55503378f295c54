"""Marginal errors of MST by dpmm 0.1.9, on the table and the cells of bench/synthetic.bench.ts. Resumable: each run is one JSON line.

Needs Python below 3.12: pip install dpmm==0.1.9.
Usage: synthetic.py RESULTS.jsonl SEEDS TABLE.csv [TABLE.csv ...]; what RESULTS.jsonl holds is not run again. A summary is printed.

Same for both: the coded columns, one row more or less as neighbours, rho in place of (epsilon, delta), a number of rows that is estimated and not read
(made-up tables have the true number, for the measure alone). MST gets the rho of which our Gaussian noise is exactly (epsilon, 1e-6): its own
conversion would give it less, so this favours it.
"""
import csv
import itertools
import json
import math
import os
import sys
import time

# Of the exact trade-off of Gaussian noise at delta = 1e-6, as the bench prints them.
RHO = {0.5: 0.007701, 1.0: 0.028014, 2.0: 0.100502}


def coded(path):
    """The columns of the published comparison, in the same cells as the bench."""
    import numpy
    import pandas

    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    read = lambda name: numpy.array([float(row[name]) for row in rows])
    raw = {
        "sex": read("sex"),
        "age": numpy.minimum(13, (read("age") - 18) // 5),
        "educ": read("educ"),
        "income": numpy.clip(read("income") // 10_000, 0, 14),
        **{name: read(name) for name in ("latino", "black", "asian", "married")},
        "puma": read("puma") // 100,
    }
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


def main(results, seeds, *paths):
    lines = []
    if os.path.exists(results):
        with open(results) as file:
            lines = [json.loads(line) for line in file]
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
    main(*sys.argv[1:])
