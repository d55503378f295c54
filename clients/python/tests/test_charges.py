"""Charges of programs outside, on the server of DOSIMETER_URL where DOSIMETER_CHARGES names the dataset that may be charged."""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
import unittest
import warnings
from decimal import Decimal
from typing import Any

import dosimeter
from dosimeter import errors, outside
from dosimeter.outside.opacus import attach

DATASET = os.environ.get("DOSIMETER_CHARGES", "")
PURE = {"kind": "pure", "epsilon": "0.01"}


def module(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


dp, diffprivlib = module("opendp.prelude"), module("diffprivlib")
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    opacus, tmlt = module("opacus"), module("tmlt.analytics")


class Charging(unittest.TestCase):
    def setUp(self) -> None:
        self.ds = dosimeter.connect().dataset(DATASET)

    def ignore_warnings(self) -> None:
        ignored = warnings.catch_warnings()
        ignored.__enter__()
        self.addCleanup(ignored.__exit__, None, None, None)
        warnings.simplefilter("ignore")

    def left(self) -> Decimal:
        left = self.ds.budget().epsilon.left
        assert left is not None
        return left


@unittest.skipUnless(DATASET, "DOSIMETER_CHARGES is not set")
class Charges(Charging):
    def test_a_quote_is_free_and_says_what_does_not_fit(self) -> None:
        before = self.left()
        quote = self.ds.charge_quote(PURE, rows_per_unit=1)
        assert quote.price is not None
        self.assertEqual((quote.fits, quote.price.epsilon, quote.why), (True, Decimal("0.01"), None))
        self.assertEqual(quote.remaining.epsilon, before)
        self.assertIn("Cost: ε = 0.01", str(quote))
        full = self.ds.charge_quote({**PURE, "epsilon": "100"}, rows_per_unit=1)
        self.assertFalse(full.fits)
        self.assertRegex(str(full), "^It does not fit: ")
        self.assertEqual(self.left(), before)

    def test_a_charge_is_paid_before_the_program_runs_and_its_permit_is_for_one_run(self) -> None:
        before, left_inside = self.left(), Decimal(0)
        said = {"key": "py-once", "purpose": "a test", "rows_per_unit": 1, "tool": {"name": "pen", "version": "1"}}
        with self.ds.charge([PURE], **said) as permit:  # type: ignore[arg-type]
            left_inside = self.left()
        self.assertEqual(left_inside, before - Decimal("0.01"))
        self.assertEqual((permit.key, permit.price.epsilon, permit.raw["tool"]["name"]), ("py-once", Decimal("0.01"), "pen"))
        self.assertTrue(permit.raw["redeemed"])
        again = outside.charge(self.ds, [PURE], **said)
        self.assertEqual((again.id, self.left()), (permit.id, left_inside))
        with self.assertRaises(errors.Conflict), again:
            self.fail("a second run of what was paid for once")
        with self.assertRaises(errors.IdempotencyConflict):
            self.ds.charge([{**PURE, "epsilon": "0.02"}], **said)  # type: ignore[arg-type]
        permit.evidence(commit="0123abc", sha256="0" * 64)
        self.assertEqual(permit.raw["evidence"]["commit"], "0123abc")
        with self.assertRaises(errors.Conflict):
            permit.evidence(commit="0123abc")
        self.assertEqual(self.left(), left_inside)

    def test_what_is_refused_is_not_run_and_not_charged(self) -> None:
        before = self.left()
        for refusal, events, said in (
            ((dosimeter.BudgetExhausted, dosimeter.QuotaExhausted, errors.Forbidden), {**PURE, "epsilon": "100"}, {}),
            (errors.AdjacencyMismatch, PURE, {"relation": "replace-one"}),
            (errors.InvalidParameter, PURE, {"rows_per_unit": None}),
            (errors.InvalidParameter, PURE, {"relation": "neighbours"}),
            (errors.InvalidParameter, {**PURE, "epsilon": float("nan")}, {}),
            (errors.InvalidParameter, [], {}),
            (errors.InvalidParameter, "pure", {}),
            (errors.UnsupportedEvent, {"kind": "magic"}, {}),
            (errors.TooMuchWork, [PURE] * 1001, {}),
        ):
            with self.subTest(events=str(events)[:60], said=said), self.assertRaises(refusal):
                stated: dict[str, Any] = {"key": "py-wrong", "purpose": "a test", "rows_per_unit": 1, **said}
                with self.ds.charge(events, **stated):  # type: ignore[arg-type]
                    self.fail("nothing may run")
        self.assertEqual(self.left(), before)

    def test_what_was_published_before_is_said_so(self) -> None:
        published = {"on": "2025-03-01", "where": "the report of that year"}
        permit = self.ds.charge(PURE, key="py-2025", purpose="a report", rows_per_unit=1, published=published)
        self.assertEqual(permit.raw["published"], published)

    def test_chunks_are_charges_of_their_own_and_a_run_is_not_run_again(self) -> None:
        before = self.left()
        for refused in (False, True):
            run = outside.Run(self.ds, "no-such-package", key="py-run", purpose="a test", rows_per_unit=1)
            if refused:
                self.assertRaises(errors.Conflict, run.charge, PURE)
            else:
                keys = [run.charge(PURE, name).key for name in (None, "second")]
                self.assertEqual(keys, ["py-run/1", "py-run/second"])
        self.assertEqual(self.left(), before - Decimal("0.02"))


class Recorded:
    """The interface of an accountant of Opacus 1.6, as its PRVAccountant has it."""

    def __init__(self) -> None:
        self.history: list[tuple[float, float, int]] = []

    def step(self, *, noise_multiplier: float, sample_rate: float) -> None:
        count = 0
        if self.history and self.history[-1][:2] == (noise_multiplier, sample_rate):
            count = self.history.pop()[2]
        self.history.append((noise_multiplier, sample_rate, count + 1))


class Engine:
    def __init__(self, accountant: Any) -> None:
        self.accountant = accountant


@unittest.skipUnless(DATASET, "DOSIMETER_CHARGES is not set")
class Opacus(Charging):
    def test_each_epoch_is_charged_before_its_first_step(self) -> None:
        kinds = {"recorded": Recorded}
        if opacus is not None:
            kinds.update({name: getattr(opacus.accountants, name) for name in ("PRVAccountant", "RDPAccountant")})
        for name, kind in kinds.items():
            engine, before = Engine(kind()), self.left()
            run = attach(engine, self.ds, epochs=2, steps=3, key=f"py-{name}", purpose="a test", rows_per_unit=1)
            left = []
            for _ in range(6):
                engine.accountant.step(noise_multiplier=20.0, sample_rate=0.01)
                left.append(self.left())
            self.assertEqual([permit.key for permit in run.permits], [f"py-{name}/epoch-1", f"py-{name}/epoch-2"])
            self.assertTrue(before > left[0] == left[1] == left[2] > left[3] == left[4] == left[5])
            with self.assertRaisesRegex(errors.InvalidParameter, "^epochs is 3, must be at most 2"):
                engine.accountant.step(noise_multiplier=20.0, sample_rate=0.01)
            self.assertEqual(engine.accountant.history, [(20.0, 0.01, 6)])
            run.finish()
            self.assertRaises(errors.Conflict, attach, engine, self.ds, epochs=1, key="py-late", purpose="a test", rows_per_unit=1)
            attach(engine, self.ds, epochs=1, charged=6, key="py-late", purpose="a test", rows_per_unit=1).finish()

    def test_what_differs_from_the_charge_is_an_alarm(self) -> None:
        engine = Engine(Recorded())
        run = attach(engine, self.ds, epochs=2, steps=3, key="py-alarm", purpose="a test", rows_per_unit=1)
        engine.accountant.step(noise_multiplier=20.0, sample_rate=0.01)
        with self.assertRaisesRegex(errors.Conflict, "^noise and rate are \\(10.0, 0.01\\)"):
            engine.accountant.step(noise_multiplier=10.0, sample_rate=0.01)
        Recorded.step(engine.accountant, noise_multiplier=20.0, sample_rate=0.01)
        with self.assertRaisesRegex(errors.Conflict, "^the accountant's history ends with"):
            run.finish()


class Exact:
    """The interface of an ExactNumber of tmlt.core 0.19: a float on the side that is asked for."""

    def __init__(self, below: float, above: float) -> None:
        self._sides = (below, above)

    def to_float(self, round_up: bool) -> float:
        return self._sides[round_up]


def like(name: str, **said: Any) -> Any:
    """An object whose class has that name, where tmlt.analytics is not here: only `value` and a change's rows are read."""
    return type(name, (), said)()


class Tumult(Charging):
    def setUp(self) -> None:
        from dosimeter.outside import tumult

        self.ours, third = tumult, Exact(0.33333333333333326, 0.3333333333333333593)
        pure, approximate = like("PureDPBudget", value=third), like("ApproxDPBudget", value=(third, Exact(1e-9, 1e-9)))
        rho = like("RhoZCDPBudget", value=third)
        self.events = [(pure, "pure"), (approximate, "approximate"), (rho, "zcdp")]
        if tmlt is not None:
            exact = importlib.import_module("tmlt.core.utils.exact_number").ExactNumber("1/3")
            budgets = [tmlt.PureDPBudget(exact), tmlt.ApproxDPBudget(exact, 1e-9), tmlt.RhoZCDPBudget(exact)]
            self.events += [(each, kind) for each, (_, kind) in zip(budgets, self.events)]
            changes = [tmlt.AddOneRow(), tmlt.AddMaxRows(3), tmlt.AddMaxRowsInMaxGroups("g", 2, 3), tmlt.AddRowsWithID("i")]
            self.assertEqual([self.ours.unit_of(each).get("rows_per_unit") for each in changes], [1, 3, 6, None])

    def test_a_budget_is_charged_no_smaller_than_it_is(self) -> None:
        for budget, kind in self.events:
            event = self.ours.event_of(budget)
            self.assertEqual(event["kind"], kind)
            amount = Decimal(event.get("epsilon", event.get("rho")))
            self.assertTrue(amount * 3 >= 1 and amount < Decimal("0.3334"), amount)
        for wrong in (like("PureDPBudget", value=Exact(1, float("inf"))), like("Budget", value=Exact(1, 1))):
            with self.assertRaisesRegex((errors.InvalidParameter, errors.UnsupportedEvent), "^(loss|budget) is"):
                self.ours.event_of(wrong)
        with self.assertRaisesRegex(errors.InvalidParameter, "^protected_change is"):
            self.ours.unit_of(like("ProtectedChange"))

    @unittest.skipUnless(DATASET, "DOSIMETER_CHARGES is not set")
    def test_a_session_is_paid_for_once_before_it_is_built(self) -> None:
        ds = dosimeter.connect().dataset(DATASET)
        left = lambda: ds.budget().epsilon.left  # noqa: E731
        before, budget = left(), like("PureDPBudget", value=Exact(0.0078125, 0.0078125))
        change, said = like("AddMaxRows", max_rows=1), {"key": "py-tumult", "purpose": "a test"}
        self.assertIs(self.ours.budget(ds, budget, change, **said), budget)
        with self.assertRaises(errors.Conflict):
            self.ours.budget(ds, budget, change, **said)
        self.assertEqual(left(), before - Decimal("0.0078125"))


    @unittest.skipUnless(DATASET and tmlt, "DOSIMETER_CHARGES is not set, or tmlt.analytics is not here")
    def test_a_session_of_spark_answers_within_what_was_paid(self) -> None:
        self.ignore_warnings()
        sql = importlib.import_module("pyspark.sql")
        os.environ["PYSPARK_PYTHON"] = sys.executable
        made = tempfile.TemporaryDirectory()
        self.addCleanup(made.cleanup)
        small = {"spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "1", "spark.sql.warehouse.dir": made.name}
        spark = sql.SparkSession.builder.master("local[1]").config(map=small).getOrCreate()
        self.addCleanup(spark.stop)
        ds, change, count = dosimeter.connect().dataset(DATASET), tmlt.AddOneRow(), tmlt.QueryBuilder("people").count()
        before, rows = ds.budget().epsilon.left, spark.createDataFrame([(age,) for age in range(40)], ["age"])
        budget = self.ours.budget(ds, tmlt.PureDPBudget(0.015625), change, key="py-session", purpose="a test")
        assert before is not None
        self.assertEqual(ds.budget().epsilon.left, before - Decimal("0.015625"))
        session = tmlt.Session.from_dataframe(budget, "people", rows, protected_change=change)
        self.assertEqual(len(session.evaluate(count, tmlt.PureDPBudget(0.01)).collect()), 1)
        with self.assertRaisesRegex(RuntimeError, "without exceeding the Session privacy budget"):
            session.evaluate(count, tmlt.PureDPBudget(0.01))


@unittest.skipUnless(DATASET and dp, "DOSIMETER_CHARGES is not set, or opendp is not here")
class OpenDp(Charging):
    def test_a_context_charges_each_query_by_itself(self) -> None:
        from dosimeter.outside import opendp

        dp.enable_features("contrib")
        before = self.left()
        context = opendp.context(
            self.ds,
            [20, 30, 40] * 30,
            dp.unit_of(contributions=1),
            domain=dp.vector_domain(dp.atom_domain(T=int)),
            key="py-opendp",
            purpose="a test",
        )
        for step in (1, 2):
            context.query(epsilon=0.01).clamp((0, 100)).sum().laplace().release()
            self.assertEqual(self.left(), before - step * Decimal("0.01"))
        with self.assertRaises((dosimeter.QuotaExhausted, dosimeter.BudgetExhausted, errors.Forbidden)):
            context.query(epsilon=4.0).count().laplace().release()
        self.assertEqual(self.left(), before - Decimal("0.02"))
        self.assertLess(context.current_privacy_loss(), 0.0201)

    def test_a_measurement_is_charged_before_it_runs(self) -> None:
        from dosimeter.outside import opendp

        dp.enable_features("contrib")
        before = self.left()
        count = (dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()) >> dp.t.then_count() >> dp.m.then_laplace(64.0)
        with opendp.charge_measurement(self.ds, count, 1, key="py-measurement", purpose="a test") as permit:
            count([1, 2, 3])
        self.assertEqual((self.left(), permit.raw["tool"]["name"]), (before - Decimal("0.015625"), "opendp"))
        self.assertEqual((permit.raw["relation"], permit.raw["rowsPerUnit"]), ("add-or-remove-one", 1))


@unittest.skipUnless(DATASET and diffprivlib, "DOSIMETER_CHARGES is not set, or diffprivlib is not here")
class Diffprivlib(Charging):
    def test_each_tool_is_charged_before_it_reads_a_row(self) -> None:
        from dosimeter.outside.diffprivlib import DosimeterAccountant

        before = self.left()
        with warnings.catch_warnings(), DosimeterAccountant(self.ds, key="py-ibm", purpose="a test", rows_per_unit=1) as accountant:
            diffprivlib.tools.histogram([1, 2, 3], epsilon=0.01, bins=3, range=(0, 3))
            self.assertEqual((self.left(), accountant.spent_budget), (before - Decimal("0.01"), [(0.01, 0)]))
            # The noise of a mean knows how many rows there are, which this ledger keeps secret.
            with self.assertRaises(errors.AdjacencyMismatch):
                diffprivlib.tools.mean([1, 2, 3], epsilon=0.01, bounds=(0, 3))
            with self.assertRaises(diffprivlib.utils.PrivacyLeakWarning):
                diffprivlib.tools.mean([1, 2, 3], epsilon=0.01)
            for wrong in (
                lambda: diffprivlib.tools.nanmean([1, 2, 3], epsilon=0.01, bounds=(0, 3)),
                lambda: diffprivlib.tools.histogram([1, 2, 3], epsilon=0.01, bins=3, range=(0, 3), weights=[9, 9, 9]),
                lambda: diffprivlib.models.GaussianNB(epsilon=0.01, bounds=(0, 1)).fit([[0.1], [0.9]], [0, 1]),
                lambda: accountant.spend(0.01, 0),
            ):
                self.assertRaises(errors.UnsupportedEvent, wrong)
        self.assertEqual((self.left(), len(accountant), len(accountant.run.permits)), (before - Decimal("0.01"), 1, 1))

    def test_what_a_failed_tool_paid_is_not_given_to_the_next(self) -> None:
        from dosimeter.outside.diffprivlib import DosimeterAccountant

        before = self.left()
        with warnings.catch_warnings(), DosimeterAccountant(self.ds, key="py-fail", purpose="a test", rows_per_unit=1) as accountant:
            self.assertRaises(
                diffprivlib.utils.PrivacyLeakWarning, diffprivlib.tools.histogram, [1, 2, 3], epsilon=0.01, bins=3
            )
            diffprivlib.tools.histogram([1, 2, 3], epsilon=0.01, bins=3, range=(0, 3))
        stated = DosimeterAccountant(self.ds, key="py-stated", purpose="a test", rows_per_unit=1, relation="add-or-remove-one")
        self.assertIs(stated.spend(0.01, 0), stated)
        self.assertEqual((self.left(), len(accountant)), (before - Decimal("0.03"), 1))


class Torch(Charging):
    """A small training with the real Opacus: `npm run test:tools -- opacus` runs it."""

    def setUp(self) -> None:
        super().setUp()
        self.ignore_warnings()

    def engine(self, key: str, epochs: int = 3, **said: Any) -> tuple[Any, Any]:
        engine = opacus.PrivacyEngine()
        return engine, attach(engine, self.ds, epochs=epochs, key=key, purpose="a test", rows_per_unit=1, **said)

    def private(self, engine: Any, noise: float = 100.0, **said: Any) -> tuple[Any, Any, Any]:
        import torch

        rows = torch.utils.data.TensorDataset(torch.randn(200, 4), torch.randint(0, 2, (200,)))
        model = torch.nn.Linear(4, 2)
        given: dict[str, Any] = {"module": model, "optimizer": torch.optim.SGD(model.parameters(), lr=0.1), "max_grad_norm": 1.0}
        given["data_loader"] = torch.utils.data.DataLoader(rows, batch_size=20)
        made: tuple[Any, Any, Any] = engine.make_private(**given, noise_multiplier=noise, **said)
        return made

    def epoch(self, model: Any, optimizer: Any, loader: Any) -> list[Decimal]:
        """One epoch: what is left after each step. `before` has the weights before the last one."""
        import torch

        self.before: list[Any] = []
        after = []
        for features, labels in loader:
            optimizer.zero_grad()
            torch.nn.functional.cross_entropy(model(features), labels).backward()
            self.before = [each.clone() for each in model.parameters()]
            optimizer.step()
            after.append(self.left())
        return after


@unittest.skipUnless(DATASET and opacus, "DOSIMETER_CHARGES is not set, or opacus and torch are not here")
class Training(Torch):
    def test_each_epoch_is_paid_at_its_first_step_whatever_its_noise_and_memory(self) -> None:
        from opacus.schedulers import ExponentialNoise
        from opacus.utils.batch_memory_manager import BatchMemoryManager

        engine, run = self.engine("py-epochs", epochs=2)
        model, optimizer, loader = self.private(engine)
        schedule, before = ExponentialNoise(optimizer, gamma=1.25), self.left()
        first = self.epoch(model, optimizer, loader)
        schedule.step()
        with BatchMemoryManager(data_loader=loader, max_physical_batch_size=5, optimizer=optimizer) as parts:
            second = self.epoch(model, optimizer, parts)
        self.assertEqual((len(first), len(set(first)), len(set(second))), (10, 1, 2))  # a part of a batch steps for nothing
        self.assertGreater(len(second), 10)
        self.assertTrue(before > first[0] == second[0] > second[-1])
        self.assertEqual(engine.accountant.history, [(100.0, 0.1, 10), (125.0, 0.1, 10)])
        self.assertEqual([permit.key for permit in run.permits], ["py-epochs/epoch-1", "py-epochs/epoch-2"])
        run.finish()

    def test_batches_that_are_no_poisson_samples_are_refused_and_cost_nothing(self) -> None:
        before = self.left()
        engine, run = self.engine("py-shuffled")
        with self.assertRaisesRegex(errors.InvalidParameter, "^poisson_sampling is False, must be True"):
            self.private(engine, poisson_sampling=False)
        run.finish()
        engine = opacus.PrivacyEngine()
        made = self.private(engine, poisson_sampling=False)
        attach(engine, self.ds, epochs=3, key="py-late", purpose="a test", rows_per_unit=1)
        with self.assertRaisesRegex(errors.Conflict, "^attach is after make_private"):
            self.epoch(*made)
        self.assertEqual((self.left(), engine.accountant.history), (before, []))

    def test_a_training_goes_on_from_a_checkpoint_and_another_history_is_an_alarm(self) -> None:
        import io

        engine, run = self.engine("py-saved")
        made = self.private(engine)
        self.epoch(*made)
        run.finish()
        saved = io.BytesIO()
        engine.save_checkpoint(path=saved, module=made[0], optimizer=made[1])
        engine = opacus.PrivacyEngine()
        made = self.private(engine)
        engine.load_checkpoint(path=io.BytesIO(saved.getvalue()), module=made[0], optimizer=made[1])
        run = attach(engine, self.ds, epochs=1, charged=10, key="py-resumed", purpose="a test", rows_per_unit=1)
        self.epoch(*made)
        self.assertEqual(engine.accountant.history, [(100.0, 0.1, 20)])
        engine.load_checkpoint(path=io.BytesIO(saved.getvalue()), module=made[0], optimizer=made[1])
        with self.assertRaisesRegex(errors.Conflict, "^the accountant's history ends with \\[\\(100.0, 0.1, 10\\)\\], must be"):
            run.finish()


@unittest.skipUnless(DATASET and opacus, "DOSIMETER_CHARGES is not set, or opacus and torch are not here")
class Without(Torch):
    """Last by its name: it spends all that the account has."""

    def test_a_training_stops_at_the_epoch_that_is_refused(self) -> None:
        import torch

        engine, run = self.engine("py-training", epochs=50)
        made = self.private(engine, noise=30.0)
        with self.assertRaises((dosimeter.QuotaExhausted, dosimeter.BudgetExhausted)):
            for _ in range(50):
                self.epoch(*made)
        self.assertTrue(all(torch.equal(one, other) for one, other in zip(self.before, made[0].parameters())))
        self.assertGreater(run.epochs, 0)
        self.assertEqual(engine.accountant.history, [(30.0, 0.1, 10 * run.epochs)])
        run.finish()


if __name__ == "__main__":
    unittest.main()
