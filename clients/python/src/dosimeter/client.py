"""A server with its datasets: `connect()`, then `ds.quote(…)`, `ds.release(…)`, `ds.sql(…)`, `ds.budget()`."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from .amounts import Amount, Number, amount_text, invalid
from .charge import ADD_OR_REMOVE, ChargeQuote, Event, Permit, Relation, charge_body, charge_quote
from .errors import Conflict, InvalidParameter, NotFound, StillRunning, error_of
from .http import Http, segment
from .login import find_token, find_url
from .plan import Asked, Reuse, canonical, key_of, near, plan_of
from .quote import Quote, decimal_of, quote_of
from .release import Release, SqlRelease
from .table import Table

TIMEOUT_SECONDS = 600.0
_WAIT_SECONDS = 20.0

Progress = Callable[[str, float], None]
"""Called with the stage (queued, measuring, done) and the seconds since the call, whenever the server reports."""


def connect(url: str | None = None, token: str | None = None, *, data: str | Path | None = None) -> Client:
    """A client of the server at `url`, as the person of `token`.

    What is absent is found as the command `dosimeter` finds it: DOSIMETER_URL, DOSIMETER_TOKEN or DOSIMETER_TOKEN_FILE,
    else the server that runs on the data folder (`data`, DOSIMETER_DATA, ./.dosimeter) and, on this machine only, its
    operator's token. Raises InvalidParameter or Unreachable.
    """
    found = find_url(url, data, os.environ)
    return Client(Http(found, find_token(token, found, data, os.environ)))


@dataclass(frozen=True)
class Gauge:
    """`spent` and `left` are None where something had no price in this sum."""

    cap: Decimal
    spent: Decimal | None
    left: Decimal | None


@dataclass(frozen=True)
class Balance:
    """What an account may spend. `used` is the share, 0 to 1, under the rule in force."""

    account: str
    path: str
    datasets: tuple[str, ...]
    epsilon: Gauge
    delta: Gauge
    used: Number
    status: str


class Client:
    """One person's view of one server."""

    def __init__(self, http: Http) -> None:
        self._http = http

    @property
    def url(self) -> str:
        return self._http.url

    def datasets(self) -> list[Dataset]:
        """The datasets that I can see."""
        return [Dataset(self._http, summary) for summary in self._http.items("/v1/datasets", {"limit": 200})]

    def dataset(self, wanted: str) -> Dataset:
        """The one dataset of that name or id; NotFound, or Conflict where several have the name."""
        seen = self.datasets()
        named = [each for each in seen if each.name == wanted]
        found = [each for each in seen if each.id == wanted] or named
        if not found:
            meant = near(wanted, (each.name for each in seen))
            hint = f" (did you mean {meant}?)" if meant else ""
            raise NotFound(f'dataset "{wanted}": not found, or not visible to you{hint}', {"name": "dataset"})
        if len(found) > 1:
            ids = ", ".join(each.id for each in found)
            raise Conflict(f'{len(found)} datasets are called "{wanted}"; say which by its id: {ids}', {"name": "dataset"})
        return found[0]

    def budget(self) -> list[Balance]:
        """Every account that I can spend from."""
        return [_balance(account) for account in self._http.items("/v1/accounts", {"limit": 200})]

    def release(self, id: str) -> Release:
        """A finished release again, for free. StillRunning while it is not done."""
        raw = self._http.get(f"/v1/releases/{segment('release', id)}", {"wait": 0})
        return Release(_finished(self._http, raw, _Deadline(0, None)), self._http)

    def releases(self) -> Table:
        """The releases that I can read, newest first; `release(id)` reads one."""
        fields = {"dataset": "datasetName", "by": "byName", "charged_at": "chargedAt"}
        return _listed(self._http, "/v1/releases", {}, ("id", "title", "dataset", "by", "state", "epsilon", "delta", "charged_at"), fields)

    def requests(self, *, received: bool = False) -> Table:
        """What I asked for, budget or access, newest first; with `received` what waits for my decision."""
        fields = {"dataset": "dataset.name", "epsilon": "asked.epsilon", "granted": "granted.epsilon", "created_at": "createdAt"}
        box = {"box": "received" if received else "submitted"}
        return _listed(self._http, "/v1/requests", box, ("id", "dataset", "status", "epsilon", "granted", "note", "created_at"), fields)


