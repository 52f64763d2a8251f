"""Tests of the doctor's checks of a game of two homes."""

import os

import pytest

from pond_hw.doctor import run_checks
from pond_hw.doctor.link_checks import SERVICE_STATE
from pond_hw.doctor.report import format_report
from pond_hw.link.changes import INVITER
from pond_hw.link.invitation import parse_broker
from pond_hw.link.linked_game import LinkedGame
from pond_hw.messages.message import Message
from pond_hw.mqtt.linked_home import LinkedHome
from pond_hw.mqtt.stored_link import Login, StoredLink
from pond_hw.rules import STANDARD
from tests.conftest import each
from tests.doctor.pi_trees import GPIOZERO, SERVICE, TEST_TIME, Pi
from tests.firmware.test_units import LINK, settings

BROKER = parse_broker("mqtts://ponds.example:8884/berg")
LOGIN = Login("heron", "w4terlily")
SET_CLOCK = "sudo timedatectl set-ntp true"
LINK_FOLDER = f"{SERVICE_STATE}/link"


class LinkedPi(Pi):
    """A Pi whose service plays a game of two homes."""

    def __init__(self, root, state_folder=SERVICE_STATE):
        super().__init__(root)
        self.packages |= dict.fromkeys(("pynacl", "aiomqtt", "paho-mqtt"), GPIOZERO)
        self.link_service = dict(SERVICE)
        self.folder = root / state_folder.lstrip("/") / "link"
        self.home = LinkedHome(LinkedGame.invite(BROKER, STANDARD, INVITER, "Ada"))
        self.stored = StoredLink(self.folder)
        self.stored.write_login(BROKER, LOGIN)
        self.stored.store(self.home)

    def run(self, command):
        if command[:3] == ["systemctl", "show", LINK]:
            return "".join(f"{key}={value}\n" for key, value in self.link_service.items())
        return super().run(command)

    def find_link_problems(self):
        found = [each for each in run_checks(self.board, self.host).check_results if each.subject == "link"]
        return [(each.grade, each.messages[0].id.rpartition(".")[2], each.fix_command) for each in found]


GOOD = [("good", "good", "")]


@pytest.fixture
def pi(tmp_path):
    return LinkedPi(tmp_path)


def test_machine_without_a_linked_game_is_not_checked(tmp_path):
    pi = Pi(tmp_path)
    assert [each for each in run_checks(pi.board, pi.host).check_results if each.subject == "link"] == []
    assert pi.logins == []


def test_linked_game_of_the_service(pi):
    assert pi.find_link_problems() == GOOD
    assert pi.logins == [(BROKER._replace(prefix=""), LOGIN)]
    assert settings(LINK)["StateDirectory"] == [SERVICE_STATE.rpartition("/")[2]]


def test_linked_game_of_a_user(tmp_path):
    pi = LinkedPi(tmp_path, "/home/anna/.local/state/pond")
    pi.link_service["ActiveState"] = "inactive"  # it isn't the game of the service
    assert pi.find_link_problems() == GOOD


def test_brokers_of_the_game_and_of_home_assistant(pi):
    other = {"id": "x", "broker": "mqtt://house.example", "name": "Pond", "on": True}
    pi.stored.write_settings(pi.stored.read_settings() | {"home_assistant": other})
    assert pi.find_link_problems() == GOOD * 2
    assert [(broker.host, login) for broker, login in pi.logins] == [
        ("ponds.example", LOGIN),
        ("house.example", Login()),
    ]


def test_login_of_a_game_that_is_over(pi):
    pi.stored.forget()
    pi.link_service["ActiveState"] = "inactive"
    assert pi.find_link_problems() == []
    (pi.folder / "settings.json").chmod(0o644)
    assert [problem for _, problem, _ in pi.find_link_problems()] == ["open"]


def test_only_root_can_check_the_service(pi):
    pi.denied.add("pond-link")
    assert pi.find_link_problems() == [("warning", "only_root", "sudo pond doctor")]


@each("name", [".", "game", "settings.json", "lock"])
def test_files_that_others_can_read(pi, name):
    with pi.stored.lock():
        pass
    (pi.folder / name).chmod(0o750)
    assert pi.find_link_problems() == [("fault", "open", f"sudo chmod -R go= {LINK_FOLDER}"), *GOOD]
    (pi.folder / name).chmod(0o700)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_files_that_the_service_cannot_write(pi):
    os.chown(pi.folder / "game", 4321, 4321)
    fix = f"sudo chown -R --reference={SERVICE_STATE} {LINK_FOLDER}"
    assert pi.find_link_problems() == [("fault", "owner", fix), *GOOD]


@each("name", ["pynacl", "aiomqtt", "paho-mqtt"])
def test_missing_package_of_the_link(pi, name):
    package = pi.packages.pop(name)
    ((grade, problem, fix),) = pi.find_link_problems()
    assert (grade, problem) == ("fault", "packages")
    assert fix
    pi.packages[name] = package


@each("name", ["game", "settings.json"])
@each("length", [0, 1, 40, 100])
def test_damaged_file_of_the_link(pi, name, length):
    content = (pi.folder / name).read_bytes()
    (pi.folder / name).write_bytes(content[:length])
    assert pi.find_link_problems() == [("fault", "damaged", "")]
    (pi.folder / name).write_bytes(content)


def test_clock_that_is_behind_the_other_home(pi):
    pi.home.game.last_seen[1] = int(TEST_TIME) + 60
    pi.stored.store(pi.home)
    assert pi.find_link_problems() == [("fault", "clock_behind", SET_CLOCK), *GOOD]


def test_clock_that_the_network_does_not_set(pi):
    pi.answers["timedatectl show"] = "no\n"
    assert pi.find_link_problems() == [("warning", "clock_unset", SET_CLOCK), *GOOD]


def test_broker_that_cannot_be_used(pi):
    pi.broker_fault = Message("doctor.link.login_refused")
    assert pi.find_link_problems() == [("fault", "login_refused", "")]


@each(
    ("state", "problem"),
    [
        ("inactive", ("warning", "off", "sudo systemctl enable --now pond-link")),
        ("failed", ("fault", "failed", "journalctl -u pond-link -n 20")),
    ],
)
def test_service_that_does_not_play_the_game(pi, state, problem):
    pi.link_service["ActiveState"] = state
    assert pi.find_link_problems() == [*GOOD, problem]


@each("fault", [None, Message("doctor.link.no_tls", reason="[SSL] wrong version number")])
def test_report_contains_nothing_of_the_link(pi, fault):
    pi.broker_fault = fault
    invitation = pi.home.game.invitation
    texts = [str(invitation), str(invitation.to_watch)]
    pi.answers["journalctl -u pond -n 60"] = "".join(f"pond[1]: {text}\n" for text in (*texts, str(BROKER)))
    for name in ("game", "settings.json"):
        content = (pi.folder / name).read_bytes()
        (pi.folder / name).write_bytes(content[:-1])
        check_report(format_report("direct-4x4", pi.host), texts)
        (pi.folder / name).write_bytes(content)
    check_report(format_report("direct-4x4", pi.host), texts)


def check_report(report, texts):
    codes = [text.rpartition("/")[2] for text in texts]
    for secret in (*texts, *codes, *codes[0].split("-"), "ponds.example", "8884", "berg", "heron", "w4terlily", "Ada"):
        assert secret not in report
