"""First-boot settings, as files for cloud-init."""

from __future__ import annotations

import hashlib
import json
from typing import Any, NamedTuple

WIFI_KEY_ROUNDS = 4096
"""Rounds of the key derivation of WPA2."""


class Wifi(NamedTuple):
    """A Wi-Fi network.

    Attributes:
        name: its name, the SSID.
        password: 8 to 63 characters.
        country: two letters, for the allowed channels.
    """

    name: str
    password: str
    country: str

    @property
    def access_point(self) -> dict[str, Any]:
        """Netplan's settings, with the key instead of the password."""
        key = hashlib.pbkdf2_hmac("sha1", self.password.encode(), self.name.encode(), WIFI_KEY_ROUNDS, 32)
        return {"password": key.hex()}


class FirstBootSettings(NamedTuple):
    """Settings of a fresh system. What is None stays as in the image.

    Attributes:
        host_name: name of the machine.
        user: name of the user that may log in with the key.
        ssh_key: line of a public key, such as `ssh-ed25519 AAAA…`.
        wifi: network to join.
        time_zone: such as `Europe/Amsterdam`.
    """

    host_name: str | None = None
    user: str | None = None
    ssh_key: str | None = None
    wifi: Wifi | None = None
    time_zone: str | None = None

    def make_files(self) -> dict[str, bytes]:
        """Return files for the boot partition, by name. Without any setting there are none.

        They are JSON, which is also valid YAML.
        """
        if not any(self):
            return {}
        files = {"user-data": b"#cloud-config\n" + _to_json(self._make_user_data())}
        if self.wifi:
            files["network-config"] = _to_json(_make_network_config(self.wifi))
        # cloud-init applies all settings to a new instance, so its name depends on them.
        instance = hashlib.sha256(b"".join(files.values())).hexdigest()[:16]
        files["meta-data"] = _to_json({"instance-id": f"pond-{instance}", "dsmode": "local"})
        return files

    def _make_user_data(self) -> dict[str, Any]:
        user_data: dict[str, Any] = {"manage_resolv_conf": False}
        commands = []
        if self.host_name:
            user_data |= {"hostname": self.host_name, "manage_etc_hosts": True}
        if self.time_zone:
            user_data["timezone"] = self.time_zone
        if self.user:
            user_data["user"] = {
                "name": self.user,
                "shell": "/bin/bash",
                "lock_passwd": True,
                "sudo": "ALL=(ALL) NOPASSWD:ALL",
                "ssh_authorized_keys": [self.ssh_key],
            }
            user_data["ssh_pwauth"] = False
            commands.append(["systemctl", "enable", "--now", "ssh"])
        if self.wifi:
            commands.append(["rfkill", "unblock", "wifi"])
        if commands:
            user_data["runcmd"] = commands
        return user_data


def _make_network_config(wifi: Wifi) -> dict[str, Any]:
    ethernet = {"dhcp4": True, "dhcp6": True, "optional": True}
    wireless = {
        "dhcp4": True,
        "optional": True,
        "regulatory-domain": wifi.country,
        "access-points": {wifi.name: wifi.access_point},
    }
    return {"network": {"version": 2, "ethernets": {"eth0": ethernet}, "wifis": {"wlan0": wireless}}}


def _to_json(content: Any) -> bytes:
    return json.dumps(content, indent=2, ensure_ascii=False).encode() + b"\n"
