"""Every way a request can be refused: one class for each code of the server, and three for this side of the wire."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any


class DosimeterError(Exception):
    """A refusal. `str(error)` says what was wrong and what would be right; nothing was charged unless it says so."""

    code: str = "INTERNAL"

    def __init__(
        self, detail: str, facts: Mapping[str, Any] | None = None, *, code: str | None = None, status: int | None = None
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.facts: Mapping[str, Any] = facts or {}
        self.status = status
        if code is not None:
            self.code = code

    @property
    def name(self) -> str | None:
        """The path of the wrong value: `body.plan.statistics[2].lower`."""
        return _text(self.facts.get("name"))

    @property
    def want(self) -> str | None:
        """What would be right there."""
        return _text(self.facts.get("want"))

    @property
    def position(self) -> tuple[int, int] | None:
        """Line and column of SQL, both from 1 on."""
        line, column = self.facts.get("line"), self.facts.get("column")
        return (line, column) if isinstance(line, int) and isinstance(column, int) else None

    @property
    def largest_epsilon(self) -> Decimal | None:
        """The largest ε that would still fit, where the budget has no room; 0: none."""
        largest = self.facts.get("largestEpsilon")
        return None if largest is None else Decimal(str(largest))

    @property
    def refusals(self) -> Sequence[Mapping[str, Any]]:
        """Which accounts have no room: what they have left, and what was asked for."""
        found = self.facts.get("refusals")
        return found if isinstance(found, list) else ()


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


class InvalidParameter(DosimeterError, ValueError):
    """a value is outside its range or of the wrong kind"""

    code = "INVALID_PARAMETER"


class UnsupportedEvent(DosimeterError):
    """an accountant cannot price this kind of event"""

    code = "UNSUPPORTED_EVENT"


class UnsupportedQuery(DosimeterError):
    """a plan asks for something that cannot be bounded or is not offered"""

    code = "UNSUPPORTED_QUERY"


class UnknownColumn(DosimeterError):
    """a plan names a column that the dataset does not declare"""

    code = "UNKNOWN_COLUMN"


class EmptyPlan(DosimeterError):
    """a plan has no statistics"""

    code = "EMPTY_PLAN"


class BudgetExhausted(DosimeterError):
    """the ledger of the population has no room for this charge"""

    code = "BUDGET_EXHAUSTED"


class QuotaExhausted(DosimeterError):
    """an account on the path has no room for this charge"""

    code = "QUOTA_EXHAUSTED"


class ConfirmationNeeded(DosimeterError):
    """this is more than the caller may spend alone; another person has to confirm it"""

    code = "CONFIRMATION_NEEDED"


class PriceTooSmall(DosimeterError):
    """a release takes less than the least part of the lifetime that one may take"""

    code = "PRICE_TOO_SMALL"


class QuotaUnavailable(DosimeterError):
    """the parent account has less free quota than was asked for"""

    code = "QUOTA_UNAVAILABLE"


class AccountClosed(DosimeterError):
    """the account is frozen, expired or closed"""

    code = "ACCOUNT_CLOSED"


class AdjacencyMismatch(DosimeterError):
    """the plan and the ledger use different neighbour relations"""

    code = "ADJACENCY_MISMATCH"


class DataUnreadable(DosimeterError):
    """the data source cannot be read as declared"""

    code = "DATA_UNREADABLE"


class NotFound(DosimeterError, LookupError):
    """not found, or not visible to you"""

    code = "NOT_FOUND"


class MethodNotAllowed(DosimeterError):
    """this address takes other methods"""

    code = "METHOD_NOT_ALLOWED"


class Unauthenticated(DosimeterError):
    """the token or session is missing, wrong, expired or revoked"""

    code = "UNAUTHENTICATED"


class SecondFactor(DosimeterError):
    """the password is right, and a second factor is needed with it"""

    code = "SECOND_FACTOR"


class Forbidden(DosimeterError):
    """your roles do not allow this"""

    code = "FORBIDDEN"


class Conflict(DosimeterError):
    """the thing exists already or has changed meanwhile"""

    code = "CONFLICT"


class IdempotencyConflict(DosimeterError):
    """the idempotency key was used for a different request"""

    code = "IDEMPOTENCY_CONFLICT"


class PayloadTooLarge(DosimeterError):
    """the request body is too large"""

    code = "PAYLOAD_TOO_LARGE"


class RateLimited(DosimeterError):
    """too many requests"""

    code = "RATE_LIMITED"


class NotReady(DosimeterError):
    """the service cannot work just now"""

    code = "NOT_READY"


class EngineFailed(DosimeterError):
    """the data engine could not run the plan; the charge stands and is run again under its key"""

    code = "ENGINE_FAILED"


class AnswerLost(DosimeterError):
    """the answer was lost with the state that the ledger database had; the charge stands, ask again under a new key"""

    code = "ANSWER_LOST"


class ExactValueLeak(DosimeterError):
    """an un-noised value was about to leave the engine"""

    code = "EXACT_VALUE_LEAK"


class AlreadyRunning(DosimeterError):
    """another process holds the data folder"""

    code = "ALREADY_RUNNING"


class TooMuchWork(DosimeterError):
    """the computation takes more work than one question may take"""

    code = "TOO_MUCH_WORK"


class Internal(DosimeterError):
    """something went wrong on our side"""

    code = "INTERNAL"


class Unreachable(DosimeterError, ConnectionError):
    """No server answers at that address, or the connection broke as often as it was tried."""

    code = "UNREACHABLE"


class StillRunning(DosimeterError, TimeoutError):
    """The release is charged and not done in the time given. The same call again waits on, and charges nothing more."""

    code = "STILL_RUNNING"


class CommandMissing(DosimeterError):
    """The command `dosimeter` is not found, did not answer in time, or ended."""

    code = "COMMAND_MISSING"


_OWN = (Unreachable, StillRunning, CommandMissing)
_BY_CODE: Mapping[str, type[DosimeterError]] = {
    kind.code: kind for kind in DosimeterError.__subclasses__() if kind not in _OWN
}


def error_of(body: Any, status: int) -> DosimeterError:
    """The error that the server's problem+json stands for; a body that is none is INTERNAL with the HTTP status."""
    if not isinstance(body, dict) or not isinstance(body.get("code"), str) or not isinstance(body.get("detail"), str):
        return Internal(f"the server answered {status} without a reason", status=status)
    facts = {name: value for name, value in body.items() if name not in ("type", "title", "status", "code", "detail")}
    code = body["code"]
    return _BY_CODE.get(code, DosimeterError)(body["detail"], facts, code=code, status=status)
