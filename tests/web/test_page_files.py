"""The page as a single response: its content, what each visitor gets, and its protection against injection."""

import asyncio
import gzip
import json
import re
from base64 import b64encode
from hashlib import sha256
from html import unescape

import pytest

from pond_hw.engine import LEVEL_NAMES
from pond_hw.engine.player_name import name_program
from pond_hw.messages.catalogue import LANGUAGES, get_catalogue
from pond_hw.rules import LIGHT
from pond_hw.web.page_files import (
    PAGE_FOLDER,
    STYLE_SHEETS,
    PageFile,
    PageHtml,
    choose_page_language,
    join_modules,
    list_page_files,
    list_words,
)
from pond_hw.web.seat_book import COOKIE_NAME, make_token
from tests.conftest import each, require
from tests.web.hub_bench import SeatBench

HTML = PageHtml()

SITE_FOLDER = PAGE_FOLDER.parents[1] / "browser" / "site"
"""Further modules for the page of an own board."""


def read_page(language, *messages):
    return HTML.format(language, messages, compress=False).decode()


def read_data(page, name):
    """Return the JSON with this id in a page."""
    return json.loads(re.search(rf'<script type="application/json" id="{name}">(.*?)</script>', page, re.DOTALL)[1])


@each("language", list(LANGUAGES))
def test_page_is_complete_in_each_language(language):
    page, words = read_page(language), list_words(language)
    assert f'<html lang="{language}">' in page
    assert read_data(page, "words") == {language: words}
    marked = re.findall(r'data-word="(.*?)"[^<>]*>(.*?)<', page)
    assert len(marked) == page.count("data-word=") > 50
    assert [name for name, text in marked if unescape(text) != words[name]] == []
    labelled = re.findall(r'data-label="(.*?)" aria-label="(.*?)"', page)
    assert len(labelled) == page.count("data-label=") > 5
    assert [name for name, text in labelled if unescape(text) != words[name]] == []
    assert {code: words[f"language.{code}"] for code in LANGUAGES} == LANGUAGES
    for program in LEVEL_NAMES.values():
        assert words[f"page.program.{program}"].lower() == get_catalogue(language).text(name_program(program)).lower()


def test_page_uses_exactly_its_messages():
    sources = "".join(path.read_text() for folder in (PAGE_FOLDER, SITE_FOLDER) for path in folder.glob("*.[jh]*"))
    named = set(re.findall(r"[\"`](page\.[^\"`]*)", re.sub(r"\$\{[^{}]*\}", "*", sources)))
    words = list_words("en", own=True)
    assert {name for name in named if "*" not in name} - set(words) == set()
    patterns = "|".join(re.escape(name).replace(r"\*", r"[\w.-]+") for name in named)
    unused = [word for word in words if not re.fullmatch(patterns, word)]
    assert [word for word in unused if not word.startswith("language.")] == []


@each("language", list(LANGUAGES))
def test_labels_contain_the_visible_text(language):
    """Otherwise voice control cannot press the button by its name (WCAG 2.5.3)."""
    words = list_words(language)
    labelled = [("page.seat.take_away_number", "page.seat.take_away")]
    labelled += [(f"page.offer.{side}", f"page.side.{side}") for side in ("light", "dark")]
    labelled += [("page.offer.both", "page.seat.both")]
    assert [name for name, seen in labelled if words[seen].lower() not in words[name].lower()] == []


@each("language", list(LANGUAGES))
def test_side_names_are_consistent(language):
    words, sides = list_words(language), ("light", "dark")
    kinds = ("page.offer", "page.help", "page.head_start", "page.hint_limit", "page.piece")
    named = [(name, side) for name in words for side in sides if re.match(f"({'|'.join(kinds)}).{side}\\b", name)]
    assert len(named) == 16
    assert [name for name, side in named if words[f"page.side.{side}"] not in words[name]] == []


def test_player_names_cannot_inject_html():
    hello = {"names": {"light": "</script><script>alert(1)", "dark": "<!-- & \u2028"}}
    page = read_page("en", json.dumps(hello), json.dumps({"more": 1}, ensure_ascii=False))
    assert page.count("</script>") == read_page("en").count("</script>")
    assert "alert(1)" in page
    assert read_data(page, "beginning") == [hello, {"more": 1}]