class Dataset:
    """A dataset, and the questions that can be asked about it."""

    def __init__(self, http: Http, summary: Mapping[str, Any]) -> None:
        self._http = http
        self.id: str = summary["id"]
        self.name: str = summary["name"]
        self.privacy_unit: str = summary["privacyUnit"]
        self._shown: Mapping[str, Any] | None = None

    def __repr__(self) -> str:
        return f"<Dataset {self.name}: {self.id}>"

    def refresh(self) -> Dataset:
        """Reads again what is declared, and which version of the rows is the newest. Questions are about that version."""
        self._shown = self._http.get(f"/v1/datasets/{segment('dataset', self.id)}")
        return self

    @property
    def version(self) -> int:
        version: int = self._details["version"]
        return version

    @property
    def columns(self) -> Mapping[str, Mapping[str, Any]]:
        """Name, type, bounds or categories of each column, as its owner declared them."""
        columns: Mapping[str, Mapping[str, Any]] = self._details["declaration"]["columns"]
        return columns

    def budget(self, account: str | None = None) -> Balance:
        """What the paying account may spend: the only one that I hold, or `account`, by id or the end of its path."""
        shown = self._http.get(f"/v1/accounts/{segment('account', self._payer(account))}")
        return _balance(shown)

    def quote(
        self,
        plan: Asked,
        *,
        account: str | None = None,
        reuse: Reuse | None = None,
        people: int | None = None,
    ) -> Quote:
        """Cost, errors and what would be left. Free: it reads no row and changes nothing.

        `people` is about how many there are, as you assume. What does not fit is a quote with a `refusal`.
        """
        return quote_of(self._http.post("/v1/quotes", _given({**self._asked(plan, account, reuse), "people": people})))

    def release(
        self,
        plan: Asked,
        *,
        key: str | None = None,
        account: str | None = None,
        reuse: Reuse | None = None,
        purpose: str | None = None,
        timeout: float = TIMEOUT_SECONDS,
        progress: Progress | None = None,
    ) -> Release:
        """Charges the plan once and waits for its answers, at most `timeout` seconds.

        The same `key` is charged once and answers the same for ever. Without one, the question itself is the key: a cell
        that runs again costs nothing, and a new key draws again. An AI agent may say in `purpose` what it is for; that is no
        part of the key. Raises BudgetExhausted or QuotaExhausted, with `largest_epsilon`, StillRunning, or any other refusal.
        """
        body, sent = self._keyed("releases", _given(self._asked(plan, account, reuse)), key)
        until = _Deadline(timeout, progress)
        raw = self._http.post("/v1/releases", {**body, **_given({"purpose": purpose})}, query={"wait": until.slice()}, key=sent)
        return Release(_finished(self._http, raw, until), self._http)

    def sql_quote(
        self,
        query: str,
        *,
        epsilon: Amount | None = None,
        rho: Amount | None = None,
        delta: Amount | None = None,
        account: str | None = None,
        reuse: Reuse | None = None,
        people: int | None = None,
    ) -> Quote:
        """What a query would cost, with the plan that it was read as. A refusal has its `position` in the text."""
        body = _given({**self._query(query, epsilon, rho, delta, account, reuse), "people": people})
        raw = self._http.post("/v1/sql/quote", body)
        if raw["dataset"] != self.id:
            raise Conflict(f"FROM names another dataset, must be {self.name}", {"name": "sql"})
        return quote_of(raw["quote"], raw["plan"], raw["notes"])

    def sql(
        self,
        query: str,
        *,
        epsilon: Amount | None = None,
        rho: Amount | None = None,
        delta: Amount | None = None,
        key: str | None = None,
        account: str | None = None,
        reuse: Reuse | None = None,
        purpose: str | None = None,
        timeout: float = TIMEOUT_SECONDS,
        progress: Progress | None = None,
    ) -> SqlRelease:
        """Charges a query once, as `release` does, and answers with its tables.

        `epsilon` is the total, split evenly between the aggregates; it has no default, and may stand in the query instead.
        """
        asked = _given({**self._query(query, epsilon, rho, delta, account, reuse), "dataset": self.id})
        asked, sent = self._keyed("sql", asked, key)
        asked.update(_given({"purpose": purpose}))
        until = _Deadline(timeout, progress)
        raw = self._http.post("/v1/sql/release", asked, query={"wait": until.slice()}, key=sent)
        done = _finished(self._http, raw["release"], until)
        if raw["tables"] is None:
            # The same key answers the same, and is not charged again.
            raw = self._http.post("/v1/sql/release", asked, key=sent)
        return SqlRelease(raw, Release(done, self._http))

    def charge(
        self,
        events: Event | Sequence[Event],
        *,
        key: str,
        purpose: str,
        relation: Relation = ADD_OR_REMOVE,
        rows_per_unit: int | None = None,
        tool: Mapping[str, str] | None = None,
        published: Mapping[str, str] | None = None,
        account: str | None = None,
        delta: Amount | None = None,
        from_: str | None = None,
        to: str | None = None,
    ) -> Permit:
        """Charges what a program outside will do to these people, once under `key`, and returns its permit.

        You vouch that `events` bound what it learns under `relation`, of one row or, with `rows_per_unit`, of one person.
        `delta` is where a sum of ε needs one, `published` ({on, where}) what was published before, `from_` and `to` name
        blocks. Raises BudgetExhausted, QuotaExhausted, Forbidden, or any other refusal; nothing is then charged.
        """
        said: dict[str, Any] = {"account": self._payer(account), "delta": delta, "from": from_, "to": to}
        said.update(key=_key(key), purpose=purpose, tool=tool, published=published)
        return Permit(self._http, self._http.post("/v1/charges", charge_body(self.id, events, relation, rows_per_unit, said)))

    def charge_quote(
        self,
        events: Event | Sequence[Event],
        *,
        relation: Relation = ADD_OR_REMOVE,
        rows_per_unit: int | None = None,
        account: str | None = None,
        delta: Amount | None = None,
        from_: str | None = None,
        to: str | None = None,
        key: str | None = None,
    ) -> ChargeQuote:
        """What `charge` would cost, and whether it fits, earlier chunks of its `key` counted. Free."""
        said = {"account": self._payer(account), "delta": delta, "from": from_, "to": to}
        said["key"] = None if key is None else _key(key)
        return charge_quote(self._http.post("/v1/charges/quote", charge_body(self.id, events, relation, rows_per_unit, said)))

    def drafts(self) -> Table:
        """Plans on this dataset that I keep as drafts, and those that my teams share, newest first."""
        fields = {"owner": "ownerName", "changed_at": "changedAt"}
        path = f"/v1/datasets/{segment('dataset', self.id)}/drafts"
        return _listed(self._http, path, {}, ("id", "name", "owner", "kind", "comments", "changed_at"), fields)

    @property
    def _details(self) -> Mapping[str, Any]:
        if self._shown is None:
            self.refresh()
        assert self._shown is not None
        return self._shown

    def _asked(self, plan: Asked, account: str | None, reuse: Reuse | None) -> dict[str, object]:
        return {"dataset": self.id, "account": self._payer(account), "plan": plan_of(plan), "reuse": reuse}

    def _keyed(self, route: str, body: dict[str, object], key: str | None) -> tuple[dict[str, object], str]:
        """What is sent under which key. Without one the question is the key, and is written in the one canonical way."""
        if key is not None:
            return body, _key(key)
        question: dict[str, object] = canonical(body)
        return question, key_of(route, question, self.version)

    def _query(
        self,
        query: str,
        epsilon: Amount | None,
        rho: Amount | None,
        delta: Amount | None,
        account: str | None,
        reuse: Reuse | None,
    ) -> dict[str, object]:
        prices = {"epsilon": epsilon, "rho": rho, "delta": delta}
        paid = {name: None if price is None else amount_text(name, price) for name, price in prices.items()}
        return {"sql": query, "account": self._payer(account), **paid, "reuse": reuse}

    def _payer(self, wanted: str | None) -> str:
        """The account that pays; who pays is never guessed between several."""
        paths: dict[str, str] = {account["id"]: "/".join(account["path"]) for account in self._details["accounts"]}
        if wanted is None:
            found = list(paths)
        else:
            found = [id for id, path in paths.items() if wanted in (id, path) or path.endswith(f"/{wanted}")]
        if len(found) == 1:
            return found[0]
        held = ", ".join(paths.values()) or "none"
        raise InvalidParameter(
            f"account is {'missing' if wanted is None else repr(wanted)}, must be one of those that you can spend from: {held}",
            {"name": "account"},
        )


