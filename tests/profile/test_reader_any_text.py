"""Random files: each is a profile or has readable faults, and none causes a traceback."""

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pond_hw.messages.catalogue import to_english
from pond_hw.messages.terminal_text import replace_unprintable
from pond_hw.profile import Profile, ProfileError, list_shipped, load_profile, parse_profile
from tests.profile.sheet import Sheet
from tests.profile.texts import ALL

TEXTS = st.sampled_from([*(Sheet(name).text for name in list_shipped()), *ALL.values()])
KEYS = """
    format title grid sensors lamps strips supply key buzzer kind driver cells pin count budget_ma slew_ma unused
    colours brightness light dark source current_ma bus address on off rest chips A clock mosi miso select debounce_ms
    settle_ms scans bad variant
"""
NAMES = """
    button hall gpio matrix mcp23017 mcp3008 neotrellis simulated auto spi ws281x neopixel pi own GRB above below
"""
WORDS = ["0", "1", "17", "99", "5/17", "20.A0", "21.B7", "A0", "D7", "x", "#", "²", "−1"]
SLIPS = "09 ='\"[]{}#\n\\.,-_aAxé\t\r\x00\u2028"


def parse_or_error(text):
    """Return the profile, or the error."""
    try:
        return parse_profile(text, "board")
    except ProfileError as error:
        return error


def check_faults(text):
    """Check that all faults in a text are printable and refer to existing lines."""
    board = parse_or_error(text)
    if isinstance(board, Profile):
        return
    lines = [fault.line for fault in board.faults]
    assert lines == sorted(lines)
    assert lines
    assert 1 <= lines[0] <= lines[-1] <= text.count("\n") + 1
    for fault in board.faults:
        assert to_english(fault.message).isprintable()
        assert len(to_english(fault.message)) < 600
    assert to_english(board.message).encode("utf-8").count(b"\n") == len(lines)


def toml(value):
    """Format a value as TOML."""
    match value:
        case bool():
            return str(value).lower()
        case float() if math.isinf(value) or math.isnan(value):
            return str(value)
        case float() | int():
            return repr(value)
        case str():
            escaped = (sign if sign.isprintable() and sign not in '"\\' else f"\\U{ord(sign):08x}" for sign in value)
            return f'"{"".join(escaped)}"'
        case list():
            return f"[{', '.join(map(toml, value))}]"
        case dict():
            return f"{{ {', '.join(f'{toml(key)} = {toml(inner)}' for key, inner in value.items())} }}"


ANY_SIGNS = st.text(st.characters(exclude_categories=()))  # including surrogates
ANY_KEY = st.sampled_from(KEYS.split()) | st.text(max_size=3)
ANY_ROW = st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join)
ANY_VALUE = st.one_of(
    st.booleans(),
    st.integers(),
    st.integers(0, 30),
    st.just(7**4000),
    st.floats(),
    st.text(),
    st.sampled_from(NAMES.split()),
    st.lists(ANY_ROW, max_size=9).map("\n".join),
)
A_SLIP = st.tuples(st.floats(0, 1), st.integers(0, 30), st.text(st.sampled_from(SLIPS), max_size=6))
ANYTHING = st.recursive(
    ANY_VALUE, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ANY_KEY, inner, max_size=6), max_leaves=30
)


@given(ANY_SIGNS)
def test_any_text_is_parsed_or_has_faults(text):
    check_faults(text)


@given(TEXTS, st.lists(A_SLIP, max_size=3))
def test_any_typo_is_tolerated_or_reported(text, slips):
    for where, length, instead in slips:
        start = int(where * len(text))
        text = text[:start] + instead + text[start + length :]
    check_faults(text)


@pytest.mark.slow
@given(st.dictionaries(ANY_KEY, ANYTHING, max_size=12))
def test_any_toml_document_is_parsed_or_has_faults(values):
    check_faults("".join(f"{toml(key)} = {toml(value)}\n" for key, value in values.items()))


@given(TEXTS, st.sampled_from(KEYS.split()), ANYTHING)
def test_any_value_is_accepted_or_reported(text, key, value):
    old = re.compile(rf"^{key} = (\"\"\".*?\"\"\"|'''.*?'''|[^\n]*)", re.MULTILINE | re.DOTALL)
    check_faults(old.sub(lambda _: f"{key} = {toml(value)}", text))


@given(st.data())
def test_unreadable_bytes_raise_profile_error(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "any.toml"
    begun = data.draw(TEXTS).encode()[: data.draw(st.integers(0, 99))]  # never a whole profile
    path.write_bytes(begun + data.draw(st.binary()))
    with pytest.raises(ProfileError):
        load_profile(path)


@given(ANY_SIGNS)
def test_any_name_is_loaded_or_refused(name):
    if name not in list_shipped() and not name.endswith(".toml"):
        with pytest.raises(ProfileError) as refused:
            load_profile(name)
        assert replace_unprintable(to_english(refused.value.message)) == to_english(refused.value.message)
