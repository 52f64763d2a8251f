"""Generate requirements*.lock: pinned versions of all packages, with hashes.

    make lock                          # keep the versions that are still allowed
    make lock LOCK_ARGS=--upgrade      # use the newest

requirements.lock is for playing, and requirements-dev.lock adds the tools for development. Every other lock is for one
extra of pyproject.toml, with the versions of requirements-dev.lock.
"""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]

# Ignore this machine's uv configuration, because it would add index URLs to the files.
COMPILE = (
    "--no-config pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate"
)


def main(uv: str, options: list[str]) -> None:
    if not shutil.which(uv):
        raise SystemExit("make lock needs uv, for example from: pipx install uv")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

    def write_lock(name: str, requirements: list[str], *sources: str) -> None:
        command = [uv, *COMPILE.split(), *options, "-o", name, *sources, "-"]
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


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
