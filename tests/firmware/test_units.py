import itertools
import os
import re
import subprocess
import sys
from ipaddress import ip_network
from xml.etree import ElementTree

import pytest

from pond_hw.commands.link import SERVICE_NAME
from pond_hw.commands.main import build_parser
from pond_hw.commands.web import DEFAULT_PORT
from pond_hw.drivers.pi_machine import GPIO_MEMORY_DEVICE, PIO_DEVICE
from pond_hw.drivers.run_files import INSTALLED_FOLDER
from tests.conftest import require
from tests.firmware.card import FIRMWARE

UNITS = ["pond.service", "pond-root.service"]
WEB, LINK = "pond-web.service", "pond-link.service"
ALL_UNITS = [*UNITS, WEB, LINK]


def settings(name):
    """Return the values of each key in a unit. An empty value clears earlier ones, as in systemd."""
    found = {}
    for line in (FIRMWARE / name).read_text(encoding="utf-8").splitlines():
        key, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            found[key] = [] if not value else [*found.get(key, []), value]
    return found


def analyze(*options):
    plainly = os.environ | {"LC_ALL": "C.UTF-8", "SYSTEMD_COLORS": "0"}
    called = ["systemd-analyze", *options]
    done = subprocess.run(called, env=plainly, capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, (done.stdout + done.stderr).strip()


def exposure(unit):
    code, output = analyze("security", "--offline=true", "--no-pager", unit)
    assert code == 0, output
    return float(re.search(r"Overall exposure level for \S+: ([0-9.]+)", output)[1])


@pytest.mark.parametrize("unit", ALL_UNITS)
def test_systemd_accepts_the_units(unit, tmp_path):
    require("systemd-analyze", "it reads a unit as systemd does")
    text = (FIRMWARE / unit).read_text(encoding="utf-8")
    assert "/usr/bin/pond" in text
    for command in ("/usr/bin/pond", "/usr/bin/udevadm"):  # may be missing here
        text = text.replace(command, "/bin/true")
    (tmp_path / unit).write_text(text, encoding="utf-8")
    assert analyze("verify", "--man=no", tmp_path / unit) == (0, "")


@pytest.mark.parametrize(
    ("unit", "max_exposure"), [("pond.service", 1.5), ("pond-root.service", 2.0), (WEB, 1.0), (LINK, 1.1)]
)
def test_sandbox_exposure_is_low(unit, max_exposure):
    require("systemd-analyze", "it measures the exposure of a unit")
    assert exposure(FIRMWARE / unit) <= max_exposure


@pytest.mark.parametrize("unit", ALL_UNITS)
def test_readme_has_the_actual_exposure(unit):
    require("systemd-analyze", "it measures the exposure of a unit")
    readme = (FIRMWARE / "README.md").read_text(encoding="utf-8")
    patterns = {
        "pond.service": r"rates the service ([0-9.]+), on a scale from 0 \(best\)",
        "pond-root.service": r"of the sandbox is the same \(rated ([0-9.]+)\)",
        WEB: r"service is rated ([0-9.]+) because it uses the network",
        LINK: r"any address, so it is rated ([0-9.]+), and",
    }
    assert float(re.search(patterns[unit], readme)[1]) == pytest.approx(exposure(FIRMWARE / unit), abs=0.3)


def test_service_has_no_root_and_no_network():
    unit = settings("pond.service")
    assert unit["User"] == unit["Group"] == ["pond"]
    assert unit["SupplementaryGroups"] == ["gpio spi i2c"]
    assert unit["CapabilityBoundingSet"] == unit["AmbientCapabilities"] == []
    assert unit["RestrictAddressFamilies"] == ["AF_UNIX"]
    assert unit["PrivateNetwork"] == ["yes"]


def test_service_can_open_only_board_devices():
    unit = settings("pond.service")
    assert unit["DevicePolicy"] == ["closed"]
    assert unit["DeviceAllow"] == ["char-gpiochip rw", "char-spi rw", "char-i2c rw"]


def test_usb_drop_in_allows_serial_ports_that_appear_later():
    module = ["modprobe@cdc_acm.service"]
    service = {"SupplementaryGroups": ["dialout"], "DeviceAllow": ["char-ttyACM rw"]}
    assert settings("usb.conf") == {"Wants": module, "After": module, **service}


@pytest.mark.parametrize(("drop_in", "device"), [("pio.conf", PIO_DEVICE), ("gpiomem.conf", GPIO_MEMORY_DEVICE)])
def test_drop_in_allows_one_more_device(drop_in, device):
    assert settings(drop_in) == {"DeviceAllow": [f"{device} rw"]}
    assert "[Service]" in (FIRMWARE / drop_in).read_text(encoding="utf-8").splitlines()


def test_service_can_read_the_pi_model():
    for unit in map(settings, UNITS):
        assert unit.get("ProcSubset", ["all"]) == ["all"]
        assert "InaccessiblePaths" not in unit


def test_root_service_differs_only_where_marked():
    ours, root = settings("pond.service"), settings("pond-root.service")
    differing = {key for key in ours | root if ours.get(key) != root.get(key)}
    assert differing == {
        *("Description", "Conflicts", "Environment"),
        *("User", "SupplementaryGroups", "CapabilityBoundingSet", "DeviceAllow", "PrivateUsers", "RemoveIPC"),
    }
    assert set(root["DeviceAllow"]) - set(ours["DeviceAllow"]) == {"/dev/mem rw", "/dev/vcio rw"}
    assert root["CapabilityBoundingSet"] == ["CAP_SYS_RAWIO"]


@pytest.mark.parametrize("name", [WEB, LINK])
def test_network_service_reaches_only_the_socket(name):
    unit = settings(name)
    assert unit["User"] == unit["Group"] == [name.removesuffix(".service")]
    assert unit["SupplementaryGroups"] == settings("pond.service")["Group"] == ["pond"]
    assert unit["CapabilityBoundingSet"] == unit["AmbientCapabilities"] == []
    assert unit["PrivateDevices"] == ["yes"]
    assert unit["DevicePolicy"] == ["closed"]
    assert "DeviceAllow" not in unit
    games = f"/var/lib/{settings('pond.service')['StateDirectory'][0]}"  # readable for its group
    assert f"-{games}" in unit["InaccessiblePaths"][0].split()


def test_phone_page_serves_only_the_local_network():
    unit = settings(WEB)
    assert unit["RestrictAddressFamilies"] == ["AF_UNIX AF_INET AF_INET6"]
    assert unit["IPAddressDeny"] == ["any"]
    names = {"localhost", "link-local"}
    assert names < set(unit["IPAddressAllow"][0].split())
    assert all(ip_network(each).is_private for each in unit["IPAddressAllow"][0].split() if each not in names)


@pytest.mark.parametrize("name", [WEB, LINK])
def test_data_of_a_network_service_is_private(name):
    unit = settings(name)
    assert unit["StateDirectory"] == [name.removesuffix(".service")]
    assert (unit["StateDirectoryMode"], unit["UMask"]) == (["0700"], ["0077"])


def test_link_connects_anywhere_but_never_listens():
    unit = settings(LINK)
    assert unit["RestrictAddressFamilies"] == ["AF_UNIX AF_INET AF_INET6"]
    assert "IPAddressDeny" not in unit
    assert (unit["SocketBindDeny"], unit.get("SocketBindAllow")) == (["any"], None)


def test_link_stays_off_without_a_game():
    unit = settings(LINK)
    folder = f"/var/lib/{unit['StateDirectory'][0]}/link"
    assert unit["ConditionPathExists"] == [f"|{folder}/game", f"|{folder}/settings.json"]


def test_phone_page_is_announced_at_its_port():
    unit = settings(WEB)
    announced = "/etc/avahi/services/pond.service"
    assert unit["ExecStartPost"] == [f"-+/usr/bin/cp /usr/share/pond/avahi/pond.service {announced}"]
    assert unit["ExecStopPost"] == [f"-+/usr/bin/rm -f {announced}"]
    service = ElementTree.parse(FIRMWARE / "avahi" / "pond.service").getroot()
    assert service.find("name").text == "Pond on %h"
    assert service.find("name").get("replace-wildcards") == "yes"
    assert service.find("service/type").text == "_http._tcp"
    assert int(service.find("service/port").text) == DEFAULT_PORT


@pytest.mark.slow
def test_phone_page_defaults_match_its_settings_file():
    unit = settings(WEB)
    (line,) = re.findall(r"^POND_WEB_OPTIONS=(.*)$", (FIRMWARE / "web.conf").read_text(encoding="utf-8"), re.MULTILINE)
    assert f'"POND_WEB_OPTIONS={line}"' in unit["Environment"]
    words = unit["ExecStart"][0].replace("$POND_WEB_OPTIONS", line).replace("%l", "pi").split()
    assert words[:2] == ["/usr/bin/pond", "web"]
    options = build_parser().read_command_line(words[1:])
    assert (options.address, options.port, options.name) == ("0.0.0.0", DEFAULT_PORT, ["pi.local"])
    assert options.socket == str(INSTALLED_FOLDER / "pond.sock")
    assert options.spectators


def test_link_plays_the_stored_game():
    words = settings(LINK)["ExecStart"][0].split()
    assert words[:2] == ["/usr/bin/pond", "link"]
    options = build_parser().read_command_line(words[1:])
    assert (options.what, options.socket) == ("run", str(INSTALLED_FOLDER / "pond.sock"))
    assert f"{SERVICE_NAME}.service" == LINK


@pytest.mark.parametrize("unit", ALL_UNITS)
def test_service_is_not_restarted_after_a_user_error(unit):
    unit = settings(unit)
    assert unit["Restart"] == ["on-failure"]
    assert unit["RestartPreventExitStatus"] == ["2"]


@pytest.mark.parametrize("unit", UNITS)
def test_restarts_are_limited(unit):
    unit = settings(unit)
    tries, seconds = int(*unit["StartLimitBurst"]), int(*unit["StartLimitIntervalSec"])
    hang = int(*unit["WatchdogSec"]) + int(*unit["RestartSec"]) + int(*unit["TimeoutStopSec"])
    assert tries * hang < seconds  # else a hanging service would restart forever


@pytest.mark.parametrize("unit", UNITS)
def test_lgpio_has_a_writable_folder(unit):
    unit = settings(unit)
    assert "LG_WD=%t/pond" in " ".join(unit["Environment"]).split()
    assert unit["RuntimeDirectory"] == ["pond"]


@pytest.mark.parametrize("unit", UNITS)
def test_lock_file_is_world_readable(unit):
    unit = settings(unit)
    assert unit["RuntimeDirectoryMode"] == ["0755"]
    assert unit["UMask"] == ["0022"]


@pytest.mark.slow
@pytest.mark.parametrize("unit", UNITS)
def test_unit_commands_are_pond_commands(unit):
    unit = settings(unit)
    for key in ("ExecStart", "ExecStopPost"):
        program, command, *options = unit[key][0].removeprefix("-").split()
        assert program == "/usr/bin/pond"
        done = subprocess.run(
            [sys.executable, "-m", "pond_hw", command, "--help"], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        for option in options:
            assert not option.startswith("--") or option in done.stdout


def test_crashed_board_is_switched_off():
    for unit in map(settings, UNITS):
        assert unit["ExecStopPost"] == ["-/usr/bin/pond dark --board ${POND_BOARD}"]


def test_user_settings_override_defaults():
    for name in [*UNITS, WEB]:
        lines = (FIRMWARE / name).read_text(encoding="utf-8").splitlines()
        keys = [line.partition("=")[0] for line in lines]
        assert keys.index("EnvironmentFile") > keys.index("Environment")
    ours = (FIRMWARE / "pond.conf").read_text(encoding="utf-8")
    names = re.findall(r"^(\w+)=", ours, re.MULTILINE)
    assert names == ["POND_BOARD", "POND_OPTIONS"]
    given = itertools.chain.from_iterable(value.split() for value in settings("pond.service")["Environment"])
    assert {each.partition("=")[0] for each in given} >= set(names)


def test_udev_rules_set_device_groups():
    rules = [
        line
        for line in (FIRMWARE / "60-pond.rules").read_text(encoding="utf-8").splitlines()
        if not line.startswith("#")
    ]
    parts = [re.findall(r'(\w+)(==|=)"([^"]*)"', rule) for rule in rules]
    assert [", ".join(f'{key}{sign}"{value}"' for key, sign, value in rule) for rule in parts] == rules
    given = {{key: value for key, _, value in rule}["SUBSYSTEM"]: rule for rule in parts}
    for subsystem, group in (("gpio", "gpio"), ("spidev", "spi"), ("i2c-dev", "i2c")):
        assert {("GROUP", "=", group), ("MODE", "=", "0660")} <= set(given[subsystem])


def test_sysusers_creates_every_group():
    made = re.findall(r"^[ug] (\S+) ", (FIRMWARE / "sysusers.conf").read_text(encoding="utf-8"), re.MULTILINE)
    wanted = {
        group for unit in map(settings, ("pond.service", WEB, LINK)) for group in unit["SupplementaryGroups"][0].split()
    }
    assert set(made) == {"pond-web", "pond-link"} | wanted
