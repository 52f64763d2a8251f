"""Fixtures for both kernels, plain and compiled."""

import pytest

from pond_hw.engine import packed as pond_kernel
from tests.conftest import skip_outside_ci


@pytest.fixture(scope="session", params=["plain", "compiled"])
def kernel(request):
    """The kernel: every test runs with the plain and the compiled one."""
    if request.param == "plain":
        return pond_kernel.PLAIN_KERNEL
    return pond_kernel.compiled_kernel() or skip_outside_ci(
        "needs the compiled kernel, built from this source: make fast"
    )


@pytest.fixture(scope="session")
def turns(kernel):
    """The module rules.py of the kernel."""
    return kernel.rules
