import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pond_hw.profile import shipped
from tests.conftest import lacks, need
from tests.firmware.card import CMDLINE, CONFIG, FIRMWARE, Card, board_file, script

if not sys.platform.startswith("linux"):
    lacks("needs Linux: the scripts are for a Pi and use its tools")

WORD = "spidev.bufsiz=65536"
UNITS = "etc/systemd/system"


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    return Card.fresh(tmp_path_factory.mktemp("fresh") / "card")


@pytest.fixture(scope="module")
def with_pond(fresh, tmp_path_factory):
    card = fresh.copy(tmp_path_factory.mktemp("with_pond") / "card")
    done(card.install())
    return card


@pytest.fixture
def card(fresh, tmp_path):
    return fresh.copy(tmp_path / "card")


@pytest.fixture
def installed(with_pond, tmp_path):
    return with_pond.copy(tmp_path / "card")


def done(said):
    assert said.code == 0, said.text
    return said


def test_installed_twice_and_taken_off_nothing_is_left_and_nothing_is_changed(card):
    before = card.tree()
    first = done(card.install("--user", "player"))
    installed = card.tree()
    assert {f"put   /{UNITS}/pond.service", "edit  /boot/firmware/config.txt"} <= set(first.steps)

    second = done(card.install("--user", "player"))
    assert second.steps == []
    assert card.tree() == installed

    done(card.uninstall())
    assert card.tree() == before


def test_each_file_lies_where_the_system_looks_for_it(installed):
    assert (installed / UNITS / "pond.service").read_bytes() == (FIRMWARE / "pond.service").read_bytes()
    assert (installed / "etc/udev/rules.d/60-pond.rules").read_bytes() == (FIRMWARE / "60-pond.rules").read_bytes()
    assert (installed / "etc/sysusers.d/pond.conf").read_bytes() == (FIRMWARE / "sysusers.conf").read_bytes()
    assert (installed / "etc/modules-load.d/pond.conf").read_text().splitlines()[1:] == ["spidev"]
    assert (installed / "usr/local/bin/pond").readlink() == Path("/opt/pond/bin/pond")
    assert "POND_BOARD=direct-4x4\n" in (installed / "etc/pond/pond.conf").read_text()
    assert not (installed / UNITS / "pond-root.service").exists()


def test_the_commands_are_told_and_none_is_run(card):
    said = done(card.install("--user", "player"))
    told = "\n".join(said.commands)
    for command in (
        "apt-get install",
        "python3-lgpio",
        "python3 -m venv --system-site-packages /opt/pond",
        "--require-hashes -r",
        "--no-deps --no-build-isolation",
        "systemd-sysusers /etc/sysusers.d/pond.conf",
        "usermod -aG pond player",
        "systemctl daemon-reload",
        "systemctl enable pond.service",
    ):
        assert command in told
    order = [told.index(each) for each in ("apt-get install", "-m venv", "--require-hashes", "--no-deps", "enable")]
    assert order == sorted(order)
    assert not (card / "opt/pond/bin").exists()


def test_a_dry_run_tells_every_step_and_does_none(card):
    before = card.tree()
    dry = done(card.install("--dry-run", "--user", "player"))
    assert card.tree() == before
    wet = done(card.install("--user", "player"))
    assert dry.steps == wet.steps
    assert len(dry.commands) == len(wet.commands)

    installed = card.tree()
    dry = done(card.uninstall("--dry-run"))
    assert card.tree() == installed
    assert dry.steps == done(card.uninstall()).steps


COMMON = ("direct-4x4", "hall-4x4")
"""The boards that every run installs; the others have their turn in the long one."""


