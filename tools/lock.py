"""Choose the locked versions of all packages: requirements*.lock, with the hashes of their files.

    make lock                          # keep the versions that still fit
    make lock LOCK_ARGS=--upgrade      # take the newest

requirements.lock has what playing needs, and requirements-dev.lock all of that and more, in the same versions. Each other
lock has what one extra of pyproject.toml asks for, in the versions of requirements-dev.lock.
"""

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]

# uv's own settings and those of this machine stay out: they would put addresses into the files.
COMPILE = (
    "--no-config pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate"
)


def main(uv: str, options: list[str]) -> None:
    """Write all locks."""
    if not shutil.which(uv):
        raise SystemExit("make lock needs uv, for example from: pipx install uv")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))

    def write_lock(name: str, requirements: list[str], *sources: str) -> None:
        command = [uv, *COMPILE.split(), *options, "-o", name, *sources, "-"]
        subprocess.run(
            command, cwd=ROOT, input="\n".join(requirements), text=True, check=True, stdout=subprocess.DEVNULL
        )

    # The build backend is locked, too, so that installing the project itself asks nobody for anything.
    backend = project["build-system"]["requires"]
    write_lock("requirements.lock", backend, "pyproject.toml")
    write_lock("requirements-dev.lock", backend, "-c", "requirements.lock", "--extra", "dev", "pyproject.toml")
    for extra, requirements in project["project"]["optional-dependencies"].items():
        if extra not in ("test", "dev"):
            write_lock(f"requirements-{extra}.lock", requirements, "-c", "requirements-dev.lock")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
