"""Runs one controller: informers, worker threads, webhooks, health endpoint, and shutdown.

A controller stores nothing outside of the API server. When one was killed, the next one reconciles every key once
when it starts.
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

from harness.controllers.runtime.admission import Handler, WebhookServer
from harness.controllers.runtime.cache import Cache
from harness.controllers.runtime.client import Client, Object
from harness.controllers.runtime.queue import Key, Queue
from harness.core.errors import ApiError, HarnessError, UsageError
from harness.core.kinds import Kind

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Watch:
    """A kind to watch, and the keys that index its objects; an object that `wakes` triggers a reconcile of its keys."""

    kind: Kind
    keys: Callable[[Object], Iterable[Key]]
    selector: str = ""
    wakes: Callable[[Object], bool] = lambda obj: True


class Controller(Protocol):
    """A controller: the kinds it watches, how it reconciles a key, and its admission handlers."""

    @property
    def name(self) -> str: ...

    @property
    def watches(self) -> Sequence[Watch]: ...

    @property
    def admission(self) -> Mapping[str, Handler]: ...

    def reconcile(self, key: Key) -> float | None:
        """Reconcile this key; returns the seconds until it must be reconciled again, None: only after a change."""


@dataclass(frozen=True, slots=True)
class ControllerOptions:
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

    def __init__(self, make_controller: MakeController, options: ControllerOptions) -> None:
        self.options = options
        self.client = Client(options.kubeconfig)
        self.cache = Cache(self.client)
        self.controller = make_controller(self.client, self.cache)
        self.client.identify_as(self.controller.name)
        self.queue = Queue()
        self.reconciles = self.failures = 0  # how often reconcile was called, and failed
        self._counted = threading.Lock()
        self._webhooks: WebhookServer | None = None
        self._health: ThreadingHTTPServer | None = None
        for watch in self.controller.watches:
            self.cache.watch(watch.kind, watch.keys, self.queue.add, watch.selector, watch.wakes)

    @property
    def ready(self) -> bool:
        return self.cache.synced and (self._webhooks is not None or not self.options.webhook_port)

    def run(self, stopped: threading.Event) -> None:
        """Work until `stopped`; the health endpoint starts first, so that it shows the progress."""
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
        """Stop after every reconcile that has begun has finished."""
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
                self._reconcile(key)
            finally:
                self.queue.done(key)

    def _reconcile(self, key: Key) -> None:
        failed = False
        try:
            again = self.controller.reconcile(key)
        except ApiError as error:  # rejected, a conflict, or unreachable: a retry may succeed
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
            self.reconciles += 1
            self.failures += failed

    def metrics(self) -> str:
        """The metrics in the text format of Prometheus."""
        figures = (
            ("reconciles_total", "counter", self.reconciles),
            ("errors_total", "counter", self.failures),
            ("queue_length", "gauge", len(self.queue)),
        )
        label = f'{{controller="{self.controller.name}"}}'
        return "".join(
            f"# TYPE muster_controller_{name} {metric_type}\nmuster_controller_{name}{label} {value}\n"
            for name, metric_type, value in figures
        )


def serve(make_controller: MakeController, options: ControllerOptions) -> None:
    """Run a controller until SIGTERM or SIGINT."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    stopped = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopped.set())
    Service(make_controller, options).run(stopped)


def _unserved(controller: Controller, options: ControllerOptions) -> str:
    """A warning if the webhooks of a controller are not served; "" if it has none, or they are served."""
    if options.webhook_port or not controller.admission:
        return ""
    paths = ", ".join(sorted(controller.admission))
    return (
        f"{controller.name} runs without --webhook-port: its webhooks {paths} are not served, so it rejects nothing, "
        "and objects lack the fields that admission sets"
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
            healthy = self.path == "/healthz" or service.ready
            status, text = (200, "ok\n") if healthy else (503, "caches or webhooks are not ready yet\n")
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
