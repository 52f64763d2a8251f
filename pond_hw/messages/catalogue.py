"""The sentences of each language, and what makes text of messages.

A language has a folder `catalogues/LANGUAGE/` with a .po file for each room that says something; `make messages`
compiles them into one `pond.mo`, which is all that is read here. Its entries are found by message id, and an entry's
text has gaps such as `{cell}`. A gap may say more about what fills it:

    {cells}        several cells: a1, b1 and c1
    {cells:or}     a1, b1 or c1
    {faults:lines} each on a line of its own, further to the right; these may be messages too
    {text:quoted}  somebody else's words, between quotation marks
    {texts:local}  of `en=Hello`, `de=Hallo`, `en@terminal=Hi` the one for this surface and language, or the first
    {side:side}    the entry `side.light` or `side.dark`; so with the first word of any id
    {pieces:.1f}   a number with a fraction, with the language's decimal sign

A gap that is filled with a whole sentence may stand before a full stop: there is only one then.

An entry `exercise.done.buttons@phone` takes the place of `exercise.done.buttons` on a phone.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from gettext import GNUTranslations, NullTranslations
from pathlib import Path
from string import Formatter
from typing import Any, Literal

from pond_hw.messages.message import Message
from pond_hw.messages.terminal_text import protect_spaces, replace_unprintable

LANGUAGES = {"en": "English", "nl": "Nederlands", "de": "Deutsch", "fr": "Français"}
"""The languages by their codes, each under its own name. What one of them lacks is said in English."""

BUILDER_LANGUAGES = {code: LANGUAGES[code] for code in ("en", "nl")}
"""The languages that have all messages for builders: of set-up, the doctor, reports, boards and recordings."""


_SENTENCE_END = re.compile(r"[^.\s][.!?…]$")

Surface = Literal["board", "terminal", "phone"]
"""Surface on which a message is read: a terminal has keys, a phone has buttons. `board` is everything else.

