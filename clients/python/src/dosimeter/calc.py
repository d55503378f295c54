"""The mathematics of `dosimeter calc`: budgets that compose, trade-off functions, accuracy, privacy at risk.

The command computes; this module keeps one process of it open and asks it. It needs no server and no data. Numbers are
floats: they are mathematics, not amounts of a ledger.

    from dosimeter import calc
    calc.accuracy("count", epsilon=0.5)
    calc.beta({"epsdelta": [1, 0.01]}, [0.05, 0.1])
    calc.total([{"kind": "pure", "epsilon": 0.1}] * 100, delta=1e-6)
"""

from __future__ import annotations

import atexit
import json
import os
import queue
import shlex
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from .amounts import invalid
from .errors import CommandMissing, error_of

ANSWER_SECONDS = 120.0
"""The longest that one answer may take."""

Curve = Mapping[str, Any]
"""A trade-off function as calc reads it: `{"epsdelta": [1, 0]}`, `{"gdp": 1}`, `{"compose": […]}`, `{"points": […]}`."""


class Calc:
    """One process of `dosimeter calc`. `command` is the words that start it; found by itself when absent."""

    def __init__(self, command: Sequence[str] | None = None) -> None:
        words = [*(find_command() if command is None else command), "calc"]
        try:
            self._process = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8"
            )
        except OSError as error:
            raise CommandMissing(f"{shlex.join(words)} does not start: {error.strerror}") from error
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._asks = threading.Lock()
        self._count = 0
        threading.Thread(target=self._read, daemon=True).start()

    def call(self, fn: str, /, **arguments: object) -> Any:
        """The value of one function of `dosimeter calc --list`; its refusals are the server's errors."""
        asked = {name: _plain(value) for name, value in arguments.items() if value is not None}
        with self._asks:
            answer = self._answer({**asked, "fn": fn})
        error = answer.get("error")
        if error is not None:
            raise error_of({"code": error["code"], "detail": error["message"]}, 0)
        return _floats(answer["value"])

    def close(self) -> None:
        """Ends the process."""
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def __enter__(self) -> Calc:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _answer(self, asked: Mapping[str, object]) -> Mapping[str, Any]:
        assert self._process.stdin is not None
        self._count += 1
        try:
            self._process.stdin.write(_line({**asked, "id": self._count}) + "\n")
            self._process.stdin.flush()
        except OSError as error:
            raise CommandMissing("dosimeter calc has ended") from error
        until = time.monotonic() + ANSWER_SECONDS
        while True:
            try:
                line = self._lines.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                raise CommandMissing(f"dosimeter calc did not answer in {ANSWER_SECONDS:g} seconds") from None
            if line is None:
                raise CommandMissing("dosimeter calc has ended")
            answer = json.loads(line)
            # Who interrupts a cell leaves an answer behind.
            if answer["id"] == self._count:
                return cast("Mapping[str, Any]", answer)

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                self._lines.put(line)
        self._lines.put(None)


def _line(asked: Mapping[str, object]) -> str:
    try:
        return json.dumps(asked, allow_nan=False)
    except (ValueError, TypeError) as error:
        raise invalid("arguments", asked, "text, numbers, lists and dictionaries") from error


def find_command() -> list[str]:
    """The words of $DOSIMETER_COMMAND, or `dosimeter` on the path; else CommandMissing.

    Nothing of the current folder runs by itself, such as its node_modules: a folder from elsewhere could hold any program.
    """
    named = os.environ.get("DOSIMETER_COMMAND")
    if named:
        return shlex.split(named)
    found = shutil.which("dosimeter")
    # A relative entry of the path, and Windows by itself, find it in the current folder.
    if found is not None and Path(found).is_absolute() and Path(found).parent != Path.cwd():
        return [found]
    raise CommandMissing(
        "the command dosimeter is not found: put it on the path, or set DOSIMETER_COMMAND, "
        'for example to "npx --no-install dosimeter" in the source folder, if you trust it'
    )


@lru_cache(maxsize=1)
def _opened() -> Calc:
    calc = Calc()
    atexit.register(calc.close)
    return calc


def call(fn: str, /, **arguments: object) -> Any:
    """Any function of `dosimeter calc --list`, with its arguments by name. Raises as the server does."""
    calc = _opened()
    try:
        return calc.call(fn, **arguments)
    except CommandMissing:
        _opened.cache_clear()
        calc.close()
        raise


