"""Tests of the bill of materials."""

import json
import re
from datetime import UTC, datetime

import pytest

from pond_hw import __version__
from tests.conftest import require
from tests.test_project import read_lock

require("cyclonedx", "it writes the bill of materials")

from cyclonedx.schema import SchemaVersion  # noqa: E402 - it may be missing
from cyclonedx.validation.json import JsonStrictValidator  # noqa: E402

from tools.release import sbom  # noqa: E402
from tools.release.dates import read_date  # noqa: E402


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    path = tmp_path_factory.mktemp("sbom") / "sbom.json"
    sbom.write_sbom(path)
    return path.read_text("utf-8")


@pytest.fixture
def bill(written):
    return json.loads(written)


def files_of(component):
    return {each["value"] for each in component["properties"] if each["name"] == "pond:file"}


def test_bill_is_valid_cyclonedx(written):
    assert JsonStrictValidator(SchemaVersion.V1_6).validate_str(written) is None


def test_bill_lists_every_package_of_the_wheel(bill):
    packages = {f"{name}@{package.version}" for name, package in read_lock("requirements.lock").items()}
    packages = {name for name in packages if not name.startswith("setuptools@")}
    listed = {
        each["purl"].removeprefix("pkg:pypi/")
        for each in bill["components"]
        if each["purl"].startswith("pkg:pypi/") and "wheel" in files_of(each)
    }
    assert listed == packages


def test_bill_lists_the_packages_that_only_the_debian_package_has(bill):
    debian = {each["name"] for each in bill["components"] if files_of(each) == {"deb"}}
    assert {"starlette", "uvicorn"} <= debian


def test_browser_page_includes_python(bill):
    (package,) = [each for each in bill["components"] if files_of(each) == {"browser"}]
    assert package["name"] == "pyodide"
    assert package["licenses"] == [{"expression": "MPL-2.0"}]


def test_bill_names_the_version_and_the_date_of_the_sources(bill):
    about = bill["metadata"]
    assert (about["component"]["name"], about["component"]["version"]) == ("pond-hw", __version__)
    assert datetime.fromisoformat(about["timestamp"]) == datetime.fromtimestamp(read_date(), UTC)


def test_every_component_has_hashes_and_no_address(written, bill):
    for component in bill["components"]:
        (reference,) = component["externalReferences"]
        assert reference["hashes"]
    assert re.findall(r"https?://(?!cyclonedx\.org/)[^\"]+", written) == []


def test_same_locks_give_the_same_bill(written, tmp_path):
    sbom.write_sbom(tmp_path / "again.json")
    assert (tmp_path / "again.json").read_text("utf-8") == written
