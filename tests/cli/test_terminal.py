"""What a scheduler or a file of others says is shown in a terminal, and never carried out by it."""

from __future__ import annotations

import os
import pty
from pathlib import Path

import pytest

from harness.box import registry
from harness.cli.box import logs
from harness.cli.live import LiveLines
from harness.cli.streams import set_color
from harness.cli.terminal import console

EVIL = "a\x1b]52;c;aGk=\x07b\x9b2J [bold]x[/nothing] \u202e"


@pytest.mark.parametrize("stderr", [False, True])
def test_a_console_carries_nothing_out(stderr: bool, capsys: pytest.CaptureFixture[str]) -> None:
    console(stderr=stderr).print(EVIL, markup=False)
    captured = capsys.readouterr()
    text = captured.err if stderr else captured.out
    assert "[bold]x[/nothing]" in text and "\\x1b]52;c;aGk=\\x07b" in text
    assert not set(text) & {"\x1b", "\x07", "\x9b", "\u202e"}


def test_colours_of_muster_itself_stay(capsys: pytest.CaptureFixture[str]) -> None:
    set_color("always")
    try:
        console().print("[red]x[/red]")
    finally:
        set_color("auto")
    assert "\x1b[31mx" in capsys.readouterr().out


def test_the_reason_of_a_verdict_is_text(capsys: pytest.CaptureFixture[str]) -> None:
    verdict = {"check": "refused", "outcome": "violated", "reason": EVIL}
    names = {"folder": "placement", "case": "x", "integration": "volcano@1", "rerun": EVIL, "error": EVIL}
    figures = {"seconds": 1.0, "figures": {EVIL: {EVIL: EVIL}}}
    result = {"outcome": "violated", "expected": "", "verdicts": [verdict], **figures, **names}
    LiveLines(quiet=False, verbose=True)({"event": "case", "worker": "main", "result": result})
    text = capsys.readouterr().out
    assert text.count("[bold]x[/nothing]") == 6
    assert "\x1b" not in text and "\x07" not in text


@pytest.mark.parametrize("terminal", [True, False])
def test_logs_are_raw_for_programs_only(terminal: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs/scheduler.log").write_text(f"{EVIL}\n")
    box = type("Box", (), {"directory": tmp_path, "name": "b", "alive": False})
    monkeypatch.setattr(registry, "find", lambda name: box)
    reader, writer = pty.openpty() if terminal else os.pipe()
    with os.fdopen(writer, "w") as out:
        monkeypatch.setattr("sys.stdout", out)
        logs.callback("scheduler", None, 10, False)  # type: ignore[misc]
        out.flush()
        text = os.read(reader, 4096).decode()
    os.close(reader)
    assert ("\x1b]52" in text) is not terminal
