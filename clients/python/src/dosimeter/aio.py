"""The same questions with `await`: `async_connect()`, then `await ds.quote(…)`, `await ds.release(…)`, `await ds.sql(…)`.

Every method is that of `Client` and `Dataset`, in a thread of its own: it waits, and the event loop goes on. A task that is
cancelled stops waiting; what was charged stays charged, and the same call finds it again.
"""

from __future__ import annotations

import asyncio
import functools
import threading
from collections.abc import Callable, Coroutine, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

from .client import Client, Dataset, connect

_P = ParamSpec("_P")
_T = TypeVar("_T")
_S = TypeVar("_S")


async def in_thread(call: Callable[_P, _T], *given: _P.args, **named: _P.kwargs) -> _T:
    """What `call` returns or raises. The thread ends with the program, however long it still waits."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[_T] = loop.create_future()

    def settle(value: _T | None, error: BaseException | None) -> None:
        if done.done():
            return
        if error is None:
            done.set_result(value)  # type: ignore[arg-type]
        else:
            done.set_exception(error)

    def run() -> None:
        try:
            outcome: tuple[_T | None, BaseException | None] = (call(*given, **named), None)
        except Exception as error:  # noqa: BLE001 - raised again by who waits
            outcome = (None, error)
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(settle, *outcome)

    threading.Thread(target=run, daemon=True).start()
    return await done


def _awaited(method: Callable[Concatenate[_S, _P], _T]) -> Callable[Concatenate[Any, _P], Coroutine[Any, Any, _T]]:
    async def ask(self: Any, /, *given: _P.args, **named: _P.kwargs) -> _T:
        return await in_thread(functools.partial(method, self.sync), *given, **named)

    return functools.update_wrapper(ask, method)


def async_connect(url: str | None = None, token: str | None = None, *, data: str | Path | None = None) -> AsyncClient:
    """`connect`, for `await`. Nothing is asked yet."""
    return AsyncClient(connect(url, token, data=data))


class AsyncClient:
    """`Client`, for `await`; `sync` is the client itself."""

    def __init__(self, sync: Client) -> None:
        self.sync = sync

    async def datasets(self) -> list[AsyncDataset]:
        return [AsyncDataset(each) for each in await in_thread(self.sync.datasets)]

    async def dataset(self, wanted: str) -> AsyncDataset:
        return AsyncDataset(await in_thread(self.sync.dataset, wanted))

    budget = _awaited(Client.budget)
    release = _awaited(Client.release)
    releases = _awaited(Client.releases)
    requests = _awaited(Client.requests)


class AsyncDataset:
    """`Dataset`, for `await`; `sync` is the dataset itself."""

    def __init__(self, sync: Dataset) -> None:
        self.sync = sync
        self.id, self.name, self.privacy_unit = sync.id, sync.name, sync.privacy_unit

    def __repr__(self) -> str:
        return repr(self.sync).replace("<", "<Async", 1)

    async def refresh(self) -> AsyncDataset:
        await in_thread(self.sync.refresh)
        return self

    async def columns(self) -> Mapping[str, Mapping[str, Any]]:
        return await in_thread(lambda: self.sync.columns)

    budget = _awaited(Dataset.budget)
    quote = _awaited(Dataset.quote)
    release = _awaited(Dataset.release)
    sql_quote = _awaited(Dataset.sql_quote)
    sql = _awaited(Dataset.sql)
    charge = _awaited(Dataset.charge)
    charge_quote = _awaited(Dataset.charge_quote)
    drafts = _awaited(Dataset.drafts)
