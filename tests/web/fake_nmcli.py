"""Simulated nmcli with the commands that the hotspot uses. It can be set up to refuse them in several ways.

Its state is a JSON file: `devices` by name (type and state), `connections` by name (path of the profile, and whether it
is active), `refuses` (how it refuses, by command words), and `asked` (all calls).
"""

import json
import sys
from configparser import ConfigParser
from pathlib import Path

STATE = Path(__file__).with_name("state.json")

REFUSALS = {
    "not running": (8, "Error: NetworkManager is not running.\n"),
    "not allowed": (1, "Error: Connection activation failed: Not authorized to control networking.\n"),
    "not privileged": (1, "Error: not privileged: Insufficient privileges.\n"),
    "fails": (4, "Error: Connection activation failed: IP configuration could not be reserved.\n"),
    "says nothing": (1, ""),
}


def main(words):
    """Answer a call, and change the state as NetworkManager would."""
    state = json.loads(STATE.read_text())
    state["asked"].append(words)
    try:
        return answer(state, [word for word in words if word != "--terse"])
    finally:
        STATE.write_text(json.dumps(state))


def answer(state, words):
    """Print the answer. Return the exit code."""
    assert words[0] == "--wait"
    words = words[2:]
    for refused, how in state["refuses"].items():
        if refused in " ".join(words):
            code, said = REFUSALS[how]
            sys.stderr.write(said)
            return code
    connections = state["connections"]
    match words:
        case ["--fields", "DEVICE,TYPE,STATE", "device", "status"]:
            for device, (kind, how) in state["devices"].items():
                print(device.replace(":", "\\:"), kind, how, sep=":")
        case ["--fields", "NAME", "connection", "show", *active]:
            for name, (_, is_on) in connections.items():
                if is_on or not active:
                    print(name.replace(":", "\\:"))
        case ["connection", "load", path]:
            profile = ConfigParser(interpolation=None)
            profile.read(path)
            if Path(path).stat().st_mode & 0o077 == 0 and profile.has_section("wifi-security"):
                connections[profile["connection"]["id"]] = [path, False]
        case ["connection", "up", "id", name]:
            connections[name][1] = True
        case ["connection", "delete", "id", name]:
            Path(connections.pop(name)[0]).unlink()
        case _:
            sys.stderr.write(f"Error: argument '{words}' not understood.\n")
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
