"""Editable lines of a shipped profile. This module relies on the layout of these files and does not parse TOML."""

import re

from pond_hw.profile.library import BOARDS_FOLDER


class Sheet:
    """Lines of a profile.

    Keys are `key`, `table.key` or, for a chip, `sensors.chips.A`. Tables are found by their heading.
    """

    def __init__(self, name):
        self.name = name
        self.lines = (BOARDS_FOLDER / f"{name}.toml").read_text(encoding="utf-8").split("\n")

    @property
    def text(self):
        return "\n".join(self.lines)

    def index(self, path):
        """Return the index of the line with a key or a heading, or None if it is missing."""
        table, _, key = path.rpartition(".")
        table_name, quoted = "", False
        for index, line in enumerate(self.lines):
            heading = re.match(r"\[([\w.]+)\]", line)
            if heading and not quoted:
                table_name = heading[1]
                if table_name == path:
                    return index
            if not quoted and table_name == table and re.match(rf"{key} = ", line):
                return index
            quoted ^= line.count('"""') % 2 == 1
        return None

    def __contains__(self, path):
        return self.index(path) is not None

    def line(self, path):
        """Return the line number of a key or heading, from 1, or 1 for the file itself."""
        return self.index(path) + 1 if path else 1

    def row_indexes(self, path):
        """Return the indexes of a drawing's rows."""
        rows, index = [], self.index(path) + 1
        while not self.lines[index].startswith('"""'):
            if self.lines[index].partition("#")[0].strip():
                rows.append(index)
            index += 1
        return rows

    def row(self, path, number):
        """Return the line and the place of a row in a drawing, as in messages. Rows are numbered from 0."""
        return self.row_indexes(path)[number] + 1, f"{path}, row {number + 1}"

    def words(self, path):
        return [self.lines[index].partition("#")[0].split() for index in self.row_indexes(path)]

    def set_word(self, path, row, column, word):
        """Replace or delete a word without touching the rest."""
        index = self.row_indexes(path)[row]
        code, sign, comment = self.lines[index].partition("#")
        place = list(re.finditer(r"\S+", code))[column]
        self.lines[index] = code[: place.start()] + word + code[place.end() :] + sign + comment

    def value(self, path):
        """Return a key's value without the comment."""
        line = self.lines[self.index(path)]
        return line.partition(" = ")[2].partition("  #")[0].strip()

    def set_value(self, path, value):
        """Replace a value, or a whole drawing."""
        index = self.index(path)
        if '"""' in self.lines[index]:
            del self.lines[index + 1 : self.row_indexes(path)[-1] + 2]
        self.lines[index : index + 1] = f"{self.lines[index].partition(' = ')[0]} = {value}".split("\n")

    def add(self, path, value):
        """Add a missing key below its heading, or before all tables if it is a top-level key."""
        table, _, key = path.rpartition(".")
        at = self.index(table or "grid") + 1
        self.lines[at:at] = f"{key} = {value}".split("\n")

    def put(self, path, value):
        """Set a key, adding it if necessary."""
        if path in self:
            self.set_value(path, value)
        else:
            self.add(path, value)

    def remove(self, path):
        """Remove a key, or a table with its keys."""
        start = end = self.index(path)
        if self.lines[start].startswith("["):
            while end + 1 < len(self.lines) and not self.lines[end + 1].startswith("["):
                end += 1
        elif '"""' in self.lines[start]:
            end = self.row_indexes(path)[-1] + 1
        del self.lines[start : end + 1]

    def rename(self, path, name):
        index = self.index(path)
        key = path.rpartition(".")[2]
        self.lines[index] = self.lines[index].replace(key, name, 1)
