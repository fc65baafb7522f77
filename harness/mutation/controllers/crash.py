"""A controller that crashes after so many writes, at the worst moment: the write is done, and the answer is lost."""

from __future__ import annotations

import os
import signal
import threading
from typing import Any

from harness.controllers.runtime.client import Client, Object


def crash_after(client: Client, writes: int) -> None:
    """Let the process end by SIGKILL once its last write is answered, whatever the answer."""
    count, lock, request = [0], threading.Lock(), client.request

    def counted(method: str, path: str, body: Any = None, **how: Any) -> Object:
        if method == "GET":
            return request(method, path, body, **how)
        with lock:  # one write at a time: no other is under way when the process dies
            count[0] += 1
            try:
                return request(method, path, body, **how)
            finally:
                if count[0] == writes:
                    os.kill(os.getpid(), signal.SIGKILL)

    client.request = counted  # type: ignore[method-assign]
