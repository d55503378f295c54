"""The mathematics over the command: numbers from test/golden and the page of epsdelta() of the R package."""

from __future__ import annotations

import math
import os
import shutil
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from dosimeter import calc, errors

HAS_COMMAND = bool(os.environ.get("DOSIMETER_COMMAND") or shutil.which("dosimeter"))


@unittest.skipUnless(HAS_COMMAND, "the command dosimeter is not here")
class Mathematics(unittest.TestCase):
    def test_trade_off_functions(self) -> None:
        approximate = {"epsdelta": [1, 0.01]}
        values = [round(beta, 7) for beta in calc.beta(approximate, [0.05, 0.1, 0.25, 0.5])]
        self.assertEqual(values, [0.8540859, 0.7181718, 0.3104295, 0.1802609])
        self.assertEqual(calc.est_gdp({"lap": 1.5}), 1.44)
        self.assertEqual(calc.est_epsdelta({"gdp": 1}, delta=1e-5), (4.38, 1e-5))
        self.assertAlmostEqual(calc.readings({"gdp": 1})["advantage"], math.erf(0.5 / math.sqrt(2)), 12)

    def test_budgets_compose(self) -> None:
        hundred = [{"kind": "pure", "epsilon": 0.1}] * 100
        total = calc.total(hundred, delta=1e-6)
        self.assertLess(total["epsilon"], 10)
        self.assertEqual({each["method"] for each in total["all"]} >= {"basic", "optimal"}, True)
        self.assertEqual(calc.total([{"kind": "pure", "epsilon": 0.25}] * 2, delta=0)["epsilon"], 0.5)

    def test_errors_and_prices_are_inverse(self) -> None:
        self.assertEqual(calc.accuracy("count", epsilon=0.5), 6)
        self.assertLessEqual(calc.price("count", accuracy=6)["epsilon"], 0.5)

    def test_privacy_at_risk_beside_what_is_true(self) -> None:
        published, true = calc.privacy_at_risk(0.5, 1), calc.loss(0.5, epsilon0=1)
        self.assertAlmostEqual(published["confidence"] + published["risk"], 1, 15)
        self.assertAlmostEqual(true["delta"], 1 - math.exp((0.5 - 1) / 2), 12)

    def test_infinity_is_a_number_both_ways(self) -> None:
        self.assertEqual(calc.est_epsdelta({"gdp": math.inf}, delta=0.5)[0], math.inf)

    def test_refusals_are_typed_and_the_process_goes_on(self) -> None:
        with self.assertRaisesRegex(errors.InvalidParameter, "mu is -1, must be"):
            calc.beta({"gdp": -1}, 0.5)
        with self.assertRaisesRegex(errors.InvalidParameter, "fn is"):
            calc.call("no such function")
        with self.assertRaisesRegex(errors.InvalidParameter, "^arguments is"):
            calc.beta({"gdp": math.nan}, 0.5)
        self.assertEqual(calc.beta({"gdp": 0}, 0.5), 0.5)

    def test_an_answer_that_was_not_waited_for_is_not_taken_for_the_next(self) -> None:
        with calc.Calc() as opened:
            with mock.patch.object(opened._lines, "get", side_effect=KeyboardInterrupt), self.assertRaises(KeyboardInterrupt):
                opened.call("tradeoff.beta", curve={"gdp": 1}, alpha=0)
            self.assertEqual(opened.call("tradeoff.beta", curve={"gdp": 0}, alpha=0.25), 0.75)

    def test_curves_are_drawn(self) -> None:
        picture = calc.plot({"gdp": 1}, {"epsdelta": [1, 0]}, title="Two <curves>")
        self.assertRegex(picture._repr_svg_(), "^<svg")
        self.assertIn("Two &lt;curves&gt;", picture.svg)
        with self.assertRaisesRegex(errors.InvalidParameter, "axes"):
            calc.plot({"gdp": 1}, axes="round")


class Command(unittest.TestCase):
    def test_a_command_that_is_not_there_or_ends_is_an_error(self) -> None:
        with self.assertRaisesRegex(errors.CommandMissing, "does not start"):
            calc.Calc(["/no/such/command"])
        with calc.Calc(["false"]) as ended, self.assertRaisesRegex(errors.CommandMissing, "ended"):
            ended.call("accuracy", statistic="count", epsilon=1)

    def test_the_current_folder_runs_nothing_by_itself(self) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder, before = Path(name).resolve(), os.getcwd()
            for program in ("npx", "dosimeter", "node_modules/.bin/dosimeter"):
                path = folder / program
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text("#!/bin/sh\n", encoding="utf-8")
                path.chmod(0o755)
            os.chdir(folder)
            try:
                for way in (f".{os.pathsep}{folder}", str(folder)):
                    with mock.patch.dict(os.environ, {"PATH": way}), self.assertRaises(errors.CommandMissing):
                        os.environ.pop("DOSIMETER_COMMAND", None)
                        calc.find_command()
                with mock.patch.dict(os.environ, {"DOSIMETER_COMMAND": "npx --no-install dosimeter"}):
                    self.assertEqual(calc.find_command(), ["npx", "--no-install", "dosimeter"])
                os.chdir(before)
                with mock.patch.dict(os.environ, {"PATH": str(folder)}):
                    os.environ.pop("DOSIMETER_COMMAND", None)
                    self.assertEqual(calc.find_command(), [str(folder / "dosimeter")])
            finally:
                os.chdir(before)


if __name__ == "__main__":
    unittest.main()
