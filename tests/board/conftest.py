"""The boards that are asked: all that ship, in memory; or with `--board=NAME` the one that lies on the bench."""

from types import SimpleNamespace

import pytest


class Real(str):
    """The name of a board that lies on the bench."""

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
        real = metafunc.config.getoption("--board", None)
        metafunc.parametrize("bench", [Real(real)] if real else NAMES, indirect=True, ids=str)


@pytest.fixture
def tools(monkeypatch, tmp_path):
    """What a bench needs to put copper in memory in the place of a Pi's.

    Attributes:
        pins: replace gpiozero's pins by this factory's.
        patch: replace what a dotted name stands for.
        folder: where files may be made.
    """
    import gpiozero

    made = []

    def pins(factory):
        made.append(factory)
        monkeypatch.setattr(gpiozero.Device, "pin_factory", factory)

    yield SimpleNamespace(pins=pins, patch=monkeypatch.setattr, folder=tmp_path)
    for factory in made:
        factory.reset()


@pytest.fixture
def bench(request, tools):
    """A board, open; its name is the parameter."""
    from tests.board.benches import RealBench, bench_for

    real = isinstance(request.param, Real)
    if request.config.getoption("--board", None) and not real:
        pytest.skip("this is asked of boards in memory only")
    made = RealBench(str(request.param)) if real else bench_for(request.param, tools)
    made.open()
    yield made
    made.close()
