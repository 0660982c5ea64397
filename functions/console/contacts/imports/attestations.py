"""
What a company attests of all people of a file: that they have agreed to messages, want none, or are not reached.

    opted_in       recorded where nothing is known of the address, or beside another import that attests it: no file
                   ends an opt-out, or replaces what the person has said; so an undo of the import can take it back
    opted_out      recorded; it ends an opt-in that files have attested, and no newer one that the person has given
    unreachable    recorded as a bounce, which an administrator lifts
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from shared.identity.contacts import details, resolution
from shared.identity.identifiers import IdentifierKind
from shared.policy.consent import attested, unreachable
from shared.policy.consent.items import Source, Statement
from shared.policy.consent.records import MOST_ADDRESSES
from shared.policy.consent.unreachable import Unreachable
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from collections.abc import Sequence

    from shared.aws.dynamodb import Table
    from shared.identity.contacts.items import Profile
    from shared.identity.identifiers import Identifier
    from shared.policy.consent.records import Consents

OF_CHANNELS: Final = {
    "whatsapp": IdentifierKind.PHONE,
    "sms": IdentifierKind.PHONE,
    "email": IdentifierKind.EMAIL,
}
IMPORTED: Final = "imported"  # the reason of an address that an earlier tool did not reach


@dataclass(frozen=True, slots=True, kw_only=True)
class Attestation:
    """What an import says of all its people: *at_ms* (since 1970) by when at the latest, *by* who has started it."""

    company: str
    state: str
    channels: Sequence[str]
    at_ms: int
    evidence: str = field(repr=False)
    by: str


def record(
    consents: Consents,
    table: Table,
    person: Profile,
    identifiers: Sequence[Identifier],
    said: Attestation,
) -> None:
    """Record what an import says of the person of a row with these *identifiers*. Safe to repeat."""
    stored = details.described(table, person).identifiers
    named = [one.value for one in stored if one.value]
    for channel in said.channels:
        kind = OF_CHANNELS[channel]
        own = [one.value for one in identifiers if one.kind is kind]
        if said.state == "opted_in":
            reached = [one.value for one in identifiers if one.kind in OF_CHANNELS.values()]
            _opt_in(consents, own, [*reached, *named], channel, said)
        elif said.state == "opted_out":
            also = [one.value for one in stored if one.kind == kind and one.value]
            _opt_out(consents, list(dict.fromkeys([*own, *also])), channel, said)
        else:
            for address in own:
                _note_unreachable(consents.table, address, channel, said)


def take_back(
    consents: Consents, table: Table, company: str, contact_id: str, import_id: str
) -> None:
    """Take back the opt-ins of a contact that an import has attested. Opt-outs and bounces stay. Safe to repeat."""
    person = resolution.current(table, company, contact_id)
    if person is None:
        return
    evidence = attested.EVIDENCE.format(import_id=import_id, source="")
    for one in details.described(table, person).identifiers:
        for channel, kind in OF_CHANNELS.items():
            if one.kind == kind and one.value:
                consents.take_back_opt_in(company, one.value, channel, evidence)


def _opt_in(
    consents: Consents,
    own: Sequence[str],
    theirs: Sequence[str],
    channel: str,
    said: Attestation,
) -> None:
    """
    Record an opt-in at *own* addresses of which nothing is known but what other files attest, unless any of *theirs*
    has opted out, also before the attested time.
    """
    known = [one for one in dict.fromkeys(theirs) if one and ":" not in one]
    for address in own:
        every = list(dict.fromkeys([address, *known]))[:MOST_ADDRESSES]
        newest = consents.standing(said.company, every, channel).newest
        if newest is None:
            if not consents.record_opt_in(
                said.company, [address], _statement(said), channels=(channel,)
            ):
                raise Transient("consent_contended")
        elif newest.is_attested:
            consents.attest_too(newest, _statement(said))


def _opt_out(consents: Consents, own: Sequence[str], channel: str, said: Attestation) -> None:
    consents.record_opt_out(said.company, own, _statement(said), channels=(channel,))


def _note_unreachable(table: Table, address: str, channel: str, said: Attestation) -> None:
    found = Unreachable(
        reason=IMPORTED,
        at=clock.to_text(said.at_ms),
        evidence=said.evidence,
        ttl=Unreachable.time_to_live(),
    )
    unreachable.note(table, said.company, address, channel, found)


def _statement(said: Attestation) -> Statement:
    return Statement(
        source=Source.OPERATOR,
        at_ms=said.at_ms,
        evidence=said.evidence,
        recorded_by=f"human:{said.by}",
        principal=said.by,
    )
