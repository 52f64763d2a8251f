from tests.messages.wording import SNAPSHOTS, snapshots


def test_the_wording_is_that_of_the_snapshot():
    """If it was changed on purpose: `python -m tests.messages.wording` writes the snapshots again."""
    for language, wording in snapshots().items():
        assert wording == (SNAPSHOTS / f"{language}.txt").read_text(encoding="utf-8"), language
