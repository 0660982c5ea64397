"""DNS records as a name server answers them."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator

import dns.message
import dns.rcode
import dns.resolver
import dns.rrset
import pytest

from shared.providers import dns as records

ZONE = {
    ("shop.internal.", "MX"): ["10 Mail.Shop.internal.", "20 other.internal."],
    ("_dmarc.shop.internal.", "TXT"): ['"v=DMARC1; " "p=none"'],
    ("shop.internal.", "TXT"): [],
}


@pytest.fixture
def name_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A server of `ZONE` that the resolver asks; it refuses to answer about other domains."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server:
        server.bind(("127.0.0.1", 0))
        thread = threading.Thread(target=answer_all, args=(server,))
        thread.start()
        resolver = dns.resolver.Resolver(configure=False)
        resolver.nameservers, resolver.port = ["127.0.0.1"], server.getsockname()[1]
        monkeypatch.setattr(dns.resolver, "default_resolver", resolver)
        yield
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as last:
            last.sendto(b"", server.getsockname())
        thread.join()


def answer_all(server: socket.socket) -> None:
    while True:
        wire, asker = server.recvfrom(4_096)
        if not wire:
            return
        query = dns.message.from_wire(wire)
        [question] = query.question
        name, kind = question.name.to_text(), dns.rdatatype.to_text(question.rdtype)
        answer = dns.message.make_response(query)
        if not name.endswith("shop.internal."):
            answer.set_rcode(dns.rcode.REFUSED)
        elif (name, kind) not in ZONE:
            answer.set_rcode(dns.rcode.NXDOMAIN)
        elif ZONE[name, kind]:
            answer.answer.append(dns.rrset.from_text(name, 60, "IN", kind, *ZONE[name, kind]))
        server.sendto(answer.to_wire(), asker)


def test_records_are_read_as_they_stand_in_instructions(name_server: None) -> None:
    assert records.published("shop.internal", "MX") == frozenset(
        {"10 mail.shop.internal", "20 other.internal"}
    )
    assert records.published("_dmarc.shop.internal", "TXT") == frozenset({"v=DMARC1; p=none"})


def test_a_name_without_records_has_none_and_an_unanswered_question_is_no_answer(
    name_server: None,
) -> None:
    assert records.published("shop.internal", "TXT") == frozenset()
    assert records.published("missing.shop.internal", "MX") == frozenset()
    assert records.published("other.internal", "MX") is None
    assert records.published("a..internal", "MX") is None