@pytest.mark.parametrize(
    "name",
    ["hall-4x4", *(pytest.param(name, marks=pytest.mark.long) for name in shipped() if name not in COMMON)],
)
def test_every_board_that_ships_goes_on_and_off(card, name):
    before = card.tree()
    said = done(card.install("--board", name))
    config = card.config.read_text()
    assert ("dtparam=spi=on\n" in config.partition(">>>")[2]) == (name in {"matrix-5x5", "hall-4x4", "hall-5x5"})
    assert ("dtparam=i2c_arm=on\n" in config.partition(">>>")[2]) == (name in {"hall-4x4", "neotrellis-4x4"})
    assert ("dtoverlay=spi1-3cs\n" in config) == (name == "hall-5x5")
    assert ("dtparam=audio=off\n" in config) == (name == "pwm-4x4")
    assert (card / UNITS / "pond-root.service").exists() == (name == "pwm-4x4")
    assert (card / "etc/modprobe.d/pond.conf").exists() == (name == "pwm-4x4")
    unit = "pond-root.service" if name == "pwm-4x4" else "pond.service"
    assert f"systemctl enable {unit}" in said.commands
    assert f"POND_BOARD={name}\n" in (card / "etc/pond/pond.conf").read_text()
    done(card.uninstall())
    assert card.tree() == before


@pytest.mark.long
def test_another_board_takes_the_place_of_the_first(card, fresh, tmp_path):
    done(card.install("--board", "pwm-4x4"))
    said = done(card.install("--board", "hall-4x4"))
    assert "systemctl disable --now pond-root.service" in said.commands
    assert not (card / UNITS / "pond-root.service").exists()
    assert not (card / "etc/modprobe.d/pond.conf").exists()
    assert "POND_BOARD=hall-4x4\n" in (card / "etc/pond/pond.conf").read_text()
    assert "audio=off" not in card.config.read_text()
    other = fresh.copy(tmp_path / "other")
    done(other.install("--board", "hall-4x4"))
    assert card.config.read_bytes() == other.config.read_bytes()


@pytest.mark.long
def test_without_a_board_the_one_that_was_chosen_stays(card):
    done(card.install("--board", "neotrellis-4x4"))
    installed = card.tree()
    done(card.install())
    assert card.tree() == installed


@pytest.mark.long
def test_the_old_place_of_the_boot_partition(tmp_path):
    card = Card.fresh(tmp_path / "card", boot="boot")
    before = card.tree()
    done(card.install())
    assert "dtparam=spi=on\n" in card.config.read_text()
    done(card.uninstall())
    assert card.tree() == before


def test_the_sign_post_that_bookworm_leaves_in_the_old_place_is_not_touched(card):
    post = card / "boot/config.txt"
    post.write_text("DO NOT EDIT THIS FILE\n")
    done(card.install())
    assert post.read_text() == "DO NOT EDIT THIS FILE\n"
    assert not post.with_name("config.txt.before-pond").exists()


@pytest.mark.long
def test_spi_that_the_builder_switched_on_is_left_to_him(tmp_path):
    card = Card.fresh(tmp_path / "card", config=CONFIG.replace("#dtparam=spi=on", "dtparam=spi=on"))
    before = card.tree()
    done(card.install())
    assert card.config.read_text().count("\ndtparam=spi=on\n") == 1
    assert "core_freq=250" in card.config.read_text()
    done(card.uninstall())
    assert card.tree() == before


@pytest.mark.long
def test_a_long_chain_gets_a_word_in_cmdline_which_stays_one_line(card, tmp_path):
    before = card.tree()
    done(card.install("--board", board_file(tmp_path, count=150)))
    assert card.cmdline.read_text() == CMDLINE.replace("\n", f" {WORD}\n")
    installed = card.tree()
    assert done(card.install()).steps == []
    assert card.tree() == installed
    done(card.install("--board", "direct-4x4"))
    assert card.cmdline.read_text() == CMDLINE
    done(card.uninstall("--purge"))
    assert card.tree() == before


