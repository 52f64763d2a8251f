"""The files of the page, read and compressed once: whatever is asked for, these bytes are all there is."""

from __future__ import annotations

import gzip
import re
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from pond_hw.messages.catalogue import LANGUAGES
from pond_hw.web.page_words import format_words

PAGE_FOLDER = Path(__file__).parent / "page"

CONTENT_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}

MAIN_MODULE = "page.js"
STYLE_SHEETS = ("dialogs.css", "page.css", "board.css", "games.css")
"""In this order they are one: what comes later counts more."""

_IMPORT = re.compile(r"^import \{ ([\w, ]+) \} from \"\./(\w+\.js)\";$", re.MULTILINE)
_EXPORT = re.compile(r"^export (?:async )?(?:function|class|const) (\w+)", re.MULTILINE)
_EXPORT_WORD = re.compile(r"^export (?=(?:async )?(?:function|class|const) \w)", re.MULTILINE)
_MODULE_WORD = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)

NOT_MODIFIED = 304
"""The HTTP status that says that a browser has a file already."""


class PageFile(NamedTuple):
    """A file of the page.

    Attributes:
        content: its bytes.
        compressed: the same by gzip.
        content_type: its media type.
        tag: the value of its ETag header; another one if the content changes.
    """

    content: bytes
    compressed: bytes
    content_type: str
    tag: str

    @classmethod
    def from_content(cls, content: bytes, content_type: str) -> PageFile:
        """The file with this content."""
        return cls(content, gzip.compress(content, 9, mtime=0), content_type, f'"{sha256(content).hexdigest()[:20]}"')

    def choose_answer(self, headers: Mapping[str, str]) -> tuple[int, bytes, dict[str, str]]:
        """What a request is answered with.

        Args:
            headers: those of the request.

        Returns:
            The HTTP status, the body, and headers.
        """
        own_headers = {"content-type": self.content_type, "etag": self.tag, "vary": "accept-encoding"}
        if headers.get("if-none-match") == self.tag:
            return NOT_MODIFIED, b"", own_headers
        if "gzip" in headers.get("accept-encoding", ""):
            return 200, self.compressed, own_headers | {"content-encoding": "gzip"}
        return 200, self.content, own_headers


def list_page_files() -> dict[bytes, PageFile]:
    """The file behind each path of the page."""
    contents = {
        f"/page/{path.name}": (path.read_bytes(), CONTENT_TYPES[path.suffix])
        for path in sorted(PAGE_FOLDER.iterdir())
        if path.suffix in CONTENT_TYPES and path.suffix not in (".js", ".css")
    }
    styles = b"".join((PAGE_FOLDER / name).read_bytes() for name in STYLE_SHEETS)
    contents["/page/page.css"] = styles, CONTENT_TYPES[".css"]
    modules = {path.name: path.read_text("utf-8") for path in PAGE_FOLDER.glob("*.js")}
    contents[f"/page/{MAIN_MODULE}"] = join_modules(modules, MAIN_MODULE).encode(), CONTENT_TYPES[".js"]
    contents |= {f"/page/words-{language}.json": (format_words(language), "application/json") for language in LANGUAGES}
    contents["/"] = contents.pop("/page/index.html")
    return {path.encode(): PageFile.from_content(*content) for path, content in contents.items()}


def join_modules(modules: Mapping[str, str], main: str) -> str:
    """All scripts of the page as one, so that a phone asks once and not thirty times.

    They keep to a style that makes this easy: imports from modules of the page alone, each on a line of its own at the
    top; exports are functions, classes and constants where they are declared; nothing imports in a circle.

    Args:
        modules: the scripts by their names.
        main: the one that all others are for.

    Raises:
        ValueError: a script has another style.
    """
    joined: dict[str, str | None] = {}

    def add(name: str) -> None:
        if name in joined:
            if joined[name] is None:
                raise ValueError(f"{name} imports itself in a circle")
            return
        joined[name] = None
        text, exported = modules[name], _EXPORT.findall(modules[name])
        for imported in _IMPORT.findall(text):
            add(imported[1])
        text = _EXPORT_WORD.sub("", _IMPORT.sub(r"const { \1 } = modules['\2'];", text))
        if stray := _MODULE_WORD.search(text):
            raise ValueError(f"{name} has {stray[0]!r} in another style")
        del joined[name]  # to stand behind what it needs
        joined[name] = f"modules['{name}'] = (() => {{\n{text}\nreturn {{ {', '.join(exported)} }};\n}})();\n"

    add(main)
    return "".join(["const modules = {};\n", *map(str, joined.values())])


def format_preload_links(language: str) -> str:
    """A Link header that has a browser fetch script and words at once, and not one after the other.

    Args:
        language: the one that the page will begin with, as far as anybody knows.
    """
    words = f"</page/words-{language}.json>; rel=preload; as=fetch; crossorigin"
    return f"{words}, </page/{MAIN_MODULE}>; rel=modulepreload"
