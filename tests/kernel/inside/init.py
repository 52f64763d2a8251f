"""Init process of a Raspberry Pi OS in its own namespaces: `python -m tests.kernel.inside.init BOARD UNIT DROP-IN`.

It creates /etc as the installer does, mounts tmpfs over all writable folders, and becomes systemd. The rest of the root
file system is this machine's own, mounted read-only.

Only the systemd units that Pond's unit needs are available: devices, logging and service start. So systemd is ready in a
second and starts nothing else on this machine.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
FIRMWARE = ROOT / "firmware/raspberry-pi"
STOCK = Path("/usr/lib/systemd/system")
SYSTEMD = STOCK.parent / "systemd"
USERS = Path("/usr/share/base-passwd")
RULES = STOCK.parents[1] / "udev/rules.d"

WANTED_UNITS = {
    "sysinit.target": ("systemd-udevd.service", "systemd-udev-trigger.service", "systemd-journald.service"),
    "sockets.target": (
        *("systemd-udevd-control.socket", "systemd-udevd-kernel.socket"),
        *("systemd-journald.socket", "systemd-journald-dev-log.socket"),
    ),
}
"""Units that each target starts. multi-user.target starts the board's own unit."""

TARGETS = ("basic.target", "local-fs.target", "local-fs-pre.target", "shutdown.target", "umount.target", "final.target")

CPUINFO = """\
[Service]
BindReadOnlyPaths=/run/cpuinfo:/proc/cpuinfo
"""
"""Bind mount for units, which have their own /proc. rpi_ws281x must find the Pi's cpuinfo there."""

POND_SCRIPT = """\
#!/bin/sh
export PYTHONHOME=/opt/pond/base PYTHONPATH=/opt/pond/project:/opt/pond/site
exec {python} -m pond_hw "$@"
"""
"""The `pond` command. It runs this project's code with the Python that runs these tests."""


def mount(source, target, *options):
    Path(target).mkdir(parents=True, exist_ok=True)
    subprocess.run(["mount", *options, source, target], check=True)


def mount_kernel_file_systems():
    """Mount the kernel's file systems in the new namespaces."""
    mount("proc", "/proc", "-t", "proc")
    subprocess.run(["mount", "--bind", "/run/cpuinfo", "/proc/cpuinfo"], check=True)
    subprocess.run(["umount", "/sys/fs/cgroup"], check=True)
    mount("cgroup2", "/sys/fs/cgroup", "-t", "cgroup2")


def mount_program():
    """Mount Pond and its Python in /opt/pond. Its user cannot see home directories or /tmp, where they may be."""
    mount("tmpfs", "/opt", "-t", "tmpfs", "-o", "mode=755")
    for source, target in (
        (sys.base_prefix, "base"),
        (sysconfig.get_path("purelib"), "site"),
        (ROOT / "pond_hw", "project/pond_hw"),
        (HERE, "inside"),
    ):
        mount(source, f"/opt/pond/{target}", "--bind")
    python = f"/opt/pond/base/bin/python{sys.version_info[0]}.{sys.version_info[1]}"
    command = Path("/opt/pond/bin/pond")
    command.parent.mkdir()
    command.write_text(POND_SCRIPT.format(python=python))
    Path("/opt/pond/bin/python").symlink_to(python)
    command.chmod(0o755)


def create_etc(board, unit):
    """Create /etc as the installer leaves it."""
    etc, new = Path("/etc"), Path("/run/etc")
    mount("tmpfs", new, "-t", "tmpfs", "-o", "mode=755")
    for name in ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives"):
        if (etc / name).exists():
            subprocess.run(["cp", "-a", etc / name, new], check=True)
    shutil.copy(USERS / "passwd.master", new / "passwd")
    shutil.copy(USERS / "group.master", new / "group")
    (new / "nsswitch.conf").write_text("passwd: files\ngroup: files\n")
    (new / "machine-id").write_text("0123456789abcdef0123456789abcdef\n")
    units = new / "systemd/system"
    for folder in (units, new / "sysusers.d", new / "pond", new / "udev"):
        folder.mkdir(parents=True)
    for name in TARGETS:
        (units / name).symlink_to(STOCK / name)
    for target, names in {**WANTED_UNITS, "multi-user.target": (unit,)}.items():
        (units / target).symlink_to(STOCK / target)
        wants = units / f"{target}.wants"
        wants.mkdir()
        for name in names:
            (wants / name).symlink_to(f"../{name}")
            if (STOCK / name).exists():
                (units / name).symlink_to(STOCK / name)
    (units / "default.target").symlink_to("multi-user.target")
    # /usr is the machine's own and read-only, so the program's path is replaced. Everything else is as shipped.
    shipped = (FIRMWARE / unit).read_text(encoding="utf-8")
    (units / unit).write_text(shipped.replace("/usr/bin/pond ", "/opt/pond/bin/pond "), encoding="utf-8")
    shutil.copy(FIRMWARE / "sysusers.conf", new / "sysusers.d/pond.conf")
    shutil.copy(FIRMWARE / "pond.conf", new / "pond")
    conf = new / "pond/pond.conf"
    conf.write_text(conf.read_text().replace("POND_BOARD=direct-4x4", f"POND_BOARD={board}"))
    rules = new / "udev/rules.d"
    rules.mkdir()
    shutil.copy(FIRMWARE / "60-pond.rules", rules)
    mount(new, etc, "--move")


def mount_writable_folders():
    """Mount tmpfs over writable folders. Of this machine's udev rules, keep only the default ones."""
    mount("tmpfs", "/var", "-t", "tmpfs", "-o", "mode=755")
    for folder in ("lib", "log", "cache", "tmp"):
        Path("/var", folder).mkdir()
    Path("/var/tmp").chmod(0o1777)
    Path("/var/run").symlink_to("/run")
    first = (RULES / "50-udev-default.rules").read_bytes()
    mount("tmpfs", RULES, "-t", "tmpfs", "-o", "mode=755")
    (RULES / "50-udev-default.rules").write_bytes(first)
    mount("tmpfs", "/tmp", "-t", "tmpfs", "-o", "mode=1777")


def main(board, unit, drop_in):
    mount_kernel_file_systems()
    mount_program()
    create_etc(board, unit)
    mount_writable_folders()
    subprocess.run(["systemd-sysusers", "/etc/sysusers.d/pond.conf"], check=True)
    folder = Path(f"/etc/systemd/system/{unit}.d")
    folder.mkdir()
    (folder / "pi.conf").write_text(CPUINFO)
    (folder / "test.conf").write_text(drop_in)
    environment = {"PATH": os.environ["PATH"], "container": "", "SYSTEMD_UNIT_PATH": "/etc/systemd/system"}
    os.chdir("/")
    os.execve(SYSTEMD, [SYSTEMD, "--log-target=kmsg", "--show-status=no"], environment)


if __name__ == "__main__":
    main(*sys.argv[1:])