def test_compressed_page_is_equal():
    for name in ("Ada", "Ben", "Ada"):
        message = json.dumps({"name": name})
        compressed = HTML.format("nl", [message], compress=True)
        assert gzip.decompress(compressed).decode() == read_page("nl", message)


def test_page_contains_all_styles_and_scripts():
    assert set(STYLE_SHEETS) == {path.name for path in PAGE_FOLDER.glob("*.css")}
    page = read_page("en")
    for path in PAGE_FOLDER.glob("*.js"):
        assert f"modules['{path.name}']" in page, f"nothing needs {path.name}"
    for name in STYLE_SHEETS:
        assert (PAGE_FOLDER / name).read_text(encoding="utf-8") in page


def test_own_board_has_no_seats_and_no_hardware(tmp_path):
    (tmp_path / "main.js").write_text(
        'import { startPage } from "./page.js";\nimport { Line } from "./line.js";\n'
        "startPage({ Live: Line, addParts: () => [] });\n"
    )
    (tmp_path / "line.js").write_text("export class Line {}\n")
    (tmp_path / "more.css").write_text("#more { color: red; }\n")
    (tmp_path / "more.html").write_text('<div id="more" data-word="page.close"></div>\n')
    (tmp_path / "about.html").write_text("<!doctype html>another page\n")
    html = PageHtml(tmp_path)
    page = html.format("nl", ['{"type":"gone"}'], compress=False).decode()
    shared = read_page("nl")
    for part in (
        'id="offer"',
        'id="seats"',
        'id="asking"',
        "class Seats",
        'id="health"',
        "class HealthView",
        "WebSocket",
    ):
        assert (part in shared, part in page) == (True, False), part
    assert "<!--" not in page + shared
    assert "#more { color: red; }" in page
    assert '<div id="more" data-word="page.close">Sluiten</div>' in page
    assert "another page" not in page
    assert set(read_data(page, "words")) == set(LANGUAGES)
    assert "class Line {}" in page
    [script] = re.findall(r'<script type="module">(.*?)</script>', page, re.DOTALL)
    assert f"'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" == html.script_source


def test_content_security_policy_allows_only_own_code():
    page, policy = read_page("en"), HTML.content_security_policy
    for element, directive in (('script type="module"', "script-src"), ("style", "style-src")):
        [text] = re.findall(rf"<{element}>(.*?)</{element.split()[0]}>", page, re.DOTALL)
        digest = b64encode(sha256(text.encode()).digest()).decode()
        assert f"; {directive} 'sha256-{digest}';" in policy


@each(
    "cookies, accepted, language",
    [
        ("", "", "en"),
        ("", "nl", "nl"),
        ("", "it-IT,it;q=0.9,de-CH;q=0.8,en;q=0.7", "de"),
        ("", "zh", "en"),
        ("pond-language=fr", "nl", "fr"),
        ("pond-seat=x; pond-language=de; a=b", "nl", "de"),
        ("pond-language=xx", "nl", "nl"),
        ("not-pond-language=fr", "nl", "nl"),
        ("pond-language=../../de", "", "en"),
    ],
)
def test_language_comes_from_the_cookie_or_browser(cookies, accepted, language):
    assert choose_page_language(cookies, accepted) == language


# Answers by visitor


@pytest.fixture
def ask(tmp_path):
    """Request the page in this process. Return its headers and text."""
    require("starlette", "it serves the page")
    from pond_hw.web.asgi_app import make_app
    from pond_hw.web.bounded_connections import STATE_KEY, CountedConnection

    bench = SeatBench(tmp_path)
    bench.play("@b2")

    def ask(*, spectators, token=None, **headers):
        site, answers = make_app(bench.board, bench.seat_book, set(), spectators=spectators), []
        headers |= {"host": "127.0.0.1:7663"} | ({"cookie": f"{COOKIE_NAME}={token}"} if token else {})
        scope = {
            "type": "http",
            "method": "GET",
            "path": "/",
            "raw_path": b"/",
            "query_string": b"",
            "headers": [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()],
            "server": ("127.0.0.1", 7663),
            "client": ("127.0.0.1", 40000),
            "state": {STATE_KEY: CountedConnection()},
        }

        async def send(message):
            answers.append(message)

        asyncio.run(site(scope, None, send))
        start, body = answers
        assert start["status"] == 200
        return {name.decode(): value.decode() for name, value in start["headers"]}, body["body"]

    ask.bench = bench
    return ask


