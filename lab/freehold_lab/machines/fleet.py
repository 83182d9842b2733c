"""The machines of a Dask cluster, each with one run, whatever number of worker processes it has."""

import os
import re
import socket
import subprocess
import time
import zlib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from distributed import Client

from freehold_lab import store
from freehold_lab.errors import say
from freehold_lab.machines import inputs, remote

SCRIPT = Path(remote.__file__).read_text()
END_OF_LOG = 2000  # bytes
PATIENCE = 30  # seconds with a scheduler that does not answer


@dataclass
class Part:
    """The run on one machine, `worker` the address of the worker process that has it. When it has ended, it has either
    a `result`, as JSON, or a `fault`."""

    name: str
    worker: str
    folder: str
    future: Any
    result: bytes = b""
    fault: str = ""

    @property
    def has_ended(self) -> bool:
        return bool(self.result or self.fault)


class Fleet:
    def __init__(self, client: Client, packed: bytes, arguments: list[str]) -> None:
        self._client = client
        self._scheduler: Any = client.scheduler
        self._packed = packed
        self._arguments = arguments
        self._seen: set[str] = set()  # hosts
        self.workers: set[str] = set()  # the names of all that ever were there
        self.parts: list[Part] = []
        self._answered = time.monotonic()

    def look(self) -> list[Part]:
        """Starts a run on each machine that is new, and returns the parts that have ended since the last look."""
        workers = self._present()
        if workers is None:
            return []
        self.workers |= {str(about["name"]) for about in workers.values()}
        hosts: dict[str, str] = {}
        for address, about in workers.items():
            hosts.setdefault(about["host"], address)
        new = [host for host in hosts if host not in self._seen]
        self._seen.update(new)
        gone = [part for host in new if (part := self._start(host, hosts[host])).has_ended]
        running = [part for part in self.parts if not part.has_ended]
        return gone + [part for part in running if self._ends(part, part.worker in workers)]

    def _present(self) -> dict[str, Any] | None:
        """Returns the workers by address; nothing while the scheduler does not answer, and none when it is gone."""
        try:
            # Client.scheduler_info would return what a timer of its own has just put in the place of the answer.
            found: dict[str, Any] = self._client.sync(self._scheduler.identity, n_workers=-1)["workers"]
            self._answered = time.monotonic()
        except OSError:
            return {} if time.monotonic() > self._answered + PATIENCE else None
        return found

    def _start(self, host: str, worker: str) -> Part:
        try:
            name = self._ask(worker, socket.gethostname)
            home = self._ask(worker, os.path.expanduser, "~")
        except OSError:
            self.parts.append(Part(host, worker, "", None, fault="lost: its worker went as soon as it came"))
            return self.parts[-1]
        name = re.sub(r"[^\w.-]", "_", name) or host
        if any(part.name == name for part in self.parts):
            name = f"{name}-{host}"
        folder = f"{home}/.cache/freehold/{name}"  # by name: machines may share their home folders
        # subprocess.run is there whatever the version of Python; a function of ours would not be.
        future = self._client.submit(
            subprocess.run,
            ["python3", "-c", SCRIPT, folder, *self._arguments],
            input=self._packed,
            capture_output=True,
            workers=[worker],
            retries=0,
            pure=False,
        )
        self.parts.append(Part(name, worker, folder, future))
        say(f"{name}: started")
        return self.parts[-1]

    def _ends(self, part: Part, is_there: bool) -> bool:
        """Fills in how `part` ended, if it did."""
        if part.future.status == "finished":
            done = part.future.result()
            if done.returncode == 0:
                part.result = _unpacked(done.stdout)
                part.fault = "" if part.result else "what came back is no result"
            else:
                said = inputs.plain(done.stderr.decode(errors="replace").strip().rpartition("\n")[2], 200)
                part.fault = said or f"./freehold ended with exit code {done.returncode}"
        elif part.future.status in ("error", "cancelled", "lost"):
            part.fault = inputs.plain(f"Dask reports: {part.future.exception()!r}", 200)
        elif not is_there:
            part.fault = "lost: its worker is gone"
            part.future.cancel(force=True)
        return part.has_ended

    def progress(self) -> dict[str, str]:
        """Returns the last line that each running part has said, by name."""
        told = {}
        for part in self.parts:
            if not part.has_ended:
                command = ["tail", "-c", str(END_OF_LOG), f"{part.folder}/{remote.LOG}"]
                try:
                    done = self._ask(part.worker, subprocess.run, command, capture_output=True)
                    told[part.name] = inputs.plain(remote.last_line(done.stdout))
                except OSError:
                    told[part.name] = ""
        return told

    def stop(self) -> None:
        """Ends what is running."""
        for part in self.parts:
            if not part.has_ended:
                command = ["sh", "-c", 'kill "$(cat "$0")"', f"{part.folder}/{remote.PROCESS}"]
                with suppress(OSError):
                    self._ask(part.worker, subprocess.run, command)

    def _ask(self, worker: str, function: Any, *arguments: Any, **options: Any) -> Any:
        return self._client.run(function, *arguments, workers=[worker], **options)[worker]


def _unpacked(result: bytes) -> bytes:
    """Returns the result, or nothing if it is none or too large."""
    try:
        unpacking = zlib.decompressobj(wbits=31)
        found = unpacking.decompress(result, store.MOST_BYTES)
        return found if unpacking.eof else b""
    except zlib.error:
        return b""
