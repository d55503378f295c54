"""Ask a Dosimeter server for differentially private statistics.

    import dosimeter
    ds = dosimeter.connect().dataset("adults")
    ds.quote(dosimeter.mean("income", by="education", epsilon="0.1"))      # free
    ds.release(dosimeter.mean("income", by="education", epsilon="0.1"), key="first")
    ds.sql("SELECT sex, AVG(income) FROM adults GROUP BY sex", epsilon="0.1")
    ds.budget()
"""

from typing import TYPE_CHECKING, NoReturn

from . import calc, errors, statistics
from .aio import AsyncClient, AsyncDataset, async_connect
from .amounts import Amount, Number
from .client import Balance, Client, Dataset, Gauge, connect
from .errors import BudgetExhausted, DosimeterError, QuotaExhausted, StillRunning, Unreachable
from .local import LocalServer, open
from .plan import near, statistic
from .quote import Cost, Quote, QuotedStatistic
from .release import Answer, Cell, Release, SqlRelease
from .statistics import *
from .table import Table
from .version import VERSION as __version__

__all__ = [
    "Amount",
    "Answer",
    "AsyncClient",
    "AsyncDataset",
    "Balance",
    "BudgetExhausted",
    "Cell",
    "Client",
    "Cost",
    "Dataset",
    "DosimeterError",
    "Gauge",
    "LocalServer",
    "Number",
    "QuotaExhausted",
    "Quote",
    "QuotedStatistic",
    "Release",
    "SqlRelease",
    "StillRunning",
    "Table",
    "Unreachable",
    "__version__",
    "async_connect",
    "calc",
    "connect",
    "errors",
    "open",
    "statistic",
]
__all__ += statistics.__all__

if not TYPE_CHECKING:

    def __getattr__(name: str) -> NoReturn:
        meant = statistics.SAID.get(name) or near(name, __all__)
        raise AttributeError(f"module 'dosimeter' has no {name}{f' (did you mean {meant}?)' if meant else ''}")
