"""Runs one controller: informers, worker threads, webhooks, health, and a clean end.

Nothing is remembered between two runs. A controller that is killed leaves the API server as it is, and the next one
looks at every key once when it starts.
"""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Protocol, TypeVar

from harness.controllers.admission import Handler, WebhookServer
from harness.controllers.cache import Cache
from harness.controllers.client import Client, Kind, Object
from harness.controllers.queue import Key, Queue
from harness.core.errors import ApiError, HarnessError, UsageError

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Watch:
    """A kind to watch, and the keys that an object of it is filed under and, if it `wakes`, has looked at."""

    kind: Kind
    keys: Callable[[Object], Iterable[Key]]
    selector: str = ""
    wakes: Callable[[Object], bool] = lambda obj: True


class Controller(Protocol):
    """What a controller is: what it watches, what it does about a key, what it says to requests."""

    @property
    def name(self) -> str: ...

    @property
    def watches(self) -> Sequence[Watch]: ...

    @property
    def admission(self) -> Mapping[str, Handler]: ...

    def reconcile(self, key: Key) -> float | None:
        """Bring the world of this key in order; seconds until it is to be looked at again, None: when it changes."""


@dataclass(frozen=True, slots=True)
class Options:
    """How a controller is run."""

    kubeconfig: Path | None = None
    address: str = "127.0.0.1"  # where health and webhooks are served
    health_port: int = 0  # 0: none
    webhook_port: int = 0
    tls_cert: Path | None = None
    tls_key: Path | None = None
    workers: int = 4


Server = TypeVar("Server", bound=ThreadingHTTPServer)
MakeController = Callable[[Client, Cache], Controller]


class Service:
    """One running controller."""

    def __init__(self, make_controller: MakeController, options: Options) -> None:
        self.options = options
        self.client = Client(options.kubeconfig)
        self.cache = Cache(self.client)
        self.controller = make_controller(self.client, self.cache)
        self.client.introduce(self.controller.name)
        self.queue = Queue()
        self.looks = self.failures = 0  # how often reconcile was called, and failed
        self._counted = threading.Lock()
        self._webhooks: WebhookServer | None = None
        self._health: ThreadingHTTPServer | None = None
        for watch in self.controller.watches:
            self.cache.watch(watch.kind, watch.keys, self.queue.add, watch.selector, watch.wakes)

    @property
    def ready(self) -> bool:
        return self.cache.synced and (self._webhooks is not None or not self.options.webhook_port)

    def run(self, stopped: threading.Event) -> None:
        """Work until `stopped`; the health endpoint is there first and tells how far it is."""
        options = self.options
        if options.health_port:
            self._health = _listen(lambda at: _HealthServer(at, self), options.address, options.health_port)
        self.cache.start()
        while not self.cache.synced and not stopped.wait(0.01):
            pass
        if options.webhook_port and not stopped.is_set():
            cert, key = options.tls_cert, options.tls_key
            if cert is None or key is None:
                raise UsageError(
                    "webhooks are served over TLS only", hint="Give --tls-cert and --tls-key with --webhook-port."
                )
            handlers = self.controller.admission
            self._webhooks = _listen(
                lambda at: WebhookServer(at, handlers, cert, key), options.address, options.webhook_port
            )
        workers = [threading.Thread(target=self._work, name=f"worker-{n}") for n in range(options.workers)]
        for worker in workers:
            worker.start()
        if unserved := _unserved(self.controller, options):
            log.warning("%s", unserved)
        log.info("%s is at work with %d workers", self.controller.name, options.workers)
        stopped.wait()
        self._end(workers)

    def _end(self, workers: Sequence[threading.Thread]) -> None:
        """Let every look that has begun come to its end."""
        self.queue.close()
        for worker in workers:
            worker.join(timeout=10)
        for server in (self._webhooks, self._health):
            if server is not None:
                server.shutdown()
                server.server_close()
        self.cache.stop()
        self.client.close()

    def _work(self) -> None:
        while (key := self.queue.get()) is not None:
            try:
                self._look(key)
            finally:
                self.queue.done(key)

    def _look(self, key: Key) -> None:
        failed = False
        try:
            again = self.controller.reconcile(key)
        except ApiError as error:  # refused, in conflict or out of reach: all of them pass
            failed = True
            delay = self.queue.retry(key)
            log.warning("%s/%s: %s; again in %.2f s", *key, error.message, delay)
        except Exception:
            failed = True
            log.exception("%s/%s; again in %.2f s", *key, self.queue.retry(key))
        else:
            self.queue.forget(key)
            if again is not None:
                self.queue.add_after(key, again)
        with self._counted:
            self.looks += 1
            self.failures += failed

    def metrics(self) -> str:
        """In the text format of Prometheus."""
        figures = (
            ("reconciles_total", "counter", self.looks),
            ("errors_total", "counter", self.failures),
            ("queue_length", "gauge", len(self.queue)),
        )
        label = f'{{controller="{self.controller.name}"}}'
        return "".join(
            f"# TYPE muster_controller_{name} {kind}\nmuster_controller_{name}{label} {value}\n"
            for name, kind, value in figures
        )


def serve(make_controller: MakeController, options: Options) -> None:
    """Run a controller until SIGTERM or SIGINT."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    stopped = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopped.set())
    Service(make_controller, options).run(stopped)


def _unserved(controller: Controller, options: Options) -> str:
    """What a controller leaves undone if nobody serves its webhooks; "" if it has none, or they are served."""
    if options.webhook_port or not controller.admission:
        return ""
    paths = ", ".join(sorted(controller.admission))
    return (
        f"{controller.name} is run without --webhook-port: nobody answers at {paths}, so nothing is refused, and what "
        "admission fills in is missing"
    )


def _listen(make: Callable[[tuple[str, int]], Server], address: str, port: int) -> Server:
    try:
        server = make((address, port))
    except OSError as error:
        raise HarnessError(
            f"cannot listen on {address}:{port}: {error.strerror}", hint="Is the port in use? Give another one."
        ) from error
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True).start()
    return server


class _HealthServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, address: tuple[str, int], service: Service) -> None:
        self.service = service
        super().__init__(address, _Health)


class _Health(BaseHTTPRequestHandler):
    server: _HealthServer

    def do_GET(self) -> None:
        service = self.server.service
        if self.path == "/metrics":
            status, text = 200, service.metrics()
        elif self.path in ("/healthz", "/readyz"):
            fine = self.path == "/healthz" or service.ready
            status, text = (200, "ok\n") if fine else (503, "caches or webhooks are not ready yet\n")
        else:
            status, text = 404, "there are /healthz, /readyz and /metrics\n"
        content = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        log.debug(format, *args)
