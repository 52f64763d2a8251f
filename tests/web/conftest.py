"""Fixtures of the browser tests. Each test file starts and stops its own browser, because its driver occupies asyncio in
this thread while it runs.
"""

import pytest


@pytest.fixture(scope="module")
def browser():
    """A browser for all tests in a file."""
    from tests.web.browser import open_browser

    with open_browser() as opened:
        yield opened


@pytest.fixture
def serve_table(folder):
    """Return a function that serves a board and its page: `serve_table("--variant", "mini")`."""
    from tests.web.served_page import ServedPage

    tables = []

    def make_table(*board, **how):
        tables.append(ServedPage(folder, *board, **how))
        return tables[-1]

    yield make_table
    for table in tables:
        table.close()


@pytest.fixture
def open_phone(browser):
    """Return a function that opens the page of a table on a phone. At the end, there must be no complaints about any page."""
    from tests.web.browser import Phone

    phones = []

    def begin(table, *size, **how):
        phones.append(Phone(browser, table.address, *size, **how))
        return phones[-1].open()

    yield begin
    for phone in phones:
        phone.close()