def accuracy(statistic: str, /, **settings: object) -> float:
    """Half-width that an answer keeps with probability 1 − failureProbability (0.05), in the answer's unit."""
    return cast(float, call("accuracy", statistic=statistic, **settings))


def price(statistic: str, /, accuracy: float, **settings: object) -> Mapping[str, Any]:
    """The least price at which an answer is within ± `accuracy`: {epsilon} for Laplace noise, {rho} for Gaussian."""
    return cast("Mapping[str, Any]", call("epsilonFor", statistic=statistic, accuracy=accuracy, **settings))


def total(events: Sequence[Mapping[str, Any]], *, delta: float | None = None, epsilon: float | None = None) -> Any:
    """The least valid total of a fixed list of charges, its method, and all the others. Give `delta` or `epsilon`."""
    return call("total.best", events=list(events), delta=delta, epsilon=epsilon)


def beta(curve: Curve, alpha: float | Sequence[float]) -> Any:
    """The smallest type II error at type I errors α in [0, 1]: what no attacker can do better than."""
    return call("tradeoff.beta", curve=curve, alpha=alpha)


def readings(curve: Curve, **settings: object) -> Mapping[str, Any]:
    """What an attacker can do: advantage, accuracy, and true positives at small false positive rates."""
    return cast("Mapping[str, Any]", call("tradeoff.readings", curve=curve, **settings))


def est_gdp(curve: Curve, *, digits: int | None = None) -> float:
    """The least μ whose Gaussian curve lies below `curve`, rounded up to `digits` (2)."""
    return cast(float, call("tradeoff.estGdp", curve=curve, digits=digits)["mu"])


def est_epsdelta(
    curve: Curve, *, epsilon: float | None = None, delta: float | None = None, digits: int | None = None
) -> tuple[float, float]:
    """The least ε for a δ, or δ for an ε, whose curve lies below `curve`, rounded up to `digits` (2)."""
    found = call("tradeoff.estEpsdelta", curve=curve, epsilon=epsilon, delta=delta, digits=digits)
    return found["epsilon"], found["delta"]


def privacy_at_risk(epsilon: float, epsilon0: float, **settings: object) -> Any:
    """Confidence and risk that a release behaves at level `epsilon`, as published; a reading, never a guarantee."""
    return call("risk.confidence", epsilon=epsilon, epsilon0=epsilon0, **settings)


def loss(epsilon: float, **settings: object) -> Any:
    """What is true of the privacy loss at level `epsilon`: P(L > ε), P(|L| ≤ ε), δ(ε)."""
    return call("risk.exact", epsilon=epsilon, **settings)


class Picture:
    """An SVG, which a notebook shows."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg


def plot(*curves: Curve, axes: str = "linear", title: str | None = None, legend: str | None = None) -> Picture:
    """Trade-off functions side by side. `axes` is linear (β over α), log or probit (true over false positives)."""
    if not curves:
        raise invalid("curves", list(curves), "at least one curve")
    options = {"axes": axes, "title": title, "legend": legend}
    words = [f"--{name}={value}" for name, value in options.items() if value is not None]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "curves.svg"
        shown = [f"--curve={json.dumps(_plain(curve))}" for curve in curves]
        command = [*find_command(), "tradeoff", *shown, *words, f"--plot={path}", "--json"]
        try:
            ended = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=ANSWER_SECONDS, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise CommandMissing(f"{command[0]} does not draw") from error
        if ended.returncode != 0:
            raise _refusal(ended.stderr)
        return Picture(path.read_text(encoding="utf-8"))


def _refusal(text: str) -> Exception:
    try:
        error = json.loads(text)["error"]
        return error_of({"code": error["code"], "detail": error["message"]}, 0)
    except (ValueError, KeyError, TypeError):
        return CommandMissing(f"dosimeter tradeoff failed: {text.strip()[:200]}")


_SPELLED = {"Infinity": float("inf"), "-Infinity": float("-inf"), "NaN": float("nan")}


def _floats(value: Any) -> Any:
    """Numbers that JSON has not are words on the wire."""
    if isinstance(value, str):
        return _SPELLED.get(value, value)
    if isinstance(value, list):
        return [_floats(each) for each in value]
    if isinstance(value, dict):
        return {name: _floats(each) for name, each in value.items()}
    return value


def _plain(value: Any) -> Any:
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return value
