"""Play a few turns against a program, save the game and resume it: `smoke.py .venv/bin/pond`.

This script needs only Python, and nothing that Windows lacks.
"""

import json
import subprocess
import sys
import tempfile

TIMEOUT_SECONDS = 300


def play(command, folder, *requests):
    """Return the last board state of a headless game. Fail if Pond reports an error."""
    lines = "".join(json.dumps(request) + "\n" for request in requests)
    words = [*command, "headless", "--journal", folder, "--dark", "level-1"]
    done = subprocess.run(words, input=lines.encode(), capture_output=True, timeout=TIMEOUT_SECONDS, check=False)
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    states = [answer for answer in answers if answer["type"] == "state"]
    if done.returncode or done.stderr or not states or any(answer["type"] == "error" for answer in answers):
        sys.exit(f"failed: {' '.join(words)} ended with {done.returncode}\n{done.stdout!r}\n{done.stderr.decode()}")
    return states[-1]


def main(command):
    with tempfile.TemporaryDirectory() as folder:
        saved = play(command, folder, {"touch": "c3"}, {"wait": 3}, {"touch": "a1"}, {"wait": 3})
        resumed = play(command, folder, {"command": "resume"}, {"wait": 3})
    if saved["turn"] != 4 or saved["position"] != resumed["position"]:
        sys.exit(f"failed: the game was saved as\n{saved}\nand resumed as\n{resumed}")
    print(f"played four turns, saved and resumed: {saved['position']}")


if __name__ == "__main__":
    main(sys.argv[1:])