class _Deadline:
    """Waits in slices, says how far it is, and ends."""

    def __init__(self, timeout: float, progress: Progress | None) -> None:
        if not 0 <= timeout < float("inf"):
            raise invalid("timeout", timeout, "a finite number of seconds, 0 or more")
        self._began = time.monotonic()
        self._timeout = timeout
        self._progress = progress

    def slice(self) -> float:
        """Seconds of the next wait: 0 when the time is over."""
        return round(max(0.0, min(_WAIT_SECONDS, self._timeout - (time.monotonic() - self._began))), 3)

    def report(self, stage: str) -> None:
        if self._progress is not None:
            self._progress(stage, time.monotonic() - self._began)


def _finished(http: Http, charged: Mapping[str, Any], until: _Deadline) -> Mapping[str, Any]:
    release = charged
    while True:
        until.report(release["stage"])
        if release["stage"] == "done":
            return release
        failure = release["failure"]
        if failure is not None:
            raise error_of({**failure, "release": release["id"]}, failure["status"])
        wait = until.slice()
        if wait == 0:
            message = f"release {release['id']} is charged and {release['stage']}; the same call again waits on, at no cost"
            raise StillRunning(message, {"release": release["id"], "stage": release["stage"]})
        release = http.get(f"/v1/releases/{segment('release', release['id'])}", {"wait": wait})


