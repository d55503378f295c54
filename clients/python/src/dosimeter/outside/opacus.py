"""Opacus: `attach(privacy_engine, ds, …)` charges each epoch before its first step.

    engine = PrivacyEngine()
    run = attach(engine, ds, epochs=20, key="train-7", purpose="…")
    model, optimizer, loader = engine.make_private(…)
    ...                 # optimizer.step() raises BudgetExhausted at the first step of an epoch that does not fit
    run.finish()
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..amounts import invalid
from ..client import Dataset
from ..errors import Conflict
from . import Event, Permit, Run

Step = tuple[float, float]
"""Noise multiplier and sample rate of one step of the optimiser."""


class Training:
    """What was charged for a training, epoch by epoch. An epoch that is not finished is not given back."""

    def __init__(self, engine: Any, run: Run, *, epochs: int, steps: int | None, charged: int) -> None:
        self.epochs = 0
        accountant = engine.accountant
        self._accountant, self._run = accountant, run
        self._most, self._steps = epochs, steps
        self._now: Step | None = None
        self._left = 0
        self._taken = [tuple(each) for each in accountant.history]
        self._step = accountant.step
        accountant.step = self.step
        self._engine, self._make_private = engine, getattr(engine, "make_private", None)
        self._is_poisson = self._make_private is None or charged > 0
        if self._make_private is not None:
            engine.make_private = self.make_private

    @property
    def permits(self) -> Sequence[Permit]:
        return tuple(self._run.permits)

    def make_private(self, **said: Any) -> Any:
        """The engine's. InvalidParameter for batches that are not Poisson samples: the accountant counts them as such."""
        assert self._make_private is not None
        if not said.get("poisson_sampling", True):
            raise invalid("poisson_sampling", False, "True, as the charge says; charge other batches as what bounds them")
        made, self._is_poisson = self._make_private(**said), True
        return made

    def step(self, *, noise_multiplier: float, sample_rate: float) -> None:
        """The accountant's step: paid for first. Conflict where noise or rate changes inside an epoch."""
        asked = (noise_multiplier, sample_rate)
        if not self._is_poisson:
            raise Conflict("attach is after make_private, must be before it, to see that batches are Poisson samples", {"name": "attach"})
        if self._left == 0:
            self._pay(asked)
        if self._now != asked:
            raise Conflict(f"noise and rate are {asked}, must be {self._now}, as this epoch was charged", {"name": "noise_multiplier"})
        self._left -= 1
        before = self._taken.pop() if self._taken and self._taken[-1][:2] == asked else (*asked, 0)
        self._taken.append((*asked, before[2] + 1))
        self._step(noise_multiplier=noise_multiplier, sample_rate=sample_rate)
        self.verify()

    def verify(self) -> None:
        """Conflict where the accountant has steps that nobody paid for, or lacks some that were."""
        history = [tuple(each) for each in self._accountant.history]
        if history != self._taken:
            raise Conflict(
                f"the accountant's history ends with {history[-1:]}, must be what was charged: {self._taken[-1:]}; "
                "charge what this training did beside it",
                {"name": "history"},
            )

    def finish(self) -> None:
        """Verifies once more, and gives accountant and engine their own methods back."""
        self.verify()
        self._accountant.step = self._step
        if self._make_private is not None:
            self._engine.make_private = self._make_private

    def _pay(self, asked: Step) -> None:
        if self.epochs == self._most:
            raise invalid("epochs", self.epochs + 1, f"at most {self._most}, as attach was told")
        count = self._steps or max(1, round(1 / asked[1]))
        self._run.charge(event_of(*asked, count), f"epoch-{self.epochs + 1}")
        self.epochs += 1
        self._now, self._left = asked, count


def attach(
    privacy_engine: Any,
    ds: Dataset,
    *,
    epochs: int,
    key: str,
    purpose: str,
    steps: int | None = None,
    charged: int = 0,
    **settings: Any,
) -> Training:
    """Charges every epoch of a training before its first step, as `key/epoch-3`; `settings` are those of `Dataset.charge`:
    where people are protected, `rows_per_unit` is how many rows of one the noise was made for, 1 as Opacus makes it.

    An epoch is `steps` steps, or as many as its sample rate makes: 1 ÷ rate. Where one is refused, `optimizer.step()` raises
    and its gradient is not applied. A training that goes on from a checkpoint says how many of its steps were `charged`
    under another key: then it attaches after `load_checkpoint`. Opacus counts Poisson samples, which its default draws:
    `make_private(poisson_sampling=False)` is refused. Of several processes that train together, one attaches.
    """
    accountant = privacy_engine.accountant
    if epochs < 1 or (steps is not None and steps < 1):
        raise invalid("epochs", epochs, "1 or more, of 1 step or more")
    taken = sum(count for _, _, count in accountant.history)
    if taken != charged:
        raise Conflict(
            f"the accountant has taken {taken} steps, must be {charged}: attach before the first, or say how many were charged before",
            {"name": "history"},
        )
    run = Run(ds, "opacus", key=key, purpose=purpose, **settings)
    return Training(privacy_engine, run, epochs=epochs, steps=steps, charged=charged)


def event_of(noise_multiplier: float, sample_rate: float, steps: int) -> Event:
    """Steps of DP-SGD: a Gaussian sum over a Poisson sample, each row in it with the same rate."""
    step = {"kind": "gaussian", "noiseMultiplier": float(noise_multiplier)}
    sampled = {"kind": "poissonSampled", "rate": float(sample_rate), "event": step}
    return {"kind": "repeated", "count": int(steps), "event": sampled}
