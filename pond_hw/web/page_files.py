"""The page as one response (HTML, styles, scripts, strings, initial state), and its other files.

The board appears as soon as the response arrives, without further requests.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from base64 import b64encode
from collections.abc import Iterable, Mapping
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import NamedTuple

from pond_hw.engine import LEVEL_NAMES
from pond_hw.engine.player_name import name_program
from pond_hw.messages.catalogue import LANGUAGES, get_catalogue
from pond_hw.messages.message import Message
from pond_hw.rules import VARIANTS

PAGE_FOLDER = Path(__file__).parent / "page"

MAIN_MODULE = "page.js"
STYLE_SHEETS = ("dialogs.css", "page.css", "board.css", "games.css")
"""Style sheets, in the order in which they are joined. Later rules override earlier ones."""

LANGUAGE_COOKIE = "pond-language"
"""Cookie that the page sets when the user chooses a language."""

CONTENT_TYPES = {
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}

NOT_MODIFIED = 304

_CHOSEN = re.compile(rf"(?:^|;\s*){LANGUAGE_COOKIE}=([a-z]+)")
_WORD = re.compile(r'(<[^<>]* data-word="([\w.]+)"[^<>]*>)(?=</)')
_LABEL = re.compile(r'(?<= )data-label="([\w.]+)"')

_IMPORT = re.compile(r"^import \{ ([\w, ]+) \} from \"\./(\w+\.js)\";$", re.MULTILINE)
_EXPORT = re.compile(r"^export (?:async )?(?:function|class|const) (\w+)", re.MULTILINE)
_EXPORT_WORD = re.compile(r"^export (?=(?:async )?(?:function|class|const) \w)", re.MULTILINE)
_MODULE_WORD = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)
_COMMENT = re.compile(r"^ *(?://.*|/\*(?:[^*]|\*(?!/))*\*/)\n", re.MULTILINE)

_GZIP = 16 + zlib.MAX_WBITS


class PageHtml:
    """The page in every language, up to the part that depends on the visitor.

    Attributes:
        content_security_policy: value of a header that allows exactly what the page needs.
    """

    def __init__(self) -> None:
        modules = {path.name: path.read_text("utf-8") for path in PAGE_FOLDER.glob("*.js")}
        script = join_modules(modules, MAIN_MODULE)
        styles = "".join((PAGE_FOLDER / name).read_text("utf-8") for name in STYLE_SHEETS)
        self.content_security_policy = (
            f"default-src 'none'; script-src {_hash_source(script)}; style-src {_hash_source(styles)}; img-src 'self'; "
            "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
        html = (PAGE_FOLDER / "index.html").read_text("utf-8")
        html = html.replace("</head>", f"<style>{styles}</style>\n</head>")
        self._beginnings = {language: _translate(html, language, script) for language in LANGUAGES}
        self._compressed = {language: _begin_to_compress(text) for language, text in self._beginnings.items()}

    def format(self, language: str, messages: Iterable[str], *, compress: bool) -> bytes:
        """Format the page for one visitor. `messages` are the JSON strings from `PageHub.build_messages`."""
        end = _format_data("beginning", f"[{','.join(messages)}]") + b"</body>\n</html>\n"
        if not compress:
            return self._beginnings[language] + end
        compressed, compressor = self._compressed[language]
        compressor = compressor.copy()
        return compressed + compressor.compress(end) + compressor.flush()


def choose_page_language(cookies: str, accepted: str) -> str:
    """Return the last language chosen on the page, else the browser's preferred language, else English."""
    chosen = _CHOSEN.findall(cookies)
    for name in (*chosen[:1], *accepted.split(",")):
        if (code := re.split(r"[^a-z]", name.strip().lower())[0]) in LANGUAGES:
            return code
    return "en"