def test_a_changed_pond_conf_is_kept_and_ours_lies_beside_it(installed):
    conf = installed / "etc/pond/pond.conf"
    conf.write_text("POND_BOARD=hall-4x4\nPOND_OPTIONS=--variant mini\n")
    said = done(installed.install())  # the board that it names now
    assert "/etc/pond/pond.conf was changed by hand and is kept; ours lies beside it as pond.conf.new." in said.text
    assert conf.read_text() == "POND_BOARD=hall-4x4\nPOND_OPTIONS=--variant mini\n"
    assert "POND_BOARD=hall-4x4\n" in (installed / "etc/pond/pond.conf.new").read_text()
    assert not (installed / "etc/pond/pond.conf.old").exists()
    assert "dtparam=i2c_arm=on\n" in installed.config.read_text().partition(">>>")[2]
    twice = installed.tree()
    assert done(installed.install()).steps == []
    assert installed.tree() == twice

    said = done(installed.uninstall())
    assert "/etc/pond/pond.conf was changed by hand and is kept; --purge takes it away." in said.text
    assert [place for place in installed.tree() if place.startswith("etc")] == ["etc", "etc/pond", "etc/pond/pond.conf"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("# mine\nPOND_BOARD=hall-4x4\nPOND_OPTIONS=-v\n", "# mine\nPOND_BOARD=pwm-4x4\nPOND_OPTIONS=-v\n"),
        pytest.param(
            "  POND_BOARD = 'hall-4x4'\nPOND_OPTIONS=-v\n",
            "POND_BOARD=pwm-4x4\nPOND_OPTIONS=-v\n",
            marks=pytest.mark.long,
        ),
        pytest.param("POND_OPTIONS=-v", "POND_OPTIONS=-v\nPOND_BOARD=pwm-4x4\n", marks=pytest.mark.long),
    ],
    ids=["as we wrote it", "as systemd reads it too", "not there"],
)
def test_a_board_that_is_asked_for_goes_into_a_changed_pond_conf_and_nothing_else_does(installed, before, after):
    conf = installed / "etc/pond/pond.conf"
    conf.write_text(before)
    dry = done(installed.install("--board", "pwm-4x4", "--dry-run"))
    assert conf.read_text() == before
    said = done(installed.install("--board", "pwm-4x4"))
    assert dry.steps == said.steps
    assert conf.read_text() == after
    assert (installed / "etc/pond/pond.conf.old").read_text() == before
    kept = "/etc/pond/pond.conf was changed by hand: only its POND_BOARD is new, and the old file is pond.conf.old."
    assert kept in said.text
    assert "systemctl enable pond-root.service" in said.commands

    tree = installed.tree()
    assert done(installed.install("--board", "pwm-4x4")).steps == done(installed.install()).steps == []
    assert installed.tree() == tree
    done(installed.uninstall())
    assert conf.read_text() == after
    assert (installed / "etc/pond/pond.conf.old").read_text() == before


@pytest.mark.long
def test_a_pond_conf_in_which_only_the_board_was_changed_is_ours_again(installed):
    conf = installed / "etc/pond/pond.conf"
    ours = conf.read_text()
    theirs = ours.replace("=direct-4x4", "=hall-4x4")
    conf.write_text(theirs)
    dry = done(installed.install("--board", "direct-4x4", "--dry-run"))
    assert dry.steps == done(installed.install("--board", "direct-4x4")).steps
    assert (conf.read_text(), (installed / "etc/pond/pond.conf.old").read_text()) == (ours, theirs)
    assert not (installed / "etc/pond/pond.conf.new").exists()


@pytest.mark.parametrize(
    "line", ["POND_BOARD=hall-4x4", "  POND_BOARD=hall-4x4", "POND_BOARD = hall-4x4", 'POND_BOARD="hall-4x4" \r']
)
def test_however_the_board_is_written_in_pond_conf_it_stays_the_board(installed, line):
    (installed / "etc/pond/pond.conf").write_bytes(f"POND_BOARD=direct-4x4\n{line}\n".encode())
    assert "Pond for the board hall-4x4\n" in done(installed.install()).text
    assert "dtparam=i2c_arm=on\n" in installed.config.read_text().partition(">>>")[2]


@pytest.mark.parametrize(
    "place",
    ["etc/udev", *(pytest.param(each, marks=pytest.mark.long) for each in ("etc", "etc/sysusers.d", "usr/local/bin"))],
)
def test_what_stopped_half_way_is_taken_off_whole(card, place):
    stone = card / place
    stone.parent.mkdir(parents=True, exist_ok=True)
    stone.write_text("A file where a folder must be.\n")
    before = card.tree()
    said = card.install()
    assert said.code == 1
    assert "This step failed" in said.text
    assert card.tree() != before
    done(card.uninstall())
    assert card.tree() == before


