"""A server of one's own on a data folder: `with dosimeter.open("folder") as server: …`."""

from __future__ import annotations

import atexit
import os
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from .calc import find_command
from .client import Client, connect
from .errors import AlreadyRunning, CommandMissing, Unreachable
from .login import find_token, find_url

START_SECONDS = 120.0


class LocalServer(Client):
    """A client of a server that this program started, as its operator. It ends with the program, or by `close`."""

    def __init__(self, folder: Path, process: subprocess.Popen[bytes], client: Client) -> None:
        super().__init__(client._http)
        self.folder = folder
        self._process = process

    def close(self) -> None:
        """Ends the server. What was charged and released stays in the folder."""
        atexit.unregister(self.close)
        _end(self._process)

    def __enter__(self) -> LocalServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open(folder: str | Path, *, demo: bool = False) -> LocalServer:  # noqa: A001 - as in dosimeter.open
    """Starts `dosimeter serve` on a data folder and connects as its operator; the folder is made where there is none.

    `demo` fills an empty folder with the demo. CommandMissing where the command is not installed, AlreadyRunning where a server runs on
    the folder, Unreachable where the server does not start, with what it said.
    """
    home = Path(folder).resolve()
    with suppress(Unreachable):
        url = find_url(None, home, {})
        raise AlreadyRunning(f"a server runs on {home} already, at {url}: dosimeter.connect(data=…) finds it")
    words = [*find_command(), "serve", "--data", str(home), "--port", "0", *(["--demo"] if demo else [])]
    # What stands in the environment is about other servers, and about this client.
    env = {name: value for name, value in os.environ.items() if not name.startswith("DOSIMETER_")}
    with tempfile.TemporaryFile() as said:
        try:
            process = subprocess.Popen(words, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said)
        except OSError as error:
            raise CommandMissing(f"{' '.join(words)} does not start: {error.strerror}") from error
        until = time.monotonic() + START_SECONDS
        while process.poll() is None and time.monotonic() < until:
            try:
                url = find_url(None, home, {})
            except Unreachable:
                time.sleep(0.1)
                continue
            server = LocalServer(home, process, connect(url, find_token(None, url, home, {}), data=home))
            atexit.register(server.close)
            return server
        _end(process)
        said.seek(0)
        why = said.read(2000).decode("utf-8", "replace").strip() or f"dosimeter doctor --data {home} says why"
        raise Unreachable(f"no server starts on {home}: {why}")


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(timeout=30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
