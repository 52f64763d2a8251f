"""Boards under test: all shipped ones, simulated; a real one with `--board=NAME`; one on the simulated Pi with `--pi=NAME`
(tests/kernel/).
"""

from types import SimpleNamespace

import pytest


class Real(str):
    """Name of a real board."""

    __slots__ = ()


class OnPi(str):
    """Name of a board on the simulated Pi."""

    __slots__ = ()


def pytest_addoption(parser):
    parser.addoption(
        "--board",
        metavar="NAME",
        help="ask the real board of this profile, and the person at it to press (with -s)",
    )


def pytest_generate_tests(metafunc):
    from tests.board.benches import NAMES

    if "bench" in metafunc.fixturenames and not any(
        mark.name == "parametrize" and "bench" in mark.args[0] for mark in metafunc.definition.iter_markers()
    ):
        real, on_pi = (metafunc.config.getoption(name, None) for name in ("--board", "--pi"))
        names = [Real(real)] if real else [OnPi(on_pi)] if on_pi else NAMES
        metafunc.parametrize("bench", names, indirect=True, ids=str)


@pytest.fixture
def tools(monkeypatch, tmp_path, request):
    """Functions that replace a Pi's hardware with simulated hardware.

    Attributes:
        pins: replaces gpiozero's pins with those of this factory.
        patch: replaces the object with a dotted name.
        folder: folder for files.
        at_end: registers a function to be called at the end of the test.
    """
    import gpiozero

    factories = []

    def pins(factory):
        factories.append(factory)
        monkeypatch.setattr(gpiozero.Device, "pin_factory", factory)

    yield SimpleNamespace(pins=pins, patch=monkeypatch.setattr, folder=tmp_path, at_end=request.addfinalizer)
    for factory in factories:
        factory.reset()


@pytest.fixture
def bench(request, tools):
    """Open board named by the parameter."""
    opened_bench = _bench(request.param, request.config, tools)
    opened_bench.open()
    yield opened_bench
    opened_bench.close()


def _bench(name, config, tools):
    from tests.board.benches import RealBench, bench_for

    if config.getoption("--board", None):
        if not isinstance(name, Real):
            pytest.skip("only for simulated boards")
        return RealBench(str(name))
    if on_pi := config.getoption("--pi", None):
        from tests.kernel.benches import bench_on_pi

        if name not in {on_pi, on_pi.partition(" ")[0]}:
            pytest.skip(f"the board on the simulated Pi is {on_pi}")
        return bench_on_pi(on_pi)
    return bench_for(name, tools)
