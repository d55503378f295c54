"""One server: JSON in and out, numbers exact, and what breaks on the way is tried again."""

from __future__ import annotations

import json
import queue
import re
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import Any, TypeVar, cast
from urllib.parse import SplitResult, quote, urlsplit

import requests

from .amounts import invalid
from .errors import DosimeterError, Internal, RateLimited, Unreachable, error_of
from .version import VERSION

TRIES = 5
"""What breaks on the way is tried this many times, and so is what the server had no time for: neither was decided."""

MAX_PAUSE_SECONDS = 30.0
ANSWER_SECONDS = 30.0
"""The longest that a server may take to answer, with the last byte, beyond what it was asked to wait."""

MAX_ANSWER_BYTES = 256 * 1024 * 1024
MAX_PAGES = 10_000
_CHUNK_BYTES = 64 * 1024

THIS_MACHINE = frozenset({"localhost", "127.0.0.1", "::1"})

_T = TypeVar("_T")


class _Bearer(requests.auth.AuthBase):
    """The token. As `auth`, so that a `.netrc` of the machine cannot replace it."""

    def __init__(self, token: str) -> None:
        self._token = token

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Bearer {self._token}"
        return request


class Http:
    """Calls the routes of one server with one token."""

    def __init__(self, url: str, token: str | None) -> None:
        parts = address(url)
        if token is not None and parts.scheme == "http" and parts.hostname not in THIS_MACHINE:
            warnings.warn(f"the token goes to {url} unencrypted, for all to read on the way: use https://", stacklevel=3)
        self.url = url.rstrip("/")
        self._session = requests.Session()
        self._session.headers.update({"Accept": "application/json", "User-Agent": f"dosimeter-python/{VERSION}"})
        if token is not None:
            self._session.auth = _Bearer(token)

    def get(self, path: str, query: Mapping[str, object] | None = None) -> Any:
        return self._json("GET", path, query=query)

    def post(
        self, path: str, body: Mapping[str, object], *, query: Mapping[str, object] | None = None, key: str | None = None
    ) -> Any:
        """Quotes change nothing and releases carry a key, so that every call of ours may be sent twice."""
        return self._json("POST", path, query=query, body=body, key=key)

    def content(self, path: str, query: Mapping[str, object] | None = None) -> bytes:
        return _tried(lambda: self._sent("GET", path, query=query))[1]

    def items(self, path: str, query: Mapping[str, object] | None = None) -> Iterator[Any]:
        """Every item of a list, page after page; Internal for a list that has no end."""
        asked: dict[str, object] = dict(query or {})
        for _ in range(MAX_PAGES):
            page = self.get(path, asked)
            yield from page["items"]
            if page["next"] is None:
                return
            if page["next"] == asked.get("cursor"):
                raise Internal(f"the server answers {path} with the same page again and again")
            asked["cursor"] = page["next"]
        raise Internal(f"the server answers {path} with more than {MAX_PAGES} pages")

    def _json(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, object] | None = None,
        body: Mapping[str, object] | None = None,
        key: str | None = None,
    ) -> Any:
        headers = {} if key is None else {"Idempotency-Key": key}
        sent = None if body is None else written(body)
        status, content = _tried(lambda: self._sent(method, path, query=query, content=sent, headers=headers))
        return parsed(content, status)

    def _sent(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, object] | None = None,
        content: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> tuple[int, bytes]:
        asked = {name: str(value) for name, value in (query or {}).items()}
        wait = float(asked.get("wait", "0"))
        typed: dict[str, str] = {} if content is None else {"Content-Type": "application/json"}
        until = time.monotonic() + wait + ANSWER_SECONDS

        def ask() -> tuple[requests.Response, bytes]:
            response = self._session.request(
                method,
                self.url + path,
                params=asked,
                data=content,
                headers={**typed, **(headers or {})},
                timeout=(ANSWER_SECONDS, wait + ANSWER_SECONDS),
                allow_redirects=False,
                stream=True,
            )
            return response, _read(response, until)

        try:
            response, answer = _within(wait + ANSWER_SECONDS, ask)
        except requests.exceptions.SSLError as error:
            raise invalid("url", self.url, "a server that speaks TLS, with a certificate that this machine trusts") from error
        except (requests.ConnectionError, requests.Timeout, requests.exceptions.ChunkedEncodingError) as error:
            raise Unreachable(f"no server answers at {self.url}") from error
        except requests.RequestException as error:
            raise invalid("url", self.url, "an address that can be asked") from error
        if response.is_redirect:
            where = response.headers.get("Location", "elsewhere")
            raise invalid("url", self.url, f"the address itself: this one leads to {where}")
        if response.ok:
            return response.status_code, answer
        raise error_of(parsed(answer, response.status_code, strict=False), response.status_code)


