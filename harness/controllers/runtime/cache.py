"""Objects of the API server, updated by the informers of the official client.

Every object is indexed by the keys that it triggers, so "all pods of this JobSet" is one lookup and not a search over
all pods. The informer is a source of events only: after a gap its own store still has a deleted object while it
delivers the deletion; this store does not.
"""

from __future__ import annotations

import logging
import random
import threading
from collections.abc import Callable, Iterable
from types import SimpleNamespace
from typing import Any

from kubernetes.informer import ADDED, DELETED, ERROR, MODIFIED, SharedInformer

from harness.controllers.runtime.client import Client, Object
from harness.controllers.runtime.queue import Key
from harness.core.kinds import Kind

WATCH_SECONDS = 300  # a watch is renewed about this often, so that a dead connection is noticed
PAUSE_AFTER_ERROR = 1.0

logging.getLogger("kubernetes.informer").setLevel(logging.CRITICAL)  # a lost connection is logged below, in one line
log = logging.getLogger(__name__)


def key_of(obj: Object) -> Key:
    """Namespace and name."""
    return obj["metadata"].get("namespace", ""), obj["metadata"]["name"]


class Cache:
    """All objects of the kinds that a controller watches."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._stores: dict[Kind, _Store] = {}

    def watch(
        self,
        kind: Kind,
        keys: Callable[[Object], Iterable[Key]],
        wake: Callable[[Key], None],
        selector: str = "",
        wakes: Callable[[Object], bool] = lambda obj: True,
    ) -> None:
        """Store the objects of a kind; an object that `wakes` calls `wake` with its keys when it changes."""
        self._stores[kind] = _Store(self._client, kind, keys, wake, selector, wakes)

    def wake(self, kind: Kind, key: Key) -> None:
        """Have a key of this kind reconciled for a reason that no object tells, such as a process that ended."""
        self._stores[kind].wake(key)

    def start(self) -> None:
        for store in self._stores.values():
            store.informer.start()

    def stop(self) -> None:
        """Stop all informers in parallel: each waits for its connection to end."""
        threads = [threading.Thread(target=store.stop, daemon=True) for store in self._stores.values()]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(timeout=2)

    @property
    def synced(self) -> bool:
        """Whether all objects that existed at the start are in the cache."""
        return all(store.synced.is_set() for store in self._stores.values())

    def get(self, kind: Kind, namespace: str, name: str) -> Object | None:
        store = self._stores[kind]
        with store.lock:
            return store.objects.get((namespace, name))

    def of(self, kind: Kind, key: Key) -> list[Object]:
        """The objects of this kind that are indexed by this key."""
        store = self._stores[kind]
        with store.lock:
            return [store.objects[name] for name in store.by_key.get(key, ())]

    def list(self, kind: Kind, namespace: str = "", match: Callable[[Object], bool] | None = None) -> list[Object]:
        """All objects of a kind that match; this goes over every object, so do not call it in every reconcile."""
        store = self._stores[kind]
        with store.lock:
            objects = list(store.objects.values())
        if namespace:
            objects = [obj for obj in objects if obj["metadata"].get("namespace") == namespace]
        return [obj for obj in objects if match is None or match(obj)]


class _Store:
    """The objects of one kind, by name and by the keys that they trigger."""

    def __init__(
        self,
        client: Client,
        kind: Kind,
        keys: Callable[[Object], Iterable[Key]],
        wake: Callable[[Key], None],
        selector: str,
        wakes: Callable[[Object], bool],
    ) -> None:
        self.lock = threading.Lock()
        self.objects: dict[Key, Object] = {}
        self.by_key: dict[Key, dict[Key, None]] = {}
        self.synced = threading.Event()
        self._client, self._kind, self._keys, self.wake, self._selector = client, kind, keys, wake, selector
        self._is_relevant = wakes
        self._keys_of: dict[Key, tuple[Key, ...]] = {}  # the keys that index each object
        self._stopped = threading.Event()
        self.informer = SharedInformer(self._ask)
        for event, handler in ((ADDED, self._put), (MODIFIED, self._put), (DELETED, self._drop), (ERROR, self._failed)):
            self.informer.add_event_handler(event, handler)

    def stop(self) -> None:
        self._stopped.set()
        self.informer.stop()

    def _ask(self, **parameters: Any) -> Any:
        """A list, or an open watch, as the informer requests them.

        :rtype: object
        """
        if not parameters.get("watch"):
            answer = self._client.list_all(self._kind, selector=self._selector)
            version = SimpleNamespace(resource_version=answer["metadata"]["resourceVersion"])
            return SimpleNamespace(items=answer["items"], metadata=version)
        self.synced.set()  # the informer requests a watch after it has delivered every object of its list
        seconds = int(WATCH_SECONDS * random.uniform(0.8, 1.2))
        query = {
            "watch": "1",
            "allowWatchBookmarks": "true",
            "timeoutSeconds": str(seconds),
            "resourceVersion": parameters["resource_version"],
        }
        if self._selector:
            query["labelSelector"] = self._selector
        return self._client.open("GET", self._kind.path(), query=query, timeout=(5.0, seconds + 30.0)).response

    def _put(self, obj: Object) -> None:
        obj["metadata"].pop("managedFields", None)  # often the larger half of an object, and not needed
        name, keys = key_of(obj), tuple(dict.fromkeys(self._keys(obj)))
        with self.lock:
            before = self._remove_keys(name)
            self.objects[name], self._keys_of[name] = obj, keys
            for key in keys:
                self.by_key.setdefault(key, {})[name] = None
        for key in {*before, *keys} if self._is_relevant(obj) else ():
            self.wake(key)

    def _drop(self, obj: Object) -> None:
        name = key_of(obj)
        with self.lock:
            before = self._remove_keys(name)
            self.objects.pop(name, None)
        for key in {*before, *self._keys(obj)} if self._is_relevant(obj) else ():
            self.wake(key)

    def _remove_keys(self, name: Key) -> tuple[Key, ...]:
        before = self._keys_of.pop(name, ())
        for key in before:
            names = self.by_key[key]
            del names[name]
            if not names:
                del self.by_key[key]
        return before

    def _failed(self, error: Any) -> None:
        """Log the error and wait: this is the thread of the informer, which would otherwise retry without a pause."""
        if not self._stopped.is_set():
            message = str(error) or repr(error)  # some errors have an empty text, which has no first line
            log.warning("watch of %s was lost: %s", self._kind.plural, message.splitlines()[0])
            self._stopped.wait(PAUSE_AFTER_ERROR)
