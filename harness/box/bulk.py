"""Many objects at once: hundreds of creations a second, where one after another gives twenty.

Most of that time is spent waiting for the API server, so several threads create side by side. Each has a connection of
its own and sends bytes that were encoded before: a connection pool and a decoded answer cost more than the request.
What belongs together (the group object of a gang before its pods) is one batch, and a batch is created in order.
"""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple
from urllib.parse import urlsplit

from harness.box.api import Api, Object
from harness.box.busy import ask
from harness.core.errors import ApiError

WORKERS = 16  # more gain nothing: an API server on two cores is busy with eight
TIMEOUT = 60.0  # seconds for one answer
LOOK = 0.1  # seconds between two looks for Ctrl-C

Request = tuple[str, bytes]  # the path to POST to, and the object as JSON
Batch = Sequence[Request]


def encoded(api: Api, obj: Object) -> Request:
    """The request that creates this object."""
    return api.home(obj), json.dumps(api.prepared(obj, creates=True)).encode()


def create_many(
    api: Api,
    batches: Iterable[Batch],
    *,
    workers: int = WORKERS,
    before: Callable[[int], None] = lambda index: None,
) -> None:
    """Create every batch, several side by side; `before(index)` is called when the batch of this index begins.

    The first error ends all of it and is raised here, and so does Ctrl-C.
    """
    work = _Work(enumerate(batches), before)
    threads = [threading.Thread(target=work.run, args=(api,), name="create", daemon=True) for _ in range(workers)]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            while thread.is_alive():
                thread.join(LOOK)
    finally:
        work.stop.set()
    if work.error is not None:
        raise work.error


class _Work:
    """What several threads take batches from."""

    def __init__(self, batches: Iterator[tuple[int, Batch]], before: Callable[[int], None]) -> None:
        self.stop = threading.Event()
        self.error: BaseException | None = None
        self._batches = batches
        self._before = before
        self._lock = threading.Lock()

    def run(self, api: Api) -> None:
        connection = Connection(api)
        try:
            while (item := self._next()) is not None:
                index, batch = item
                self._before(index)
                for path, body in batch:
                    connection.post(path, body)
        except BaseException as error:
            self.error = self.error or error
            self.stop.set()
        finally:
            connection.close()

    def _next(self) -> tuple[int, Batch] | None:
        with self._lock:
            return None if self.stop.is_set() else next(self._batches, None)


class _Answer(NamedTuple):
    status: int
    headers: Mapping[str, str]
    content: bytes


class Connection:
    """One connection to the API server for one thread."""

    def __init__(self, api: Api) -> None:
        self._api = api
        address = urlsplit(api.server)
        self._prefix = address.path
        self._connection = http.client.HTTPSConnection(address.netloc, context=api.context, timeout=TIMEOUT)

    def post(self, path: str, body: bytes) -> None:
        """Create what is encoded here; ApiError in words if the API server does not.

        One that has no time now, and says when to come again, is asked again as long as the time allows.
        """
        answer = ask(lambda: self._send(path, body), TIMEOUT)
        if answer.status >= 400:
            raise ApiError(f"POST {path}: {_message(answer.content)}", status=answer.status)

    def _send(self, path: str, body: bytes) -> _Answer:
        headers = {**self._api.headers(), "Content-Type": "application/json", "Accept": "application/json"}
        try:
            self._connection.request("POST", self._prefix + path, body, headers)
            answer = self._connection.getresponse()
            return _Answer(answer.status, dict(answer.headers), answer.read())
        except (OSError, http.client.HTTPException) as error:
            raise ApiError(f"POST {path}: the API server does not answer ({error})", status=0) from error

    def close(self) -> None:
        self._connection.close()


def _message(content: bytes) -> str:
    try:
        return str(json.loads(content)["message"])
    except (ValueError, KeyError, TypeError):
        return content.decode(errors="replace")[:500]
