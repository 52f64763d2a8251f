"""Bill of materials in CycloneDX: the packages of others that the published files contain or install."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from cyclonedx.model import ExternalReference, ExternalReferenceType, HashAlgorithm, HashType, Property, XsUri
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import LicenseExpression
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

import pond_hw
from tools.release.dates import ROOT, read_date

BUILD_BACKEND = "setuptools"
"""Locked package that only builds the wheel."""

NPM_LOCK = ROOT / "tools" / "browser" / "package-lock.json"
NPM_PACKAGE = "pyodide"
"""Package in the page for browsers. The other packages in its lock file are not copied."""

DEBIAN_RULES = ROOT / "firmware" / "raspberry-pi" / "debian" / "rules"
LOCKED = re.compile(r"^([\w.-]+)==([\w.+-]+)(?: ; (.+?))? \\\n((?: +--hash=\S+(?: \\)?\n)+)", re.MULTILINE)
"""Pattern of a locked package: name, version, marker and hashes."""


def write_sbom(to: Path) -> None:
    """Write the bill of materials. The same lock files give the same bytes."""
    components = sorted([*list_python_packages(), read_npm_package()], key=lambda component: str(component.purl))
    pond = Component(
        name="pond-hw",
        version=pond_hw.__version__,
        type=ComponentType.APPLICATION,
        bom_ref="pond-hw",
        licenses=[LicenseExpression("MIT")],
    )
    date = datetime.fromtimestamp(read_date(), UTC)
    content = "\n".join(f"{component.purl} {sorted(component.properties)}" for component in components)
    bom = Bom(
        components=components,
        metadata=BomMetaData(component=pond, timestamp=date),
        serial_number=uuid5(NAMESPACE_URL, f"{pond.name} {pond.version} {date} {content}"),
    )
    bom.register_dependency(pond, components)
    to.write_text(JsonV1Dot6(bom).output_as_string(indent=1) + "\n", encoding="utf-8")


def list_python_packages() -> Iterator[Component]:
    """Yield the packages that pip installs with the wheel, and those in the Debian package."""
    debian = set(re.findall(r"-r (requirements\S*\.lock)", DEBIAN_RULES.read_text(encoding="utf-8")))
    packages: dict[tuple[str, str, str], set[str]] = {}
    for lock, file in [("requirements.lock", "wheel"), *((lock, "deb") for lock in sorted(debian))]:
        for name, version, marker, hashes in LOCKED.findall((ROOT / lock).read_text(encoding="utf-8")):
            packages.setdefault((name, version, hashes), set()).update({f"file {file}", f"marker {marker}"})
    for (name, version, hashes), facts in packages.items():
        if name == BUILD_BACKEND:
            continue
        purl = PackageURL("pypi", name=name, version=version)
        digests = [HashType(alg=HashAlgorithm.SHA_256, content=each) for each in re.findall(r"sha256:(\w+)", hashes)]
        yield _make_component(purl, digests, facts)


def read_npm_package() -> Component:
    """Return the package in the page for browsers, which includes Python."""
    package = json.loads(NPM_LOCK.read_text(encoding="utf-8"))["packages"][f"node_modules/{NPM_PACKAGE}"]
    algorithm, _, digest = package["integrity"].partition("-")
    assert algorithm == "sha512"
    hashes = [HashType(alg=HashAlgorithm.SHA_512, content=b64decode(digest).hex())]
    purl = PackageURL("npm", name=NPM_PACKAGE, version=package["version"])
    return _make_component(purl, hashes, {"file browser"}, package["license"])


def _make_component(purl: PackageURL, hashes: list[HashType], facts: Iterable[str], licence: str = "") -> Component:
    """Return a component, with the hashes of its files in the package index."""
    files = ExternalReference(type=ExternalReferenceType.DISTRIBUTION, url=XsUri(purl.to_string()), hashes=hashes)
    properties = [fact.partition(" ") for fact in facts]
    return Component(
        name=purl.name,
        version=purl.version,
        type=ComponentType.LIBRARY,
        bom_ref=purl.to_string(),
        purl=purl,
        licenses=[LicenseExpression(licence)] if licence else (),
        external_references=[files],
        properties=[Property(name=f"pond:{name}", value=value) for name, _, value in properties if value],
    )
