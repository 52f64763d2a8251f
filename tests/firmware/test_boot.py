import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.firmware.card import CMDLINE, CONFIG, FIRMWARE
from tests.firmware.scripts import boot

FRAGMENTS = sorted(path.stem for path in (FIRMWARE / "boot").glob("*.txt"))
WORD = "spidev.bufsiz=65536"

MATCHING_FILTERS = {
    "pi0": {"pi0"},
    "pi0w": {"pi0", "pi0w"},
    "pi02": {"pi0", "pi0w", "pi02"},
    "pi3": {"pi3"},
    "pi4": {"pi4"},
    "pi5": {"pi5"},
}
"""Matching filters for each model in the README, taken from Raspberry Pi's documentation of config.txt."""


def firmware(text, model):
    """Return the effective settings of config.txt on a model: {(machine or overlay, key): value}.

    This implements the documentation independently of `boot`. Filters of one kind replace each other, filters of different
    kinds combine, and `[all]` clears them. A dtparam after a dtoverlay applies to the overlay if it has a parameter of that
    name. An empty dtoverlay ends the previous one.
    """
    having = {"vc4-kms-v3d": {"audio"}}
    passes, sees, overlay, found = True, True, "", {}
    for line in text.replace("\r\n", "\n").split("\n"):
        if filtered := re.fullmatch(r"\[(.+)\]", line.strip()):
            name = filtered[1]
            if name == "all":
                passes = sees = True
            elif re.match(r"(pi|cm)\d", name):
                sees = name in MATCHING_FILTERS[model]
            else:
                passes = False
        elif passes and sees and "=" in line and not line.lstrip().startswith("#"):
            key, _, value = line.strip().partition("=")
            if key == "dtoverlay":
                overlay = value
                found["overlay", value] = "on"
            elif key == "dtparam":
                name, _, to = value.partition("=")
                target = overlay if name in having.get(overlay, ()) else "machine"
                found[target, name] = to
            else:
                found["machine", key] = value
    return found


def with_lines(text, *fragments):
    return boot.add_lines(text, fragments)[0]


@pytest.mark.parametrize(
    ("model", "clock"),
    [
        ("pi0", {"core_freq": "250"}),
        ("pi0w", {"core_freq": "250"}),
        ("pi02", {"core_freq": "250"}),
        ("pi3", {"core_freq": "250"}),
        ("pi4", {"core_freq_min": "500"}),
        ("pi5", {}),
    ],
)
def test_spi_lamps_get_spi_and_a_fixed_clock(model, clock):
    before, after = firmware(CONFIG, model), firmware(with_lines(CONFIG, "spi-lamps"), model)
    gained = {key: value for (_, key), value in (after.items() - before.items()) if key}
    assert gained == {"spi": "on"} | clock


def test_audio_setting_is_not_mistaken_for_overlay_parameter():
    after = firmware(with_lines(CONFIG, "pwm-lamps"), "pi4")
    assert after["machine", "audio"] == "off"
    assert ("vc4-kms-v3d", "audio") not in after


def test_other_filters_do_not_apply_to_our_lines():
    text = "[cm5]\nusb_max_current_enable=1\n[gpio4=1]\ndisable_splash=1\n"
    assert firmware(with_lines(text, "spi-lamps"), "pi4")["machine", "spi"] == "on"


def test_lines_after_ours_apply_to_every_model():
    text = with_lines(CONFIG, "spi-lamps", "expanders") + "dtparam=watchdog=on\n"
    for model in MATCHING_FILTERS:
        assert firmware(text, model)["machine", "watchdog"] == "on"


@pytest.mark.parametrize("line", ["dtparam=spi=on", "dtparam=audio=on,spi=on", "device_tree_param=spi=on"])
def test_existing_setting_is_not_repeated(line):
    text = with_lines(f"{line}\n", "spi-lamps")
    assert re.findall("^.*spi=on.*$", text, re.MULTILINE) == [line, "# dtparam=spi=on is already set."]
    assert firmware(text, "pi3")["machine", "core_freq"] == "250"


def test_complete_config_is_unchanged():
    text = "dtparam=i2c_arm=on\ndtparam=i2c_baudrate=400000\n"
    assert with_lines(text, "expanders") == text


@pytest.mark.parametrize(
    "text",
    ["[pi4]\ndtparam=spi=on\n", "[EDID=x]\ndtparam=spi=on\n", "#dtparam=spi=on\n", "dtparam=spi=on\ndtparam=spi=off\n"],
)
def test_conditional_setting_is_set_unconditionally(text):
    for model in MATCHING_FILTERS:
        assert firmware(with_lines(text, "spi-lamps"), model)["machine", "spi"] == "on"


