"""Brings the catalogues of all languages up to date with the English one, and compiles them.

    make messages

English is written by hand in pond_hw/messages/catalogues/en/*.po. Each other language has the same ids in the same
order, with the English sentence as a comment above each. A new id comes in empty; where the English has changed since
it was translated, the entry is marked fuzzy until somebody has looked at it. The tests accept neither.
"""

from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

FOLDER = Path(__file__).parents[1] / "pond_hw" / "messages" / "catalogues"
NO_DATE = datetime(2026, 1, 1, tzinfo=UTC)
"""The date in the compiled files: always the same, so that they only change when a sentence does."""

UNBROKEN = 10_000
"""Longer than any sentence: a comment that is broken into lines could not be compared with the English."""


def main():
    english = {file.name: read(file) for file in sorted((FOLDER / "en").glob("*.po"))}
    for folder in sorted(FOLDER.iterdir()):
        if folder.name != "en":
            for name in sorted(file.name for file in folder.glob("*.po")):
                write(folder / name, update(folder.name, read(folder / name), english[name]))
        compile_language(folder)


def read(file):
    with file.open("rb") as opened:
        return read_po(opened, file.parent.name)


def update(language, translated, english):
    """A room's sentences in one language, with the ids of the English ones.

    The language is that of the folder: a file that was copied from another language still names that one.
    """
    updated = Catalog(language, fuzzy=False, header_comment="", charset="utf-8")
    for entry in filter(is_sentence, english):
        texts = [text.strip() for text in ([entry.string] if isinstance(entry.string, str) else entry.string)]
        old = translated.get(key(entry))
        string, flags = ("", set()) if old is None else (old.string, set(old.flags))
        if old and "".join(string) and old.auto_comments != texts:
            flags.add("fuzzy")
        if not isinstance(entry.string, str):  # as many forms as the language has
            forms = [string] if isinstance(string, str) else list(string)
            string = tuple((forms + [""] * updated.num_plurals)[: updated.num_plurals])
        notes = entry.user_comments
        updated[entry.id] = Message(entry.id, string, flags=flags, auto_comments=texts, user_comments=notes)
    return updated


def is_sentence(entry):
    return bool(entry.id)  # and not the header


def key(entry):
    return entry.id if isinstance(entry.id, str) else entry.id[0]


def write(file, catalog):
    content = BytesIO()
    write_po(content, catalog, width=UNBROKEN, omit_header=True)
    header = f"""msgid ""
msgstr ""
"Language: {file.parent.name}\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Plural-Forms: {catalog.plural_forms}\\n"

"""
    file.write_bytes(header.encode() + content.getvalue())


def compile_language(folder):
    whole, known = Catalog(folder.name, charset="utf-8", fuzzy=False, creation_date=NO_DATE), set()
    for file in sorted(folder.glob("*.po")):
        for entry in filter(is_sentence, read(file)):
            if key(entry) in known:
                raise SystemExit(f"{file}: {key(entry)} is there for the second time.")
            known.add(key(entry))
            if "".join(entry.string):
                whole[entry.id] = Message(entry.id, entry.string)
    content = BytesIO()
    write_mo(content, whole)
    (folder / "pond.mo").write_bytes(content.getvalue())


if __name__ == "__main__":
    main()
