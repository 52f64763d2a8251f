"""Filter for requests to the page."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pond_hw.web.host_filter import (
    BAD_REQUEST,
    FORBIDDEN,
    MISDIRECTED,
    NOT_ALLOWED,
    NOT_FOUND,
    HostFilter,
    find_network,
)
from tests.conftest import each

HOST_FILTER = HostFilter({"http": {b"/", b"/page/page.js"}, "websocket": {b"/live"}}, frozenset({"pond.local"}))

PHONE = {"type": "http", "method": "GET", "raw_path": b"/", "query_string": b"", "server": ("192.168.1.7", 7663)}
LIVE = {**PHONE, "type": "websocket", "raw_path": b"/live"}


def asked(request, host="192.168.1.7:7663", *headers, **changed):
    """Return the status with which a request with this Host and other headers is refused; None if it is allowed."""
    headers = [("host", host), *headers] if host is not None else list(headers)
    raw = [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers]
    return HOST_FILTER.find_refusal({**request, "headers": raw, **changed})


@each("host", ["192.168.1.7:7663", "pond.local:7663", "POND.local:7663"])
def test_request_for_this_machine_is_allowed(host):
    assert asked(PHONE, host) is None
    assert asked(PHONE, host, ("origin", f"http://{host.lower()}")) is None
    assert asked(LIVE, host, ("origin", f"http://{host.lower()}")) is None
    assert asked(PHONE, host, method="HEAD", raw_path=b"/page/page.js") is None


@each("host", ["192.168.1.7:7663", "pond.local:7663"])
def test_mapped_ipv4_server_address_is_allowed(host):
    assert asked(PHONE, host, server=("::ffff:192.168.1.7", 7663)) is None


@each(
    "address",
    ["192.168.1.9", "10.0.0.3", "127.0.0.1", "169.254.3.4", "::1", "fe80::1%eth0", "fd00::7", "::ffff:10.0.0.3"],
)
def test_local_network_is_allowed(address):
    assert asked(PHONE, client=(address, 50000)) is None


@each("address", ["93.184.216.34", "2606:2800:220:1::1", "::ffff:93.184.216.34"])
def test_internet_addresses_are_refused(address):
    assert asked(PHONE, client=(address, 50000)) == FORBIDDEN


@each("host, address", [("localhost:7663", "127.0.0.1"), ("localhost:7663", "::1"), ("[::1]:7663", "::1")])
def test_localhost_is_allowed(host, address):
    assert asked(PHONE, host, server=(address, 7663)) is None


@each(
    "host",
    [
        *("evil.example:7663", "192.168.1.7", "192.168.1.7:80", "192.168.1.8:7663", "localhost:7663", ""),
        *("pond.local", "pond.local:7663:7663", "pond.local.evil.example:7663", "x@192.168.1.7:7663", ":7663"),
        *("192.168.1.7:7663 ", "192.168.1.7:07663", "3232235783:7663", "0xc0.0xa8.1.7:7663", "[192.168.1.7]:7663"),
    ],
)
def test_dns_rebinding_is_refused(host):
    assert asked(PHONE, host) == MISDIRECTED
    assert asked(LIVE, host, ("origin", f"http://{host}")) == MISDIRECTED


@each("names, host", [("pond", "pond-2"), ("pond", "POND-17"), ("pond-2", "pond-3"), ("my-pond", "my-pond-2")])
def test_avahi_conflict_name_is_allowed(names, host):
    host_filter = HostFilter({"http": {b"/"}}, frozenset({f"{names}.local"}))
    headers = [(b"host", f"{host}.local:7663".encode())]
    assert host_filter.find_refusal({**PHONE, "headers": headers}) is None


@each("host", ["pond-1", "pond-0", "pond-02", "pond-", "pond--2", "pond-2-2", "pond2", "pond-2x", "xpond-2"])
def test_name_that_avahi_would_not_choose_is_refused(host):
    assert asked(PHONE, f"{host}.local:7663") == MISDIRECTED
    assert asked(PHONE, "pond-2.example:7663") == MISDIRECTED
    assert asked(PHONE, "pond-2.local:80") == MISDIRECTED


@pytest.mark.slow
@given(st.text(st.characters(codec="latin-1"), max_size=40))
def test_other_hosts_are_refused(host):
    allowed = {"192.168.1.7:7663", "pond.local:7663"}
    assert (asked(PHONE, host) is None) == (host.lower() in allowed and host.isascii())


@each("headers", [[], [("host", "192.168.1.7:7663")] * 2, [("host", "192.168.1.7:7663"), ("host", "evil.example")]])
def test_request_must_have_one_host(headers):
    assert asked(PHONE, None, *headers) == BAD_REQUEST


@each("origin", ["http://evil.example", "null", "", "https://192.168.1.7:7663", "http://192.168.1.7:7663/", "http://x"])
def test_foreign_origin_is_refused(origin):
    assert asked(PHONE, "192.168.1.7:7663", ("origin", origin)) == FORBIDDEN
    assert asked(LIVE, "192.168.1.7:7663", ("origin", origin)) == FORBIDDEN


def test_websocket_must_have_one_origin():
    own = ("origin", "http://192.168.1.7:7663")
    assert asked(LIVE) == FORBIDDEN
    assert asked(LIVE, "192.168.1.7:7663", own, own) == FORBIDDEN


@each(
    "path",
    [
        *(
            b"/page/",
            b"/page/../host_filter.py",
            b"/page/%2e%2e/gate.py",
            b"/page//page.js",
            b"//",
            b"/PAGE/page.js",
            b"",
        ),
        *(b"http://192.168.1.7:7663/", b"/page/page.js/", b"/page/page.js%00", b"/page\\page.js", b"/live", b"*"),
    ],
)
def test_unknown_paths_are_refused(path):
    assert asked(PHONE, raw_path=path) == NOT_FOUND


def test_websocket_and_page_paths_are_separate():
    assert asked(LIVE, "192.168.1.7:7663", ("origin", "http://192.168.1.7:7663"), raw_path=b"/") == NOT_FOUND
    assert asked(PHONE, raw_path=b"/live") == NOT_FOUND


@each("path", [b"/", b"/page/page.js"])
def test_query_string_is_ignored(path):
    assert asked(PHONE, raw_path=path, query_string=b"fbclid=x") is None


@each("method", ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PATCH", "get", "XYZ"])
def test_other_methods_are_refused(method):
    assert asked(PHONE, method=method) == NOT_ALLOWED


@pytest.mark.parametrize("header", [("content-length", "1"), ("transfer-encoding", "chunked"), ("content-length", "x")])
def test_request_body_is_refused(header):
    assert asked(PHONE, "192.168.1.7:7663", header) == BAD_REQUEST
    assert asked(PHONE, "192.168.1.7:7663", ("content-length", "0")) is None


@each(
    "address, network",
    [
        ("192.168.1.9", "192.168.1.9"),
        ("::ffff:192.168.1.9", "192.168.1.9"),
        ("2001:db8::1", "2001:db8::/64"),
        ("2001:db8:0:0:5::1", "2001:db8::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("", ""),
    ],
)
def test_ipv6_addresses_are_grouped_by_network(address, network):
    assert find_network(address) == network


def test_long_headers_are_refused():
    assert asked(PHONE, "192.168.1.7:7663", ("x", "a" * 8192)) == BAD_REQUEST
    assert asked(PHONE, "192.168.1.7:7663", ("x", "a" * 8000)) is None
