from tests.messages.wording import SNAPSHOTS, snapshots


def test_wording_matches_the_snapshot():
    """After an intended change, run `python -m tests.messages.wording`."""
    for language, wording in snapshots().items():
        assert wording == (SNAPSHOTS / f"{language}.txt").read_text(encoding="utf-8"), language
