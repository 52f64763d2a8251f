"""Sphinx configuration for `make docs`: plain Markdown, no network access; warnings are errors."""

import json
from pathlib import Path

project = "Pond"
author = "the Pond contributors"
extensions = ["myst_parser"]
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 3
html_theme = "furo"
html_title = "Pond"
html_favicon = "../pond_hw/web/page/icon.svg"
html_static_path = ["live_boards"]
suppress_warnings = [
    "toc.not_included",  # decisions, guides and notes of tests are reached by links
    "myst.xref_missing",  # it also warns of links to folders; tests/test_manual.py checks the links
]
root_doc = "docs/index"
include_patterns = ["docs/**", "hardware/**", "firmware/**", "tests/**/README.md", "*.md"]
exclude_patterns = ["docs/_site"]
html_theme_options = {"source_repository": "", "footer_icons": []}
pygments_style = "sphinx"

SCORING = "position=F.f./.t../E.../.... l 11 11 0 0&players=human,human"

LIVE_BOARDS = {
    "docs/first-evening": {"game.webp": "players=human,level-1", "scored.webp": SCORING},
    "docs/lights": {
        "your-turn.webp": "lamps=16&position=..../.T.t/..e./.E.. l 11 11 0 0&players=human,level-1",
        "scored.webp": f"lamps=16&{SCORING}",
    },
    "docs/lessons": {"lesson.webp": "lesson=place"},
    "docs/pieces": {"chosen.webp": "board=pieces&players=human,human"},
}
"""Pictures that a live board can replace, by page, and the board: the fields of `BoardStart`."""


def add_live_boards(app, page, *_):
    """Add the script of the live boards to a page that has some."""
    if boards := app.config.live_boards.get(page):
        app.add_css_file("live_boards.css")
        app.add_js_file("live_boards.js", loading_method="defer", **{"data-boards": json.dumps(boards)})


def setup(app):
    """Add live boards if `make browser` has built them beside the manual."""
    has_boards = (Path(app.outdir) / "browser" / "board.html").exists()
    app.add_config_value("live_boards", LIVE_BOARDS if has_boards else {}, "html")
    app.connect("html-page-context", add_live_boards)
