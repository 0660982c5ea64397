"""Outgoing HTTP: only listed or public https addresses are called."""

from __future__ import annotations

import re
import socket
from typing import Any

import pytest

from shared.providers.http import OriginRefused, call_untrusted, download
from shared.providers.outcomes import NotSent
from tests.values.web_addresses import LOOPBACK, MALFORMED

HOST = "lookaside.fbsbx.com"
ORIGINS = (f"https://{HOST}", "https://graph.facebook.com", "http://127.0.0.1:4600")
PUBLIC = "157.240.0.35"
TOKEN = {"Authorization": "Bearer secret"}

REFUSED = [
    # scheme
    f"http://{HOST}/a",
    f"ftp://{HOST}/a",
    f"file://{HOST}/etc/passwd",
    "file:///etc/passwd",
    f"gopher://{HOST}/_GET%20/",
    f"dict://{HOST}/a",
    f"jar:https://{HOST}/a",
    f"ws://{HOST}/a",
    f"//{HOST}/a",
    f"https:{HOST}/a",
    f"https:/{HOST}/a",
    f"https:///{HOST}/a",
    f"HTTPS://{HOST.upper()}/a",
    "data:text/plain,hello",
    "javascript:alert(1)",
    # port
    f"https://{HOST}:8443/a",
    f"https://{HOST}:443/a",
    f"https://{HOST}:/a",
    f"https://{HOST}:0/a",
    f"https://{HOST}:99999/a",
    f"https://{HOST}:https/a",
    "http://127.0.0.1:4601/a",
    "http://127.0.0.1/a",
    # credentials in front
    f"https://{HOST}@evil.example/a",
    f"https://{HOST}:443@evil.example/a",
    f"https://user:password@{HOST}/a",
    f"https://evil.example@{HOST}/a",
    f"https://@{HOST}/a",
    f"https://{HOST}%40evil.example/a",
    f"https://evil.example/https://{HOST}/a",
    f"https://evil.example?https://{HOST}/a",
    f"https://evil.example#https://{HOST}/a",
    # names that look alike
    f"https://{HOST}.evil.example/a",
    f"https://evil{HOST}/a",
    f"https://evil.example.{HOST}/a",
    f"https://{HOST}./a",
    f"https://.{HOST}/a",
    "https://fbsbx.com/a",
    "https://lookaside-fbsbx.com/a",
    "https://lookaside.fbsbx.com.evil.example:443/a",
    "https://l\u043e\u043ekaside.fbsbx.com/a",  # Cyrillic
    "https://xn--lkaside-bmga.fbsbx.com/a",
    "https://lookaside\u3002fbsbx\uff0ecom/a",  # full-width dots
    "https://\u2113ookaside.fbsbx.com/a",
    "https://lookaside.fbsbx.com\u2215@evil.example/a",
    "https://lookaside.fbsbx.com\uff0f@evil.example/a",
    "https://lookaside%2Efbsbx.com/a",
    "https://lookaside.fbsbx.com%00.evil.example/a",
    "https://lookaside.fbsbx.com%2f@evil.example/a",
    # addresses
    "https://127.0.0.1/a",
    "https://127.1/a",
    "https://0/a",
    "https://0.0.0.0/a",
    "https://localhost/a",
    "https://2130706433/a",
    "https://0x7f000001/a",
    "https://0x7f.0.0.1/a",
    "https://0177.0.0.1/a",
    "https://017700000001/a",
    "https://10.0.0.1/a",
    "https://172.16.0.1/a",
    "https://192.168.0.1/a",
    "https://100.64.0.1/a",
    "http://169.254.169.254/latest/meta-data/",
    "https://169.254.169.254/latest/meta-data/",
    "https://2852039166/latest/meta-data/",
    "https://0xa9fea9fe/latest/meta-data/",
    "https://[fd00:ec2::254]/latest/meta-data/",
    "https://169.254.170.2/v2/credentials",
    "https://[::1]/a",
    "https://[::]/a",
    "https://[::ffff:127.0.0.1]/a",
    "https://[::ffff:a9fe:a9fe]/a",
    "https://[0:0:0:0:0:ffff:169.254.169.254]/a",
    "https://[64:ff9b::a9fe:a9fe]/a",
    "https://[2002:a9fe:a9fe::]/a",
    "https://[fe80::1%25eth0]/a",
    "https://\u2460\u2461\u2466.0.0.1/a",
    "http://127.0.0.1:4600@evil.example/a",
    "http://127.0.0.1:4600.evil.example/a",
    # addresses that parsers interpret differently
    f"https://{HOST}\\@evil.example/a",
    f"https://evil.example\\@{HOST}/a",
    f"https:\\\\{HOST}\\a",
    f"https://{HOST}/a\\b",
    f"https://{HOST}\t/a",
    "https://look\naside.fbsbx.com/a",
    f"https://{HOST}/a\r\nX-Injected: 1",
    f"https://{HOST}/a b",
    f" https://{HOST}/a",
    f"https://{HOST}/a\x00",
    f"https://{HOST}/\ud800",
    f"https://{HOST}/\u00e9",
    "https://[::1/a",
    "https://[lookaside.fbsbx.com]/a",
    "https://[v1.x]/a",
    "https://",
    "https://?a",
    "",
    HOST,
    f"https://{HOST}/" + "a" * 4_096,
    "https://" + "a" * 100_000,
]  # fmt: skip


@pytest.fixture(autouse=True)
def called(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, int]]:
    """The targets of opened connections; each connection is refused."""
    addresses: list[tuple[str, int]] = []

    def connect(_: socket.socket, address: tuple[str, int]) -> None:
        addresses.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr(socket.socket, "connect", connect)
    return addresses


