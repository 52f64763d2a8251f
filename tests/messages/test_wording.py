import pytest

from pond_hw.messages.catalogue import LANGUAGES
from tests.messages.wording import SNAPSHOTS, snapshot


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_wording_is_that_of_the_snapshot(language):
    """If it was changed on purpose: `python -m tests.messages.wording` writes the snapshots again."""
    assert snapshot(language) == (SNAPSHOTS / f"{language}.txt").read_text(encoding="utf-8")
