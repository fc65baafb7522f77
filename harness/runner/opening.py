"""Open the testbed of a session while pytest is imported and collects the cases.

A box needs seconds to start, and this process is idle for most of them. A session that `muster run` has started will
certainly need it, so it begins in a thread at once; the fixture waits for what is left.
"""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from harness.core.errors import MusterError
from harness.runner import events, options

if TYPE_CHECKING:
    from harness.runner.config import RunConfig
    from harness.testbed.testbed import Testbed

MOMENT = 1.0  # seconds


def open_for(config: RunConfig, log: events.Log) -> Testbed:
    """The testbed that the configuration asks for; MusterError, told to the log, if there cannot be one."""
    from harness.adapters import adapter
    from harness.adapters.common.base import Settings
    from harness.box.disk import explain
    from harness.box.options import BoxOptions
    from harness.box.phases import NullListener
    from harness.testbed.testbed import open_testbed

    (integration,) = config.integrations
    name, _, version = integration.partition("@")
    listener = events.LogListener(log) if config.folder else NullListener()
    try:
        return open_testbed(
            adapter(name),
            config.box,
            Settings(version or None, config.binaries, config.settings, listener.build, config.implementation_version),
            BoxOptions(gates=config.gates, listener=listener),
            timeout_factor=config.timeout_factor,
            rerun=lambda box: options.rerun_command(config, box.kubernetes),
        )
    except (MusterError, OSError) as error:
        fault = explain(error) if isinstance(error, OSError) else error
        if fault is None:
            raise
        if config.folder is not None:
            _keep_logs(fault, config.folder, integration)
        log.tell("fault", message=fault.message, hint=fault.hint, code=int(fault.exit_code))
        raise fault from error


def _keep_logs(fault: MusterError, folder: Path, integration: str) -> None:
    from harness.runner.case_run import keep_logs

    keep_logs(fault, folder, integration)


class Opening:
    """A testbed on its way."""

    def __init__(self, config: RunConfig, log: events.Log) -> None:
        self._config = config
        self._log = log
        self._testbed: Testbed | None = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, name="opening", daemon=True)
        self._thread.start()

    def wait(self) -> Testbed:
        """The testbed, which the caller closes; what went wrong is raised here."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        assert self._testbed is not None
        testbed, self._testbed = self._testbed, None
        return testbed

    def discard(self) -> None:
        """Close it if it was not taken; one that still starts after a moment ends with this process.

        The moment is for the folder of its box: until a keeper owns it, nothing would remove it.
        """
        self._thread.join(MOMENT)
        if self._testbed is not None:
            self._testbed.close()
            self._testbed = None

    def _run(self) -> None:
        try:
            self._testbed = open_for(self._config, self._log)
        except BaseException as error:
            self._error = error


_begun: list[Opening] = []


def begin(config: RunConfig, log: events.Log) -> None:
    """Open the testbed that the session of this process will take."""
    _begun.append(Opening(config, log))


def take(config: RunConfig, log: events.Log) -> Opening:
    """What was begun before this session, or a new one."""
    return _begun.pop() if _begun else Opening(config, log)


def discard() -> None:
    """Close what was begun and never taken."""
    while _begun:
        _begun.pop().discard()