@pytest.mark.long
def test_what_lies_beside_goes_when_it_is_accepted(installed):
    conf = installed / "etc/pond/pond.conf"
    conf.write_text("POND_BOARD=direct-4x4\n")
    done(installed.install())
    shutil.copy(installed / "etc/pond/pond.conf.new", conf)
    assert done(installed.install()).steps == ["drop  /etc/pond/pond.conf.new"]
    assert not (installed / "etc/pond/pond.conf.new").exists()


@pytest.mark.long
def test_a_unit_that_was_there_before_us_is_nobody_elses_loss(card):
    unit = card / UNITS / "pond.service"
    unit.parent.mkdir(parents=True)
    unit.write_text("[Service]\nExecStart=/bin/true\n")
    before = card.tree()
    assert "pond.service was changed by hand and is kept" in done(card.install()).text
    assert unit.read_text() == "[Service]\nExecStart=/bin/true\n"
    done(card.uninstall())
    assert {place: told for place, told in card.tree().items() if "pond.service.new" not in place} == before


@pytest.mark.long
def test_lines_between_the_marks_that_were_changed_are_kept(installed):
    ours = installed.config.read_text()
    changed = ours.replace("core_freq=250", "core_freq=400")
    installed.config.write_text(changed)
    said = done(installed.install())
    assert "were changed by hand and are kept; ours lie beside it in config.txt.new." in said.text
    assert installed.config.read_text() == changed
    assert (installed.boot / "config.txt.new").read_text() == ours
    assert done(installed.install()).steps == []

    said = done(installed.uninstall())
    assert "were changed by hand and are kept; --purge takes them out." in said.text
    assert installed.config.read_text() == changed


def test_what_the_builder_added_to_config_txt_meanwhile_stays(installed):
    with installed.config.open("a") as config:
        config.write("dtoverlay=gpio-fan\n")
    said = done(installed.uninstall())
    assert installed.config.read_text() == CONFIG + "dtoverlay=gpio-fan\n"
    assert "how it was before Pond stands in config.txt.before-pond" in said.text
    assert (installed.boot / "config.txt.before-pond").read_text() == CONFIG


def test_half_a_pair_of_marks_stops_it_before_anything_is_done(card):
    card.config.write_text(CONFIG + "# <<< Pond\n")
    before = card.tree()
    said = card.install()
    assert said.code == 2
    assert said.text.count("one of the two marks") == 1
    assert card.tree() == before


def test_a_cmdline_of_two_lines_stops_it_before_anything_is_done(card, tmp_path):
    card.cmdline.write_text("console=tty1\nrootwait\n")
    before = card.tree()
    said = card.install("--board", board_file(tmp_path, count=150))
    assert said.code == 2
    assert said.text.count("cmdline.txt must be one line") == 1
    assert card.tree() == before


@pytest.mark.long
def test_what_somebody_elses_setting_comes_to_is_told_once(card):
    card.config.write_text(CONFIG + "core_freq_min=250\n")
    assert done(card.install()).text.count("It also says core_freq_min=250") == 1


@pytest.mark.long
def test_a_service_that_must_reach_the_memory_of_the_pins_is_let_to_it_as_long_as_it_must(card, tmp_path):
    before = card.tree()
    done(card.install("--board", board_file(tmp_path, driver="ws281x")))
    drop_in = card / UNITS / "pond.service.d/gpiomem.conf"
    assert drop_in.read_bytes() == (FIRMWARE / "gpiomem.conf").read_bytes()
    done(card.install("--board", "direct-4x4"))
    assert not drop_in.exists()
    done(card.uninstall("--purge"))
    assert card.tree() == before


@pytest.mark.long
def test_a_profile_of_ones_own_is_put_where_the_service_may_read_it(card, tmp_path):
    own = board_file(tmp_path)
    done(card.install("--board", own))
    placed = card / "etc/pond/boards/mine.toml"
    assert placed.read_bytes() == own.read_bytes()
    assert "POND_BOARD=/etc/pond/boards/mine.toml\n" in (card / "etc/pond/pond.conf").read_text()
    said = done(card.uninstall())
    assert "/etc/pond/boards/mine.toml is your own and is kept" in said.text
    assert placed.exists()


