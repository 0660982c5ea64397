"""Claims of an event about its person: identifiers, each with its proof."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from shared.identity import keyed_hashes
from shared.identity.addresses import AddressInvalid
from shared.identity.identifiers import Identifier, IdentifierKind, identifier

MARK_CHARACTERS: Final = 16  # base32: 80 bits


class Proof(StrEnum):
    """The proof of an event that an identifier is its person's."""

    PROVIDER = "provider"  # a verified webhook names the sender
    COMPANY = "company"  # the company's request, or an agent
    IMPORT = "import"


@dataclass(frozen=True, slots=True)
class Claim:
    """An identifier of the person of an event, with its proof."""

    identifier: Identifier
    proof: Proof


def claimed(kind: IdentifierKind, text: str | None, proof: Proof) -> tuple[Claim, ...]:
    """Return the claim of a stored identifier; none for no text, and for one that spells no identifier."""
    if not text:
        return ()
    try:
        return (Claim(identifier(kind, text), proof),)
    except AddressInvalid:
        return ()


def mark_of(
    company: str,
    claims: Sequence[Claim],
    name: str | None = None,
    signed: Sequence[Identifier] = (),
) -> str:
    """
    Return a keyed hash of all *claims*, the person's *name* and the addresses of a signature. It changes with the
    write key, so that a rotation resolves them again.

    Raises KeysUnreadable and NotConfigured.
    """
    texts = [
        text
        for claim in claims
        for text in (claim.identifier.kind, claim.identifier.value, claim.proof)
    ]
    texts += [text for one in signed for text in ("signed", one.value)]
    return keyed_hashes.all_keys()[0].base32("claims", company, name or "", *texts)[
        :MARK_CHARACTERS
    ]
