"""The container engine: whether one answers, and the few things asked of it besides what kind does.

muster starts no engine and installs none; where none answers it says how to get one.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from harness.core.errors import HarnessError

CLUSTER_LABEL = "io.x-k8s.kind.cluster"
PREFIX = "muster-"  # of every cluster of ours, so that what an earlier run left can be told from other clusters
COMM = 15  # characters of a program's name that the kernel keeps
LONG = 120.0  # seconds for a copy of some hundred megabytes
QUICK = 20.0  # seconds for a question; an engine that takes longer is not well


def require_engine() -> str:
    """The version of the engine; HarnessError that says how to get one."""
    if shutil.which("docker") is None:
        raise _none("there is no `docker` on PATH")
    answer = _docker(["version", "--format", "{{.Server.Version}}"], QUICK)
    if answer.returncode != 0:
        reason = (answer.stderr.strip().splitlines() or ["it wrote nothing"])[-1]
        raise _none(reason)
    return answer.stdout.strip()


def available() -> bool:
    """Whether it is worth asking an engine at all; cheap, for commands that have other work."""
    host = os.environ.get("DOCKER_HOST", "")
    return shutil.which("docker") is not None and (bool(host) or Path("/var/run/docker.sock").exists())


def has_image(tag: str) -> bool:
    return _docker(["image", "inspect", tag], QUICK).returncode == 0


def load(archive: Path) -> None:
    """Give the engine an image from an archive."""
    done = _docker(["load", "--input", str(archive)], 600)
    if done.returncode != 0:
        raise HarnessError(
            f"docker could not load {archive.name}: {done.stderr.strip()[-500:]}",
            hint="Is there room where Docker keeps its images? See: docker system df",
        )


def pull(reference: str) -> None:
    done = _docker(["pull", "--quiet", reference], 1800)
    if done.returncode != 0:
        raise HarnessError(
            f"docker could not pull {reference}: {done.stderr.strip()[-500:]}",
            hint="Without a registry: muster image build, then --image own",
        )


def execute(container: str, command: Sequence[str], timeout: float = 30.0) -> str:
    """The output of a command inside a container; HarnessError if it fails."""
    done = _docker(["exec", container, *command], timeout)
    if done.returncode != 0:
        output = (done.stderr or done.stdout).strip()[-400:]
        raise HarnessError(f"{container}: {' '.join(command[:3])} failed: {output}")
    return done.stdout


def copy_from_image(reference: str, path: str, target: Path) -> Path:
    """A file of an image that is not run for it; the target."""
    created = _docker(["create", "--entrypoint", "/nothing", reference], 60)
    if created.returncode != 0:
        raise HarnessError(f"docker could not look into {reference}: {created.stderr.strip()[-400:]}")
    container = created.stdout.strip()
    try:
        done = _docker(["cp", "--follow-link", f"{container}:{path}", str(target)], LONG)
    finally:
        remove([container])
    if done.returncode != 0:
        raise HarnessError(f"{reference} has no {path}: {done.stderr.strip()[-400:]}")
    return target


def copy_program(container: str, name: str, target: Path) -> Path:
    """The executable of a program that runs inside a container, in whatever image it came; the target."""
    look = (
        'for process in /proc/[0-9]*; do read -r comm <"$process/comm" || continue; '
        f'if [ "$comm" = {shlex.quote(name[:COMM])} ]; then exec cat "$process/exe"; fi; done; exit 1'
    )
    with target.open("wb") as file:
        try:
            done = subprocess.run(
                ["docker", "exec", container, "sh", "-c", look],
                stdout=file,
                stderr=subprocess.PIPE,
                timeout=LONG,
                check=False,
                stdin=subprocess.DEVNULL,
            )
        except subprocess.TimeoutExpired:
            raise _silent("exec", LONG) from None
    if done.returncode != 0:
        raise HarnessError(f"{container} runs no {name}: {done.stderr.decode(errors='replace').strip()[-400:]}")
    target.chmod(0o755)
    return target


def processes(container: str) -> list[tuple[int, str]]:
    """Every process of a container: its pid on this machine, and its command line."""
    done = _docker(["top", container, "-eo", "pid,args"], QUICK)
    rows = [line.split(None, 1) for line in done.stdout.splitlines()[1:]]
    return [(int(row[0]), row[1]) for row in rows if len(row) == 2 and row[0].isdigit()]


def clusters() -> list[str]:
    """The kind clusters of all runs of muster that have containers; empty if no engine answers."""
    if not available():
        return []
    try:
        form = '{{.Label "' + CLUSTER_LABEL + '"}}'
        done = _docker(["ps", "--all", "--filter", f"label={CLUSTER_LABEL}", "--format", form], QUICK)
    except HarnessError:
        return []
    names = {line.strip() for line in done.stdout.splitlines()} if done.returncode == 0 else set()
    return sorted(name for name in names if name.startswith(PREFIX))


def containers(cluster: str) -> dict[str, str]:
    """The nodes of a cluster, by name, and what each is: created, running, exited, ..."""
    query = ["--filter", f"label={CLUSTER_LABEL}={cluster}", "--format", "{{.Names}} {{.State}}"]
    done = _docker(["ps", "--all", *query], QUICK)
    if done.returncode != 0:
        raise HarnessError(f"docker could not say what is left of {cluster}: {done.stderr.strip()[-400:]}")
    return dict(line.split() for line in done.stdout.splitlines())


def remove(names: Sequence[str]) -> None:
    """Remove containers with their volumes, whatever they do; one that is in the way of that stays."""
    _docker(["rm", "--force", "--volumes", *names], 120)


def _docker(arguments: Sequence[str], timeout: float) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            ["docker", *arguments],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        raise _silent(arguments[0], timeout) from None


def _silent(command: str, timeout: float) -> HarnessError:
    message = f"docker {command} did not answer within {timeout:.0f} s"
    return HarnessError(message, hint="Check the engine: docker info")


def _none(why: str) -> HarnessError:
    return HarnessError(
        f"a kind box needs a Docker engine: {why}",
        hint="Start Docker, or set DOCKER_HOST. On a Debian machine without one, as root: ci/docker-up. The embedded "
        "box needs none.",
    )
