"""Times other accountants on the cases of bench/accounting.bench.ts, one JSON line each.

Needs some of: pip install dp-accounting prv-accountant autodp diffprivlib. What is missing is said, not failed on.
"""
import json
import math
import statistics
import sys
import time


def report(case, peer, seconds, value, note=""):
    print(json.dumps({"case": case, "peer": peer, "ms": seconds * 1e3, "value": value, "note": note}), flush=True)


def skipped(case, peer, why):
    print(json.dumps({"case": case, "peer": peer, "skipped": str(why)[:120]}), flush=True)


def timed(run, repeats=3):
    times, value = [], None
    for _ in range(repeats):
        start = time.perf_counter()
        value = run()
        times.append(time.perf_counter() - start)
    return statistics.median(times), value


CASES = json.loads(sys.argv[1])
ONLY = sys.argv[2].split(",") if len(sys.argv) > 2 else None


def google():
    import dp_accounting
    from dp_accounting.pld import PLDAccountant
    from dp_accounting.rdp import RdpAccountant

    def event(e):
        kind = e["kind"]
        if kind == "laplace":
            return dp_accounting.LaplaceDpEvent(e["noiseMultiplier"])
        if kind == "gaussian":
            return dp_accounting.GaussianDpEvent(e["noiseMultiplier"])
        if kind == "pure":
            return dp_accounting.RandomizedResponseDpEvent(2 / (1 + math.exp(e["epsilon"])), 2)
        if kind == "poissonSampled":
            return dp_accounting.PoissonSampledDpEvent(e["rate"], event(e["event"]))
        raise ValueError(kind)

    def total(spends, delta, make):
        accountant = make()
        for count, e in spends:
            # randomised response forgets its count there: it is spent one by one
            accountant.compose(event(e), count)
        return accountant.get_epsilon(delta)

    for case in CASES["totals"]:
        for h in case["steps"]:
            if any(e["kind"] == "pure" and count > 1 for count, e in case["spends"]):
                skipped(case["name"], "dp_accounting pld", "forgets the count of randomised response")
                continue
            make = lambda: PLDAccountant(value_discretization_interval=h)
            seconds, value = timed(lambda: total(case["spends"], case["delta"], make), 3 if h >= 1e-4 else 1)
            report(case["name"], f"dp_accounting PLD, h = {h:g}", seconds, value)
        seconds, value = timed(lambda: total(case["spends"], case["delta"], RdpAccountant))
        report(case["name"], "dp_accounting RDP", seconds, value)

    one = CASES["oneMore"]
    accountant = PLDAccountant(value_discretization_interval=1e-3)
    for count, e in one["history"]:
        accountant.compose(event(e), count)
    accountant.get_epsilon(one["delta"])
    def more():
        accountant.compose(event(one["event"]), 1)
        return accountant.get_epsilon(one["delta"])
    seconds, value = timed(more, 5)
    report("d", "dp_accounting PLD, h = 0.001", seconds, value)

    cal = CASES["calibrate"]
    def sigma():
        return dp_accounting.calibrate_dp_mechanism(
            lambda: PLDAccountant(value_discretization_interval=1e-4),
            lambda s: dp_accounting.SelfComposedDpEvent(
                dp_accounting.PoissonSampledDpEvent(cal["rate"], dp_accounting.GaussianDpEvent(s)), cal["count"]),
            cal["epsilon"], cal["delta"],
            dp_accounting.LowerEndpointAndGuess(0.1, 1.0), tol=1e-6)
    seconds, value = timed(sigma, 1)
    report("e", "dp_accounting PLD, h = 0.0001", seconds, value)


def prv():
    from prv_accountant import LaplaceMechanism, PoissonSubsampledGaussianMechanism, PRVAccountant
    from prv_accountant.privacy_random_variables import GaussianMechanism

    def mechanism(e):
        if e["kind"] == "laplace":
            return LaplaceMechanism(mu=1 / e["noiseMultiplier"])
        if e["kind"] == "gaussian":
            return GaussianMechanism(noise_multiplier=e["noiseMultiplier"])
        return PoissonSubsampledGaussianMechanism(sampling_probability=e["rate"], noise_multiplier=e["event"]["noiseMultiplier"])

    for case in CASES["totals"]:
        if len(case["spends"]) > 50 or any(e["kind"] == "pure" for _, e in case["spends"]):
            skipped(case["name"], "prv_accountant", "too many distinct mechanisms, or none of this kind")
            continue
        def run():
            accountant = PRVAccountant(
                prvs=[mechanism(e) for _, e in case["spends"]],
                max_self_compositions=[count for count, _ in case["spends"]],
                eps_error=0.1, delta_error=case["delta"] / 1000)
            return accountant.compute_epsilon(delta=case["delta"], num_self_compositions=[count for count, _ in case["spends"]])[2]
        seconds, value = timed(run, 1)
        report(case["name"], "prv_accountant, error 0.1", seconds, float(value))


def autodp():
    from autodp.mechanism_zoo import GaussianMechanism, LaplaceMechanism
    from autodp.transformer_zoo import Composition
    for case in CASES["totals"]:
        if any(e["kind"] not in ("laplace", "gaussian") for _, e in case["spends"]):
            skipped(case["name"], "autodp RDP", "not this kind of mechanism")
            continue
        def run():
            mechanisms = [LaplaceMechanism(e["noiseMultiplier"]) if e["kind"] == "laplace" else GaussianMechanism(e["noiseMultiplier"]) for _, e in case["spends"]]
            return Composition()(mechanisms, [count for count, _ in case["spends"]]).get_approxDP(case["delta"])
        seconds, value = timed(run, 1)
        report(case["name"], "autodp RDP", seconds, float(value))


def diffprivlib():
    from diffprivlib.accountant import BudgetAccountant
    for case in CASES["totals"]:
        if any(e["kind"] not in ("laplace", "pure") for _, e in case["spends"]):
            skipped(case["name"], "diffprivlib", "knows pure and (ε, δ) spends only")
            continue
        def run():
            spent = [(e.get("epsilon") or 1 / e["noiseMultiplier"], 0) for count, e in case["spends"] for _ in range(count)]
            accountant = BudgetAccountant(slack=case["delta"], spent_budget=spent)
            return accountant.total()[0]
        seconds, value = timed(run, 1)
        report(case["name"], "diffprivlib", seconds, float(value))


for name, run in [("dp_accounting", google), ("prv_accountant", prv), ("autodp", autodp), ("diffprivlib", diffprivlib)]:
    if ONLY and name not in ONLY:
        continue
    try:
        run()
    except ImportError as why:
        skipped("all", name, f"not installed: {why}")
    except Exception as why:  # a peer that fails is a row, not the end
        skipped("all", name, f"failed: {type(why).__name__}: {why}")