def join_modules(modules: Mapping[str, str], main: str) -> str:
    """Join all scripts of the page, without comments, so that a phone needs only one request.

    Imports must be at the top, one per line, and only from modules of the page. Only declarations of functions, classes and
    constants can be exported. Circular imports are not allowed. A line that starts like a comment is dropped. Raises
    ValueError if a script breaks these rules.
    """
    joined: dict[str, str | None] = {}

    def add(name: str) -> None:
        if name in joined:
            if joined[name] is None:
                raise ValueError(f"{name} imports itself in a circle")
            return
        joined[name] = None
        text, exported = _COMMENT.sub("", modules[name]), _EXPORT.findall(modules[name])
        for imported in _IMPORT.findall(text):
            add(imported[1])
        text = _EXPORT_WORD.sub("", _IMPORT.sub(r"const { \1 } = modules['\2'];", text))
        if unsupported := _MODULE_WORD.search(text) or re.search("<(?:!--|/?script)", text):
            raise ValueError(f"{name} has {unsupported[0]!r} in another style")
        del joined[name]  # reinsert it after its imports
        joined[name] = f"modules['{name}'] = (() => {{\n{text}\nreturn {{ {', '.join(exported)} }};\n}})();\n"

    add(main)
    return "".join(["const modules = {};\n", *map(str, joined.values())])


def _translate(html: str, language: str, script: str) -> bytes:
    """Format the page in a language, up to the part that depends on the visitor."""
    words = list_words(language)
    html = html.replace('<html lang="en">', f'<html lang="{language}">').partition("</body>")[0]
    html = _WORD.sub(lambda found: found[1] + escape(words[found[2]]), html)
    html = _LABEL.sub(lambda found: f'{found[0]} aria-label="{escape(words[found[1]])}"', html)
    script = f'<script type="module">{script}</script>\n'
    return html.encode() + _format_data("words", format_words(language)) + script.encode()


def _format_data(name: str, json_text: str) -> bytes:
    """Embed JSON in an element that is not executed and that its content cannot close."""
    text = json_text.replace("<", "\\u003c")
    return f'<script type="application/json" id="{name}">{text}</script>\n'.encode()


def _begin_to_compress(text: bytes) -> tuple[bytes, zlib._Compress]:
    compressor = zlib.compressobj(9, wbits=_GZIP)
    return compressor.compress(text), compressor


def _hash_source(text: str) -> str:
    """Return the source expression for an inline script or style sheet in a Content-Security-Policy."""
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def list_words(language: str) -> dict[str, str]:
    """Return the page's strings by id, with the names of levels and languages and the descriptions of ponds."""
    catalogue = get_catalogue(language)
    words = catalogue.find_texts("page.") | {f"language.{code}": name for code, name in LANGUAGES.items()}
    for name, variant in VARIANTS.items():
        about = Message("page.ponds.about", size=variant.size, spawn=variant.spawn, target=variant.target)
        words[f"pond.{name}"] = catalogue.text(about)
    for program in LEVEL_NAMES.values():
        level_name = catalogue.text(name_program(program))
        words[f"page.program.{program}"] = level_name[0].upper() + level_name[1:]
    return words


def format_words(language: str) -> str:
    return json.dumps(list_words(language), ensure_ascii=False, separators=(",", ":"))


class PageFile(NamedTuple):
    """A file of the page.

    Attributes:
        content: the file as bytes.
        compressed: content compressed with gzip.
        content_type: media type.
        tag: ETag header, derived from the content.
    """

    content: bytes
    compressed: bytes
    content_type: str
    tag: str

    @classmethod
    def from_content(cls, content: bytes, content_type: str) -> PageFile:
        return cls(content, gzip.compress(content, 9, mtime=0), content_type, f'"{sha256(content).hexdigest()[:20]}"')

    def choose_answer(self, headers: Mapping[str, str]) -> tuple[int, bytes, dict[str, str]]:
        """Return the HTTP status, body and headers of the response to a request with these headers."""
        own_headers = {"content-type": self.content_type, "etag": self.tag, "vary": "accept-encoding"}
        if headers.get("if-none-match") == self.tag:
            return NOT_MODIFIED, b"", own_headers
        if accepts_gzip(headers):
            return 200, self.compressed, own_headers | {"content-encoding": "gzip"}
        return 200, self.content, own_headers


def accepts_gzip(headers: Mapping[str, str]) -> bool:
    return "gzip" in headers.get("accept-encoding", "")


def list_page_files() -> dict[bytes, PageFile]:
    """Return the page's other files by path."""
    contents = {
        f"/page/{path.name}": (path.read_bytes(), CONTENT_TYPES[path.suffix])
        for path in sorted(PAGE_FOLDER.iterdir())
        if path.suffix in CONTENT_TYPES
    }
    for language in LANGUAGES:
        contents[f"/page/words-{language}.json"] = format_words(language).encode(), "application/json"
    return {path.encode(): PageFile.from_content(*content) for path, content in contents.items()}
