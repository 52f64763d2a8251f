"""Tests that personal data is removed from the report."""

import base64
import ipaddress

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from pond_hw.doctor.redact import PUBLIC_NAMES, PrivateNames, redact_text
from pond_hw.link.invitation import Invitation, parse_broker
from tests.conftest import each

EDGES = ["", " ", "\n", "(", ")", '"', "'", ",", "=", ";", "[", "]", "<", ">", "|", "\t"]
TEXT = st.text(alphabet="xyz \n.,", max_size=12)
EDGE = st.sampled_from(EDGES[1:])
HEX = "0123456789abcdef"
SCHEMES = ("mqtt", "mqtts", "MQTT")


def surround(secret, before, left, right, after):
    return f"{before}{left}{secret}{right}{after}"


SURROUNDINGS = st.tuples(TEXT, EDGE, EDGE, TEXT)
WORDS = " ".join(["<user> <host> <address> <secret> <serial> <id>", *PUBLIC_NAMES])
NAME = st.text(alphabet="abcdefghijklmnopqrstuvw", min_size=4, max_size=12).filter(lambda name: name not in WORDS)


@pytest.mark.slow
@settings(max_examples=40)
@given(NAME, st.sampled_from([" ", "-", "_", ".", "/", "@", "'s ", "=", ":", "2"]), SURROUNDINGS)
def test_user_name_is_removed(name, joint, surroundings):
    for form in (name, name.upper(), name.capitalize()):
        text = surround(f"{form}{joint}zz", *surroundings)
        assert name not in redact_text(text, PrivateNames(user_names=(name,))).lower()


@settings(max_examples=40)
@given(NAME, st.sampled_from(["", ".local", ".example.org", ":22", "$"]), SURROUNDINGS)
def test_host_name_is_removed(name, more, surroundings):
    names = PrivateNames(host_names=(f"{name}.example.org",))
    assert name not in redact_text(surround(name + more, *surroundings), names).lower()


@settings(max_examples=40)
@given(st.text(alphabet="abc", min_size=1, max_size=3), SURROUNDINGS)
def test_short_name_is_removed_only_as_a_word(name, surroundings):
    assert redact_text(surround(name, *surroundings), PrivateNames(user_names=(name,))).count(name) == 0


@given(NAME, st.sampled_from(["/home/{}", "/Users/{}", "C:\\Users\\{}"]), SURROUNDINGS)
def test_home_folder_of_unknown_user_is_removed(name, place, surroundings):
    redacted = redact_text(surround(place.format(name) + "/x.toml", *surroundings))
    assert name not in redacted
    assert "~" in redacted


@given(st.ip_addresses(v=4), st.sampled_from(["", ":8080", "/24", ".", ", "]), SURROUNDINGS)
def test_ipv4_address_is_removed(address, more, surroundings):
    assume(int(address) >> 24)  # 0.x.x.x stays: versions look like that
    assert str(address) not in redact_text(surround(f"{address}{more}", *surroundings))


@given(st.ip_addresses(v=6), st.sampled_from(["", "%wlan0", "/64", "]:80"]), st.booleans(), SURROUNDINGS)
def test_ipv6_address_is_removed(address, more, whole, surroundings):
    assume(address != ipaddress.IPv6Address(0))  # :: is not personal
    redacted = address.exploded if whole else address.compressed
    for form in (redacted, redacted.upper()):
        left = redact_text(surround(f"{form}{more}", *surroundings))
        assert form not in left
        assert not [part for part in form.split(":") if len(part) > 2 and part in left]


@given(
    st.binary(min_size=6, max_size=6),
    st.sampled_from([":", "-", ""]),
    st.sampled_from(["", "MAC:", "mac "]),
    SURROUNDINGS,
)
def test_mac_address_is_removed(data, joint, before, surroundings):
    redacted = data.hex(joint) if joint else data.hex()
    for form in (redacted, redacted.upper()):
        assert form not in redact_text(surround(before + form, *surroundings))


@given(st.text(alphabet=HEX, min_size=16, max_size=16), SURROUNDINGS)
def test_serial_number_is_removed(serial, surroundings):
    assert serial not in redact_text(surround(serial, *surroundings))
    known = PrivateNames(serial_numbers=(serial, serial[-8:]))
    for form in (serial, serial.upper(), serial[-8:]):
        assert form not in redact_text(surround(form, *surroundings), known)


