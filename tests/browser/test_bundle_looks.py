"""The built page in all languages and sizes: axe finds nothing, and nothing sticks out, is cut off or covered."""

import pytest

from pond_hw.messages.catalogue import LANGUAGES
from tests.conftest import require

require("playwright", "it drives the browser")
require("chromium", "it shows the page")

from playwright.sync_api import expect  # noqa: E402

from tests.browser.bundle import Visitor  # noqa: E402
from tests.web.browser import SIZES, Phone, find_barriers  # noqa: E402
from tests.web.page_layout import list_layout_faults  # noqa: E402

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("language", LANGUAGES)
def test_page_and_its_dialogs_fit(browser, site, language):
    phone, found = Phone(browser, site.address, locale=language), []
    page = Visitor(phone).open().page
    expect(page.locator("#notices")).to_be_hidden()  # about a slow start
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        for colours in ("light", "dark"):
            page.emulate_media(color_scheme=colours)
            for opener in (None, "open-settings", "do-new"):
                if opener:
                    page.locator(f"#{opener}").click()
                    page.get_by_role("dialog").wait_for()
                faults = find_barriers(page) + list_layout_faults(page)
                found += [f"{width}, {colours}, {opener}: {fault}" for fault in faults]
                if opener:
                    page.keyboard.press("Escape")
                    page.get_by_role("dialog").wait_for(state="hidden")
    phone.close()
    assert not found, "\n".join(found)
