"""What the API server has, as the informers of the official client last heard it.

Every object is filed under the keys it wakes, so that "all pods of this JobSet" is one look and not a walk over all
pods. The informer is used as a source of events only: its own store still shows a deleted object while it tells of the
deletion after a gap, ours does not.
"""

from __future__ import annotations

import logging
import random
import threading
from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Any

from kubernetes.informer import ADDED, DELETED, ERROR, MODIFIED, SharedInformer

from harness.controllers.client import Client, Kind, Object
from harness.controllers.queue import Key

WATCH_SECONDS = 300  # a watch is renewed about this often, so that a dead connection is found out
PAUSE_AFTER_ERROR = 1.0

logging.getLogger("kubernetes.informer").setLevel(logging.CRITICAL)  # a lost connection is said below, in one line
log = logging.getLogger(__name__)


def key_of(obj: Object) -> Key:
    """Namespace and name."""
    return obj["metadata"].get("namespace", ""), obj["metadata"]["name"]


class Cache:
    """All objects of the kinds that a controller watches."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._shelves: dict[Kind, _Shelf] = {}

    def watch(
        self, kind: Kind, keys: Callable[[Object], Iterable[Key]], wake: Callable[[Key], None], selector: str = "",
        wakes: Callable[[Object], bool] = lambda obj: True,
    ) -> None:  # fmt: skip
        """Keep the objects of a kind, and wake their keys whenever one that `wakes` comes, changes or goes."""
        self._shelves[kind] = _Shelf(self._client, kind, keys, wake, selector, wakes)

    def start(self) -> None:
        for shelf in self._shelves.values():
            shelf.informer.start()

    def stop(self) -> None:
        """Stop all informers, side by side: each waits for its connection to end."""
        threads = [threading.Thread(target=shelf.stop, daemon=True) for shelf in self._shelves.values()]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=2)

    @property
    def synced(self) -> bool:
        """Whether everything that was there at the start is here."""
        return all(shelf.synced.is_set() for shelf in self._shelves.values())

    def get(self, kind: Kind, namespace: str, name: str) -> Object | None:
        shelf = self._shelves[kind]
        with shelf.lock:
            return shelf.objects.get((namespace, name))

    def of(self, kind: Kind, key: Key) -> list[Object]:
        """The objects of this kind that wake this key."""
        shelf = self._shelves[kind]
        with shelf.lock:
            return [shelf.objects[own] for own in shelf.filed.get(key, ())]

    def list(self, kind: Kind, namespace: str = "", match: Callable[[Object], bool] | None = None) -> list[Object]:
        """All objects of a kind; a walk over every one, so not for every look at a key."""
        shelf = self._shelves[kind]
        with shelf.lock:
            objects = list(shelf.objects.values())
        if namespace:
            objects = [obj for obj in objects if obj["metadata"].get("namespace") == namespace]
        return [obj for obj in objects if match is None or match(obj)]


class _Shelf:
    """The objects of one kind, by name and by the keys they wake."""

    def __init__(
        self, client: Client, kind: Kind, keys: Callable[[Object], Iterable[Key]], wake: Callable[[Key], None],
        selector: str, wakes: Callable[[Object], bool],
    ) -> None:  # fmt: skip
        self.lock = threading.Lock()
        self.objects: dict[Key, Object] = {}
        self.filed: dict[Key, dict[Key, None]] = {}
        self.synced = threading.Event()
        self._client, self._kind, self._keys, self._wake, self._selector = client, kind, keys, wake, selector
        self._wakes = wakes
        self._woken: dict[Key, tuple[Key, ...]] = {}  # the keys that each object is filed under
        self._stopped = threading.Event()
        self.informer = SharedInformer(self._ask)
        for event, handler in (
            (ADDED, self._put), (MODIFIED, self._put), (DELETED, self._drop), (ERROR, self._failed)
        ):  # fmt: skip
            self.informer.add_event_handler(event, handler)

    def stop(self) -> None:
        self._stopped.set()
        self.informer.stop()

    def _ask(self, **wanted: Any) -> Any:
        """A list, or an open watch, as the informer asks for them.

        :rtype: object
        """
        if not wanted.get("watch"):
            answer = self._client.list_all(self._kind, selector=self._selector)
            version = SimpleNamespace(resource_version=answer["metadata"]["resourceVersion"])
            return SimpleNamespace(items=answer["items"], metadata=version)
        self.synced.set()  # the informer asks for a watch when every object of its list has been told
        seconds = int(WATCH_SECONDS * random.uniform(0.8, 1.2))
        query = {
            "watch": "1", "allowWatchBookmarks": "true", "timeoutSeconds": str(seconds),
            "resourceVersion": wanted["resource_version"],
        }  # fmt: skip
        if self._selector:
            query["labelSelector"] = self._selector
        return self._client.open("GET", self._kind.path(), query=query, timeout=(5.0, seconds + 30.0)).response

    def _put(self, obj: Object) -> None:
        obj["metadata"].pop("managedFields", None)  # often the larger half of an object, and of no use here
        own, keys = key_of(obj), tuple(dict.fromkeys(self._keys(obj)))
        with self.lock:
            before = self._unfile(own)
            self.objects[own], self._woken[own] = obj, keys
            for key in keys:
                self.filed.setdefault(key, {})[own] = None
        for key in {*before, *keys} if self._wakes(obj) else ():
            self._wake(key)

    def _drop(self, obj: Object) -> None:
        own = key_of(obj)
        with self.lock:
            before = self._unfile(own)
            self.objects.pop(own, None)
        for key in {*before, *self._keys(obj)} if self._wakes(obj) else ():
            self._wake(key)

    def _unfile(self, own: Key) -> tuple[Key, ...]:
        before = self._woken.pop(own, ())
        for key in before:
            filed = self.filed[key]
            del filed[own]
            if not filed:
                del self.filed[key]
        return before

    def _failed(self, error: Any) -> None:
        """Said on the informer's own thread, which would try again at once and for ever: make it wait."""
        if not self._stopped.is_set():
            said = str(error) or repr(error)  # some say nothing, and whoever fails here would not wait
            log.warning("watch of %s was lost: %s", self._kind.plural, said.splitlines()[0])
            self._stopped.wait(PAUSE_AFTER_ERROR)