def test_a_profile_with_faults_stops_it_before_anything_is_done(card, tmp_path):
    own = board_file(tmp_path)
    own.write_text(own.read_text().replace("pin = 10", "pin = 11"))
    before = card.tree()
    said = card.install("--board", own)
    assert said.code == 2
    assert "mine.toml has 1 fault:" in said.text
    assert card.tree() == before


def test_a_profile_whose_name_a_shell_would_stumble_over_is_refused(card, tmp_path):
    said = card.install("--board", board_file(tmp_path, name="my board"))
    assert said.code == 2
    assert "my board.toml wants a name of letters, digits, dots and dashes: rename the file." in said.text


@pytest.mark.long
def test_a_careful_umask_does_not_lock_the_service_out(card):
    called = ["bash", "-c", 'umask 077; exec "$@"', "-", FIRMWARE / "install.sh", "--root", card.root]
    subprocess.run(called, check=True, capture_output=True, timeout=60)
    for place, (mode, _) in card.tree().items():
        assert mode[7] == "r" or not place.startswith(("etc", "opt", "usr")), place


@pytest.mark.long
def test_purge_leaves_nothing_of_ours_or_the_builders(card, tmp_path):
    before = card.tree()
    done(card.install("--board", board_file(tmp_path)))
    (card / "etc/pond/boards/other.toml").write_text("format = 1\n")
    (card / "var/lib/pond").mkdir(parents=True)
    (card / "var/lib/pond/games").write_text("")
    card.config.write_text(card.config.read_text().replace("core_freq=250", "core_freq=400"))
    said = done(card.uninstall("--purge"))
    (card / "var/lib").rmdir()
    (card / "var").rmdir()
    assert card.tree() == before
    assert {"userdel pond", "groupdel pond"} <= set(said.commands)


def test_whose_games_are_kept_is_kept_too(installed):
    (installed / "var/lib/pond").mkdir(parents=True)
    (installed / "var/lib/pond/games").write_text("")
    said = done(installed.uninstall())
    assert "/var/lib/pond is not empty and is kept, and with it the user pond" in said.text
    assert "userdel pond" not in said.commands


def test_the_copy_on_the_card_takes_it_off_just_as_well(fresh, installed):
    copy = installed / "opt/pond/share/pond/uninstall.sh"
    subprocess.run([copy, "--root", installed.root], check=True, capture_output=True, timeout=60)
    assert installed.tree() == fresh.tree()


def test_where_nothing_is_installed_there_is_nothing_to_do(card):
    before = card.tree()
    assert done(card.uninstall()).text == "Pond is not installed here; nothing to do.\n"
    assert card.tree() == before


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--bord", "direct-4x4"], "install.sh: There is no option --bord; install.sh --help tells them."),
        (["--board"], "install.sh: --board wants a value behind it; install.sh --help tells the options."),
        (["--board", ""], "install.sh: --board wants a value behind it; install.sh --help tells the options."),
        (["--root", "/"], "install.sh: --root wants a folder other than /; without it the machine itself is meant."),
        (["--root", "/nowhere/at/all"], "install.sh: /nowhere/at/all is not a folder: make it first."),
    ],
)
def test_options_that_are_wrong_are_told_in_a_sentence(options, sentence):
    assert script("install.sh", *options) == (2, f"{sentence}\n")


def test_a_board_that_is_not_there_is_told_with_those_that_are(card):
    said = card.install("--board", "direct-4x5")
    assert said.code == 2
    assert "direct-4x4" in said.text


def test_a_card_without_config_txt_is_not_raspberry_pi_os(tmp_path):
    said = script("install.sh", "--root", tmp_path)
    assert said.code == 2
    places = f"{tmp_path}/boot/firmware or {tmp_path}/boot"
    assert said.text == f"install.sh: There is no config.txt in {places}: is this Raspberry Pi OS?\n"


@pytest.mark.parametrize("name", ["uninstall.sh"])
@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--prune"], "There is no option --prune; uninstall.sh --help tells them."),
        (["--root"], "--root wants a folder other than / behind it."),
        (["--root", "/nowhere/at/all"], "/nowhere/at/all is not a folder."),
    ],
)
def test_the_way_back_tells_wrong_options_too(name, options, sentence):
    assert script(name, *options) == (2, f"{name}: {sentence}\n")


