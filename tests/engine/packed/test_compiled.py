"""Choice of the kernel: the compiled one if it matches the source, otherwise the plain one."""

import py_compile
import re
import sys
import sysconfig
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from pond_hw.engine import packed
from pond_hw.engine.packed import build
from pond_hw.engine.packed import rules as turns
from pond_hw.messages.message import Message
from pond_hw.rules import STANDARD, PondError


@pytest.fixture
def installed(monkeypatch):
    """Function that installs fake modules as the compiled kernel; None removes it."""

    def put(source):
        modules = [ModuleType(f"{packed.COMPILED_PACKAGE}.{name}") for name in packed.KernelModules._fields]
        modules[0].SOURCE = source
        for module in modules:
            monkeypatch.setitem(sys.modules, module.__name__, module if source else None)
        monkeypatch.setitem(
            sys.modules, packed.COMPILED_PACKAGE, ModuleType(packed.COMPILED_PACKAGE) if source else None
        )
        return packed.KernelModules(*modules)

    monkeypatch.delenv("POND_KERNEL", raising=False)
    return put


def test_matching_kernel_is_used(installed):
    modules = installed(packed.source_digest())
    assert packed.compiled_kernel() == modules
    assert packed._choose_kernel() == modules


def test_outdated_kernel_is_not_used(installed):
    installed("0" * 64)
    assert packed.compiled_kernel() is None
    assert packed._choose_kernel() is packed.PLAIN_KERNEL


@pytest.mark.parametrize("changed", packed.KernelModules._fields)
def test_digest_covers_every_file(changed, monkeypatch, tmp_path):
    before, module = packed.source_digest(), getattr(packed.PLAIN_KERNEL, changed)
    (tmp_path / "other.py").write_text(Path(module.__file__).read_text(encoding="utf-8") + "#", encoding="utf-8")
    monkeypatch.setattr(module, "__file__", str(tmp_path / "other.py"))
    assert packed.source_digest() != before


def test_missing_kernel_falls_back_to_plain(installed):
    installed(None)
    assert packed._choose_kernel() is packed.PLAIN_KERNEL


def test_kernel_without_source_digest_is_not_used(installed, monkeypatch, tmp_path):
    del installed("x").rules.SOURCE
    monkeypatch.setattr(turns, "__file__", str(tmp_path / "turns.pyc"))
    assert packed.source_digest() is None
    assert packed.compiled_kernel() is None


def test_environment_forces_plain_kernel(installed, monkeypatch):
    installed(packed.source_digest())
    monkeypatch.setenv("POND_KERNEL", "plain")
    assert packed._choose_kernel() is packed.PLAIN_KERNEL
    monkeypatch.setenv("POND_KERNEL", "quick")
    with pytest.raises(PondError) as refused:
        packed._choose_kernel()
    assert refused.value.message == Message("packed.wrong_kernel", text="quick")


def test_package_uses_the_reported_kernel():
    assert packed.is_compiled() == (packed.PackedRules is not turns.PackedRules)
    assert packed.packed_rules(STANDARD).target == 10


def test_compiled_source_is_unchanged(turns):
    if turns.__file__.endswith(".py"):
        assert turns.ones is int.bit_count
    else:
        assert packed.source_digest() == turns.SOURCE
        with pytest.raises(TypeError):
            turns.PackedRules(4, 10).count_actions(
                [0, 0, 0, 0, 33 * 13, 0, 0]
            )  # only compiled methods check their arguments


def test_ones_counts_set_bits(turns):
    for mask in (0, 1, (1 << 62) - 1, 0x1555555555555555, 0x2AAAAAAAAAAAAAAA, (1 << 25) - 1, 0xF0F0F0F0F0F0F0F):
        assert turns.ones(mask) == mask.bit_count()


@pytest.mark.parametrize(
    ("planted", "words"),
    [
        ({"mypyc": None}, "mypyc is not installed"),
        ({"setuptools": None}, "setuptools is not installed"),
        ({"CC": "no-such-compiler -O2"}, r"no C compiler \(no-such-compiler\); on Debian: sudo apt install gcc"),
        ({"include": "/nowhere"}, "Python's headers are not in /nowhere; on Debian"),
    ],
)
def test_missing_build_tools_are_reported(planted, words, monkeypatch, capsys, tmp_path, installed):
    (tmp_path / "Python.h").touch()
    paths = {"include": planted.get("include", str(tmp_path))}
    monkeypatch.setattr(sysconfig, "get_path", lambda name: paths[name])
    monkeypatch.setattr(build.importlib.util, "find_spec", lambda name: None if name in planted else object())
    monkeypatch.setenv("CC", planted.get("CC", Path(sys.executable).as_posix()))
    installed(None)
    assert build.main() == 2
    out, complaint = capsys.readouterr()
    assert not out
    assert complaint.startswith("make fast: ")
    assert complaint.endswith("slowly.\n")
    assert re.search(words, complaint)


def test_current_kernel_is_not_compiled_again(installed, monkeypatch, capsys):
    installed(packed.source_digest())
    monkeypatch.setattr(build, "missing_tools", lambda: "It was to be compiled again.")
    assert build.main() == 0
    assert "up to date" in capsys.readouterr().out


def test_failed_compilation_is_reported(installed, monkeypatch, capsys, tmp_path):
    installed(None)
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path))
    monkeypatch.setattr(build, "missing_tools", lambda: None)
    monkeypatch.setattr(build, "SETUP_SCRIPT", "raise SystemExit('the compiler has fallen over')")
    assert build.main() == 2
    assert "could not be compiled.\nthe compiler has fallen over" in capsys.readouterr().err
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize(
    ("name", "call", "result"),
    [
        ("rules", lambda module: module.ones, int.bit_count),
        ("table", lambda module: module.zeros(2), [0, 0]),
        ("evaluation", lambda module: module.read_steps(b"\1\2"), b"\1\2"),
    ],
)
def test_bytecode_without_source_runs_plain(name, call, result, tmp_path):
    bytecode = py_compile.compile(getattr(packed.PLAIN_KERNEL, name).__file__, str(tmp_path / f"{name}.pyc"))
    spec = spec_from_file_location(f"bytecode_{name}", bytecode)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    assert call(module) == result
