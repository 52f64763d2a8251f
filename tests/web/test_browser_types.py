"""Type check of the page's scripts, with the types in their comments."""

import json
import subprocess

import pytest

from tests.conftest import require

require("starlette", "it serves the page")

from pond_hw.web.page_files import PAGE_FOLDER  # noqa: E402

SITE_FOLDER = PAGE_FOLDER.parents[1] / "browser" / "site"
"""Modules of the page of an own board, which are joined with those of the page."""

LIVE_BOARD_FOLDER = SITE_FOLDER.parent / "live_board"
"""Modules of the small board in the manual, which are joined with those of both pages."""

MANUAL_FOLDER = PAGE_FOLDER.parents[2] / "docs" / "live_boards"
"""Script that puts these boards into the manual."""

FOLDERS = (PAGE_FOLDER, SITE_FOLDER, LIVE_BOARD_FOLDER, MANUAL_FOLDER)

OPTIONS = {
    "allowJs": True,
    "checkJs": True,
    "strict": True,
    "noFallthroughCasesInSwitch": True,
    "noImplicitReturns": True,
    "noEmit": True,
    "target": "es2020",
    "module": "es2020",
    "moduleResolution": "node",
    "lib": ["es2020", "dom", "dom.iterable"],
    "rootDirs": [str(folder) for folder in FOLDERS],
    "types": [],
}


def check(folder, *scripts):
    require("tsc", "it checks the types of the page's scripts")
    project = folder / "tsconfig.json"
    project.write_text(json.dumps({"compilerOptions": OPTIONS, "files": [str(script) for script in scripts]}))
    command = ["tsc", "--project", str(project), "--pretty", "false"]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.slow
def test_scripts_pass_the_type_check(tmp_path):
    scripts = [script for folder in FOLDERS for script in sorted(folder.glob("*.js"))]
    assert [each.name for each in scripts if not each.read_text(encoding="utf-8").startswith("// @ts-check\n")] == []
    wrong = tmp_path / "wrong.js"
    wrong.write_text("/** @param {string} cell */\nexport const twice = (cell) => cell * 2;\n", encoding="utf-8")
    found = check(tmp_path, *scripts, wrong).stdout.splitlines()
    assert [line for line in found if "wrong.js(2,32): error TS2362" not in line] == []
    assert found