def test_overridden_setting_is_reported():
    _, remarks = boot.add_lines("[pi4]\ncore_freq_min=250\n", ["spi-lamps"])
    assert remarks == ["It also sets core_freq_min=250. Pond sets 500 after it, and the last line wins."]


def test_config_lines_of_another_board_replace_the_old_lines():
    first = with_lines(CONFIG, "spi-lamps", "expanders") + "# of the builder\n"
    second = with_lines(first, "spi-lamps", "spi1-3cs")
    assert firmware(second, "pi4")["overlay", "spi1-3cs"] == "on"
    assert ("machine", "i2c_arm") not in firmware(second, "pi4")
    assert second.endswith("# <<< Pond\n# of the builder\n")
    assert with_lines(second) == CONFIG + "# of the builder\n"


LINES = st.sampled_from(
    [
        *("", "# spi", "dtparam=spi=on", "dtparam=audio=on", "dtoverlay=vc4-kms-v3d", "core_freq=400"),
        *("[all]", "[pi4]", "[none]"),
    ]
)
CONFIGS = st.builds(
    lambda lines, between, end: between.join(lines) + end,
    st.lists(LINES, max_size=8),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["", "\n", "\n\n"]),
)


@given(CONFIGS, st.lists(st.sampled_from(FRAGMENTS), unique=True, max_size=3))
def test_removing_lines_restores_the_file_exactly(text, fragments):
    once = with_lines(text, *fragments)
    assert with_lines(once, *fragments) == once
    assert boot.remove_lines(once) == text
    assert not boot.is_edited(once)


@given(CONFIGS, CONFIGS)
def test_text_after_our_lines_is_kept(before, after):
    text = with_lines(before, "spi-lamps")
    assert boot.remove_lines(text + after).endswith(after)


def test_hand_edited_lines_are_detected():
    text = with_lines(CONFIG, "spi-lamps")
    assert boot.is_edited(text.replace("core_freq=250", "core_freq=400"))
    assert boot.is_edited(text.replace("# <<< Pond", "over_voltage=2\n# <<< Pond"))
    assert not boot.is_edited(text.replace("\n", "\r\n"))
    assert not boot.is_edited(CONFIG)


@pytest.mark.parametrize("mark", [r"# >>> Pond[^\n]*\n", r"# <<< Pond\n"])
def test_unpaired_marker_is_a_fault(mark):
    text = re.sub(mark, "", with_lines(CONFIG, "spi-lamps"))
    with pytest.raises(boot.BootFault, match="one of the two markers"):
        boot.remove_lines(text)
    with pytest.raises(boot.BootFault, match="one of the two markers"):
        boot.add_lines(text, ["spi-lamps"])


def test_word_is_appended_to_the_line():
    text, added, remarks = boot.add_words(CMDLINE, [WORD])
    assert text == CMDLINE.replace(" rootwait\n", f" rootwait {WORD}\n")
    assert (added, remarks) == ([WORD], [])


@pytest.mark.parametrize("end", ["", "\n", " \n", "\r\n"])
def test_cmdline_is_restored_exactly(end):
    line = "console=tty1 rootwait"
    text, added, _ = boot.add_words(line + end, [WORD])
    assert text.rstrip() == f"{line} {WORD}"
    assert len(text.splitlines()) == 1
    assert boot.remove_words(text, added) == line + end


def test_large_enough_buffer_is_kept():
    line = "rootwait spidev.bufsiz=131072\n"
    assert boot.add_words(line, [WORD]) == (line, [], [])


def test_too_small_buffer_is_reported_and_kept():
    line = "rootwait spidev.bufsiz=8192\n"
    text, added, (remark,) = boot.add_words(line, [WORD])
    assert (text, added) == (line, [])
    too_little = "It sets spidev.bufsiz=8192, which is too small for this chain of lamps"
    assert remark == f"{too_little}: change it to spidev.bufsiz=65536."


@pytest.mark.parametrize("text", ["", "\n", "console=tty1\nrootwait\n"])
def test_cmdline_without_exactly_one_line_is_a_fault(text):
    with pytest.raises(boot.BootFault, match=r"cmdline\.txt must be one line"):
        boot.add_words(text, [WORD])
    assert boot.add_words(text, []) == (text, [], [])


@pytest.mark.parametrize("name", FRAGMENTS)
def test_fragments_can_be_copied_by_hand(name):
    lines = (FIRMWARE / "boot" / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("# ")
    assert max(map(len, lines)) <= 98  # the firmware ignores the rest of a line
    counting = [line for line in lines if not line.startswith("#")]
    assert counting[0] == "[all]"
    assert [line for line in counting if line.startswith("[")][-1] == "[all]"
