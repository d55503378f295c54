"""Writes test/golden/dp-sgd.json: what dp_accounting and Opacus say that 200 random trainings with DP-SGD cost.

Needs: pip install dp-accounting==0.6.0 opacus==1.6.0. A file that is there is gone on with: each row is written as it is done.
"""
import json
import random
import sys
from importlib import metadata
from pathlib import Path

from dp_accounting import GaussianDpEvent, PoissonSampledDpEvent, SelfComposedDpEvent
from dp_accounting.pld import PLDAccountant
from opacus.accountants import PRVAccountant

OUT = Path(sys.argv[1] if len(sys.argv) > 1 else "test/golden/dp-sgd.json")
ROWS, SEED, STEP, SHARE = 200, 49, 1e-4, 5e-4


def settings():
    """Rates of 10⁻³ to 10⁻¹, noise of .6 to 4, 50 to 20,000 steps, of which ε is between .05 and 20."""
    draw = random.Random(SEED)
    while True:
        rate, noise, steps = 10 ** draw.uniform(-3, -1), draw.uniform(0.6, 4), int(10 ** draw.uniform(1.7, 4.3))
        yield float(f"{rate:.3g}"), float(f"{noise:.3g}"), steps, draw.choice([1e-5, 1e-6, 1e-8])


def pld(rate, noise, steps, delta, step):
    accountant = PLDAccountant(value_discretization_interval=step)
    accountant.compose(SelfComposedDpEvent(PoissonSampledDpEvent(rate, GaussianDpEvent(noise)), steps))
    return accountant.get_epsilon(delta)


def prv(rate, noise, steps, delta, error):
    """Lower and upper end of the numerical composition of Gopi, Lee and Wutschitz, whose errors are theirs."""
    accountant = PRVAccountant()
    accountant.history = [(noise, rate, steps)]
    curve = accountant._get_dprv(eps_error=error, delta_error=delta / 1000)
    low, _, high = curve.compute_epsilon(delta, delta / 1000, error)
    return float(low), float(high)


def main():
    rows = json.loads(OUT.read_text("utf-8"))["rows"] if OUT.exists() else []
    known = {(row["rate"], row["noise"], row["steps"], row["delta"]): row for row in rows}
    rows = []
    for setting in settings():
        row = known.get(setting)
        if row is None:
            rough = pld(*setting, 1e-3)
            if not 0.05 < rough < 20:
                continue
            rate, noise, steps, delta = setting
            exact = pld(*setting, STEP)
            row = {"rate": rate, "noise": noise, "steps": steps, "delta": delta, "pld": exact}
            if len(rows) % 10 == 0:
                row["prv"] = prv(*setting, SHARE * exact)
        rows.append(row)
        OUT.write_text(written(rows), "utf-8")
        if len(rows) == ROWS:
            return


def written(rows):
    about = (
        f"ε of DP-SGD at δ under add-or-remove-one: `pld` by dp_accounting's PLDAccountant with an interval of {STEP:g}, from above; "
        f"`prv`, of every tenth, from below and above by Opacus's PRVAccountant with an error of {SHARE:g} of ε. "
        f"Made by bench/peers/dp-sgd.py, seed {SEED}."
    )
    tools = {name: metadata.version(name) for name in ("dp-accounting", "opacus")}
    lines = ",\n".join(f"  {json.dumps(row)}" for row in rows)
    return f'{{\n "about": {json.dumps(about, ensure_ascii=False)},\n "tools": {json.dumps(tools)},\n "rows": [\n{lines}\n ]\n}}\n'


main()
