"""The guide of a board as a PDF file, from the pages in hardware/ and the parts list."""

from __future__ import annotations

import csv
import os
from base64 import b64encode
from collections.abc import Iterable
from html import escape
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token
from weasyprint import CSS, HTML

import pond_hw
from tools.release.dates import HARDWARE, ROOT, read_date

STYLE = """
@page { size: A4; margin: 20mm 18mm; @bottom-center { content: counter(page) " / " counter(pages); font: 8pt sans-serif } }
@page { @bottom-left { content: string(board); font: 8pt sans-serif } }
html { font: 10pt/1.4 sans-serif; string-set: board attr(data-board) }
@page parts { size: A4 landscape } #parts { page: parts }
section + section { break-before: page }
h1 { font-size: 18pt; bookmark-level: 1 } h2 { font-size: 13pt; bookmark-level: 2; break-after: avoid }
h3 { font-size: 11pt; bookmark-level: 3; break-after: avoid }
img { display: block; max-width: 100%; max-height: 200mm; margin: 3mm auto }
table { border-collapse: collapse; font-size: 8pt; margin: 3mm 0 } tr { break-inside: avoid }
th, td { border: 0.2mm solid #999; padding: 0.8mm 1.5mm; text-align: left; vertical-align: top }
code { font-size: 90%; overflow-wrap: anywhere } pre { white-space: pre-wrap; background: #eee; padding: 2mm }
a { color: #114488 }
"""


def write_guide(board: str, to: Path) -> None:
    """Write everything that a builder reads about a board. The same pages, fonts and libraries give the same bytes."""
    os.environ["SOURCE_DATE_EPOCH"] = str(read_date())  # for the fonts
    HTML(string=format_guide(board)).write_pdf(to, stylesheets=[CSS(string=STYLE)])


def format_guide(board: str) -> str:
    """Return the guide as HTML."""
    chapters = list_chapters(board)
    sections = [f'<section id="{_name(page)}">{_render(page, chapters)}</section>' for page in chapters]
    sections.append(
        f'<section id="parts"><h1>{board}: parts</h1>{_format_parts(HARDWARE / board / "parts.csv")}</section>'
    )
    title = f"Pond {pond_hw.__version__}: {board}"
    head = f'<html lang="en" data-board="{title}"><head><title>{title}</title></head>'
    return f"{head}<body>{''.join(sections)}</body></html>"


def list_chapters(board: str) -> list[Path]:
    """Return the pages of a board's guide in their order."""
    own = HARDWARE / board
    pages = [HARDWARE / "README.md", own / "assembly.md", own / "wiring.md", own / "power.md"]
    if (own / "carrier").exists():
        pages.append(HARDWARE / "row-boards" / "README.md")
    return [*pages, ROOT / "docs" / "mistakes.md"]


def _render(page: Path, chapters: Iterable[Path]) -> str:
    """Return a page as HTML. Links to other chapters lead to them, and links to other files are only text."""
    markdown = MarkdownIt("commonmark").enable("table")
    tokens = markdown.parse(page.read_text(encoding="utf-8"))
    for token in (child for block in tokens for child in block.children or ()):
        if token.type == "image":
            token.attrs["src"] = _embed(page.parent / str(token.attrs["src"]))
        elif token.type == "link_open":
            _redirect(token, page, chapters)
    return str(markdown.renderer.render(tokens, markdown.options, {}))


def _embed(picture: Path) -> str:
    """Return a picture as a data URL. A file URL would put this machine's path into the PDF file."""
    content_type = {".png": "image/png", ".svg": "image/svg+xml"}[picture.suffix]
    return f"data:{content_type};base64,{b64encode(picture.read_bytes()).decode()}"


def _redirect(link: Token, page: Path, chapters: Iterable[Path]) -> None:
    target = str(link.attrs.pop("href"))
    if target.startswith(("https:", "http:")):
        link.attrs["href"] = target
        return
    file = (page.parent / target.partition("#")[0]).resolve()
    if file in chapters:
        link.attrs["href"] = f"#{_name(file)}"


def _name(page: Path) -> str:
    return page.relative_to(ROOT).with_suffix("").as_posix().replace("/", "-")


def _format_parts(path: Path) -> str:
    with path.open(encoding="utf-8", newline="") as file:
        head, *rows = csv.reader(file)
    cells = ["".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows]
    names = "".join(f"<th>{escape(name)}</th>" for name in head)
    return f"<table><thead><tr>{names}</tr></thead>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"
