"""What the README says is so."""

import doctest
from pathlib import Path

ROOT = Path(__file__).parent.parent


def test_the_examples_in_the_readme_run():
    result = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert result.attempted >= 5
    assert result.failed == 0


def test_every_file_that_the_documents_point_to_is_there():
    import re

    for page in (ROOT / "README.md", *ROOT.glob("docs/**/*.md")):
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name} points to {target}"
