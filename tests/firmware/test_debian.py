"""Tests of the sources of the Debian package; `make test-deb` builds it."""

import re
from itertools import pairwise

import pond_hw
from tests.firmware.card import FIRMWARE

DEBIAN = FIRMWARE / "debian"
RULES = (DEBIAN / "rules").read_text(encoding="utf-8")
SHIPPED = re.search(r"\$\(addprefix \$\(PI\)/, (.*)\) \$\(SHARE\)", RULES)[1].split()
"""Files beside pond-board in the package."""


def code(name):
    return (FIRMWARE / name).read_text(encoding="utf-8")


def test_package_has_the_program_version():
    pattern = re.search(r"sed -n 's/(.*?)/\\1/p' pond_hw/__init__.py", code("build-deb"))[1]
    python_pattern = pattern.replace(r"\(", "(").replace(r"\)", ")")
    source = (FIRMWARE.parents[1] / "pond_hw/__init__.py").read_text(encoding="utf-8")
    assert re.search(python_pattern, source, re.MULTILINE)[1] == pond_hw.__version__


def test_package_contains_the_files_of_pond_board():
    expected = set(re.findall(r'"\$here/([a-z.]+)"', code("pond-board")))
    assert expected == {"boot.py", "needs.py"}
    drop_ins = re.search(r"pond\.service\.d/\{([a-z,]+)\}\.conf", code("pond-board"))[1].split(",")
    expected |= {f"{each}.conf" for each in drop_ins} | {"pond-board", "boot"}
    assert expected <= set(SHIPPED)
    assert {path.stem for path in FIRMWARE.glob("*.conf")} - set(drop_ins) == {"pond", "web", "sysusers"}
    assert all((FIRMWARE / each).exists() for each in SHIPPED)


def test_packaged_units_are_not_enabled():
    units = sorted(path.stem for path in FIRMWARE.glob("*.service"))
    for line in re.findall(r"for unit in ([a-z -]+);", RULES):
        assert sorted(line.split()) == units
    assert "dh_installsystemd --name=$$unit --no-enable --no-start" in RULES
    assert sorted(re.search(r"for unit in ([a-z -]+);", code("debian/postinst"))[1].split()) == units


def test_unit_paths_match_the_package():
    for unit in FIRMWARE.glob("*.service"):
        text = unit.read_text(encoding="utf-8")
        assert set(re.findall(r"/opt/\S+|/usr/local\S+", text)) == set()
        for shared in re.findall(r"/usr/share/pond/(\S+)", text):
            assert (FIRMWARE / shared).exists()
            assert shared.partition("/")[0] in SHIPPED


def test_conffiles_are_removed_only_by_purge():
    assert "etc/pond $(PI)/pond.conf $(PI)/web.conf" in RULES
    on_removal, _, on_purge = code("debian/postrm").partition("#DEBHELPER#")
    assert "/etc/pond" not in on_removal
    assert "/var/lib/pond " not in on_removal
    assert "rm -rf /etc/pond /var/lib/pond /var/lib/pond-link\n" in on_purge


def test_each_lintian_override_has_a_reason():
    lines = (DEBIAN / "pond.lintian-overrides").read_text(encoding="utf-8").splitlines()
    assert lines[0].startswith("# ")
    for before, line in pairwise(lines):
        tag = line.split()[1] if not line.startswith("#") else ""
        assert not tag or before.startswith("# ") or tag.startswith(before.split()[1])
