"""Where the server is and who asks: what is given, else the environment, else the data folder of a server on this machine."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any
from collections.abc import Mapping

from .amounts import invalid
from .errors import InvalidParameter, Unreachable
from .http import THIS_MACHINE, address

_OPERATOR_FILE = "operator.token"
_LOOPBACK = re.compile(r"http://(localhost|127\.0\.0\.1|\[::1\])(:[0-9]{1,5})?/?")


def find_url(given: str | None, folder: str | Path | None, env: Mapping[str, str]) -> str:
    """`given`, $DOSIMETER_URL, or the address of the server that runs on the data folder, as the command finds it."""
    named = given or env.get("DOSIMETER_URL")
    if named:
        return named
    home = _folder(folder, env)
    url = _holder(home).get("url")
    if isinstance(url, str):
        # A folder from elsewhere must not say where a token goes.
        if not _LOOPBACK.fullmatch(url):
            raise _refused(home, "url", url, "http://localhost:… or another loopback address")
        return url
    raise Unreachable(f"no url is given, DOSIMETER_URL is not set, and no server runs on the data folder {home}")


def find_token(
    given: str | None, url: str, folder: str | Path | None, env: Mapping[str, str]
) -> str | None:
    """`given`, $DOSIMETER_TOKEN, the file $DOSIMETER_TOKEN_FILE, or the operator's token of a server on this machine."""
    token, path = env.get("DOSIMETER_TOKEN"), env.get("DOSIMETER_TOKEN_FILE")
    if given is not None:
        return _printable(given)
    if path and token:
        raise InvalidParameter("DOSIMETER_TOKEN must not be set next to DOSIMETER_TOKEN_FILE", {"name": "DOSIMETER_TOKEN"})
    if path:
        return _printable(Path(path).read_text(encoding="utf-8").strip())
    if token:
        return _printable(token)
    # A folder from elsewhere may name any address: the operator's token never leaves this machine.
    if address(url).hostname not in THIS_MACHINE:
        return None
    return _operator(_folder(folder, env), env)


def _printable(token: str) -> str:
    # The token itself is never shown.
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        raise invalid("token", "…", "a token of printable characters without spaces")
    return token


def _folder(given: str | Path | None, env: Mapping[str, str]) -> Path:
    return Path(given or env.get("DOSIMETER_DATA") or ".dosimeter").resolve()


def _operator(home: Path, env: Mapping[str, str]) -> str | None:
    """The operator's token, from the data folder or the folder of DOSIMETER_FILES, links followed: never another installation's."""
    said, uploads = _holder(home).get("operator"), env.get("DOSIMETER_FILES")
    homes = [Path(uploads or home), home]
    path = Path(said) if isinstance(said, str) else homes[0] / _OPERATOR_FILE
    if path.resolve() not in [each.resolve() / _OPERATOR_FILE for each in homes]:
        want = f"{_OPERATOR_FILE} in the data folder or in the folder of DOSIMETER_FILES"
        raise _refused(home, "operator", str(path), want)
    try:
        return path.read_text(encoding="utf-8").strip() or None
    except OSError:
        return None


def _refused(home: Path, field: str, got: object, want: str) -> InvalidParameter:
    instead = f"if you trust the server, name its address and a token, else remove {home / 'lock.json'}"
    return invalid(f"{field} in lock.json", got, f"{want}; {instead}")


def _holder(home: Path) -> Mapping[str, Any]:
    """What the process that holds the data folder says about itself; empty where none lives. InvalidParameter for a lock that no
    server of this user has written: its start time is needed where this system knows it.
    """
    try:
        holder = json.loads((home / "lock.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(holder, dict):
        return {}
    pid, began = holder.get("pid"), holder.get("began")
    if not isinstance(pid, int) or isinstance(pid, bool) or pid <= 0:
        return {}
    # On Windows the signal 0 would end the process; there an old address is found out by asking it.
    if os.name == "posix":
        try:
            os.kill(pid, 0)
        except (ProcessLookupError, OverflowError):
            return {}
        except PermissionError:
            raise _refused(home, "pid", pid, "a process of yours") from None
    if began is None and _beginning(os.getpid()) is not None:
        raise _refused(home, "began", began, "the start time of the process")
    return holder if began is None or _beginning(pid) == began else {}


def _beginning(pid: int) -> str | None:
    """Field 22 of Linux's /proc/<pid>/stat: a reused process id began at another time. None on other systems."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = stat[stat.rindex(")") + 2 :].split(" ")
    return fields[19] if len(fields) > 19 else None
