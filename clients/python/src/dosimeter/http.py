"""One server: JSON in and out, numbers exact, and what breaks on the way is tried again."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any
from urllib.parse import quote, urlsplit

import requests

from .amounts import invalid
from .errors import DosimeterError, RateLimited, Unreachable, error_of
from .version import VERSION

TRIES = 5
"""What breaks on the way is tried this many times, and so is what the server had no time for: neither was decided."""

MAX_PAUSE_SECONDS = 30.0
ANSWER_SECONDS = 30.0
"""The longest that a server may take to answer, beyond what it was asked to wait."""


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
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise invalid("url", url, "http://… or https://…")
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

    def content(self, path: str) -> bytes:
        return self._tried("GET", path, None, None, {}).content

    def items(self, path: str, query: Mapping[str, object] | None = None) -> Iterator[Any]:
        """Every item of a list, page after page."""
        asked: dict[str, object] = dict(query or {})
        while True:
            page = self.get(path, asked)
            yield from page["items"]
            if page["next"] is None:
                return
            asked["cursor"] = page["next"]

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
        return parsed(self._tried(method, path, query, None if body is None else written(body), headers))

    def _tried(
        self,
        method: str,
        path: str,
        query: Mapping[str, object] | None,
        content: bytes | None,
        headers: Mapping[str, str],
    ) -> requests.Response:
        for left in reversed(range(TRIES)):
            try:
                return self._sent(method, path, query, content, headers)
            except DosimeterError as error:
                pause = pause_after(error, TRIES - 1 - left)
                if pause is None or left == 0:
                    raise
                time.sleep(pause)
        raise AssertionError("the last try returns or raises")

    def _sent(
        self,
        method: str,
        path: str,
        query: Mapping[str, object] | None,
        content: bytes | None,
        headers: Mapping[str, str],
    ) -> requests.Response:
        asked = {name: str(value) for name, value in (query or {}).items()}
        wait = float(asked.get("wait", "0"))
        typed: dict[str, str] = {} if content is None else {"Content-Type": "application/json"}
        try:
            response = self._session.request(
                method,
                self.url + path,
                params=asked,
                data=content,
                headers={**typed, **headers},
                timeout=(ANSWER_SECONDS, wait + ANSWER_SECONDS),
                allow_redirects=False,
            )
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
            return response
        raise error_of(parsed(response, strict=False), response.status_code)


def pause_after(error: DosimeterError, tried: int) -> float | None:
    """Seconds until it is worth another try; None where the error is an answer."""
    if not (isinstance(error, (Unreachable, RateLimited)) or error.status == 503):
        return None
    seconds = error.facts.get("seconds")
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


def parsed(response: requests.Response, *, strict: bool = True) -> Any:
    """Numbers with a fraction as `Decimal`, digit by digit as the server wrote them."""
    try:
        return json.loads(response.content, parse_float=Decimal)
    except ValueError as error:
        if not strict:
            return None
        raise error_of(None, response.status_code) from error
