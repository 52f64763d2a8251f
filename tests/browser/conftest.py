"""Fixtures of the tests of the built page."""

import pytest


@pytest.fixture(scope="session")
def built_folder(tmp_path_factory, worker_id):
    """Folder of the built page."""
    from tests.browser.built_page import build_once

    return build_once(tmp_path_factory, worker_id)


@pytest.fixture
def site(built_folder):
    """Web server of the built page."""
    from tests.browser.built_page import serve

    with serve(built_folder) as server:
        yield server


@pytest.fixture(scope="module")
def browser():
    """A browser for all tests in a file."""
    from tests.web.browser import open_browser

    with open_browser() as opened:
        yield opened
