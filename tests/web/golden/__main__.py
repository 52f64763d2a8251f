"""Take all pictures of the page again: `python -m tests.web.golden`.

With a folder, take every screen in all languages, sizes and colours there instead, with contact sheets, and print what is
wrong with the layout. With names of walks after it, take only their screens.
"""

import os
import subprocess
import sys
from pathlib import Path

from tests.web.golden import FOLDER, RENEW
from tests.web.golden.every_screen import take_every_screen

if len(sys.argv) > 1:
    take_every_screen(Path(sys.argv[1]), sys.argv[2:])
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
