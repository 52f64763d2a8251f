"""The firmware's Python files, imported as modules without writing bytecode beside them."""

import sys
from types import ModuleType

from tests.firmware.card import FIRMWARE


def _loaded(name):
    path = FIRMWARE / f"{name}.py"
    module = sys.modules[f"firmware_{name}"] = ModuleType(f"firmware_{name}")
    module.__file__ = str(path)
    exec(compile(path.read_text(encoding="utf-8"), path, "exec"), module.__dict__)
    return module


boot = _loaded("boot")
needs = _loaded("needs")
