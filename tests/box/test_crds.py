"""Custom resource definitions: created where missing, left alone where present, waited for until served."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.box import crds
from harness.core.errors import ApiError, HarnessError

CRD = """---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  annotations:
    controller-gen.kubebuilder.io/version: v0.1.0
  name: {name}
spec:
  group: example.org
  names:
    kind: A
    name: not-this-one
status:
  conditions: null
"""


class Server:
    """An API server that serves what was created after it was asked a few times."""

    def __init__(self, *served: str, slow: int = 0) -> None:
        self.served = set(served)
        self.created: list[dict[str, Any]] = []
        self.slow = slow

    def request(self, method: str, path: str, body: Any = None) -> dict[str, Any]:
        if method == "POST":
            if body["metadata"]["name"] in self.served:
                raise ApiError("exists", status=409, reason="AlreadyExists")
            self.created.append(body)
            return {}
        if path.count("/") == 2:
            self.slow -= 1
            if self.slow < 0:
                self.served |= {obj["metadata"]["name"] for obj in self.created}
            return {"versions": [{"groupVersion": "example.org/v1"}]}
        if not self.served:
            raise ApiError("none", status=404)
        return {"resources": [{"name": name.partition(".")[0]} for name in self.served]}


def write(folder: Path, *names: str) -> list[Path]:
    paths = []
    for name in names:
        paths.append(folder / f"{name}.yaml")
        paths[-1].write_text(CRD.format(name=name))
    return paths


def test_missing_ones_are_created_without_status_and_waited_for(tmp_path: Path) -> None:
    server = Server("as.example.org", slow=4)
    crds.ensure(server, write(tmp_path, "as.example.org", "bs.example.org"))  # type: ignore[arg-type]
    assert [obj["metadata"]["name"] for obj in server.created] == ["bs.example.org"]
    assert "status" not in server.created[0]
    assert "bs.example.org" in server.served


def test_nothing_is_asked_twice_where_all_are_served(tmp_path: Path) -> None:
    server = Server("as.example.org")
    crds.ensure(server, write(tmp_path, "as.example.org"))  # type: ignore[arg-type]
    assert server.created == []


def test_one_that_never_comes_is_named(tmp_path: Path) -> None:
    with pytest.raises(HarnessError, match=r"bs\.example\.org"):
        crds.ensure(Server(slow=10**6), write(tmp_path, "bs.example.org"), timeout=0.1)  # type: ignore[arg-type]


def test_file_without_a_definition_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    path.write_text("kind: Nothing\n")
    with pytest.raises(HarnessError, match="exactly one"):
        crds.name_of(path)