def _tried(send: Callable[[], tuple[int, bytes]]) -> tuple[int, bytes]:
    for left in reversed(range(TRIES)):
        try:
            return send()
        except DosimeterError as error:
            pause = pause_after(error, TRIES - 1 - left)
            if pause is None or left == 0:
                raise
            time.sleep(pause)
    raise AssertionError("the last try returns or raises")


def address(url: str) -> SplitResult:
    """The parts of an address; InvalidParameter, without what may be a password, for what is none."""
    shown = re.sub(r"[^/]*@", "…@", url)
    try:
        parts = urlsplit(url)
        has_user = "@" in parts.netloc
    except ValueError as error:
        raise invalid("url", shown, "http://… or https://…") from error
    if parts.scheme not in ("http", "https") or not parts.netloc or re.search(r"[\s\\]", url):
        raise invalid("url", shown, "http://… or https://…")
    if has_user:
        raise invalid("url", shown, "an address without user and password: the token says who asks")
    return parts


def _within(seconds: float, call: Callable[[], _T]) -> _T:
    """What `call` returns or raises; requests.Timeout after `seconds`, however slowly bytes still arrive."""
    outcome: queue.Queue[tuple[_T | None, BaseException | None]] = queue.Queue(1)

    def run() -> None:
        try:
            outcome.put((call(), None))
        except BaseException as error:  # noqa: BLE001 - raised again by who waits
            outcome.put((None, error))

    threading.Thread(target=run, daemon=True).start()
    try:
        value, error = outcome.get(timeout=seconds)
    except queue.Empty:
        raise requests.Timeout(f"no whole answer in {seconds:g} seconds") from None
    if error is not None:
        raise error
    return cast(_T, value)


def _read(response: requests.Response, until: float) -> bytes:
    """Reads the body, at most MAX_ANSWER_BYTES of it, until `until`."""
    chunks, size = [], 0
    with response:
        for chunk in response.iter_content(_CHUNK_BYTES):
            size += len(chunk)
            if size > MAX_ANSWER_BYTES:
                raise Internal(f"the server answers with more than {MAX_ANSWER_BYTES} bytes")
            if time.monotonic() > until:
                raise requests.Timeout("the answer arrives too slowly")
            chunks.append(chunk)
    return b"".join(chunks)


def pause_after(error: DosimeterError, tried: int) -> float | None:
    """Seconds until it is worth another try; None where the error is an answer. Internal for a time before now."""
    if not (isinstance(error, (Unreachable, RateLimited)) or error.status == 503):
        return None
    seconds = error.facts.get("seconds")
    if isinstance(seconds, (int, Decimal)) and seconds < 0:
        raise Internal(f"the server asks to wait {seconds} seconds, must be 0 or more", {"name": "seconds"}) from error
    pause = float(seconds) if isinstance(seconds, (int, Decimal)) else float(2**tried)
    return pause if pause <= MAX_PAUSE_SECONDS else None


def segment(name: str, value: str) -> str:
    """An id as a part of a path; dots alone would lead to another route."""
    if not value or set(value) <= {"."}:
        raise invalid(name, value, "an id")
    return quote(value, safe="")


def written(body: Mapping[str, object]) -> bytes:
    """JSON with decimals as text; InvalidParameter for what JSON cannot say."""
    try:
        return json.dumps(body, default=_plain, allow_nan=False).encode()
    except DosimeterError:
        raise
    except ValueError as error:
        raise invalid("body", "a number that is not finite", "finite numbers") from error


def _plain(value: object) -> str:
    if isinstance(value, Decimal) and value.is_finite():
        return format(value, "f")
    raise invalid("body", value, "text, numbers, lists and dictionaries")


def parsed(content: bytes, status: int, *, strict: bool = True) -> Any:
    """Numbers with a fraction as `Decimal`, digit by digit as the server wrote them."""
    try:
        return json.loads(content, parse_float=Decimal)
    except ValueError as error:
        if not strict:
            return None
        raise error_of(None, status) from error
