"""Images written by hand: the same content gives the same bytes, and engines can read them."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import stat
import subprocess
import tarfile
from pathlib import Path

import pytest

from harness.box.image import python
from harness.box.image.archive import Image, tree, write


def sample(tmp_path: Path) -> Image:
    program = tmp_path / "program"
    program.write_bytes(b"\x7fELF not really")
    program.chmod(0o755)
    note = tmp_path / "note"
    note.write_text("read me")
    files: dict[str, Path | str] = {"/usr/bin/program": program, "/note": note, "/bin/p": "-> /usr/bin/program"}
    return Image("muster.local/sample:1", files, ("/usr/bin/program",), folders=("tmp", "etc"))


def layer_of(archive: Path) -> tarfile.TarFile:
    with tarfile.open(archive) as outer:
        listed = json.load(outer.extractfile("manifest.json"))  # type: ignore[arg-type]
        packed = outer.extractfile(listed[0]["Layers"][0]).read()  # type: ignore[union-attr]
    return tarfile.open(fileobj=io.BytesIO(gzip.decompress(packed)))


def test_same_content_gives_the_same_bytes(tmp_path: Path) -> None:
    image = sample(tmp_path)
    first = write(image, tmp_path / "a.tar").read_bytes()
    for path in image.files.values():
        if isinstance(path, Path):
            os.utime(path, (1, 1))
    turned = Image(image.name, dict(reversed(image.files.items())), image.entrypoint, folders=("etc", "tmp"))
    assert write(turned, tmp_path / "b.tar").read_bytes() == first


def test_other_content_gives_other_bytes(tmp_path: Path) -> None:
    image = sample(tmp_path)
    first = write(image, tmp_path / "a.tar").read_bytes()
    (tmp_path / "note").write_text("read him")
    assert write(image, tmp_path / "b.tar").read_bytes() != first


def test_layer_holds_files_links_and_folders_in_order(tmp_path: Path) -> None:
    layer = layer_of(write(sample(tmp_path), tmp_path / "a.tar"))
    names = layer.getnames()
    assert names == sorted(names)
    assert {"usr", "usr/bin", "tmp", "etc", "bin"} < set(names)
    assert layer.getmember("usr/bin/program").mode == 0o755
    assert layer.getmember("note").mode == 0o644
    assert layer.getmember("bin/p").linkname == "/usr/bin/program"
    assert layer.getmember("tmp").mode == 0o1777
    assert all(member.mtime == 0 and member.uid == 0 for member in layer.getmembers())


def test_configuration_names_the_layer_by_its_plain_hash(tmp_path: Path) -> None:
    archive = write(sample(tmp_path), tmp_path / "a.tar")
    with tarfile.open(archive) as outer:
        listed = json.load(outer.extractfile("manifest.json"))[0]  # type: ignore[arg-type]
        raw = outer.extractfile(listed["Config"]).read()  # type: ignore[union-attr]
        packed = outer.extractfile(listed["Layers"][0]).read()  # type: ignore[union-attr]
    config = json.loads(raw)
    assert listed["Config"] == f"{hashlib.sha256(raw).hexdigest()}.json"
    assert config["rootfs"]["diff_ids"] == [f"sha256:{hashlib.sha256(gzip.decompress(packed)).hexdigest()}"]
    assert config["config"]["Entrypoint"] == ["/usr/bin/program"]


def test_tree_keeps_modes_links_and_hard_links(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "bin").mkdir(parents=True)
    (root / "bin/one").write_text("same")
    (root / "bin/two").hardlink_to(root / "bin/one")
    (root / "bin/three").symlink_to("one")
    (root / "bin/one").chmod(0o4755)
    packed = [io.BytesIO(), io.BytesIO()]
    tree(root, packed[0])
    os.utime(root / "bin/one", (5, 5))
    tree(root, packed[1])
    assert packed[0].getvalue() == packed[1].getvalue()
    with tarfile.open(fileobj=io.BytesIO(packed[0].getvalue())) as layer:
        assert layer.getmember("bin/one").mode == 0o4755
        assert layer.getmember("bin/two").islnk() and layer.getmember("bin/two").linkname == "bin/one"
        assert layer.getmember("bin/three").linkname == "one"


def test_an_image_of_muster_starts_as_the_program_it_is_named_after(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(python, "_libraries", lambda paths: {})
    image = python.muster_image("muster.local/x:1", "jobset-gang", ("controller", "jobset-gang"))
    (library,) = {name.removesuffix("/os.py") for name in image.files if name.endswith("/os.py")}

    assert image.entrypoint == ("/opt/muster/bin/jobset-gang", "-m", "harness", "controller", "jobset-gang")
    assert image.entrypoint[0] in image.files
    packages = f"{library}/site-packages"
    assert {f"{packages}/harness/__main__.py", f"{packages}/click/__init__.py"} <= image.files.keys()
    assert f"{packages}/harness/_data/manifests/common/controller.yaml.j2" in image.files
    assert not [name for name in image.files if name.endswith((".a", ".pyc"))]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may change the root folder of a process")
def test_the_image_of_all_of_muster_works_on_a_machine_that_has_nothing_else(tmp_path: Path) -> None:
    with layer_of(write(python.whole_image("gang-muster:1"), tmp_path / "muster.tar")) as layer:
        layer.extractall(tmp_path / "root", filter="fully_trusted")
    (tmp_path / "root" / "dev").mkdir()  # as an engine does
    os.mknod(tmp_path / "root" / "dev" / "null", 0o666 | stat.S_IFCHR, os.makedev(1, 3))

    def muster(*arguments: str) -> str:
        program = ["/opt/muster/bin/muster", "-m", "harness", *arguments]
        done = subprocess.run(
            program,
            capture_output=True,
            text=True,
            check=False,
            env={"HOME": "/root"},
            preexec_fn=lambda: (os.chroot(tmp_path / "root"), os.chdir("/")),
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert "gang-that-fits-is-bound-whole" in muster("list", "cases")
    assert "would run on yunikorn" in muster("run", "--list", "--integration", "yunikorn", "--profile", "GANG-CORE")
