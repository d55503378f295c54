"""Other tools, each against its real package; a test is skipped where that is not here. pip install 'dosimeter[opendp,…]'."""

from __future__ import annotations

import importlib
import os
import shutil
import unittest
from decimal import Decimal
from typing import Any

from dosimeter import calc
from dosimeter.errors import InvalidParameter, UnsupportedEvent
from dosimeter.outside import ADD_OR_REMOVE, REPLACE, at_least

HAS_COMMAND = bool(os.environ.get("DOSIMETER_COMMAND") or shutil.which("dosimeter"))


def module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


theirs, pld, dp = module("dp_accounting.dp_event"), module("dp_accounting.pld"), module("opendp.prelude")


class Losses(unittest.TestCase):
    def test_a_computed_loss_is_never_written_below_itself(self) -> None:
        for value, text in ((0.5, "0.5"), (0.1, "0.100000000000000006"), (0.7, "0.7"), (1e-300, "0." + "0" * 17 + "1"), (0.0, "0.0")):
            self.assertEqual(at_least(value), text)
            self.assertGreaterEqual(Decimal(at_least(value)), Decimal(value))
        for value in (float("inf"), float("nan"), -0.1):
            with self.assertRaisesRegex(InvalidParameter, "^loss is"):
                at_least(value)


@unittest.skipUnless(theirs, "dp_accounting is not here")
class DpAccounting(unittest.TestCase):
    def setUp(self) -> None:
        from dosimeter.outside import dp_accounting

        self.ours = dp_accounting
        gaussian, laplace = theirs.GaussianDpEvent(1.1), theirs.LaplaceDpEvent(2.5)
        sampled = theirs.PoissonSampledDpEvent(0.01, gaussian)
        both = [theirs.NoOpDpEvent(), gaussian, theirs.ZCDpEvent(0.02), theirs.SelfComposedDpEvent(gaussian, 30)]
        both += [theirs.ComposedDpEvent([gaussian, laplace]), theirs.DiscreteLaplaceDpEvent(0.3, 2), laplace]
        both += [theirs.SingleEpochTreeAggregationDpEvent(4.0, 1000), theirs.SelfComposedDpEvent(sampled, 100)]
        self.events = {
            ADD_OR_REMOVE: [
                *both,
                theirs.MixtureOfGaussiansDpEvent(2.0, [0.0, 1.0, 2.0], [0.5, 0.25, 0.25]),
                theirs.TruncatedSubsampledGaussianDpEvent(10_000, 0.01, 200, 1.0),
                theirs.PoissonSampledDpEvent(0.01, laplace),
            ],
            REPLACE: [
                *both,
                theirs.RandomizedResponseDpEvent(0.4, 4),
                theirs.SampledWithoutReplacementDpEvent(1000, 100, gaussian),
            ],
        }

    def test_every_event_comes_back_as_itself(self) -> None:
        for relation, events in self.events.items():
            for event in events:
                back = self.ours.dp_event_of(self.ours.event_of(event, relation), relation)
                if isinstance(event, theirs.RandomizedResponseDpEvent):
                    self.assertLess(back.noise_parameter, event.noise_parameter)
                    self.assertAlmostEqual(back.noise_parameter, event.noise_parameter, 14)
                elif isinstance(event, theirs.NoOpDpEvent):
                    self.assertEqual(back, theirs.ComposedDpEvent([]))
                else:
                    self.assertEqual(back, event)

    @unittest.skipUnless(HAS_COMMAND, "the command dosimeter is not here")
    def test_an_event_costs_here_what_their_accountant_says_or_a_little_more(self) -> None:
        neighbor = importlib.import_module("dp_accounting").NeighboringRelation
        relations = {ADD_OR_REMOVE: ("addRemove", neighbor.ADD_OR_REMOVE_ONE), REPLACE: ("replace", neighbor.REPLACE_ONE)}
        compared = 0
        for relation, events in self.events.items():
            adjacency, neighbours = relations[relation]
            for event in events:
                accountant = pld.PLDAccountant(neighbours, value_discretization_interval=1e-3)
                if not accountant.supports(event):
                    continue
                bound = accountant.compose(event).get_epsilon(1e-6)
                ours = calc.call("total.best", events=[self.ours.event_of(event, relation)], delta=1e-6, adjacency=adjacency)["epsilon"]
                with self.subTest(relation=relation, event=event):
                    # Theirs is an upper bound, on a grid of 1e-3 a step.
                    self.assertLessEqual(ours, bound + 1e-5)
                    self.assertGreaterEqual(ours, bound * (1 - 1e-4) - 1e-3)
                    compared += 1
        self.assertGreaterEqual(compared, 14)

    def test_what_has_no_bound_is_refused_by_name(self) -> None:
        gaussian = theirs.GaussianDpEvent(1.0)
        wrong = {
            "NonPrivateDpEvent": (theirs.NonPrivateDpEvent(), ADD_OR_REMOVE),
            "UnsupportedDpEvent": (theirs.UnsupportedDpEvent(), REPLACE),
            "SampledWithReplacementDpEvent": (theirs.SampledWithReplacementDpEvent(100, 10, gaussian), REPLACE),
            "RepeatAndSelectDpEvent": (theirs.RepeatAndSelectDpEvent(gaussian, 10, 1), ADD_OR_REMOVE),
            "ZCDpEvent": (theirs.ZCDpEvent(0.1, 0.2), ADD_OR_REMOVE),
            "SampledWithoutReplacementDpEvent": (theirs.SampledWithoutReplacementDpEvent(9, 3, gaussian), ADD_OR_REMOVE),
            "PoissonSampledDpEvent": (theirs.PoissonSampledDpEvent(0.1, theirs.LaplaceDpEvent(1)), REPLACE),
            "RandomizedResponseDpEvent": (theirs.RandomizedResponseDpEvent(0, 2), REPLACE),
            "noise_multiplier": (theirs.GaussianDpEvent(0), ADD_OR_REMOVE),
            "int": (3, ADD_OR_REMOVE),
        }
        for name, (event, relation) in wrong.items():
            with self.assertRaisesRegex(UnsupportedEvent, f"^{name} "):
                self.ours.event_of(theirs.ComposedDpEvent([event]), relation)
        with self.assertRaisesRegex(UnsupportedEvent, "^rdp has no DpEvent"):
            self.ours.dp_event_of({"kind": "rdp", "order": 2, "epsilon": 1})
        deep = gaussian
        for _ in range(200):
            deep = theirs.ComposedDpEvent([deep])
        with self.assertRaisesRegex(InvalidParameter, "nested at most 100"):
            self.ours.event_of(deep)


