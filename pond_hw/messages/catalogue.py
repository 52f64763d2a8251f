"""The sentences of each language, and what makes text of messages.

A language has a folder `catalogues/LANGUAGE/` with a .po file for each room that says something; `make messages`
compiles them into one `pond.mo`, which is all that is read here. Its entries are found by message id, and an entry's
text has gaps such as `{cell}`. A gap may say more about what fills it:

    {cells}        several cells: a1, b1 and c1
    {cells:or}     a1, b1 or c1
    {faults:lines} each on a line of its own, further to the right; these may be messages too
    {text:quoted}  somebody else's words, between quotation marks
    {texts:local}  of `en=Hello`, `de=Hallo` the one in this language, or the first
    {side:side}    the entry `side.light` or `side.dark`; so with the first word of any id
    {pieces:.1f}   a number with a fraction, with the language's decimal sign
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from gettext import GNUTranslations, NullTranslations
from pathlib import Path
from string import Formatter

from pond_hw.messages.message import Message
from pond_hw.messages.terminal_text import replace_unprintable

LANGUAGES = {"en": "English", "nl": "Nederlands", "de": "Deutsch", "fr": "Français"}
"""The languages by their codes, each under its own name. What one of them lacks is said in English."""


class Catalogue(Formatter):
    """The sentences of one language. Ask `get_catalogue(language)` for one.

    Attributes:
        language: its code, such as `nl`.
    """

    def __init__(self, language: str) -> None:
        self.language = language
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
            return self.vformat(entry, (), messages.arguments)
        if self.language == "en":
            raise KeyError(messages.id)
        return get_catalogue().text(messages)

    def to_text(self, value: object) -> str:
        """A message in this language, and all else as it is printed."""
        return self.text(value) if isinstance(value, Message) else str(value)

    def _find_entry(self, entry_id: str, count: object = None) -> str | None:
        """The text of an entry, in the form that a number asks for; None if this language has none."""
        text = self._translations.ngettext(entry_id, entry_id, count) if isinstance(count, int) else entry_id
        if text == entry_id:
            text = self._translations.gettext(entry_id)
        return None if text == entry_id else text

    def _find_word(self, entry_id: str) -> str:
        return self._find_entry(entry_id) or get_catalogue().text(Message(entry_id))

    def format_field(self, value: object, format_spec: str) -> str:
        """What fills one gap."""
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
            case [str(first), *_] if format_spec == "local":
                mark = f"{self.language}="
                chosen = next((text for text in map(str, value) if text.startswith(mark)), first)
                return chosen.partition("=")[2]
            case [*front, last] if front:
                return self._find_word(f"list.{format_spec or 'and'}").format(
                    front=", ".join(self.format_field(each, "") for each in front), last=self.format_field(last, "")
                )
            case [only]:
                return self.format_field(only, "")
        raise TypeError(f"{value!r} is no argument of a message.")


def _read_catalogue(language: str) -> NullTranslations:
    file = Path(__file__).with_name("catalogues") / language / "pond.mo"
    if not file.is_file():
        return NullTranslations()
    with file.open("rb") as compiled:
        return GNUTranslations(compiled)


@cache
def get_catalogue(language: str = "en") -> Catalogue:
    """The catalogue of a language."""
    return Catalogue(language)


def choose_language(wished: str | None, environment: Mapping[str, str]) -> str:
    """The first language that is known: what was wished for, $POND_LANGUAGE, what the system is set to; or English.

    The system's setting is the first of $LC_ALL, $LC_MESSAGES and $LANG that there is.
    """
    settings = map(environment.get, ("LC_ALL", "LC_MESSAGES", "LANG"))
    for name in (wished, environment.get("POND_LANGUAGE"), next(filter(None, settings), None)):
        if name and (code := re.split(r"[^a-z]", name.lower())[0]) in LANGUAGES:
            return code
    return "en"