A text for a terminal is for a screen of Textual: it has unbreakable blanks for no-break spaces.
"""


class Catalogue(Formatter):
    """The sentences of one language on one surface. Ask `get_catalogue(language)` for one.

    Attributes:
        language: its code, such as `nl`.
        surface: where its sentences are read.
    """

    def __init__(self, language: str, surface: Surface = "board") -> None:
        self.language, self.surface = language, surface
        self._translations = _read_catalogue(language)

    def text(self, messages: Message | Iterable[Message]) -> str:
        """Messages in this language, sentence after sentence. A sentence that it lacks is English as a whole.

        Raises:
            KeyError: there is no such message, or an argument is missing that its sentence needs.
        """
        if not isinstance(messages, Message):
            return " ".join(map(self.text, messages))
        entry = self._find_entry(messages.id, messages.arguments.get("count"))
        if entry is not None:
            text = self.vformat(entry, (), messages.arguments)
            return protect_spaces(text) if self.surface == "terminal" else text
        if self.language == "en":
            raise KeyError(messages.id)
        return get_catalogue("en", self.surface).text(messages)

    def find_texts(self, prefix: str) -> dict[str, str]:
        """Return the texts of all entries whose ids begin with a prefix, with their gaps unfilled."""
        english = get_catalogue("en", self.surface)
        ids = [entry_id for entry_id in _list_ids() if entry_id.startswith(prefix)]
        return {entry_id: self._find_entry(entry_id) or english._find_entry(entry_id) or "" for entry_id in ids}

    def vformat(self, entry: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
        """Fill the gaps of an entry."""
        text, filled = "", ""
        for literal, name, format_spec, _ in self.parse(entry):
            has_stop = literal.startswith(".") and _SENTENCE_END.search(filled)
            text += literal[1:] if has_stop else literal
            filled = ""
            if name is not None:
                filled = self.format_field(self.get_value(name, args, kwargs), format_spec or "")
                text += filled
        return text

    def to_text(self, value: object) -> str:
        """A message in this language, and all else as it is printed."""
        return self.text(value) if isinstance(value, Message) else str(value)

    def _find_entry(self, entry_id: str, count: object = None) -> str | None:
        """Return the text of an entry, in the form that a number asks for; None if this language has none."""
        for own_id in (f"{entry_id}@{self.surface}", entry_id):
            text = self._translations.ngettext(own_id, own_id, count) if isinstance(count, int) else own_id
            if text == own_id:
                text = self._translations.gettext(own_id)
            if text != own_id:
                return text
        return None

    def _find_word(self, entry_id: str) -> str:
        return self._find_entry(entry_id) or get_catalogue().text(Message(entry_id))

    def format_field(self, value: object, format_spec: str) -> str:
        """Format the argument of one gap."""
        match value:
            case Message():
                return self.text(value)
            case float():
                return format(value, format_spec or "g").replace(".", self._find_word("list.decimal_sign"))
            case int():
                return format(value, format_spec)
            case str() if format_spec == "quoted":
                return self._find_word("list.quoted").format(text=replace_unprintable(value))
            case str():
                return self._find_word(f"{format_spec}.{value}") if format_spec else value
            case tuple() if format_spec == "lines":
                return "\n  ".join(self.format_field(each, "") for each in value)
            case [str(), *_] if format_spec == "local":
                return self._choose_text(map(str, value))
            case [*front, last] if front:
                return self._find_word(f"list.{format_spec or 'and'}").format(
                    front=", ".join(self.format_field(each, "") for each in front), last=self.format_field(last, "")
                )
            case [only]:
                return self.format_field(only, "")
        raise TypeError(f"{value!r} is no argument of a message.")

    def _choose_text(self, marked_texts: Iterable[str]) -> str:
        """Return the text for this surface in this language, or in the first language that it has."""
        by_surface: dict[str, dict[str, str]] = {}
        for marked_text in marked_texts:
            mark, _, text = marked_text.partition("=")
            language, _, surface = mark.partition("@")
            by_surface.setdefault(surface, {})[language] = text
        texts = by_surface.get(self.surface) or by_surface[""]
        return texts.get(self.language) or next(iter(texts.values()))


@cache
def _read_catalogue(language: str) -> NullTranslations:
    file = _find_file(language)
    if not file.is_file():
        return NullTranslations()
    with file.open("rb") as compiled:
        return GNUTranslations(compiled)


def _find_file(language: str) -> Path:
    return Path(__file__).with_name("catalogues") / language / "pond.mo"


def _list_ids() -> Iterator[str]:
    """Yield the ids of all entries: gettext reads a compiled catalogue, but lists no ids."""
    compiled = _find_file("en").read_bytes()
    _, _, count, table_start = struct.unpack_from("<4I", compiled)
    for length, start in struct.iter_unpack("<2I", compiled[table_start : table_start + 8 * count]):
        yield compiled[start : start + length].partition(b"\0")[0].decode()  # a second form follows if it has a plural


@cache
def get_catalogue(language: str = "en", surface: Surface = "board") -> Catalogue:
    """Return the catalogue of a language on a surface."""
    return Catalogue(language, surface)


def to_english(message: Message | str) -> str:
    """Return a message in English: for logs and recordings, and where no language is chosen."""
    return get_catalogue().to_text(message)


def choose_language(wished: str | None, environment: Mapping[str, str]) -> str:
    """The first language that is known: what was wished for, $POND_LANGUAGE, what the system is set to; or English.

    The system's setting is the first of $LC_ALL, $LC_MESSAGES and $LANG that there is.
    """
    settings = map(environment.get, ("LC_ALL", "LC_MESSAGES", "LANG"))
    for name in (wished, environment.get("POND_LANGUAGE"), next(filter(None, settings), None)):
        if name and (code := re.split(r"[^a-z]", name.lower())[0]) in LANGUAGES:
            return code
    return "en"