@given(st.binary(min_size=16, max_size=40), st.sampled_from(["hex", "url", "b64", "b32"]), SURROUNDINGS)
def test_token_is_removed(data, form, surroundings):
    token = {
        "hex": data.hex(),
        "url": base64.urlsafe_b64encode(data).decode().rstrip("="),
        "b64": base64.b64encode(data).decode(),
        "b32": base64.b32encode(data).decode().lower(),
    }[form]
    assume(len(set(token)) > 7)  # not random enough
    assert token not in redact_text(surround(token, *surroundings))


@given(st.binary(min_size=16, max_size=16), st.sampled_from([str.upper, str.lower]), SURROUNDINGS)
@example(bytes(16), str.upper, (" ",) * 4)  # its code has only letters, like words
def test_invitation_is_removed(secret, case, surroundings):
    invitation = Invitation(parse_broker("mqtts://broker.example:8884/berg/chess"), secret)
    for text in map(str, (invitation, invitation.to_watch)):
        code = text.rpartition("/")[2]
        for redacted in (redact_text(surround(case(part), *surroundings)).lower() for part in (text, code)):
            assert not [word for word in (*code.lower().split("-"), "broker", "berg") if word in redacted]


@each("text", ["mqtts://anna:pass@broker.example/berg", "mqtt://broker.example:1884", "MQTT://broker.example"])
def test_address_of_a_broker_is_removed(text):
    assert redact_text(f"({text} doesn't answer") in (f"({scheme}://<address> doesn't answer" for scheme in SCHEMES)


@settings(max_examples=40)
@given(NAME, st.sampled_from(["password={}", "token: {}", "api_key={}", "PSK = {}", '"secret": "{}"', "Bearer {}"]))
def test_named_secret_is_removed(secret, form):
    assume(secret not in form.lower())
    assert secret not in redact_text(form.format(secret))


@given(NAME, NAME)
def test_mail_address_is_removed(name, place):
    assert name not in redact_text(f"from {name}@{place}.org today").replace("from", "").replace("today", "")


@pytest.mark.slow
@settings(max_examples=40)
@given(st.text(max_size=60), st.lists(st.text(max_size=8), max_size=2))
def test_redaction_is_idempotent(text, known):
    names = PrivateNames(
        user_names=tuple(known), host_names=tuple(known), serial_numbers=tuple(known), home_folders=tuple(known)
    )
    redact_text(text, names)
    once = redact_text(text)
    assert redact_text(once) == once


@pytest.mark.parametrize(
    "text",
    [
        "Raspberry Pi 4 Model B Rev 1.5, a cell of pond",
        "sudo sed -i '$a[all]\\ndtparam=i2c_arm_baudrate=400000' /boot/firmware/config.txt",
        "sudo pond-board direct-4x4",
        "adafruit-circuitpython-neotrellis 1.3.13, Adafruit-Blinka-Raspberry-Pi5-Neopixel 1.0.0rc2, lgpio 0.2.2.0",
        "adafruit-circuitpython-mcp230xx 2.6.2, gpiozero 2.0.1.post3, Blinka 10.0.0",
        "2026-11-21T16:44:28+0100 pond[612]: serving; throttled=0x50005; spidev.bufsiz=65536",
        "/usr/lib/pond/lib/python3.13/site-packages, /usr/lib/aarch64-linux-gnu",
        "20261121, on GPIO 10 at 0x20, 8333333 Hz, /dev/mmcblk0p2 data=writeback",
        "blacklist snd_bcm2835 | sudo tee /etc/modprobe.d/pond.conf; std::vector",
        "sudo systemctl reset-failed pond-root && sudo systemctl start pond-root",
    ],
)
def test_helpful_text_is_kept(text):
    assert redact_text(text, PrivateNames(("pi", "root"), ("pond",), (), ("/home/pi", "/root"))) == text


def test_user_named_pi_is_removed_but_not_raspberry_pi():
    names = PrivateNames(("pi",), ("raspberrypi",), (), ("/home/pi",))
    text = "pi started it in /home/pi/raspberry-pi on a Raspberry Pi; raspberrypi.local"
    assert redact_text(text, names) == "<user> started it in ~/raspberry-pi on a Raspberry Pi; <host>"


def test_home_folder_matches_only_whole_names():
    assert redact_text("/srv/ann /srv/anna", PrivateNames(home_folders=("/srv/ann",))) == "~ /srv/anna"
