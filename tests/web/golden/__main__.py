"""Take all pictures of the page again: `python -m tests.web.golden`."""

import os
import subprocess
import sys

from tests.web.golden import FOLDER, RENEW

for each in FOLDER.glob("*.webp"):
    each.unlink()
chosen = [str(FOLDER.parent / "test_browser_looks.py"), "-m", "", "-k", "picture"]
taken = subprocess.run([sys.executable, "-m", "pytest", *chosen], env={**os.environ, RENEW: "renew"}, check=False)
pictures = sorted(FOLDER.glob("*.webp"))
for each in pictures:
    print(f"{each.stat().st_size:8} {each.name}")
print(f"{sum(each.stat().st_size for each in pictures):8} bytes in all")
sys.exit(taken.returncode)
