"""Check the English of code, pages, messages and commits: `python -m tools.check_english [PATH ...]`.

Docstrings begin with a verb or a noun, not with a clause. Names, docstrings, comments, pages and English messages avoid the words
in `WORDS`. Names of tests are short enough to read. Commit subjects begin with a capital letter and fit in one line.
"""

import ast
import io
import re
import subprocess
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

from babel.messages.pofile import read_po

ROOT = Path(__file__).resolve().parent.parent
MAX_TEST_NAME_WORDS = 10
MAX_SUBJECT_LENGTH = 72
CHECKED_COMMITS = 20

CLAUSE = re.compile(
    r"(what|whether|how|where|who|whom|whose|whoever|whatever|which|that|why|when|so (many|much|long|often|far)"
    r"|somebody|someone|nobody|everybody|if)\b",
    re.IGNORECASE,
)
# Words to avoid, with better ones. Each pattern matches whole words, regardless of case.
WORDS = {
    r"told|untold": "reported, sent",
    r"whoever|whomever": "the player, the caller, anyone who",
    r"somebody|nobody": "someone, no one; for programs: a caller, none",
    r"so many|so much": "the number, n, up to",
    r"at one go": "at once, in one step",
    r"anew": "again",
    r"thereby": "leave it out",
    r"spoilt": "corrupt, damaged",
    r"pretended|pretends": "simulated",
    r"mend|mends|mended|mending": "fix, repair",
    r"sits? down": "plays, joins",
    r"(?:is|are) said": "is reported, is shown",
    r"of what": "a noun",
    r"all that": "everything that, all",
    r"let go": "disconnected, released",
    r"stands? for itself": "leave it out",
}
NAME_WORDS = {
    r"told|untold": "reported, sent",
    r"whoever|somebody|nobody": "a noun",
    r"anew": "again",
    r"spoilt|spoiled": "corrupt",
    r"pretended": "simulated",
    r"mend|mends|mended|mending": "fix, repair",
    r"usual": "default",
    r"wood|wooden": "board_state",
    r"felt": "sensed, touched",
    r"stray|strays": "unexplained",
}
PREFIX = re.compile(r"_?(MOST|LONGEST|LEAST|LARGEST|SMALLEST|NARROWEST|FEWEST|HIGHEST|DEEPEST|SHORTEST)_")


def _compiled(words: dict[str, str]) -> list[tuple[re.Pattern[str], str]]:
    return [(re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE), better) for pattern, better in words.items()]


_WORDS, _NAME_WORDS = _compiled(WORDS), _compiled(NAME_WORDS)


def check_text(text: str) -> Iterator[str]:
    """Yield a complaint for each word of `WORDS` in a text."""
    for pattern, better in _WORDS:
        for match in pattern.finditer(re.sub(r"`[^`]*`", "", text)):
            yield f"“{match.group()}”: {better}"


def check_docstring(text: str) -> Iterator[str]:
    if match := CLAUSE.match(text.strip()):
        yield f"a docstring begins with “{match.group()}”: begin with a verb or a noun"
    yield from check_text(text)


def check_name(name: str) -> Iterator[str]:
    words = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", name).replace("_", " ")
    for pattern, better in _NAME_WORDS:
        if match := pattern.search(words):
            yield f"{name}: not “{match.group()}” but {better}"
    if PREFIX.match(name):
        yield f"{name}: MAX_ or MIN_"
    if name.startswith("test_") and len(words.split()) - 1 > MAX_TEST_NAME_WORDS:
        yield f"{name}: more than {MAX_TEST_NAME_WORDS} words"


def check_module(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line number and a description of each fault in a Python module."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Expr(value=ast.Constant(value=str() as text)):
                yield from ((node.lineno, complaint) for complaint in check_docstring(text))
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield from ((node.lineno, complaint) for complaint in check_name(name))
            case ast.arg(arg=name):
                yield from ((node.lineno, complaint) for complaint in check_name(name))
            case ast.Name(id=name, ctx=ast.Store()):
                yield from ((node.lineno, complaint) for complaint in check_name(name))
            case ast.Attribute(attr=name, ctx=ast.Store()):
                yield from ((node.lineno, complaint) for complaint in check_name(name))
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield from ((token.start[0], complaint) for complaint in check_text(token.string))


def check_page(text: str) -> Iterator[tuple[int, str]]:
    """Yield the line number and a complaint for each word of `WORDS` in a page, outside code blocks."""
    in_code = False
    for number, line in enumerate(text.splitlines(), start=1):
        if line.lstrip().startswith("```"):
            in_code = not in_code
        elif not in_code and not line.startswith("    "):
            yield from ((number, complaint) for complaint in check_text(line))


def check_catalogue(text: str) -> Iterator[tuple[int, str]]:
    """Yield the line number and a complaint for each word of `WORDS` in a catalogue's messages."""
    for message in read_po(io.StringIO(text)):
        if message.id:
            yield from ((message.lineno or 0, complaint) for complaint in check_text(str(message.string)))


def check_subject(subject: str) -> Iterator[str]:
    """Yield the faults of a commit subject."""
    if len(subject) > MAX_SUBJECT_LENGTH:
        yield f"a commit's subject is longer than {MAX_SUBJECT_LENGTH} characters: {subject}"
    if not re.match(r"[A-Z][a-z]+ \S", subject) or CLAUSE.match(subject):
        yield f"a commit's subject does not begin with a verb: {subject}"


def _check_files(paths: list[str]) -> Iterator[str]:
    checks = {".py": check_module, ".md": check_page, ".po": check_catalogue}
    for name in subprocess.check_output(["git", "ls-files", "--", *paths], cwd=ROOT, text=True).splitlines():
        path = ROOT / name
        check = checks.get(path.suffix)
        if check is None or not path.is_file() or (path.suffix == ".po" and path.parent.name != "en"):
            continue
        for line, complaint in check(path.read_text()):
            yield f"{name}:{line}: {complaint}"


def _check_commits() -> Iterator[str]:
    log = subprocess.run(
        ["git", "log", f"-{CHECKED_COMMITS}", "--no-merges", "--format=%s"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    for subject in log.stdout.splitlines():
        yield from check_subject(subject)


def main(paths: list[str]) -> int:
    """Print the complaints. Return 1 if there are any, otherwise 0."""
    complaints = [*_check_files(paths), *([] if paths else _check_commits())]
    print(*complaints, sep="\n", end="\n" if complaints else "")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
