"""Ask a Dosimeter server for differentially private statistics.

    import dosimeter
    ds = dosimeter.connect().dataset("adults")
    ds.quote(dosimeter.statistic("mean", "income", by="education", epsilon="0.1"))      # free
    ds.release(dosimeter.statistic("mean", "income", by="education", epsilon="0.1"), key="first")
    ds.sql("SELECT sex, AVG(income) FROM adults GROUP BY sex", epsilon="0.1")
    ds.budget()
"""

from . import calc, errors
from .amounts import Amount, Number
from .client import Balance, Client, Dataset, Gauge, connect
from .errors import BudgetExhausted, DosimeterError, QuotaExhausted, StillRunning, Unreachable
from .plan import statistic
from .quote import Cost, Quote, QuotedStatistic
from .release import Answer, Cell, Release, SqlRelease
from .tables import Table
from .version import VERSION as __version__

__all__ = [
    "Amount",
    "Answer",
    "Balance",
    "BudgetExhausted",
    "Cell",
    "Client",
    "Cost",
    "Dataset",
    "DosimeterError",
    "Gauge",
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
    "calc",
    "connect",
    "errors",
    "statistic",
]
