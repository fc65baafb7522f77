"""What programs are made of, as a CycloneDX document: each program with its checksum, and the modules of its lock.

A lock names every module that a build may use, in exactly one version. For a program that was downloaded or given there
is no such list, so it is in the document alone. The library is the one that the format's own project keeps; it comes
with the extra `sbom`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from harness.box.artifacts import Artifact
from harness.box.artifacts.register import Component, Lock, Register
from harness.core.errors import UsageError
from harness.core.version import __version__

if TYPE_CHECKING:
    from cyclonedx.model.component import Component as Entry

BUILT = ("go-build", "cache")  # sources of programs that a lock decides about


def modules(lock: Lock) -> list[tuple[str, str]]:
    """Every module of a lock with its version; what a replacement names instead of what it replaces."""
    required: dict[str, str] = {}
    replaced: dict[str, tuple[str, str]] = {}
    block = ""  # the directive whose block we are in
    for line in lock.files[0].read_text(encoding="utf-8").splitlines():
        tokens = line.partition("//")[0].split()
        if tokens[-1:] in (["("], [")"]):
            block = tokens[0] if len(tokens) > 1 else ""
            continue
        directive, *rest = ([block] if block else []) + tokens or [""]
        if directive == "require" and rest:
            required[rest[0]] = rest[1]
        elif directive == "replace" and rest:
            new, version = rest[rest.index("=>") + 1 :]
            replaced[rest[0]] = (new, version)
    return [replaced.get(module, (module, version)) for module, version in sorted(required.items())]


def document(artifacts: Sequence[Artifact], register: Register) -> str:
    """The document of these artifacts, as JSON; UsageError if the extra is not installed."""
    try:
        from cyclonedx.model.bom import Bom
        from cyclonedx.model.component import Component as Entry
        from cyclonedx.model.component import ComponentType
        from cyclonedx.output.json import JsonV1Dot6
    except ImportError as error:
        hint = "Install it: pip install 'gang-muster[sbom]'"
        raise UsageError("an SBOM needs the library of CycloneDX", hint=hint) from error
    bom = Bom()
    bom.metadata.component = Entry(name="muster", version=__version__, type=ComponentType.APPLICATION)
    programs: list[Entry] = []
    for artifact in artifacts:
        component = register.component(artifact.component)
        built = {process for process, source in artifact.sources.items() if source in BUILT}
        libraries = [_library(*module) for module in modules(register.lock(component.name, artifact.version))]
        for process in sorted(artifact.binaries):
            program = _program(component, artifact, process)
            programs.append(program)
            bom.components.add(program)
            bom.register_dependency(program, libraries if process in built else ())
        for library in libraries if built else ():
            bom.components.add(library)
    bom.register_dependency(bom.metadata.component, programs)
    return str(JsonV1Dot6(bom).output_as_string(indent=1))


def _program(component: Component, artifact: Artifact, process: str) -> Entry:
    from cyclonedx.model import ExternalReference, ExternalReferenceType, HashAlgorithm, HashType, Property, XsUri
    from cyclonedx.model.component import Component as Entry
    from cyclonedx.model.component import ComponentType
    from cyclonedx.model.license import LicenseExpression

    return Entry(
        name=component.processes[process].file,
        version=artifact.version,
        type=ComponentType.APPLICATION,
        bom_ref=f"{component.name}.{process}@{artifact.version}",
        description=component.about,
        licenses=[LicenseExpression(component.licence)] if component.licence else (),
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=artifact.checksums[process])],
        properties=[Property(name="muster:source", value=artifact.sources[process])],
        external_references=[ExternalReference(type=ExternalReferenceType.WEBSITE, url=XsUri(component.homepage))],
    )


def _library(module: str, version: str) -> Entry:
    from cyclonedx.model.component import Component as Entry
    from cyclonedx.model.component import ComponentType
    from packageurl import PackageURL

    namespace, _, name = module.rpartition("/")
    purl = PackageURL("golang", namespace or None, name, version)
    return Entry(name=module, version=version, type=ComponentType.LIBRARY, bom_ref=str(purl), purl=purl)
