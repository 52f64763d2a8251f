"""The Python files of the firmware, which are no package: as modules."""

import importlib.util
import sys

from tests.firmware.card import FIRMWARE


def _loaded(name):
    spec = importlib.util.spec_from_file_location(f"pond_firmware_{name}", FIRMWARE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


boot = _loaded("boot")
needs = _loaded("needs")
