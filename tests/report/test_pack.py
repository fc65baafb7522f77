"""The evidence of a run in one file: what is packed can be verified from the file alone, and nothing else can."""

from __future__ import annotations

import importlib.util
import io
import json
import shutil
import tarfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import zstandard
from click.testing import CliRunner, Result

from harness.cli.report import report as command
from harness.core.errors import MusterError, UsageError
from harness.core.files import as_json, put
from harness.core.verdict import Outcome
from harness.report import archive
from harness.report.conformance import report_yaml
from harness.report.load import load_run
from harness.report.pack import DOCUMENTS, pack, verify
from harness.report.site import build_site

from .sample import judged_run, sample_catalogue


def files(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def packed_as_it_is(folder: Path, target: Path) -> Path:
    """An archive that a forger makes: well formed, whatever is in the folder."""
    with target.open("wb") as out:
        archive.write(out, folder, files(folder), {})
    return target


def test_what_is_packed_is_verified_from_the_file_alone(verified: Path, tmp_path: Path) -> None:
    (verified / "logs/volcano@1.14.1/x").mkdir(parents=True)
    (verified / "logs/volcano@1.14.1/x/scheduler.log").write_text("a line\n")
    path, manifest = pack(verified, tmp_path / "run.tar.zst", sample_catalogue())
    shutil.rmtree(verified)
    result = verify(path, sample_catalogue(), {("volcano", "1.14.1", "scheduler"): "ab" * 32})
    assert result.problems == ()
    facts = [f"{name}: {sentence}" for name, sentence in result.facts]
    assert (
        facts[0] == f"archive: {len(manifest.files)} files, each as the manifest names it; manifest {manifest.digest}"
    )
    assert "logs/volcano@1.14.1/x/scheduler.log" in manifest.files and {*DOCUMENTS} < {*manifest.files}
    assert any("judged again: outcomes, reasons and figures follow" in fact for fact in facts)
    assert any("the 11 cases of this muster" in fact for fact in facts)
    assert any(fact.startswith("program: volcano 1.14.1") and fact.endswith("has built the same") for fact in facts)
    assert any(fact.startswith("program: yunikorn") and "no build to compare" in fact for fact in facts)


def test_equal_runs_give_equal_bytes(verified: Path, tmp_path: Path) -> None:
    first, _ = pack(verified, tmp_path / "a.tar.zst")
    copy = tmp_path / "elsewhere"
    shutil.copytree(verified, copy)
    second, _ = pack(copy)
    assert second == tmp_path / "elsewhere.tar.zst" and first.read_bytes() == second.read_bytes()


def test_any_tar_program_reads_it_and_the_folder_is_a_run(verified: Path, tmp_path: Path) -> None:
    path, manifest = pack(verified, tmp_path / "run.tar.zst")
    plain = zstandard.ZstdDecompressor().stream_reader(path.open("rb")).read()
    with tarfile.open(fileobj=io.BytesIO(plain)) as tar:
        tar.extractall(tmp_path / "out", filter="data")
    assert files(tmp_path / "out/evidence") == sorted([archive.MANIFEST, *manifest.files])
    assert load_run(tmp_path / "out/evidence").cases


def edit_results(change: Callable[[dict[str, Any]], None]) -> Callable[[Path], None]:
    """A forger edits results.json and makes report.yaml again from it."""

    def forge(folder: Path) -> None:
        data = json.loads((folder / "results.json").read_text())
        change(data)
        (folder / "results.json").write_text(json.dumps(data))
        put(folder / "report.yaml", report_yaml(load_run(folder)))

    return forge


def better(data: dict[str, Any]) -> None:
    for case in data["cases"]:
        case["outcome"], case["error"] = ("pass" if case["outcome"] == "violated" else case["outcome"]), ""


def faster(data: dict[str, Any]) -> None:
    case = next(case for case in data["cases"] if case["figures"])
    next(iter(case["figures"].values()))["skew_ms"] = 0.1


def other_reason(data: dict[str, Any]) -> None:
    case = next(case for case in data["cases"] if case["outcome"] == "violated")
    for verdict in case["verdicts"]:
        verdict["reason"] = "a small matter"


def fewer_cases(data: dict[str, Any]) -> None:
    data["cases"] = [case for case in data["cases"] if case["outcome"] != "violated"]
    data["planned"] = len(data["cases"])


def one_history_less(folder: Path) -> None:
    next((folder / "history").rglob("*.zst")).unlink()


def no_histories(folder: Path) -> None:
    shutil.rmtree(folder / "history")


def swapped(folder: Path) -> None:
    first, second, *_ = sorted((folder / "history").rglob("*.zst"))
    content = first.read_bytes()
    first.write_bytes(second.read_bytes())
    second.write_bytes(content)


def report_alone(folder: Path) -> None:
    text = (folder / "report.yaml").read_text()
    (folder / "report.yaml").write_text(text.replace("organization: Example Project", "organization: Somebody", 1))


def environment(folder: Path) -> None:
    (folder / "environment.json").write_text("{}")


FORGERIES = {
    "better": (edit_results(better), "the report says pass, the history gives violated"),
    "faster": (edit_results(faster), "skewMs: the report says"),
    "other-reason": (edit_results(other_reason), "reason: the report says a small matter"),
    "fewer-cases": (edit_results(fewer_cases), "no result names this history"),
    "one-history-less": (one_history_less, "is missing"),
    "no-histories": (no_histories, "is missing"),
    "swapped": (swapped, "is another history"),
    "report-alone": (report_alone, "report.yaml is not made of results.json"),
    "environment": (environment, "environment.json"),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_a_forged_run_is_neither_packed_nor_verified(name: str, verified: Path, tmp_path: Path) -> None:
    forge, message = FORGERIES[name]
    forge(verified)
    with pytest.raises(UsageError, match="is no evidence"):
        pack(verified, tmp_path / "run.tar.zst")
    assert not (tmp_path / "run.tar.zst").exists()
    path = packed_as_it_is(verified, tmp_path / "forged.tar.zst")
    assert any(message in problem for problem in verify(path).problems), verify(path).problems
    with pytest.raises(UsageError, match="is not sound"):
        build_site(tmp_path / "site", [path])


def test_the_site_links_the_evidence_and_its_signature(verified: Path, tmp_path: Path) -> None:
    path, _ = pack(verified, tmp_path / "run.tar.zst")
    build_site(tmp_path / "site", [path])
    html = (tmp_path / "site/index.html").read_text()
    assert '<a href="reports/0.tar.zst">evidence</a>' in html and "not verified</span>" not in html
    assert "signature</a>" not in html
    assert (tmp_path / "site/reports/0.tar.zst").read_bytes() == path.read_bytes()
    path.with_name("run.tar.zst.sigstore.json").write_text("{}")
    build_site(tmp_path / "site", [path])
    assert '"reports/0.tar.zst.sigstore.json">signature</a>' in (tmp_path / "site/index.html").read_text()
    assert (tmp_path / "site/reports/0.tar.zst.sigstore.json").read_text() == "{}"


def test_a_link_in_the_folder_is_not_packed(verified: Path, tmp_path: Path) -> None:
    (verified / "logs").mkdir(exist_ok=True)
    (verified / "logs/secret").symlink_to("/etc/passwd")
    with pytest.raises(UsageError, match="is no plain file"):
        pack(verified, tmp_path / "run.tar.zst")


# -- archives that muster never wrote ---------------------------------------------------------------------------------

CONTENT = b"hello"
GOOD = {"bytes": 5, "sha256": "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"}


def member(name: str, content: bytes = CONTENT, **more: Any) -> tuple[tarfile.TarInfo, bytes]:
    header = tarfile.TarInfo(name)
    header.size = len(content)
    for key, value in more.items():
        setattr(header, key, value)
    return header, content


def manifest(names: dict[str, Any], form: str = archive.FORMAT) -> tuple[tarfile.TarInfo, bytes]:
    return member("evidence/manifest.json", json.dumps({"format": form, "files": names}).encode())


def tar(*members: tuple[tarfile.TarInfo, bytes], form: int = tarfile.USTAR_FORMAT) -> bytes:
    out = io.BytesIO()
    for header, content in members:
        out.write(header.tobuf(form) + content + b"\0" * (-len(content) % 512))
    return out.getvalue() + b"\0" * 1024


def claimed(size: int) -> tuple[tarfile.TarInfo, bytes]:
    header, content = member("evidence/a")
    header.size = size
    return header, content


MANIFEST = manifest({"a": GOOD})
HOSTILE: dict[str, tuple[bytes, str]] = {
    "no-manifest": (tar(member("evidence/a")), "does not begin with"),
    "empty": (tar(), "does not begin with"),
    "missing": (tar(MANIFEST), "'a' is missing"),
    "another": (tar(MANIFEST, member("evidence/a", b"HELLO")), "is another file than the manifest names"),
    "not-named": (tar(MANIFEST, member("evidence/a"), member("evidence/b")), "its manifest does not name it"),
    "twice": (tar(MANIFEST, member("evidence/a"), member("evidence/a")), "twice"),
    "other-size": (tar(MANIFEST, member("evidence/a", b"hello!")), "6 bytes, its manifest says 5"),
    "up": (tar(manifest({"../a": GOOD}), member("evidence/../a")), "of the name '../a'"),
    "up-in-tar": (tar(MANIFEST, member("evidence/../a")), "is no plain file below"),
    "absolute": (tar(MANIFEST, member("/evidence/a")), "is no plain file below"),
    "elsewhere": (tar(MANIFEST, member("other/a")), "is no plain file below"),
    "escape": (tar(MANIFEST, member("evidence/\x1b]52;c;aGk=\x07")), "is no plain file below"),
    "link": (
        tar(MANIFEST, member("evidence/a", b"", type=tarfile.SYMTYPE, linkname="/etc/passwd")),
        "is no plain file",
    ),
    "hard-link": (
        tar(MANIFEST, member("evidence/a", b"", type=tarfile.LNKTYPE, linkname="/etc/passwd")),
        "no plain file",
    ),
    "device": (tar(MANIFEST, member("evidence/a", b"", type=tarfile.CHRTYPE)), "is no plain file"),
    "long-header": (tar(MANIFEST, member("evidence/" + "x" * 300), form=tarfile.PAX_FORMAT), "is no plain file"),
    "file-and-folder": (
        tar(manifest({"a": GOOD, "a/b": GOOD}), member("evidence/a"), member("evidence/a/b")),
        "is a file and a folder",
    ),
    "manifest-twice": (tar(manifest({"manifest.json": GOOD}), member("evidence/manifest.json")), "of the name"),
    "cut-off": (tar(MANIFEST, claimed(5))[:-1500], "was cut off"),
    "more-after-the-end": (tar(MANIFEST, member("evidence/a")) + b"x", "something after its end"),
    "no-header": (tar(MANIFEST)[:1024] + b"x" * 512, "is no tar header"),
    "other-format": (tar(manifest({}, "muster.evidence/99")), "which this muster does not know"),
    "odd-manifest": (tar(member("evidence/manifest.json", b"[1]")), "cannot be read"),
    "odd-sizes": (tar(manifest({"a": {**GOOD, "bytes": -5}})), "is no size"),
    "deep-manifest": (tar(member("evidence/manifest.json", b"[" * 5000)), "nested deeper"),
    "claims-much": (tar(manifest({"a": {**GOOD, "bytes": 1 << 29}})), "a hundred times larger"),
    "claims-more": (tar(manifest({"a": {**GOOD, "bytes": 1 << 40}})), "may have"),
    "many-names": (tar(manifest({f"f{i}": GOOD for i in range(archive.MOST_FILES + 1)})), "may have"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_archive_is_refused_and_writes_nowhere_else(name: str, tmp_path: Path) -> None:
    content, message = HOSTILE[name]
    path, inside = tmp_path / "x.tar.zst", tmp_path / "inside"
    path.write_bytes(zstandard.ZstdCompressor().compress(content))
    inside.mkdir()
    with pytest.raises(UsageError) as refused:
        archive.unpack(path, inside)
    assert message in refused.value.message + refused.value.hint
    assert sorted(child.name for child in tmp_path.iterdir()) == ["inside", "x.tar.zst"]


def test_the_archive_that_is_damaged_above_is_good(tmp_path: Path) -> None:
    path = tmp_path / "x.tar.zst"
    path.write_bytes(zstandard.ZstdCompressor().compress(tar(MANIFEST, member("evidence/a"))))
    assert archive.unpack(path, tmp_path / "inside").files == {"a": archive.ArchivedFile(5, str(GOOD["sha256"]))}


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"\x28\xb5\x2f\xfd", b"\x28\xb5\x2f\xfd" + b"\xff" * 100])
def test_what_is_no_archive_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x.tar.zst"
    path.write_bytes(content)
    with pytest.raises(UsageError):
        verify(path)


def test_every_byte_of_an_archive_counts(verified: Path, tmp_path: Path) -> None:
    path, _ = pack(verified, tmp_path / "run.tar.zst")
    content = path.read_bytes()
    for place in range(0, len(content), max(1, len(content) // 150)):
        path.write_bytes(content[:place] + bytes([content[place] ^ 0x40]) + content[place + 1 :])
        with pytest.raises(UsageError):
            verify(path)


# -- the command ------------------------------------------------------------------------------------------------------


def muster(*arguments: str) -> Result:
    return CliRunner().invoke(command, arguments, standalone_mode=False)


@pytest.fixture
def catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("harness.cli.report.collect_cases", sample_catalogue)


@pytest.mark.usefixtures("catalogue")
def test_the_command_says_what_it_verified(verified: Path, tmp_path: Path) -> None:
    path = tmp_path / "run.tar.zst"
    assert muster("pack", str(verified), "--output", str(path)).exception is None
    result = muster("verify", str(path))
    assert result.exception is None and result.return_value in (None, 0)
    names = [line.split()[0] for line in result.output.splitlines()[1:]]
    assert names == ["archive", "report", "histories", "catalogue", *["program"] * 4, "signature", "unproven"]


@pytest.mark.usefixtures("catalogue")
def test_the_command_ends_with_1_for_a_forgery(verified: Path, tmp_path: Path) -> None:
    run = judged_run(verified)
    cases = tuple(replace(case, outcome=Outcome.PASS) if case.history else case for case in run.cases)
    forged = replace(run, cases=cases)
    put(verified / "results.json", as_json(forged.as_data()))
    put(verified / "report.yaml", report_yaml(forged))
    path = packed_as_it_is(verified, tmp_path / "forged.tar.zst")
    result = muster("verify", str(path))
    assert result.return_value == 1 and "the history gives violated" in result.output
    assert "verified" not in result.output.replace(str(path), "")


def test_a_signature_that_is_not_asked_about_is_not_believed(verified: Path, tmp_path: Path) -> None:
    path, _ = pack(verified, tmp_path / "run.tar.zst")
    assert "  signature  none" in muster("verify", str(path)).output
    path.with_name(f"{path.name}.sigstore.json").write_text("{}")
    assert "was not verified" in muster("verify", str(path)).output


def test_half_of_an_identity_is_none(tmp_path: Path) -> None:
    error = muster("verify", str(tmp_path), "--signer", "a@example.org").exception
    assert isinstance(error, UsageError) and "belong together" in error.message


WHO = ("--signer", "a@example.org", "--issuer", "https://example.org")
INSTALLED = importlib.util.find_spec("sigstore") is not None


@pytest.mark.skipif(INSTALLED, reason="the extra is installed")
def test_without_the_extra_a_signature_is_one_message(verified: Path, tmp_path: Path) -> None:
    for arguments in (("pack", str(verified), "--sign", "--output", str(tmp_path / "x")), ("verify", "x", *WHO)):
        error = muster(*arguments).exception
        assert isinstance(error, MusterError) and error.exit_code == 4
        assert "gang-muster[sigstore]" in error.hint
    assert not (tmp_path / "x").exists()


@pytest.mark.skipif(not INSTALLED, reason="the extra is not installed")
@pytest.mark.parametrize("bundle", [None, "", "{}", "[]", "x" * (2 << 20)])
def test_what_is_no_signature_is_refused(bundle: str | None, verified: Path, tmp_path: Path) -> None:
    path, _ = pack(verified, tmp_path / "run.tar.zst")
    if bundle is not None:
        path.with_name(f"{path.name}.sigstore.json").write_text(bundle)
    error = muster("verify", str(path), *WHO).exception
    assert isinstance(error, UsageError) and "\n" not in error.message
