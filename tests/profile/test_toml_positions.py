"""Line numbers in TOML text."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pond_hw.profile.toml_positions import TomlPositions

TEXT = """\
# not = here
top = 1 # nor = here

[table] # [not.here]
"quoted key" = "a # that is none, a \\" that ends nothing, and [brackets]"
'as it is' = 'C:\\'
dotted . key = 1979-05-27 07:32:00
dotted."other" = { x = 1, y = { z = "}" } } # }
"\\u0068igh" = 2
drawn = \"""
1 2 # three
 = [5]
\"""
list = [ # ]
  1, 'two',
  [3, 4], # [
  { five = 5 },
]

  [table.inner]
  x = '''''twice two quotes'''''
  y = \"""two at the end\"""\""

[[many]]
z = 1
[[many]]
z = 2

[late.first]
a = 1
[late]
b = 1
"""

LINES = {
    ("top",): 2,
    ("table",): 4,
    ("table", "quoted key"): 5,
    ("table", "as it is"): 6,
    ("table", "dotted"): 7,
    ("table", "dotted", "key"): 7,
    ("table", "dotted", "other"): 8,
    ("table", "dotted", "other", "y", "z"): 8,
    ("table", "high"): 9,
    ("table", "drawn"): 10,
    ("table", "list"): 14,
    ("table", "list", 0): 15,
    ("table", "list", 1): 15,
    ("table", "list", 2): 16,
    ("table", "list", 2, 1): 16,
    ("table", "list", 3): 17,
    ("table", "list", 3, "five"): 17,
    ("table", "inner"): 20,
    ("table", "inner", "x"): 21,
    ("table", "inner", "y"): 22,
    ("many",): 24,
    ("late", "first"): 29,
    ("late",): 31,  # its heading, not its first mention
    ("late", "b"): 32,
}


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_lines_of_all_keys_are_found(end):
    text = TEXT.replace("\n", end)
    assert tomllib.loads(text)["table"]["high"] == 2
    positions = TomlPositions(text)
    assert {path: positions.line_of(path) for path in LINES} == LINES


def test_missing_key_has_the_line_of_its_parent():
    positions = TomlPositions(TEXT)
    assert positions.line_of(()) == 1
    assert positions.line_of(("nowhere", "at all")) == 1
    assert positions.line_of(("table", "inner", "missing")) == 20
    assert positions.line_of(("table", "list", 9)) == 14


@pytest.mark.parametrize(
    ("string", "lines"),
    [
        ("'one'", [1]),
        ('"one\\ntwo"', [1, 1]),
        ("'''one\ntwo'''", [1, 2]),
        ("'''\none\ntwo\n'''", [2, 3, 4]),
        ('"""\none\n\n  two\n"""', [2, 3, 4, 5]),
        ('"""\\\n   one\ntwo"""', [2, 3]),  # folded: the first line has no text
        ('"""one \\\n\n  two\nthree"""', [1, 4]),
        ('"""one\\\\\ntwo"""', [1, 2]),  # two backslashes are one, and fold nothing
        ('"""one\\u000atwo\\U0000000Athree"""', [1, 1, 1]),
        ('"""one\\\\nstill one\ntwo"""', [1, 2]),
        ("'''one\\\ntwo'''", [1, 2]),  # no folding without escapes
        ('"""one\n""two"""', [1, 2]),
        ('"""one\ntwo"""""', [1, 2]),
        ("''", [1]),
        ('""""""', [1]),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_string_has_a_line_per_row(string, lines, end):
    text = f"x = {string}\ny = 1\n".replace("\n", end)
    assert len(tomllib.loads(text)["x"].split("\n")) == len(lines)
    assert TomlPositions(text).row_lines(("x",)) == lines


def test_plain_number_has_a_single_row_line():
    assert TomlPositions("a = 1\nb = 2\n").row_lines(("b",)) == [2]


class Writer:
    """Writes random TOML and records the line of everything."""

    def __init__(self, draw):
        self.text, self.lines, self._draw = "", {}, draw

    def note(self, path):
        self.lines.setdefault(path, self.text.count("\n") + 1)

    def document(self, tree):
        for key, value in tree.items():
            if not isinstance(value, dict) or self._draw(st.booleans()):
                self.pair((key,), value)
        for key, value in tree.items():
            if (key,) not in self.lines:
                self.text += self._draw(st.sampled_from(["\n", "# [x]\n", " "]))
                self.note((key,))
                self.text += f"[{self.key(key)}]{self._draw(st.sampled_from(['', ' # y = 1']))}\n"
                for inner, each in value.items():
                    self.pair((key, inner), each)

    def pair(self, path, value):
        if isinstance(value, dict) and value and self._draw(st.booleans()):
            self.text += self._draw(st.sampled_from(["", "  "]))
            for key, each in value.items():
                self.note(path)
                self.note((*path, key))
                self.text += f"{self.key(path[-1])} . {self.key(key)} = "
                self.value((*path, key), each)
                self.text += "\n"
            return
        self.note(path)
        self.text += f"{self.key(path[-1])} = "
        self.value(path, value)
        self.text += self._draw(st.sampled_from(["\n", " # 'x\n", "\n\n"]))

    def key(self, key):
        return self._draw(st.sampled_from([f"'{key}'", f'"{key}"'] + [key] * key.isalnum()))

    def value(self, path, value):
        if isinstance(value, list):
            self.text += "["
            for number, each in enumerate(value):
                self.text += self._draw(st.sampled_from(["", "\n", " # ]\n\n"]))
                self.note((*path, number))
                self.value((*path, number), each)
                self.text += ", "
            self.text += "]"
        elif isinstance(value, dict):
            self.text += "{ "
            for number, (key, each) in enumerate(value.items()):
                self.text += ", " if number else ""
                self.note((*path, key))
                self.text += f"{self.key(key)} = "
                self.value((*path, key), each)
            self.text += " }"
        else:
            self.text += value


KEYS = st.text("ab#=[. ]", min_size=1, max_size=3)
WORDS = ["4", "# [", "a = 1", "]", "}", ",", "", "  "]
SCALARS = st.one_of(
    st.sampled_from(["1", "-2.5e3", "true", "1979-05-27 07:32:00", "0xff", '"a # \\" b"', "'[x\\'", '"é\\t"']),
    st.lists(st.sampled_from([*WORDS, "''", '"']), max_size=4).map("\n".join).map("'''{} '''".format),
    st.lists(st.sampled_from([*WORDS, "\\\n ", '\\"""', "'"]), max_size=4).map("\n".join).map('"""{} """'.format),
)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3))


@given(st.dictionaries(KEYS, VALUES, max_size=4), st.data())
def test_lines_are_found_in_any_toml(tree, data):
    writer = Writer(data.draw)
    writer.document(tree)
    values = tomllib.loads(writer.text)
    positions = TomlPositions(writer.text)
    assert {path: positions.line_of(path) for path in writer.lines} == writer.lines
    lines = writer.text.split("\n")
    for path, string in strings(values, ()):
        rows = string.split("\n")
        found = positions.row_lines(path)
        assert len(found) == len(rows)
        for line, row in zip(found, rows, strict=True):
            assert row.split()[:1] == [] or row.split()[0] in lines[line - 1].replace("\\t", "\t").replace('\\"', '"')


def strings(value, path):
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, list | dict):
        for key, each in enumerate(value) if isinstance(value, list) else value.items():
            yield from strings(each, (*path, key))
