"""Live boards in the manual, with the pages that have some, built with Sphinx."""

import json
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pond_hw.browser.page_board import BoardStart, PageBoard
from tests.browser.built_page import build_once, serve
from tests.conftest import each, require
from tests.web.browser import PHONE, SCREEN, Phone, find_barriers, open_browser

ROOT = Path(__file__).parents[2]
LIVE_BOARDS = runpy.run_path(str(ROOT / "docs" / "conf.py"))["LIVE_BOARDS"]
BOARDS = [(page, picture, start) for page, boards in LIVE_BOARDS.items() for picture, start in boards.items()]

MOVES = {
    "docs/first-evening": ("b2", "Light placed an egg on b2"),
    "docs/lights": ("d4", "Light placed an egg on d4"),
    "docs/lessons": ("b2", "Dark has placed an egg, too"),
    "docs/pieces": ("b2", "Light placed an egg on b2"),
}
"""For the first board of each page: a cell to press, and part of what it says then."""

PATIENCE_MS = 60_000


def parse_fields(start):
    return dict(field.split("=", 1) for field in start.split("&"))
