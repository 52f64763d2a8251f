"""The kernel twice: as it stands, and compiled."""

import pytest

from pond_hw import kernel
from pond_hw.kernel import turns as plain
from tests.conftest import lacks


@pytest.fixture(scope="session", params=["plain", "compiled"])
def turns(request):
    """turns.py, plain and compiled; all that is asked of the one is asked of the other."""
    if request.param == "plain":
        return plain
    return kernel.compiled_turns() or lacks("needs the compiled kernel, of this very source: make fast")