def _listed(http: Http, path: str, query: Mapping[str, object], columns: Sequence[str], fields: Mapping[str, str]) -> Table:
    def cell(item: Any, column: str) -> Any:
        for name in fields.get(column, column).split("."):
            item = None if item is None else item[name]
        return decimal_of(item) if column in ("epsilon", "delta", "granted") else item

    items = http.items(path, {"limit": 200, **query})
    return Table(columns, [[cell(item, column) for column in columns] for item in items])


def _given(body: Mapping[str, object]) -> dict[str, object]:
    return {name: value for name, value in body.items() if value is not None}


def _key(key: str) -> str:
    if not isinstance(key, str) or not 1 <= len(key) <= 200 or not (key.isascii() and key.isprintable()):
        raise invalid("key", key, "1 to 200 printable ASCII characters")
    return key


def _balance(account: Mapping[str, Any]) -> Balance:
    balance = account["balance"]
    return Balance(
        account=account["id"],
        path="/".join(account["path"]),
        datasets=tuple(account["datasetNames"]),
        epsilon=_gauge(balance["epsilon"]),
        delta=_gauge(balance["delta"]),
        used=balance["used"],
        status=account["status"],
    )


def _gauge(raw: Mapping[str, Any]) -> Gauge:
    return Gauge(cap=Decimal(raw["cap"]), spent=decimal_of(raw["spent"]), left=decimal_of(raw["left"]))
