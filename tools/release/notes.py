"""Release notes and checksums."""

import re
from hashlib import sha256
from pathlib import Path

import pond_hw
from tools.release.dates import HARDWARE, ROOT

CHANGELOG = ROOT / "CHANGELOG.md"
CHECKSUMS = "SHA256SUMS"
PUBLISHED = (
    *("pond_hw-*.whl", "pond_hw-*.tar.gz", "pond_*.deb", "pond-*-browser.zip", "pond-*-hardware-*.zip"),
    *("pond-*-pico-files.uf2", "pond-*-sbom.cdx.json", "pond-*-release-notes.md"),
)
"""Patterns of the names of published files."""

UNRELEASED = "Unreleased"
CHECK = """## Check the downloads

Put `SHA256SUMS` beside the files and run `sha256sum --check --ignore-missing SHA256SUMS`.
"""


def write_notes(to: Path) -> None:
    """Write what is new in this version, and how to check the downloads."""
    changes = read_changes(CHANGELOG.read_text(encoding="utf-8"), pond_hw.__version__)
    to.write_text(f"# Pond {pond_hw.__version__}\n\n{changes}\n\n{CHECK}", encoding="utf-8")


def read_changes(changelog: str, version: str) -> str:
    """Return a version's section of the changelog, or what is unreleased if it has none.

    Raises:
        SystemExit: it has neither.
    """
    for heading in (version, UNRELEASED):
        section = re.search(rf"^## \[?{re.escape(heading)}\b.*\n((?:(?!## ).*\n?)*)", changelog, re.MULTILINE)
        if section and section[1].strip():
            return section[1].strip()
    raise SystemExit(f"CHANGELOG.md has no section for {version}. Add one: ## {version}")


def write_checksums(folder: Path) -> None:
    """Write the checksums of all published files in a folder, for `sha256sum --check`."""
    lines = [f"{sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in list_published(folder)]
    (folder / CHECKSUMS).write_text("".join(lines), encoding="utf-8")


def list_boards() -> list[str]:
    """Return the boards that have a guide, and so an archive."""
    return sorted(path.parent.name for path in HARDWARE.glob("*/assembly.md"))


def list_published(folder: Path) -> list[Path]:
    """Return the published files in a folder, without their checksums."""
    return sorted(path for pattern in PUBLISHED for path in folder.glob(pattern))
