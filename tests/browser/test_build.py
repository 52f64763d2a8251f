"""The folder of `make browser`: its packages, modules and sizes."""

import json
import re
import subprocess
from pathlib import PurePosixPath

import pytest

from tests.conftest import require

require("starlette", "it is beside the page's modules")

from tools.browser import build  # noqa: E402
from tools.browser.pack_modules import Source, find_needed  # noqa: E402
from tools.browser.serve import CONTENT_TYPES  # noqa: E402

MAX_BYTES = 6_000_000
"""Maximum size of a first visit, compressed with brotli."""


@pytest.fixture
def folder(built_folder):
    return built_folder


def list_contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in build.list_files(folder)}


def make_sources(texts):
    sources = [Source(PurePosixPath(f"{path}.py"), text.encode()) for path, text in texts.items()]
    return {source.module_name: source for source in sources}


def test_lock_has_a_hash_for_each_package_and_no_address():
    text = (build.HERE / "package-lock.json").read_text("utf-8")
    wanted = json.loads((build.HERE / "package.json").read_text("utf-8"))["dependencies"]
    packages = json.loads(text)["packages"]
    assert packages.pop("")["dependencies"] == wanted
    assert all(each["integrity"].startswith("sha512-") and "resolved" not in each for each in packages.values())
    assert {name: packages[f"node_modules/{name}"]["version"] for name in wanted} == wanted
    assert "//" not in text


def test_needed_modules_include_those_imported_in_functions():
    texts = dict.fromkeys(["a/__init__", "a/c", "a/other", "d/__init__", "d/g", "x"], "")
    sources = make_sources({**texts, "a/b": "def f():\n    from . import c\n    import d.e", "d/e": "from .g import h"})
    assert list(find_needed(sources, ["a.b"])) == ["a", "a.b", "a.c", "d", "d.e", "d.g"]


def test_unused_modules_are_needed_only_if_a_root():
    sources = make_sources({"a": "import b, c", "b": "", "c": ""})
    assert list(find_needed(sources, ["a"], frozenset({"b"}))) == ["a", "c"]
    assert list(find_needed(sources, ["a", "b"], frozenset({"b"}))) == ["a", "b", "c"]


@pytest.mark.slow
def test_same_sources_give_the_same_bytes(folder, tmp_path):
    build.main(tmp_path / "again")
    assert list_contents(tmp_path / "again") == list_contents(folder)


@pytest.mark.slow
def test_first_visit_is_small(folder):
    command = ["node", build.HERE / "sizes.mjs", folder, "--json"]
    sizes = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert sizes["brotli"] <= MAX_BYTES < sizes["raw"], sizes


@pytest.mark.slow
def test_all_packed_modules_can_be_imported(folder):
    command = ["node", "tests/browser/import_modules.mjs", find_version_folder(folder)]
    run = subprocess.run(command, capture_output=True, text=True, check=False, cwd=build.ROOT)
    assert run.returncode == 0, run.stderr[-2000:]
    found = json.loads(run.stdout)
    assert found["failed"] == {}
    assert {"pond_hw.browser.page_board", "pond_hw.engine.packed.search"} <= set(found["imported"])
    rooms = {name.split(".")[1] for name in found["imported"]}
    assert not rooms & {"cards", "commands", "doctor", "fabrication", "lab", "tui"}


@pytest.mark.slow
def test_page_refers_to_no_other_host(folder):
    html = (folder / "index.html").read_text("utf-8")
    assert set(re.findall(r"\w+://[^\s'\"`)]*", html)) <= {"http://www.w3.org/2000/svg"}
    about = (folder / "about" / "index.html").read_text("utf-8")
    assert set(re.findall(r'(?:src|href)="(?!https://github.com/)([^"]*)"', about)) == {
        "../",
        "../page/icon.svg",
        *(f"../licences/{path.name}" for path in (folder / "licences").iterdir()),
    }
    assert "David Rose" in about
    assert "_VERSION" not in about


@pytest.mark.slow
def test_server_knows_the_type_of_each_file(folder):
    without = {path.suffix for path in build.list_files(folder)} - set(CONTENT_TYPES)
    assert without == {".pack", ".zip"}  # only the workers read these


def find_version_folder(folder):
    (version_folder,) = {path.parent for path in folder.glob("*/game_worker.js")}
    return version_folder
