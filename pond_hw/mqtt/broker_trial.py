"""Trial connection to an MQTT broker: name, port, certificate and login."""

from __future__ import annotations

import socket
import ssl
import time

from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion

from pond_hw.link.invitation import Broker
from pond_hw.messages.message import Message
from pond_hw.messages.system_errors import describe_system_error
from pond_hw.mqtt.stored_link import Login

ANSWER_SECONDS = 3.0
"""Seconds in which each step has to succeed."""

_CERTIFICATE_ERRORS = {"date": {9, 10}, "name": {62, 64}, "issuer": {18, 19, 20, 21}}
"""OpenSSL's numbers of errors in the dates, the name and the issuer of a certificate."""


def try_broker(broker: Broker, login: Login) -> Message | None:
    """Connect to a broker. Return what is wrong, or None. The message names neither the broker nor the user."""
    try:
        context = _make_context(broker, login)
    except OSError:
        return Message("doctor.link.no_ca_file")
    try:
        connection = socket.create_connection((broker.host, broker.port), ANSWER_SECONDS)
    except socket.gaierror:
        return Message("doctor.link.unknown_name")
    except OSError as error:
        return Message("doctor.link.unreachable", reason=describe_system_error(error))
    with connection:
        if context and (fault := _shake_hands(connection, context, broker.host)):
            return fault
    return _log_in(broker, login, context)


def _make_context(broker: Broker, login: Login) -> ssl.SSLContext | None:
    return ssl.create_default_context(cafile=login.ca_file) if broker.has_tls else None


def _shake_hands(connection: socket.socket, context: ssl.SSLContext, host: str) -> Message | None:
    try:
        context.wrap_socket(connection, server_hostname=host).close()
    except ssl.SSLCertVerificationError as error:
        kind = next((kind for kind, codes in _CERTIFICATE_ERRORS.items() if error.verify_code in codes), "other")
        return Message(f"doctor.link.certificate_{kind}")
    except OSError as error:
        return Message("doctor.link.no_tls", reason=describe_system_error(error))
    return None


def _log_in(broker: Broker, login: Login, context: ssl.SSLContext | None) -> Message | None:
    """Send the first packet of MQTT and wait for the answer."""
    refusals: list[bool] = []
    client = Client(CallbackAPIVersion.VERSION2)
    client.on_connect = lambda *results: refusals.append(results[3].is_failure)
    client.connect_timeout = ANSWER_SECONDS
    if context:
        client.tls_set_context(context)
    if login.user is not None:
        client.username_pw_set(login.user, login.password)
    end = time.monotonic() + ANSWER_SECONDS
    try:
        client.connect(broker.host, broker.port)
        while not refusals and not client.loop(0.1) and time.monotonic() < end:
            pass
        client.disconnect()
    except (OSError, ValueError) as error:
        return Message("doctor.link.unreachable", reason=describe_system_error(error))
    if not refusals:
        return Message("doctor.link.no_broker")
    return Message("doctor.link.login_refused") if refusals[0] else None
