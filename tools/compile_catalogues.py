"""Update the message catalogues of all languages from the English ones, and compile them.

    make messages

English is written by hand in pond_hw/messages/catalogues/en/*.po. The other languages have the same ids in the same
order, with the English text as a comment above each entry. A new id is added without a translation. If the English text
changes, the translation is marked fuzzy until it has been reviewed. The tests reject both.
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
"""Fixed date in the compiled files, so that they change only if the messages do."""

UNBROKEN = 10_000
"""Line width that keeps each comment on one line, so that it can be compared with the English text."""


def main() -> None:
    english = {file.name: read(file) for file in sorted((FOLDER / "en").glob("*.po"))}
    for folder in sorted(FOLDER.iterdir()):
        if folder.name != "en":
            for name in sorted(file.name for file in folder.glob("*.po")):
                write(folder / name, update(folder.name, read(folder / name), english[name]))
        compile_language(folder)


def read(file: Path) -> Catalog:
    with file.open("rb") as stream:
        return read_po(stream, file.parent.name)


def update(language: str, translated: Catalog, english: Catalog) -> Catalog:
    """Return a translated catalogue with the ids of the English one.

    The language is passed because the header of a copied file may name another language.
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
    """Return the id of a message, with or without a plural."""
    return entry.id if isinstance(entry.id, str) else entry.id[0]


def forms_of(entry: Message) -> list[str]:
    """Return all plural forms of a message, or its only text."""
    return [entry.string] if isinstance(entry.string, str) else list(entry.string or ())


def write(file: Path, catalog: Catalog) -> None:
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
    """Compile all catalogues of a language into one file."""
    merged, seen_keys = Catalog(folder.name, charset="utf-8", fuzzy=False, creation_date=NO_DATE), set[str]()
    for file in sorted(folder.glob("*.po")):
        for entry in entries(read(file)):
            if key(entry) in seen_keys:
                raise SystemExit(f"{file}: {key(entry)} occurs twice.")
            seen_keys.add(key(entry))
            if any(forms_of(entry)):
                merged[entry.id] = Message(entry.id, entry.string)
    content = BytesIO()
    write_mo(content, merged)
    (folder / "pond.mo").write_bytes(content.getvalue())


if __name__ == "__main__":
    main()
