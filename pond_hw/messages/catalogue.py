"""Catalogues of sentences in each language, and the formatting of messages.

Each language has a folder `catalogues/LANGUAGE/` with a .po file for each subject. `make messages` compiles them to
`pond.mo`, the only file that is read here. Entries are looked up by message id and contain placeholders such as
`{cell}`. A placeholder may have a format:

    {cells}        several cells: a1, b1 and c1
    {cells:or}     a1, b1 or c1
    {faults:lines} one item per line, indented; items may also be messages
    {text:quoted}  text from outside Pond, in quotation marks
    {texts:local}  one of `en=Hello`, `de=Hallo`, `en@terminal=Hi`, for this language and surface; by default the first
    {side:side}    the entry `side.light` or `side.dark`; other id prefixes work as well
    {pieces:.1f}   a number with the decimal separator of the language
    {variant:pond} the name of a pond: Big for `big`
    {action:spoken} an action in words: an egg on b2 for `@b2`, b2 to b3 for `b2b3`

If the value of a placeholder is a whole sentence, a full stop after the placeholder is dropped.

An entry such as `exercise.done.buttons@phone` replaces `exercise.done.buttons` on a phone.
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
"""Names of the languages by code. Sentences that are missing in a language are shown in English."""

BUILDER_LANGUAGES = {code: LANGUAGES[code] for code in ("en", "nl")}
"""Languages that also have all messages for builders: set-up, doctor, reports, boards and recordings."""


_SENTENCE_END = re.compile(r"[^.\s][.!?…]$")

Surface = Literal["board", "terminal", "phone"]
"""Kind of display for a message. A terminal has keys, a phone has buttons, and `board` is everything else.

Text for a terminal is shown by Textual, so no-break spaces are replaced with unbreakable blanks.
"""


class Catalogue(Formatter):
    """Sentences in one language for one surface. Use `get_catalogue` to get an instance.

    Attributes:
        language: language code, such as `nl`.
        surface: kind of display.
    """

    def __init__(self, language: str, surface: Surface = "board") -> None:
        self.language, self.surface = language, surface
        self._translations = _read_catalogue(language)

    def text(self, messages: Message | Iterable[Message]) -> str:
        """Format messages as sentences. Fall back to English if this language doesn't have a sentence.

        Raises:
            KeyError: if the message id is unknown or an argument is missing.
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
        """Return the texts of all entries whose id starts with a prefix, by id. Placeholders are not filled in."""
        english = get_catalogue("en", self.surface)
        ids = [entry_id for entry_id in _list_ids() if entry_id.startswith(prefix)]
        return {entry_id: self._find_entry(entry_id) or english._find_entry(entry_id) or "" for entry_id in ids}

    def vformat(self, entry: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> str:
        """Fill in the placeholders of an entry."""
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
        """Format a message as a sentence, or any other value as a string."""
        return self.text(value) if isinstance(value, Message) else str(value)

    def _find_entry(self, entry_id: str, count: object = None) -> str | None:
        """Return the text of an entry, in the plural form for `count`, or None if there is no such entry."""
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
        """Format the value of a placeholder."""
        match value:
            case Message():
                return self.text(value)
            case float():
                return format(value, format_spec or "g").replace(".", self._find_word("list.decimal_sign"))
            case int():
                return format(value, format_spec)
            case str() if format_spec == "quoted":
                return self._find_word("list.quoted").format(text=replace_unprintable(value))
            case str() if format_spec == "pond":
                return value.capitalize()
            case str() if format_spec == "spoken":
                source, target = value[:-2].strip("@"), value[-2:]
                return self._find_word(f"spoken.{'move' if source else 'egg'}").format(source=source, target=target)
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
        """Return the text for this surface and language, or the first one if there is none."""
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
    """Yield all message ids. The gettext module has no function for this."""
    compiled = _find_file("en").read_bytes()
    _, _, count, table_start = struct.unpack_from("<4I", compiled)
    for length, start in struct.iter_unpack("<2I", compiled[table_start : table_start + 8 * count]):
        yield compiled[start : start + length].partition(b"\0")[0].decode()  # a plural form may follow


@cache
def get_catalogue(language: str = "en", surface: Surface = "board") -> Catalogue:
    """Return the catalogue for a language and a surface."""
    return Catalogue(language, surface)


def to_english(message: Message | str) -> str:
    """Format a message in English, for logs and recordings."""
    return get_catalogue().to_text(message)


def choose_language(option: str | None, environment: Mapping[str, str]) -> str:
    """Return the first supported language among `option`, $POND_LANGUAGE and the system locale. The default is English.

    The system locale is the first of $LC_ALL, $LC_MESSAGES and $LANG that is set.
    """
    settings = map(environment.get, ("LC_ALL", "LC_MESSAGES", "LANG"))
    for name in (option, environment.get("POND_LANGUAGE"), next(filter(None, settings), None)):
        if name and (code := re.split(r"[^a-z]", name.lower())[0]) in LANGUAGES:
            return code
    return "en"
