"""Commands that root runs for a service: they work as its user, on its files."""

from __future__ import annotations

import os
from pathlib import Path

STATE_FOLDERS = Path("/var/lib")


def become_service_user(name: str, board_group: str = "pond", state_folders: Path = STATE_FOLDERS) -> None:
    """Continue as the user of an installed service, in its state folder. Does nothing for users other than root.

    Args:
        name: name of the service and of its user.
        board_group: group that may use the board's socket.
        state_folders: folder of the state folders of all services.

    Raises:
        OSError: the state folder can't be created.
    """
    if os.name != "posix" or os.geteuid() or "STATE_DIRECTORY" in os.environ:
        return
    import grp
    import pwd

    try:
        user, group_id = pwd.getpwnam(name), grp.getgrnam(board_group).gr_gid
    except KeyError:  # the service is not installed
        return
    folder = state_folders / name
    if not folder.exists():
        folder.mkdir(mode=0o700)
        os.chown(folder, user.pw_uid, user.pw_gid)
    os.setgroups([group_id])
    os.setgid(user.pw_gid)
    os.setuid(user.pw_uid)
    os.umask(0o077)
    os.environ |= {"STATE_DIRECTORY": str(folder), "HOME": str(folder)}