@pytest.mark.parametrize("name", ["install.sh", "uninstall.sh"])
def test_help_tells_every_option(name):
    said = done(script(name, "--help"))
    code = (FIRMWARE / name).read_text(encoding="utf-8")
    options = {"--board", "--user", "--purge", "--dry-run", "--root", "--help"}
    assert {each for each in options if each in code} == {each for each in options if each in said.text}


class Pretence:
    """A Pi as far as the installer asks, and none of the commands that would change anything."""

    def __init__(self, folder, model="Raspberry Pi 4 Model B Rev 1.4", uid=0, without=(), revision=0):
        self.path, self.machine = folder / "bin", folder / "machine"
        self.path.mkdir()
        tree = self.machine / "proc/device-tree"
        (tree / "system").mkdir(parents=True)
        if model:
            (tree / "model").write_text(f"{model}\0")
        if revision:
            (tree / "system/linux,revision").write_bytes(revision.to_bytes(4, "big"))
        for tool in ("bash", "basename", "cat", "dirname", "mktemp", "rm", "sed", "tail", "tr"):
            (self.path / tool).symlink_to(shutil.which(tool))
        (self.path / "python3").symlink_to(Path(sys.executable).resolve())
        for tool, answer in (("id", f"echo {uid}"), ("apt-get", "exit 9"), ("systemctl", "exit 9")):
            if tool not in without:
                (self.path / tool).write_text(f"#!/bin/sh\n{answer}\n")
                (self.path / tool).chmod(0o755)

    def install(self, *options):
        return script("install.sh", *options, path=self.path, POND_MACHINE=str(self.machine))


@pytest.mark.parametrize(
    ("pretended", "sentence"),
    [
        ({"uid": 1000}, f"This must be done as root: sudo {FIRMWARE / 'install.sh'}"),
        ({"model": ""}, "This is not a Raspberry Pi; to play on a laptop: make play."),
        ({"model": "Some other board"}, "This is not a Raspberry Pi; to play on a laptop: make play."),
        ({"without": ["apt-get"]}, "There is no apt here: take Raspberry Pi OS, or another system made from Debian."),
        ({"without": ["systemctl"]}, "There is no systemd here: take Raspberry Pi OS."),
    ],
)
def test_a_machine_that_will_not_do_is_told_in_a_sentence(tmp_path, pretended, sentence):
    # The board is none, too: whatever else goes wrong here, nothing is ever installed.
    said = Pretence(tmp_path, **pretended).install("--board", "none-of-these")
    assert said == (2, f"install.sh: {sentence}\n")


def test_a_dry_run_goes_on_where_an_installation_would_stop(tmp_path):
    said = Pretence(tmp_path, model="", uid=1000, without=["apt-get"]).install("--dry-run", "--board", "none-of-these")
    assert said.code == 2
    assert said.text.count("note: ") == 3
    assert "There is no board 'none-of-these'" in said.text


def test_a_board_that_this_pi_cannot_drive_is_refused(tmp_path):
    newer = Pretence(tmp_path, model="Raspberry Pi of another name", revision=0xC04170)
    said = newer.install("--dry-run", "--board", "pwm-4x4")
    assert said.code == 2
    assert "rpi_ws281x does not know the Raspberry Pi 5: move the lamps' data wire to GPIO 10" in said.text


def test_an_older_python_is_told_in_a_sentence(tmp_path):
    pretence = Pretence(tmp_path)
    (pretence.path / "python3").unlink()
    (pretence.path / "python3").write_text("#!/bin/sh\nexit 1\n")
    (pretence.path / "python3").chmod(0o755)
    sentence = "Pond needs Python 3.11 or newer as python3: take Raspberry Pi OS Bookworm or newer."
    assert pretence.install("--dry-run") == (2, f"install.sh: {sentence}\n")


@pytest.mark.parametrize("name", ["install.sh", "uninstall.sh"])
def test_shellcheck_finds_nothing(name):
    need("shellcheck", "it reads shell scripts for mistakes")
    checked = subprocess.run(["shellcheck", FIRMWARE / name], capture_output=True, text=True, timeout=60, check=False)
    assert (checked.returncode, checked.stdout) == (0, "")
    assert os.access(FIRMWARE / name, os.X_OK)
