"""Update the message catalogues of all languages from the English one, and compile them.

    make messages

English is written by hand in pond_hw/messages/catalogues/en/*.po. Every other language has the same ids in the same
order, with the English text as a comment above each. A new id is added without a translation. An entry whose English has
changed since it was translated is marked fuzzy until somebody has looked at it. The tests accept neither.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

FOLDER = Path(__file__).parents[1] / "pond_hw" / "messages" / "catalogues"
NO_DATE = datetime(2026, 1, 1, tzinfo=UTC)
"""Date in the compiled files: always the same, so that they only change when a message does."""

UNBROKEN = 10_000
"""Line width above that of any message: a comment broken into lines could not be compared with the English."""


def main() -> None:
    """Update and compile every language."""
    english = {file.name: read(file) for file in sorted((FOLDER / "en").glob("*.po"))}
    for folder in sorted(FOLDER.iterdir()):
        if folder.name != "en":
            for name in sorted(file.name for file in folder.glob("*.po")):
                write(folder / name, update(folder.name, read(folder / name), english[name]))
        compile_language(folder)


def read(file: Path) -> Catalog:
    """Read the messages of one room in one language."""
    with file.open("rb") as opened:
        return read_po(opened, file.parent.name)


def update(language: str, translated: Catalog, english: Catalog) -> Catalog:
    """Return the translated messages of a room, with the ids of the English ones.

    The language is that of the folder: a file that was copied from another language still names that one.
    """
    updated = Catalog(language, fuzzy=False, header_comment="", charset="utf-8")
    for entry in entries(english):
        texts = [text.strip() for text in forms_of(entry)]
        old = translated.get(key(entry))
        forms, flags = (forms_of(old), set(old.flags)) if old else ([], set())
        if old and any(forms) and old.auto_comments != texts:
            flags.add("fuzzy")
        count = 1 if isinstance(entry.string, str) else updated.num_plurals
        forms = (forms + [""] * count)[:count]
        string = forms[0] if isinstance(entry.string, str) else tuple(forms)
        notes = entry.user_comments
        updated[entry.id] = Message(entry.id, string, flags=flags, auto_comments=texts, user_comments=notes)
    return updated


def entries(catalog: Catalog) -> Iterator[Message]:
    """Yield the messages of a catalogue, without its header."""
    return (entry for entry in catalog if entry.id)


def key(entry: Message) -> str:
    """Return the id of a message, also of one with a plural."""
    return entry.id if isinstance(entry.id, str) else entry.id[0]


def forms_of(entry: Message) -> list[str]:
    """Return the text of a message, or all its plural forms."""
    return [entry.string] if isinstance(entry.string, str) else list(entry.string or ())


def write(file: Path, catalog: Catalog) -> None:
    """Write the messages of one room in one language."""
    content = BytesIO()
    write_po(content, catalog, width=UNBROKEN, omit_header=True)
    header = f"""msgid ""
msgstr ""
"Language: {file.parent.name}\\n"
"Content-Type: text/plain; charset=utf-8\\n"
"Plural-Forms: {catalog.plural_forms}\\n"

"""
    file.write_bytes(header.encode() + content.getvalue())


def compile_language(folder: Path) -> None:
    """Compile the messages of all rooms in one language."""
    whole, known = Catalog(folder.name, charset="utf-8", fuzzy=False, creation_date=NO_DATE), set[str]()
    for file in sorted(folder.glob("*.po")):
        for entry in entries(read(file)):
            if key(entry) in known:
                raise SystemExit(f"{file}: {key(entry)} is there for the second time.")
            known.add(key(entry))
            if any(forms_of(entry)):
                whole[entry.id] = Message(entry.id, entry.string)
    content = BytesIO()
    write_mo(content, whole)
    (folder / "pond.mo").write_bytes(content.getvalue())


if __name__ == "__main__":
    main()
