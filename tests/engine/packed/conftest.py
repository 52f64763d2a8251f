"""Fixtures for both kernels, plain and compiled."""

import pytest

from pond_hw.engine import packed as pond_kernel
from tests.conftest import skip_outside_ci


@pytest.fixture(scope="session", params=["plain", "compiled"])
def kernel(request):
    """The kernel under test. Every test runs with the plain and the compiled kernel."""
    if request.param == "plain":
        return pond_kernel.PLAIN_KERNEL
    return pond_kernel.compiled_kernel() or skip_outside_ci(
        "needs the compiled kernel, built from this source: make fast"
    )


@pytest.fixture(scope="session")
def turns(kernel):
    """The kernel's rules module."""
    return kernel.rules