class Names:
    """A name server: every name has these addresses, or the next ones at each lookup."""

    def __init__(self) -> None:
        self.answers: list[list[str]] = [[PUBLIC]]
        self.asked: list[str] = []

    def resolve(self, host: str, port: int | None, *_: Any, **__: Any) -> list[Any]:
        if re.fullmatch(r"[0-9.]+", host):  # urllib3, for a resolved address
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (host, port))]
        self.asked.append(host)
        found = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if not found:
            raise socket.gaierror
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in found]


@pytest.fixture(autouse=True)
def names(monkeypatch: pytest.MonkeyPatch) -> Names:
    found = Names()
    monkeypatch.setattr(socket, "getaddrinfo", found.resolve)
    return found


def fetch(url: str, origins: tuple[str, ...] = ORIGINS) -> None:
    with download(url, headers=TOKEN, origins=origins):
        raise AssertionError("nobody answers in a unit test")


@pytest.mark.parametrize("url", REFUSED, ids=lambda url: ascii(url)[1:60])
def test_an_address_that_is_not_on_the_list_is_neither_resolved_nor_called(
    url: str, names: Names, called: list[tuple[str, int]]
) -> None:
    with pytest.raises(OriginRefused):
        fetch(url)

    assert (names.asked, called) == ([], [])


def ask(url: str, *, loopback: bool = False) -> None:
    call_untrusted(url, headers={}, body=b"{}", within_ms=1_000, loopback=loopback)


@pytest.mark.parametrize("url", MALFORMED, ids=lambda url: ascii(url)[1:60])
@pytest.mark.parametrize("loopback", [False, True])
def test_a_malformed_target_is_neither_resolved_nor_called(
    url: str, names: Names, called: list[tuple[str, int]], *, loopback: bool
) -> None:
    with pytest.raises(OriginRefused):
        ask(url, loopback=loopback)

    assert (names.asked, called) == ([], [])


@pytest.mark.parametrize("url", LOOPBACK)
def test_a_loopback_target_is_not_called_on_aws(url: str, called: list[tuple[str, int]]) -> None:
    with pytest.raises(OriginRefused):
        ask(url)
    assert called == []


def test_a_target_that_resolves_to_a_private_network_is_not_called(
    names: Names, called: list[tuple[str, int]]
) -> None:
    names.answers = [["169.254.169.254"]]

    with pytest.raises(OriginRefused):
        ask("https://functions.example/book")
    assert called == []


@pytest.mark.parametrize(
    ("url", "address"),
    [
        (f"https://{HOST}/a?b=c", (PUBLIC, 443)),
        (f"https://{HOST}", (PUBLIC, 443)),
        (f"https://{HOST}?mid=1", (PUBLIC, 443)),
        (f"https://{HOST}//evil.example/a", (PUBLIC, 443)),
        (f"https://{HOST}/@evil.example/a", (PUBLIC, 443)),
        (f"https://{HOST}/a?url=https://evil.example", (PUBLIC, 443)),
        (f"https://{HOST}#@evil.example/a", (PUBLIC, 443)),
        ("http://127.0.0.1:4600/a", ("127.0.0.1", 4600)),
    ],
)
def test_a_listed_origin_is_called_with_any_path_and_query(
    url: str, address: tuple[str, int], called: list[tuple[str, int]]
) -> None:
    with pytest.raises(NotSent):
        fetch(url)

    assert called == [address]


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.1.2.3",
        "172.31.255.255",
        "192.168.1.1",
        "169.254.169.254",
        "169.254.170.2",
        "100.64.0.1",
        "0.0.0.0",  # noqa: S104 - refused, not bound
        "255.255.255.255",
        "224.0.0.1",
        "240.0.0.1",
        "192.0.2.1",
        "198.18.0.1",
    ],
)
@pytest.mark.parametrize("others", [[], [PUBLIC]])
def test_a_listed_name_that_resolves_to_a_private_network_is_not_called(
    address: str, others: list[str], names: Names, called: list[tuple[str, int]]
) -> None:
    names.answers = [[*others, address]]

    with pytest.raises(OriginRefused):
        fetch(f"https://{HOST}/a")
    assert called == []


def test_a_name_is_resolved_once_and_the_checked_address_is_called(
    names: Names, called: list[tuple[str, int]]
) -> None:
    """Otherwise a name could be public at the check and private at the call."""
    names.answers = [[PUBLIC], ["169.254.169.254"]]

    with pytest.raises(NotSent):
        fetch(f"https://{HOST}/a")
    assert (names.asked, called) == ([HOST], [(PUBLIC, 443)])


def test_a_name_without_an_address_was_certainly_not_called(names: Names) -> None:
    names.answers = [[]]

    with pytest.raises(NotSent, match="unknown_host"):
        fetch(f"https://{HOST}/a")


@pytest.mark.parametrize(
    "origin",
    [
        "http://lookaside.fbsbx.com",
        "http://localhost:4600",
        "http://10.0.0.1",
        "http://169.254.169.254",
        "https://169.254.169.254",
        "https://10.0.0.1",
        "https://[fd00:ec2::254]",
        "ftp://lookaside.fbsbx.com",
    ],
)
def test_an_operator_cannot_list_plain_http_or_a_private_network_by_mistake(
    origin: str, names: Names, called: list[tuple[str, int]]
) -> None:
    names.answers = [["10.0.0.1"]]

    with pytest.raises((OriginRefused, NotSent)):
        fetch(f"{origin}/a", (origin,))
    assert called == []


def test_a_refusal_contains_no_part_of_the_address() -> None:
    with pytest.raises(OriginRefused) as refusal:
        fetch("https://evil.example/447700900101")

    assert str(refusal.value) == "not an allowed origin"
