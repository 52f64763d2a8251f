"""The phones used in tests report errors of a page, and reach only this machine."""

import pytest

from tests.conftest import require

require("playwright", "it drives the browser")
require("chromium", "it plays the phones")
require("starlette", "it serves the page")
require("websockets", "the page gets its messages by a WebSocket")

from tests.web.browser import Phone, find_barriers  # noqa: E402
from tests.web.golden import FOLDER, MAX_SHARE, find_changed_share, open_picture  # noqa: E402

pytestmark = pytest.mark.slow

WRONG = {
    "console.error('no good')": "error: no good",
    "setTimeout(() => { throw new Error('broken') })": "a script failed: broken",
    "document.body.append(Object.assign(new Image(), {src: 'http://elsewhere.example/x.png'}))": "forbidden: img-src",
    "document.body.setAttribute('style', 'color: red')": "forbidden: style-src",
    "fetch('http://elsewhere.example/').catch(() => 0)": "forbidden: connect-src",
    "new WebSocket('ws://elsewhere.example/')": "forbidden: connect-src",
    "document.body.append(Object.assign(document.createElement('script'), {text: '1'}))": "forbidden: script-src",
}


def test_phone_reports_page_errors(browser, serve_table):
    phone = Phone(browser, serve_table().address).open()
    for wrong in WRONG:
        phone.page.evaluate(f"() => {{ {wrong} }}")
    phone.page.wait_for_timeout(100)
    with pytest.raises(AssertionError) as failure:
        phone.close()
    assert [complaint for complaint in WRONG.values() if complaint not in str(failure.value)] == []


def test_browser_reaches_only_this_machine(browser):
    from playwright.sync_api import Error

    phone = Phone(browser, "http://elsewhere.example/")
    with pytest.raises(Error, match="ERR_NAME_NOT_RESOLVED"):
        phone.open()
    phone.close()


def test_request_to_another_host_is_reported(browser):
    phone = Phone(browser, "http://127.0.0.1/")
    phone.page.set_content("<img src='http://10.0.0.1/x.png'>")
    with pytest.raises(AssertionError, match="requests another host: http://10"):
        phone.close()


def test_accessibility_barriers_are_found(browser):
    phone = Phone(browser, "http://127.0.0.1/")
    phone.page.set_content("<button></button>")
    assert any(barrier.startswith("button-name: ") for barrier in find_barriers(phone.page))
    phone.close()


def test_picture_comparison_ignores_soft_edges_only():
    require("PIL", "it compares pictures")
    from PIL import ImageDraw, ImageFilter

    wanted = open_picture((FOLDER / "chosen-360.webp").read_bytes())
    softer, other = wanted.filter(ImageFilter.GaussianBlur(0.4)), wanted.copy()
    ImageDraw.Draw(other).ellipse((125, 175, 155, 205), fill="white")
    assert find_changed_share(wanted, softer) == 0
    assert find_changed_share(wanted, other) > MAX_SHARE
