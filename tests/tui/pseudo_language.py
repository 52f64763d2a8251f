"""Pseudo-languages for tests. Every text is enclosed in marks so that untranslated text stands out."""

import re
from itertools import combinations
from math import ceil
from string import Formatter

from textual.containers import VerticalScroll

from pond_hw.messages.catalogue import Catalogue
from pond_hw.tui.help_screen import HELP_FOLDER

OPENING, CLOSING = "⟦", "⟧"

UNSEEN = "\u0332", "\u0333"  # marks without width, for texts of realistic length
BARE_ENTRIES = ("list.decimal_sign", "text")
"""Entries that are not enclosed in marks."""

SHORT_ENTRIES = "short_worth."  # entries that are short in every language

NOT_TRANSLATED = re.compile(r"\b(Enter|Esc|[Ss]tandard|[Mm]ini|[Bb]ig|[Ss]mall|Ada|Ben)\b")
"""Names of keys, variants and players that are the same in every language."""


class PseudoLanguage(Catalogue):
    """A language whose texts are enclosed in marks and, optionally, lengthened.

    Args:
        language: language of the texts.
        longer: fraction by which each word is lengthened.
        marks: marks before and after each text.
        help_pages: language of the help pages.
    """

    def __init__(self, language="en", longer=0.0, marks=(OPENING, CLOSING), help_pages=None):
        super().__init__(language, "terminal")
        self.language, self._longer, self._marks = help_pages or language, longer, marks

    def _find_entry(self, message_id, count=None):
        if (entry := super()._find_entry(message_id, count)) is None:
            return None
        opening, closing = self._marks
        longer = 0 if message_id.startswith(SHORT_ENTRIES) else self._longer
        return entry if message_id in BARE_ENTRIES else f"{opening}{stretch(entry, longer)}{closing}"


def stretch(entry, longer):
    """Lengthen the words of an entry, but not its placeholders."""

    def stretch_word(found):
        word = found[0]
        return word + (word * 2)[: ceil(longer * len(word))].lower()

    parts = []
    for literal, name, spec, _ in Formatter().parse(entry):
        parts.append(re.sub(r"[^\W\d_]+", stretch_word, literal).replace("{", "{{").replace("}", "}}"))
        if name is not None:
            parts.append(f"{{{name}:{spec}}}" if spec else f"{{{name}}}")
    return "".join(parts)


def write_help(folder, monkeypatch):
    """Write copies of the help pages of another language, each enclosed in marks."""
    for page in (HELP_FOLDER / "en").iterdir():
        text = page.read_text(encoding="utf-8")
        (folder / "xx").mkdir(exist_ok=True)
        (folder / "xx" / page.name).write_text(f"{OPENING}{text}{CLOSING}", encoding="utf-8")
    (folder / "en").symlink_to(HELP_FOLDER / "en")
    monkeypatch.setattr("pond_hw.tui.help_screen.HELP_FOLDER", folder)


def leaf_widgets(screen):
    """Return the visible widgets that draw text themselves."""
    return [widget for widget in screen.query("*") if not widget.children and widget.size and widget.is_on_screen]


def rendered(widget):
    return "\n".join(widget.render_line(y).text for y in range(widget.size.height))


def unmarked_words(screen):
    """Return the words on a screen that do not come from a catalogue."""
    found = []
    for widget in leaf_widgets(screen):
        depth, rest = 0, ""
        for letter in rendered(widget):
            depth += (letter == OPENING) - (letter == CLOSING)
            rest += " " if depth > 0 or letter == CLOSING else letter
        found += re.findall(r"[^\W\d_]{2,}", NOT_TRANSLATED.sub("", rest))
    return found


def find_layout_errors(screen):
    """Return layout errors on a screen: truncated texts, and widgets that overlap or extend beyond the screen."""
    found, widgets = [], leaf_widgets(screen)
    for widget in widgets:
        text = rendered(widget)
        if not widget.max_scroll_y and text.count(UNSEEN[0]) != text.count(UNSEEN[1]):
            found.append(("cut", widget, text))
        if screen.find_widget(widget).visible_region != widget.region:
            found.append(("hidden", widget, widget.region))
    found += [("too long", each, each.max_scroll_y) for each in screen.query(VerticalScroll) if each.max_scroll_y]
    found += [
        ("overlapping", one, other) for one, other in combinations(widgets, 2) if one.region.overlaps(other.region)
    ]
    return found


def describe(found):
    return [(kind, str(widget), str(what)) for kind, widget, what in found]
