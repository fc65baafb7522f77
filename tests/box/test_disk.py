"""Errors of the file system as messages: what, where, what to do next, and whose fault it is."""

import errno
import os
from pathlib import Path

import pytest

from harness.box.data import PACKAGE, cache_root
from harness.box.disk import explain
from harness.core.errors import ExitCode
from harness.core.files import replaced


def error(number: int, path: Path | None = None) -> OSError:
    return OSError(number, os.strerror(number), *([str(path)] if path else []))


def test_a_full_disk_is_the_machines_fault_and_is_named():
    fault = explain(error(errno.ENOSPC, Path("/data/runs/results.json")))

    assert fault is not None
    assert fault.exit_code == ExitCode.HARNESS
    assert fault.message == "the disk is full: /data/runs/results.json"
    assert str(cache_root()) in fault.hint


def test_a_file_that_could_not_be_completed_is_named_and_leaves_nothing(tmp_path: Path):
    (tmp_path / "x.tar.zst").write_text("before")
    with pytest.raises(OSError) as full, replaced(tmp_path / "x.tar.zst") as out:
        out.write(b"half")
        raise error(errno.ENOSPC)

    fault = explain(full.value)

    assert fault is not None
    assert fault.message == f"the disk is full: {tmp_path / 'x.tar.zst'}"
    assert [path.name for path in tmp_path.iterdir()] == ["x.tar.zst"]
    assert (tmp_path / "x.tar.zst").read_text() == "before"


def test_of_a_copy_the_new_file_is_named():
    fault = explain(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), "/from", None, "/to"))

    assert fault is not None
    assert fault.message == "the disk is full: /to"


def test_a_full_disk_is_found_where_the_error_names_no_file(monkeypatch: pytest.MonkeyPatch):
    class Usage:
        free = 0

    monkeypatch.setattr("harness.box.disk.shutil.disk_usage", lambda path: Usage)

    fault = explain(error(errno.ENOSPC))

    assert fault is not None
    assert fault.message == f"the disk is full: {cache_root()}"


def test_a_file_of_the_cache_is_the_machines_fault_and_another_the_users():
    cached, others = explain(error(errno.EACCES, cache_root() / "x")), explain(error(errno.EROFS, Path("/data/x")))

    assert cached is not None and others is not None
    assert (cached.exit_code, others.exit_code) == (ExitCode.HARNESS, ExitCode.USAGE)
    assert "XDG_CACHE_HOME" in cached.hint


def test_what_is_no_matter_of_the_users_files_stays_a_bug():
    assert explain(error(errno.ECONNREFUSED)) is None
    assert explain(error(errno.ENOENT, PACKAGE / "missing.yaml")) is None
