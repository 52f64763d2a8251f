"""A shipped profile as lines to spoil. It finds its way by the plain form of these files and knows nothing of TOML."""

import re

from pond_hw.profile.library import BOARDS_FOLDER


class Sheet:
    """The lines of a profile.

    A key is looked for as `key`, `table.key` or, for a chip, `sensors.chips.A`; a table by its heading.
    """

    def __init__(self, name):
        self.name = name
        self.lines = (BOARDS_FOLDER / f"{name}.toml").read_text(encoding="utf-8").split("\n")

    @property
    def text(self):
        return "\n".join(self.lines)

    def index(self, path):
        """The index of the line of a key or a heading; None if it is not there."""
        table, _, key = path.rpartition(".")
        here, quoted = "", False
        for index, line in enumerate(self.lines):
            heading = re.match(r"\[([\w.]+)\]", line)
            if heading and not quoted:
                here = heading[1]
                if here == path:
                    return index
            if not quoted and here == table and re.match(rf"{key} = ", line):
                return index
            quoted ^= line.count('"""') % 2 == 1
        return None

    def __contains__(self, path):
        return self.index(path) is not None

    def line(self, path):
        """The number of its line, 1 first; of the file itself, 1."""
        return self.index(path) + 1 if path else 1

    def drawn(self, path):
        """The indexes of the rows of a drawing."""
        rows, index = [], self.index(path) + 1
        while not self.lines[index].startswith('"""'):
            if self.lines[index].partition("#")[0].strip():
                rows.append(index)
            index += 1
        return rows

    def row(self, path, number):
        """Where the rows of a drawing, 0 first, are said to be."""
        return self.drawn(path)[number] + 1, f"{path}, row {number + 1}"

    def words(self, path):
        """The words of a drawing, row by row."""
        return [self.lines[index].partition("#")[0].split() for index in self.drawn(path)]

    def set_word(self, path, row, column, word):
        """Write another word, or none, and leave everything around it alone."""
        index = self.drawn(path)[row]
        code, sign, comment = self.lines[index].partition("#")
        place = list(re.finditer(r"\S+", code))[column]
        self.lines[index] = code[: place.start()] + word + code[place.end() :] + sign + comment

    def value(self, path):
        """What is written behind a key's equals sign, without the comment."""
        line = self.lines[self.index(path)]
        return line.partition(" = ")[2].partition("  #")[0].strip()

    def set_value(self, path, value):
        """Write another value there, or a whole drawing's."""
        index = self.index(path)
        if '"""' in self.lines[index]:
            del self.lines[index + 1 : self.drawn(path)[-1] + 2]
        self.lines[index : index + 1] = f"{self.lines[index].partition(' = ')[0]} = {value}".split("\n")

    def add(self, path, value):
        """A line for a key that is not there, right below its heading, or at the end of the keys before all tables."""
        table, _, key = path.rpartition(".")
        at = self.index(table or "grid") + 1
        self.lines[at:at] = f"{key} = {value}".split("\n")

    def put(self, path, value):
        """A value for a key, whether it is there or not."""
        if path in self:
            self.set_value(path, value)
        else:
            self.add(path, value)

    def remove(self, path):
        """Without this key, or this table and all keys in it."""
        start = end = self.index(path)
        if self.lines[start].startswith("["):
            while end + 1 < len(self.lines) and not self.lines[end + 1].startswith("["):
                end += 1
        elif '"""' in self.lines[start]:
            end = self.drawn(path)[-1] + 1
        del self.lines[start : end + 1]

    def rename(self, path, name):
        """Another name for a key or a heading."""
        index = self.index(path)
        key = path.rpartition(".")[2]
        self.lines[index] = self.lines[index].replace(key, name, 1)
