"""The files of the page, read and compressed once: whatever is asked for, these bytes are all there is."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Mapping
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
        if path.suffix in CONTENT_TYPES
    }
    contents |= {f"/page/words-{language}.json": (format_words(language), "application/json") for language in LANGUAGES}
    contents["/"] = contents.pop("/page/index.html")
    return {path.encode(): PageFile.from_content(*content) for path, content in contents.items()}


def format_preload_links(paths: Iterable[bytes], language: str) -> str:
    """A Link header that has a browser fetch scripts and words at once, and not one after the other as they are needed.

    Args:
        paths: those of all files.
        language: the one that the page will begin with, as far as anybody knows.
    """
    modules = [f"<{path.decode()}>; rel=modulepreload" for path in paths if path.endswith(b".js")]
    return ", ".join([f"</page/words-{language}.json>; rel=preload; as=fetch; crossorigin", *modules])