@unittest.skipUnless(dp, "opendp is not here")
class OpenDp(unittest.TestCase):
    def setUp(self) -> None:
        from dosimeter.outside import opendp

        self.ours = opendp
        dp.enable_features("contrib")
        self.count = (dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()) >> dp.t.then_count()

    def test_a_measurement_loses_what_it_says(self) -> None:
        event_of, gaussian = self.ours.event_of, self.count >> dp.m.then_gaussian(2.0)
        self.assertEqual(event_of(self.count >> dp.m.then_laplace(2.0), 1), {"kind": "pure", "epsilon": "0.5"})
        self.assertEqual(event_of(self.count >> dp.m.then_laplace(10.0), 1), {"kind": "pure", "epsilon": "0.100000000000000006"})
        self.assertEqual(event_of(gaussian, 2), {"kind": "zcdp", "rho": "0.5"})
        converted = event_of(gaussian, 1, 1e-6)
        self.assertEqual((converted["kind"], converted["delta"]), ("approximate", "0.000001"))
        self.assertAlmostEqual(float(converted["epsilon"]), 2.419093, 5)
        profile = dp.c.make_zCDP_to_approxDP(gaussian)
        self.assertEqual(event_of(profile, 1, 1e-6), converted)
        self.assertEqual(event_of(dp.c.make_fix_delta(profile, 1e-6), 1), converted)
        for wrong in (profile, dp.c.make_approximate(gaussian)):
            with self.assertRaisesRegex(UnsupportedEvent, "^output_measure is (Smoothed|Approximate\\(Zero)"):
                event_of(wrong, 1)

    def test_a_distance_states_relation_and_unit(self) -> None:
        for metric, d_in, stated, relation, rows in (
            (dp.symmetric_distance(), 3, None, ADD_OR_REMOVE, 3),
            (dp.symmetric_distance(), 4, REPLACE, REPLACE, 2),
            (dp.change_one_distance(), 2, None, REPLACE, 2),
        ):
            self.assertEqual(self.ours._unit(metric, d_in, stated), {"relation": relation, "rows_per_unit": rows})
        for metric, d_in, stated, said in (
            (dp.symmetric_distance(), 3, REPLACE, "^d_in is 3, must be of the relation replace-one"),
            (dp.change_one_distance(), 1, ADD_OR_REMOVE, "^d_in is 1"),
            (dp.symmetric_distance(), 0, None, "^d_in is 0, must be a whole number of rows"),
            (dp.absolute_distance(T=float), 1, None, "^input_metric is AbsoluteDistance"),
        ):
            with self.assertRaisesRegex((InvalidParameter, UnsupportedEvent), said):
                self.ours._unit(metric, d_in, stated)


if __name__ == "__main__":
    unittest.main()
