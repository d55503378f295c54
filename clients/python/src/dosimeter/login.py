"""Where the server is and who asks: what is given, else the environment, else the data folder of a server on this machine."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from collections.abc import Mapping
from urllib.parse import urlsplit

from .amounts import invalid
from .errors import InvalidParameter, Unreachable

_THIS_MACHINE = frozenset({"localhost", "127.0.0.1", "::1"})
_OPERATOR_FILE = "operator.token"


def find_url(given: str | None, folder: str | Path | None, env: Mapping[str, str]) -> str:
    """`given`, $DOSIMETER_URL, or the address of the server that runs on the data folder, as the command finds it."""
    named = given or env.get("DOSIMETER_URL")
    if named:
        return named
    home = _folder(folder, env)
    url = _holder(home).get("url")
    if isinstance(url, str):
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
    if urlsplit(url).hostname not in _THIS_MACHINE:
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
    said = _holder(home).get("operator")
    uploads = env.get("DOSIMETER_FILES")
    path = Path(said) if isinstance(said, str) and Path(said).name == _OPERATOR_FILE else None
    try:
        return (path or Path(uploads or home) / _OPERATOR_FILE).read_text(encoding="utf-8").strip() or None
    except OSError:
        return None


def _holder(home: Path) -> Mapping[str, Any]:
    """What the process that holds the data folder says about itself; empty where none lives."""
    try:
        holder = json.loads((home / "lock.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return holder if isinstance(holder, dict) and _is_alive(holder) else {}


def _is_alive(holder: Mapping[str, Any]) -> bool:
    pid, began = holder.get("pid"), holder.get("began")
    if not isinstance(pid, int) or pid <= 0:
        return False
    # On Windows the signal 0 would end the process; there an old address is found out by asking it.
    if os.name == "posix":
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            pass
    return began is None or _beginning(pid) == began


def _beginning(pid: int) -> str | None:
    """Field 22 of Linux's /proc/<pid>/stat: a reused process id began at another time. None on other systems."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = stat[stat.rindex(")") + 2 :].split(" ")
    return fields[19] if len(fields) > 19 else None
