"""Take all pictures of the page again: `python -m tests.web.golden`."""

import argparse
import os
import subprocess
import sys
from pathlib import Path

from tests.web.golden import FOLDER, RENEW
from tests.web.golden.every_screen import take_every_screen

parser = argparse.ArgumentParser(prog="python -m tests.web.golden", description="Take all pictures of the page again.")
parser.add_argument(
    "folder",
    nargs="?",
    type=Path,
    help="take every screen in all languages, sizes and colours there instead, and print what is wrong with the layout",
)
parser.add_argument("walks", nargs="*", help="only the screens of these walks")
options = parser.parse_args()
if options.folder:
    take_every_screen(options.folder, options.walks)
    sys.exit()

for each in FOLDER.glob("*.webp"):
    each.unlink()
chosen = [str(FOLDER.parent / "test_browser_looks.py"), "-m", "", "-k", "picture"]
taken = subprocess.run([sys.executable, "-m", "pytest", *chosen], env={**os.environ, RENEW: "renew"}, check=False)
pictures = sorted(FOLDER.glob("*.webp"))
for each in pictures:
    print(f"{each.stat().st_size:8} {each.name}")
print(f"{sum(each.stat().st_size for each in pictures):8} bytes in all")
sys.exit(taken.returncode)
