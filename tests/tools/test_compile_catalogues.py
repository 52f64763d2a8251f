"""Tests of the catalogue compiler."""

from io import BytesIO

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po

from tools.compile_catalogues import FOLDER, update


def test_copied_file_gets_new_plural_forms():
    german, english = ((FOLDER / language / "session.po").read_bytes() for language in ("de", "en"))
    updated = update("pl", read_po(BytesIO(german), "pl"), read_po(BytesIO(english), "en"))
    assert updated.plural_forms == Catalog("pl").plural_forms
    assert {len(entry.string) for entry in updated if not isinstance(entry.id, str)} == {3}
