"""Script that reports the first lit frame of the installed service on an emulated machine, for `first_boot.py`."""

import json
import socket
import subprocess
import time

SOCKET = "/run/pond/pond.sock"
TIMEOUT_SECONDS = 300


def read_frame():
    """Return the lamps of each cell once one of them is lit."""
    end = time.monotonic() + TIMEOUT_SECONDS
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(TIMEOUT_SECONDS)
        connection.connect(SOCKET)
        lines = connection.makefile("rw", encoding="utf-8")
        while time.monotonic() < end:
            lines.write('{"ask":"frame"}\n')
            lines.flush()
            for line in lines:
                answer = json.loads(line)
                if answer["type"] == "frame":
                    break
            if any(light for cell in answer["cells"].values() for lamp in cell for light in lamp):
                return answer["cells"]
            time.sleep(0.5)
    raise TimeoutError("all lamps stay dark")


def run_command(*command):
    return subprocess.run(command, check=False, text=True, stdout=subprocess.PIPE).stdout.split()


def main():
    """Report the frame, and the settings of the first start."""
    cells = read_frame()
    report = {
        "step": "lit",
        "cells": len(cells),
        "lamp": cells["a1"][0],
        "since_boot": round(time.clock_gettime(time.CLOCK_BOOTTIME), 1),
        "host": run_command("hostname"),
        "user": run_command("id", "-nG", "player"),
        "units": run_command("systemctl", "is-enabled", "pond", "pond-web"),
        "package": run_command("dpkg-query", "-Wf", "${Status}", "pond"),
    }
    print(json.dumps(report), flush=True)


if __name__ == "__main__":
    try:
        main()
    except Exception as failure:
        print(json.dumps({"step": "failed", "why": repr(failure)}), flush=True)
        raise
