"""Fixtures of the browser tests. Each file of tests starts its own browser and stops it: while it runs, its driver
occupies asyncio in this thread.
"""

import pytest


@pytest.fixture(scope="module")
def browser():
    """A browser for all tests of a file."""
    from tests.web.browser import open_browser

    with open_browser() as opened:
        yield opened


@pytest.fixture
def serve_table(folder):
    """Return a function that serves a board and its page: `serve_table("--variant", "mini")`."""
    from tests.web.served_page import ServedPage

    tables = []

    def lay(*board, **how):
        tables.append(ServedPage(folder, *board, **how))
        return tables[-1]

    yield lay
    for table in tables:
        table.close()


@pytest.fixture
def open_phone(browser):
    """Return a function that opens the page of a table on a phone. No phone may have complaints at the end."""
    from tests.web.browser import Phone

    phones = []

    def begin(table, *size, **how):
        phones.append(Phone(browser, table.address, *size, **how))
        return phones[-1].open()

    yield begin
    for phone in phones:
        phone.close()
