"""The kernel twice: as it stands, and compiled."""

import pytest

from pond_hw.engine import packed as pond_kernel
from tests.conftest import lacks


@pytest.fixture(scope="session", params=["plain", "compiled"])
def kernel(request):
    """The kernel, plain and compiled; all that is asked of the one is asked of the other."""
    if request.param == "plain":
        return pond_kernel.PLAIN_KERNEL
    return pond_kernel.compiled_kernel() or lacks("needs the compiled kernel, built from this source: make fast")


@pytest.fixture(scope="session")
def turns(kernel):
    """rules.py of either."""
    return kernel.rules
