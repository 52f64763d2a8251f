"""Commands that root runs for a service."""

import grp
import json
import os
import pwd
import subprocess
import sys

import pytest

from pond_hw.commands.service_user import become_service_user

SHOW = """\
import json, os, sys
from pathlib import Path
from pond_hw.commands.service_user import become_service_user
from pond_hw.journal.folder import program_state_folder
become_service_user(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
print(json.dumps([os.getresuid(), os.getresgid(), os.getgroups(), str(program_state_folder())]))
"""
USER, GROUP = "games", "daemon"
"""A system user and a group that every Debian has."""


def become(folder, name=USER, **environment):
    given = {key: value for key, value in os.environ.items() if key != "STATE_DIRECTORY"} | environment
    command = [sys.executable, "-c", SHOW, name, GROUP, str(folder)]
    return json.loads(subprocess.run(command, env=given, check=True, capture_output=True, text=True).stdout)


as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")


@as_root
def test_root_becomes_the_user_of_the_service(tmp_path):
    user, group = pwd.getpwnam(USER), grp.getgrnam(GROUP)
    for _ in range(2):  # the folder may exist
        users, groups, others, folder = become(tmp_path)
        assert (users, groups, others) == ([user.pw_uid] * 3, [user.pw_gid] * 3, [group.gr_gid])
        assert folder == str(tmp_path / USER)
        status = (tmp_path / USER).stat()
        assert (status.st_uid, status.st_gid, status.st_mode & 0o777) == (user.pw_uid, user.pw_gid, 0o700)


@as_root
def test_root_stays_root_without_the_service(tmp_path):
    assert become(tmp_path, "no-such-user")[0] == [0, 0, 0]
    assert become(tmp_path, STATE_DIRECTORY="/somewhere")[::3] == [[0, 0, 0], "/somewhere"]
    assert not list(tmp_path.iterdir())


def test_other_users_stay_themselves(monkeypatch, tmp_path):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.delenv("STATE_DIRECTORY", raising=False)
    become_service_user(USER, GROUP, tmp_path)
    assert not list(tmp_path.iterdir())