@pytest.mark.slow
def test_page_contains_the_game_only_for_spectators(ask):
    _, page = ask(spectators=True)
    you, hello, state = read_data(page.decode(), "beginning")
    assert (you["type"], hello["names"]["light"]) == ("you", "Ada")
    assert state["position"].startswith("..../..../.E../....")
    assert "legal" not in state

    _, page = ask(spectators=False, token=make_token())
    you, hello = read_data(page.decode(), "beginning")
    assert (you["may_watch"], hello["type"]) == (False, "hello")
    for secret in (b"Ada", b"..../.E../...."):
        assert secret not in page

    token = make_token()
    ask.bench.seat_book.give_seat(token, (LIGHT,))
    _, page = ask(spectators=False, token=token)
    you, hello, state, seats = read_data(page.decode(), "beginning")
    assert (you["seat"]["number"], hello["names"]["light"], seats["type"]) == (1, "Ada", "seats")
    assert state["legal"]


@pytest.mark.slow
def test_page_is_never_cached(ask):
    headers, page = ask(spectators=True, accept_encoding="gzip, deflate", accept_language="nl")
    assert headers["cache-control"] == "no-store"
    assert "etag" not in headers
    assert headers["content-encoding"] == "gzip"
    assert headers["content-security-policy"] == HTML.content_security_policy
    assert "cross-origin-opener-policy" not in headers, "over plain http browsers ignore it, and call that an error"
    assert b'<html lang="nl">' in gzip.decompress(page)
    assert "set-cookie" not in headers
    headers, page = ask(spectators=True, token=make_token(), if_none_match="*")
    assert "content-encoding" not in headers
    assert b"beginning" in page


def test_page_without_a_board_says_so(ask):
    ask.bench.board.lose_board()
    _, page = ask(spectators=True)
    assert [message["type"] for message in read_data(page.decode(), "beginning")] == ["you", "gone"]


# Joined scripts


def test_scripts_are_joined_in_import_order():
    joined = join_modules(
        {
            "page.js": 'import { b } from "./b.js";\nimport { a, A } from "./a.js";\nconst own = a() + b + A;\n',
            "b.js": 'import { a } from "./a.js";\nconst own = 1;\nexport const b = a() + own;\n',
            "a.js": "// @ts-check\n/** two */\nconst own = 2;\n"
            "export function a() {\n  // why\n  return own; // no more\n}\n"
            '/**\n * import * as x\n */\nexport class A {}\nconst lines = "/* // */" /* a */ + 1;\n',
            "unused.js": "export const c = 3;\n",
        },
        "page.js",
    )
    places = [joined.index(f"modules['{name}'] = ") for name in ("a.js", "b.js", "page.js")]
    assert places == sorted(places)
    assert "unused.js" not in joined
    assert "return { a, A };" in joined
    assert not [line for line in joined.splitlines() if line.startswith(("import", "export"))]
    assert [line.strip() for line in joined.splitlines() if "/" in line] == [
        "return own; // no more",
        'const lines = "/* // */" /* a */ + 1;',
    ]


@each(
    "text, complaint",
    [
        ('import x from "./x.js";\n', "import x"),
        ('import {\n  x,\n} from "./x.js";\n', "import {"),
        ("export default 1;\n", "export default"),
        ("const a = 1;\nexport { a };\n", "export { a }"),
        ('const a = "</script>";\n', "</script"),
        ('const a = "<!--";\n', "<!--"),
        ('import { y } from "./page.js";\nexport const x = y;\n', "circle"),
    ],
)
def test_unsupported_module_syntax_raises(text, complaint):
    with pytest.raises(ValueError, match=complaint):
        join_modules({"page.js": 'import { x } from "./x.js";\n', "x.js": text}, "page.js")


def test_every_linked_file_exists():
    page = read_page("en")
    for path in set(re.findall(r'(?:href|src)="(.*?)"', page)):
        assert f"/{path}".encode() in list_page_files(), path


def test_etag_depends_on_the_content():
    one, other = (PageFile.from_content(content, "text/plain") for content in (b"one", b"other"))
    assert one.tag != other.tag
    assert one.choose_answer({"if-none-match": one.tag})[0] == 304
    assert one.choose_answer({"if-none-match": other.tag})[0] == 200


@each("language", list(LANGUAGES))
def test_page_is_light(language):
    """A phone loads it in a second over a slow network."""
    assert len(HTML.format(language, [], compress=True)) < 60_000
