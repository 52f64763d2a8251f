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

PAGE_FOLDER = Path(__file__).parent / "page"

MAIN_MODULE = "main.js"
STYLE_SHEETS = ("dialogs.css", "base.css", "page.css", "board.css", "games.css", "moments.css", "television.css")
"""Style sheets, in the order in which they are joined. Later rules override earlier ones."""

LANGUAGE_COOKIE = "pond-language"
"""Cookie that the page sets when the user chooses a language."""

OWN_WORDS = ("page.own.", "page.trial.")
"""Beginnings of the ids of strings that only the page of an own board has."""

CONTENT_TYPES = {
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}

NOT_MODIFIED = 304

_CHOSEN = re.compile(rf"(?:^|;\s*){LANGUAGE_COOKIE}=([a-z]+)")
_WORD = re.compile(r'(<[^<>]* data-word="([\w.]+)"[^<>]*>)(?=</)')
_LABEL = re.compile(r'(?<= )data-label="([\w.]+)"')

_PART = re.compile(r"<!-- (own|shared) -->\n(.*?)<!-- end -->\n", re.DOTALL)
_DOCTYPE = "<!doctype"

_IMPORT = re.compile(r"^import \{ ([\w, ]+) \} from \"\./(\w+\.js)\";$", re.MULTILINE)
_EXPORT = re.compile(r"^export (?:async )?(?:function|class|const) (\w+)", re.MULTILINE)
_EXPORT_WORD = re.compile(r"^export (?=(?:async )?(?:function|class|const) \w)", re.MULTILINE)
_MODULE_WORD = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)
_COMMENT = re.compile(r"^ *(?://.*|/\*(?:[^*]|\*(?!/))*\*/)\n", re.MULTILINE)

_GZIP = 16 + zlib.MAX_WBITS


class PageHtml:
    """The page in every language, up to the part that depends on the visitor.

    Args:
        site: folder that makes the page that of a visitor's own board, without seats and hardware. Its `main.js` replaces
            the page's, and may import modules of both folders as `./name.js`. Its style sheets and its fragments of HTML
            (.html files without a doctype) are added to the page's, in the order of their names. Such a page contains its
            strings in all languages.

    Attributes:
        script_source, style_source: sources of the inline script and styles for a Content-Security-Policy.
        content_security_policy: value of a header that allows exactly what the page of `pond web` needs.
    """

    def __init__(self, site: Path | None = None) -> None:
        folders = (PAGE_FOLDER, site) if site else (PAGE_FOLDER,)
        script = join_modules(read_modules(*folders), MAIN_MODULE)
        style_sheets = [PAGE_FOLDER / name for name in STYLE_SHEETS] + (sorted(site.glob("*.css")) if site else [])
        styles = "".join(path.read_text("utf-8") for path in style_sheets)
        self.script_source, self.style_source = (f"'{hash_content(text.encode())}'" for text in (script, styles))
        self.content_security_policy = (
            f"default-src 'none'; script-src {self.script_source}; style-src {self.style_source}; img-src 'self'; "
            "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )
        html = _read_html(site).replace("</head>", f"<style>{styles}</style>\n</head>")
        words = {language: list_words(language, own=bool(site)) for language in LANGUAGES}
        self._beginnings = {
            language: _translate(html, language, words if site else {language: words[language]}, script)
            for language in LANGUAGES
        }
        self._compressed = {language: _begin_to_compress(text) for language, text in self._beginnings.items()}

    def format(self, language: str, messages: Iterable[str], *, compress: bool) -> bytes:
        """Format the page for one visitor. `messages` are the JSON strings from `PageHub.build_messages`."""
        end = format_data("beginning", f"[{','.join(messages)}]") + b"</body>\n</html>\n"
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


def read_modules(*folders: Path) -> dict[str, str]:
    """Read the scripts of some folders by name. A script replaces one of the same name in an earlier folder."""
    return {path.name: path.read_text("utf-8") for folder in folders for path in folder.glob("*.js")}


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


def _read_html(site: Path | None) -> str:
    """Return the HTML with the parts for an own board (if there is a site) or for a shared one."""
    wanted = "own" if site else "shared"
    html = (PAGE_FOLDER / "index.html").read_text("utf-8")
    html = _PART.sub(lambda found: found[2] if found[1] == wanted else "", html)
    texts = [path.read_text("utf-8") for path in sorted(site.glob("*.html"))] if site else []
    fragments = "".join(text for text in texts if not text.startswith(_DOCTYPE))
    return html.replace("</body>", f"{fragments}</body>")


def _translate(html: str, language: str, known_words: Mapping[str, Mapping[str, str]], script: str) -> bytes:
    """Format the page in a language, up to the part that depends on the visitor."""
    words = known_words[language]
    html = html.replace('<html lang="en">', f'<html lang="{language}">').partition("</body>")[0]
    html = fill_words(html, words)
    script = f'<script type="module">{script}</script>\n'
    return html.encode() + format_data("words", format_json(known_words)) + script.encode()


def fill_words(html: str, words: Mapping[str, str]) -> str:
    """Write the strings of a language into the elements that name them."""
    html = _WORD.sub(lambda found: found[1] + escape(words[found[2]]), html)
    return _LABEL.sub(lambda found: f'{found[0]} aria-label="{escape(words[found[1]])}"', html)


def format_data(name: str, json_text: str) -> bytes:
    """Embed JSON in an element that is not executed and that its content cannot close."""
    text = json_text.replace("<", "\\u003c")
    return f'<script type="application/json" id="{name}">{text}</script>\n'.encode()


def _begin_to_compress(text: bytes) -> tuple[bytes, zlib._Compress]:
    compressor = zlib.compressobj(9, wbits=_GZIP)
    return compressor.compress(text), compressor


def hash_content(content: bytes) -> str:
    """Return the integrity value of a file. In quotes, it allows an inline script in a Content-Security-Policy."""
    return f"sha256-{b64encode(sha256(content).digest()).decode()}"


def list_words(language: str, *, own: bool = False) -> dict[str, str]:
    """Return the page's strings by id, with the names of levels and languages.

    `own` is True for the page of an own board. It has more strings, and `page.own.name` replaces `page.name`.
    """
    catalogue = get_catalogue(language)
    words = {
        name: text for name, text in catalogue.find_texts("page.").items() if own or not name.startswith(OWN_WORDS)
    }
    for name in [name for name in words if name.startswith("page.own.")]:
        if (replaced := name.replace("page.own.", "page.")) in words:
            words[replaced] = words.pop(name)
    words |= {f"language.{code}": name for code, name in LANGUAGES.items()}
    for program in LEVEL_NAMES.values():
        level_name = catalogue.text(name_program(program))
        words[f"page.program.{program}"] = level_name[0].upper() + level_name[1:]
    return words


def format_json(fields: object) -> str:
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


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
        contents[f"/page/words-{language}.json"] = format_json(list_words(language)).encode(), "application/json"
    return {path.encode(): PageFile.from_content(*content) for path, content in contents.items()}
