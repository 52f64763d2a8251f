"""What the page asks for after it has come."""

import re

from pond_hw.web.page_files import PageFile, list_page_files
from tests.web.test_page_html import read_page


def test_every_file_that_the_page_names_is_there():
    page = read_page("en")
    for path in set(re.findall(r'(?:href|src)="(.*?)"', page)):
        assert path.encode() in list_page_files(), path


def test_the_tag_changes_with_the_content():
    one, other = (PageFile.from_content(content, "text/plain") for content in (b"one", b"other"))
    assert one.tag != other.tag
    assert one.choose_answer({"if-none-match": one.tag})[0] == 304
    assert one.choose_answer({"if-none-match": other.tag})[0] == 200
