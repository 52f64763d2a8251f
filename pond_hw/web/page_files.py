"""What the page asks for after it has come, read and compressed once: these bytes are all there is."""

from __future__ import annotations

import gzip
from collections.abc import Mapping
from hashlib import sha256
from typing import NamedTuple

from pond_hw.messages.catalogue import LANGUAGES
from pond_hw.web.page_html import PAGE_FOLDER
from pond_hw.web.page_words import format_words

CONTENT_TYPES = {
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
        if accepts_gzip(headers):
            return 200, self.compressed, own_headers | {"content-encoding": "gzip"}
        return 200, self.content, own_headers


def accepts_gzip(headers: Mapping[str, str]) -> bool:
    """Whether whoever sends these headers can read what is compressed."""
    return "gzip" in headers.get("accept-encoding", "")


def list_page_files() -> dict[bytes, PageFile]:
    """The file behind each path that the page may ask for."""
    contents = {
        f"/page/{path.name}": (path.read_bytes(), CONTENT_TYPES[path.suffix])
        for path in sorted(PAGE_FOLDER.iterdir())
        if path.suffix in CONTENT_TYPES
    }
    for language in LANGUAGES:
        contents[f"/page/words-{language}.json"] = format_words(language).encode(), "application/json"
    return {path.encode(): PageFile.from_content(*content) for path, content in contents.items()}
