"""Helpers for tools that are built once for the tests, outside the clone.

They only need Python: they run before anything is installed.
"""

import argparse
import subprocess
import sys


class MissingTool(Exception):
    """Error for a missing tool. The text says what to install."""


def run_logged(log, *command, env=None):
    """Run a command with its output in a log. If it fails, print the last lines.

    Raises:
        subprocess.CalledProcessError: if the command fails.
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
    """Run `build`. Return 0, or 2 if a tool is missing, or 1 if a step failed."""
    argparse.ArgumentParser(prog=f"python -m {module}", description=description.partition("\n")[0]).parse_args()
    try:
        build()
    except MissingTool as missing:
        print(missing, file=sys.stderr)
        return 2
    except subprocess.CalledProcessError as failed:
        print(f"It failed: {' '.join(map(str, failed.cmd))}", file=sys.stderr)
        return 1
    return 0
