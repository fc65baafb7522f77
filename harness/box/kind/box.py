"""The kind box: real kubelets and real containers, with the same words as the embedded box.

kind makes the cluster (one control plane and some workers, each a container); around it stands what every box has: a
folder, a keeper that outlives us just long enough to tidy up, a recorder's audit log, identities, KWOK for fake nodes.
What is a process of this machine in an embedded box is a program in a container here, and obeys the same words.
"""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import psutil
import yaml

from harness.box import crds, profile, registry
from harness.box.artifacts import resolve
from harness.box.embedded import EmbeddedBox
from harness.box.image import recipe
from harness.box.kind import cluster, config, docker, nodeimage, relay
from harness.box.kind.authority import ClusterAuthority, ClusterCredentials
from harness.box.kind.companions import Companions
from harness.box.kind.nodes import KindNodes, keep_off_fake_nodes, wait_all_ready
from harness.box.kind.static import static_programs
from harness.box.link import KeeperLink
from harness.box.nodes import Pool, total
from harness.box.phases import Listener, phase
from harness.core.errors import MusterError, UsageError

READY_TIMEOUT = 180.0  # seconds from a control plane that is up to workers that are ready; ten is usual
INSIDE = {*recipe.recipe().components(), "kind"}  # what comes with the node image, or makes it a node
KUBECTL = "/usr/bin/kubectl"  # where every node image has it
SECOND = "kube-scheduler"  # what cases start beside the scheduler of the cluster
_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]{0,38}[a-z0-9])?")


