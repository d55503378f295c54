"""diffprivlib: an accountant whose budget is an account.

    from dosimeter.outside.diffprivlib import DosimeterAccountant
    with DosimeterAccountant(ds, key="means", purpose="…"):
        diffprivlib.tools.mean(heights, epsilon=0.1, bounds=(100, 220))
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Mapping
from typing import Any

from diffprivlib.accountant import BudgetAccountant
from diffprivlib.utils import PrivacyLeakWarning
from diffprivlib.validation import check_epsilon_delta

from ..amounts import amount_text
from ..client import Dataset
from ..errors import UnsupportedEvent
from . import ADD_OR_REMOVE, REPLACE, Relation, Run

RELATIONS: Mapping[str, Relation] = {
    "_mean": REPLACE,
    "_var": REPLACE,
    "_sum": REPLACE,
    "quantile": REPLACE,
    "histogram": ADD_OR_REMOVE,
    "histogramdd": ADD_OR_REMOVE,
}
"""For which neighbours the noise of a tool is made: a mean knows the number of rows, and two bins change when one is replaced."""


class DosimeterAccountant(BudgetAccountant):  # type: ignore[misc]
    """Charges each tool when it checks its budget, before it reads a row. Drop-in: `accountant=`, `with`, `set_default`.

    The n-th charge has the key `key/n`. A warning that bounds are taken from the data becomes an error. Models do not say
    for which neighbours they hold: who uses one states `relation`. Where people are protected, say `rows_per_unit`: the noise of
    each tool is made for 1.
    """

    def __init__(
        self, ds: Dataset, *, key: str, purpose: str, relation: Relation | None = None, **settings: Any
    ) -> None:
        super().__init__()
        warnings.filterwarnings("error", category=PrivacyLeakWarning)
        self.run = Run(ds, "diffprivlib", key=key, purpose=purpose, **settings)
        self._relation = relation
        self._paid: tuple[float, float] | None = None
        self._noting = False

    def check(self, epsilon: float, delta: float) -> bool:
        """Pays for the `spend` of the same amounts that follows. Raises what `Dataset.charge` does."""
        check_epsilon_delta(epsilon, delta)
        if self._noting:
            return True
        amounts = {"epsilon": amount_text("epsilon", float(epsilon)), "delta": amount_text("delta", float(delta))}
        event = {"kind": "pure", "epsilon": amounts["epsilon"]} if delta == 0 else {"kind": "approximate", **amounts}
        self.run.charge(event, relation=self._relation or _relation_of_caller())
        # What a tool that failed has paid for is gone: the next one pays again.
        self._paid = (epsilon, delta)
        return True

    def spend(self, epsilon: float, delta: float) -> DosimeterAccountant:
        """Notes what was paid for, and pays where `check` has not."""
        if self._paid != (epsilon, delta):
            self.check(epsilon, delta)
        self._paid, self._noting = None, True
        try:
            super().spend(epsilon, delta)
        finally:
            self._noting = False
        return self

    def __repr__(self, n_budget_max: int = 5) -> str:
        return f"DosimeterAccountant({len(self.run.permits)} charges)"


def _relation_of_caller() -> Relation:
    """The relation of the tool that checks its budget, two frames up; UnsupportedEvent for one that is not known."""
    frame = inspect.currentframe()
    assert frame is not None and frame.f_back is not None and frame.f_back.f_back is not None
    caller = frame.f_back.f_back
    module, tool = caller.f_globals.get("__name__", ""), caller.f_code.co_name
    if caller.f_locals.get("nan") is True or caller.f_locals.get("weights") is not None:
        raise UnsupportedEvent(
            f"{tool.lstrip('_')} with NaN or weights has too little noise for its epsilon, must be called on rows without",
            {"name": "tool", "got": tool},
        )
    if module.startswith("diffprivlib.tools") and tool in RELATIONS:
        return RELATIONS[tool]
    raise UnsupportedEvent(
        f"{module}.{tool} does not say for which neighbours it holds, must be one of {', '.join(RELATIONS)}, or say relation=",
        {"name": "relation", "got": tool},
    )
