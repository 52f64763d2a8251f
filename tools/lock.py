"""Generate requirements*.lock: pinned versions of all packages, with hashes.

    make lock                          # keep the versions that are still allowed
    make lock LOCK_ARGS=--upgrade      # use the newest

requirements.lock is for playing, and requirements-dev.lock adds the tools for development. Every other lock is for one
extra of pyproject.toml, with the versions of requirements-dev.lock. tests/home_assistant has its own lock and its own Python.
"""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]

# Ignore this machine's uv configuration, because it would add index URLs to the files.
COMPILE = "--no-config pip compile --quiet --universal --generate-hashes --no-header --no-annotate"

HOME_ASSISTANT = "tests/home_assistant/requirements"


def main(uv: str, options: list[str]) -> None:
    if not shutil.which(uv):
        raise SystemExit("make lock needs uv, for example from: pipx install uv")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

    def write_lock(name: str, requirements: list[str], *sources: str, python: str = "3.11") -> None:
        command = [uv, *COMPILE.split(), "--python-version", python, *options, "-o", name, *sources, "-"]
        subprocess.run(
            command, cwd=ROOT, input="\n".join(requirements), text=True, check=True, stdout=subprocess.DEVNULL
        )

    # The build backend is pinned too, so that installing the project itself downloads nothing.
    backend = project["build-system"]["requires"]
    write_lock("requirements.lock", backend, "pyproject.toml")
    write_lock("requirements-dev.lock", backend, "-c", "requirements.lock", "--extra", "dev", "pyproject.toml")
    for extra, requirements in project["project"]["optional-dependencies"].items():
        if extra not in ("test", "dev"):
            write_lock(f"requirements-{extra}.lock", requirements, "-c", "requirements-dev.lock")
    write_lock(f"{HOME_ASSISTANT}.lock", [], f"{HOME_ASSISTANT}.txt", python="3.13.2")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