class KindBox(EmbeddedBox):
    """A cluster made of containers. Use it as a context manager, or call `start` and `stop`.

    with KindBox(kubernetes="1.37", workers=2, gpus=8) as box:
        box.processes["kube-scheduler"].kill()
    """

    kind = "kind"
    nodes: KindNodes

    def __init__(
        self, kubernetes: str | None = None, nodes: Sequence[Pool] = (), *, name: str | None = None,
        binaries: Mapping[str, Path] | None = None, gates: Mapping[str, bool] | None = None, port: int = 0,
        scheduler: bool = True, listener: Listener | None = None, definitions: Sequence[Path] = (),
        workers: int = 2, gpus: int = 8, image: str = "auto", sync: str = "", reserved: bool = False,
        keep_failed: bool = False,
    ) -> None:  # fmt: skip
        """`nodes` are fake ones beside the workers; `reserved` keeps what does not ask for them off the workers."""
        if name is not None and not _NAME.fullmatch(name):
            raise UsageError(
                f"{name!r} cannot be the name of a kind box",
                hint="Use up to 40 lower-case letters, digits, '-' or '.', a letter or digit at both ends.",
            )
        if inside := [name for name in binaries or () if name.partition(".")[0] in INSIDE]:
            raise UsageError(
                f"a kind box runs the {inside[0]} of its node image, so it cannot be replaced",
                hint="Use the embedded box for this --binary, or an image of your own with --image.",
            )
        super().__init__(
            kubernetes, nodes, name=name, gates=gates, port=port, listener=listener, definitions=definitions,
            scheduler=scheduler,
        )  # fmt: skip
        self.workers = workers
        self._gpus = gpus
        self._image = image
        self._sync = sync
        self._reserved = reserved
        self._keep_failed = keep_failed
        self._cluster: cluster.Cluster | None = None
        self._companions = Companions(self)

    # -- life ---------------------------------------------------------------------------------------------------------

    def start(self) -> KindBox:
        """Bring everything up; on any failure the logs are kept and, unless asked otherwise, nothing is left."""
        began = time.monotonic()
        docker.require_engine()
        cluster.require_driver()
        self.image = nodeimage.choose(self._image, self._wanted, self.listener)
        self.kubernetes = self.image.kubernetes
        self.shell = nodeimage.SHELL if self.image.own else ""
        self.profile = profile.profile(self.kubernetes)
        for gate in self.gates:
            self.profile.homes(gate)
        self._resolve()
        self.directory = self._claim()
        self.name = self.directory.name
        try:
            self._bring_up()
        except BaseException as error:
            self.fail(error)
            raise
        self.timings["start"] = time.monotonic() - began
        return self

    def stop(self) -> None:
        """Delete the cluster, end every process and remove the folder. Safe to call twice."""
        self._delete()
        super().stop()

    def fail(self, error: BaseException) -> None:
        """Stop for this error; the logs of all nodes are kept, and so is the cluster if that was asked for."""
        made = self._cluster if self._cluster is not None and self._cluster.name in docker.clusters() else None
        pressed = isinstance(error, KeyboardInterrupt)
        if made is not None and not pressed:
            made.export_logs(self.directory / "logs" / "kind")
        if made is not None and not pressed and self._keep_failed:
            kept = registry.keep_logs(self.directory)
            self.keep()
            told = f"{self._ways_in()}\nThe logs of all nodes: {kept}"
            if isinstance(error, MusterError):
                error.hint = told
            else:
                error.add_note(told)
            return
        self._delete()
        super().fail(error)

    def _delete(self) -> None:
        """Delete the cluster; if that fails the keeper tries once more."""
        if self._keeper is not None and self._cluster is not None:
            with contextlib.suppress(MusterError):
                self._cluster.delete()
                self._keeper.farewell(())

    def _ways_in(self) -> str:
        return (
            f"The cluster was kept: export KUBECONFIG={self.kubeconfig}, or look into a node with "
            f"`docker exec -it {self._cluster_name}-control-plane bash`. Delete it with: muster down {self.name}"
        )

    def keep(self) -> None:
        assert self._keeper is not None, "the box is not running"
        self._register(kept=True)
        self._keeper.keep()
        self._keeper = None
        if hasattr(self, "api"):
            self.api.close()

    # -- ways in ------------------------------------------------------------------------------------------------------

    @property
    def audit_log(self) -> Path:
        return self.directory / "audit" / "audit.log"

    @property
    def cluster(self) -> cluster.Cluster:
        assert self._cluster is not None, "the box is not running"
        return self._cluster

    @property
    def versions(self) -> dict[str, str]:
        """Of what is in the node image, if it is our own."""
        return recipe.versions(self.kubernetes) if self.image.own else {}

    # -- the start, step by step --------------------------------------------------------------------------------------

    def _resolve(self) -> None:
        for component in ("kind", "kwok"):
            self.artifacts[component] = resolve(component, progress=self.listener.build)
        if self.image.own:
            for component in ("kubernetes", "kubernetes-node", "etcd"):
                version = None if component == "etcd" else self.kubernetes
                self.artifacts[component] = resolve(component, version, progress=self.listener.build)

    def _claim(self) -> Path:
        leftover = f"{docker.PREFIX}{self._name}" if self._name else ""
        if leftover in docker.clusters() and leftover[len(docker.PREFIX) :] not in _running():
            raise UsageError(
                f"a kind cluster called {leftover} was left by an earlier run",
                hint=f"Remove it: muster down {self._name}",
            )
        return registry.claim(self._name)

    @property
    def _cluster_name(self) -> str:
        return f"{docker.PREFIX}{self.name}"

    def _bring_up(self) -> None:
        self.port = 0  # until kind has chosen one
        for folder in ("pki", "logs", "audit"):
            (self.directory / folder).mkdir(mode=0o700)
        self.audit_log.touch(mode=0o600)  # the API server appends; the file stays ours to read
        self._keeper = KeeperLink(self.directory)
        self._register(kept=False)
        self._cluster = cluster.Cluster(
            self.directory, self._cluster_name, self.image.reference, kind=self.artifacts["kind"].binaries["kind"],
            kubectl=self._kubectl(),
        )  # fmt: skip
        self._keeper.farewell(self._cluster.farewell())
        began = time.monotonic()
        workers = "1 worker" if self.workers == 1 else f"{self.workers} workers"
        with phase(self.listener, f"Creating kind cluster: Kubernetes {self.kubernetes}, {workers}"):
            self._cluster.create(self._write_config())
            self.timings["create"] = time.monotonic() - began
            self._connect()
            self._companions.start_kwok()
            wait_all_ready(self.api, self._node_names(), READY_TIMEOUT)
            if not self.image.own:
                self._take_out()
        self.timings["ready"] = time.monotonic() - began
        with phase(self.listener, "Furnishing nodes"):
            self._furnish()
        self._register(kept=False)

    def _kubectl(self) -> Path:
        if self.image.own:
            return self.artifacts["kubernetes-node"].binaries["kubectl"]
        return docker.copy_from_image(self.image.reference, KUBECTL, self.directory / "kubectl")

    def _take_out(self) -> None:
        """Take the programs out of somebody else's image that cases start beside those of the cluster."""
        self.processes[SECOND].wait_ready(READY_TIMEOUT)
        taken = docker.copy_program(self.cluster.control_plane, SECOND, self.directory / SECOND)
        self.artifacts["kubernetes"] = self.image.artifact({SECOND: taken})

    def _write_config(self) -> Path:
        path = self.directory / "cluster.yaml"
        path.write_text(
            config.cluster_config(
                name=self._cluster_name, profile=self.profile, gates=self.gates, workers=self.workers,
                port=self._port, own=self.image.own, audit_folder=self.directory / "audit", sync=self._sync,
                versions=self.versions,
            )
        )  # fmt: skip
        return path

    def _connect(self) -> None:
        """Become the cluster's authority and administrator."""
        kubeconfig = yaml.safe_load(self.kubeconfig.read_text())
        self.port = int(kubeconfig["clusters"][0]["cluster"]["server"].rpartition(":")[2])
        gateway = relay.gateway()
        authority = ClusterAuthority.of(self.cluster.control_plane, gateway)
        self._credentials = ClusterCredentials(self.directory, self.server, authority)  # type: ignore[assignment]
        self.api = relay.RelayedApi(
            self.server, self._credentials.context, gateway=gateway, relay=self._companions.start_relay
        )
        self.processes.update(static_programs(self.api, self.cluster.control_plane, self.directory / "logs"))

    def _furnish(self) -> None:
        """Definitions, GPUs, fake nodes: what a box has before anybody uses it."""
        if self._definitions:
            crds.ensure(self.api, self._definitions)
            # it learns of kinds that appear after its start only half a minute later
            self.processes["kube-controller-manager"].restart(READY_TIMEOUT)
        self._companions.start_gpus()
        self._companions.start_follower()
        real = [name for name in self._node_names() if name != self.cluster.control_plane]
        self.nodes = KindNodes(self.api, f"v{self.kubernetes}", real)
        keep_off_fake_nodes(self.api)
        if self._reserved:
            self.nodes.reserve()
        else:
            for name in real:
                self.nodes.give_gpus(name, self._gpus)
        for pool in self.pools:
            self.nodes.add(pool)

    def _node_names(self) -> list[str]:
        """The nodes kind makes, by the names it gives them."""
        numbers = ["" if number == 1 else str(number) for number in range(1, self.workers + 1)]
        return [self.cluster.control_plane, *(f"{self._cluster_name}-worker{number}" for number in numbers)]

    def _register(self, *, kept: bool) -> None:
        assert self._keeper is not None
        started = psutil.Process(self._keeper.pid).create_time()
        entry = registry.Entry(
            name=self.name, kind=self.kind, kubernetes=self.kubernetes, keeper=self._keeper.pid, keeper_started=started,
            created=time.time(), server=self.server, nodes=total(self.pools) + self.workers + 1, kept=kept,
        )  # fmt: skip
        registry.write(entry, self.directory)


def _running() -> set[str]:
    return {entry.name for entry in registry.running()}
