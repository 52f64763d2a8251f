"""What is built once for the tests and kept outside the clone: how that is called, and what is said when it can't be.

All of it needs Python alone: it runs where nothing has been installed yet.
"""

import argparse
import subprocess
import sys


class Lacking(Exception):
    """What is missing on this machine, as a sentence that says what to do."""


def run_logged(log, *command, env=None):
    """Run a step; all that it says goes into the log, and its last lines onto the screen if it fails.

    Raises:
        subprocess.CalledProcessError: it failed.
    """
    with log.open("a") as file:
        file.write(f"$ {' '.join(map(str, command))}\n")
        file.flush()
        try:
            subprocess.run(command, stdout=file, stderr=file, stdin=subprocess.DEVNULL, check=True, env=env)
        except subprocess.CalledProcessError:
            print("".join(log.read_text(errors="replace").splitlines(keepends=True)[-20:]), file=sys.stderr)
            raise


def call_build(build, module, description):
    """Build it and say where it is; 2 if something must be installed first, 1 if a step failed."""
    argparse.ArgumentParser(prog=f"python -m {module}", description=description.partition("\n")[0]).parse_args()
    try:
        build()
    except Lacking as lack:
        print(lack, file=sys.stderr)
        return 2
    except subprocess.CalledProcessError as failed:
        print(f"It failed: {' '.join(map(str, failed.cmd))}", file=sys.stderr)
        return 1
    return 0
