from tests.messages.wording import SNAPSHOTS, snapshots


def test_wording_matches_the_snapshot():
    """Run `python -m tests.messages.wording` after changing a message on purpose."""
    for language, wording in snapshots().items():
        assert wording == (SNAPSHOTS / f"{language}.txt").read_text(encoding="utf-8"), language
