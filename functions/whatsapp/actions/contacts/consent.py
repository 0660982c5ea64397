"""Records and shows consent of customers, with evidence, for the whole company."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AliasChoices, Field

from shared.api.auth import Scope
from shared.policy.consent.items import ALL_CHANNELS, Source, Statement
from shared.policy.consent.records import MOST_ADDRESSES
from shared.runtime import clock
from whatsapp import store
from whatsapp.actions.calls import participants
from whatsapp.actions.calls.call import Call
from whatsapp.actions.calls.failures import Unsupported
from whatsapp.actions.calls.inputs import Input, PhoneOrUserId, Text
from whatsapp.actions.contacts import people
from whatsapp.actions.dispatch.registration import Group
from whatsapp.privacy import subjects
from whatsapp.sending.gate import CHANNEL
from whatsapp.sending.views import View
from whatsapp.store.items import Conversation

if TYPE_CHECKING:
    from shared.policy.consent.items import Consent

CONTACTS = Group("contacts")
# The place of the evidence of marketing choices; the choice itself is on the conversations, which sending reads.
MARKETING = "whatsapp:marketing"

type State = Literal["opted_in", "opted_out"]


class Person(Input):
    """A customer, by a number or user id."""

    to: PhoneOrUserId = Field(validation_alias=AliasChoices("to", "contact"))


class Choice(Person):
    """A customer's choice, with its source and evidence."""

    purpose: Literal["marketing", "utility", "all"]
    state: State
    evidence: Annotated[Text, Field(max_length=500)]


class RecordedConsent(View):
    """The newest choice for a purpose; without *state* the customer has made none."""

    purpose: Literal["marketing", "all"]
    state: State | None = None
    at: str | None = None
    source: str | None = None
    evidence: str | None = None
    recorded_by: str | None = None


class ConsentOfContact(View):
    """A customer's consent by purpose."""

    consents: list[RecordedConsent]


@CONTACTS.changes("local", Scope.WHATSAPP_CONTACTS)
def set_consent(call: Call[Choice]) -> ConsentOfContact:
    """
    Record a customer's choice with its evidence, for the whole company.

    `all` applies to all messages on all channels, `marketing` to marketing templates on WhatsApp. 501 for `utility`:
    the send policy knows no choice about utility messages alone.
    """
    given = call.input
    if given.purpose == "utility":
        raise Unsupported("purpose: choices are recorded for marketing or for all messages")
    ids = _ids(call)
    statement = Statement(
        source=Source.OPERATOR,
        at_ms=clock.now_ms(),
        evidence=given.evidence,
        recorded_by=f"human:{call.caller.principal}",
        principal=call.caller.principal,
    )
    channel = ALL_CHANNELS if given.purpose == "all" else MARKETING
    consents, record = call.resources.consents, call.resources.consents.record_opt_in
    if given.state == "opted_out":
        record = consents.record_opt_out
    record(call.company, _addresses(ids), statement, channels=(channel,))
    if given.purpose == "marketing":
        _choose_marketing(call, is_out=given.state == "opted_out")
    return _consent(call, ids)


@CONTACTS.reads("local", Scope.WHATSAPP_CONTACTS)
def get_consent(call: Call[Person]) -> ConsentOfContact:
    """Return a customer's consent by purpose, with source and time."""
    return _consent(call, _ids(call))


def consents_of(call: Call[Any], ids: list[str]) -> list[RecordedConsent]:
    """Return the consent of the customer with these digits and user ids."""
    standing = call.resources.consents.standing
    known = _addresses(ids)
    newest = standing(call.company, known, CHANNEL).newest
    marketing = standing(call.company, known, MARKETING).newest
    stated = marketing if marketing is not None and marketing.channel == MARKETING else None
    return [_view("all", newest), _marketing(call, ids, stated)]


def _consent(call: Call[Any], ids: list[str]) -> ConsentOfContact:
    return ConsentOfContact(consents=consents_of(call, ids))


def _marketing(call: Call[Any], ids: list[str], stated: Consent | None) -> RecordedConsent:
    """Return the marketing choice: the newest of the recorded one and the choices made in WhatsApp."""
    heads = [store.heads.get(call.table, pk) for pk in _conversations(call, ids[0])]
    chosen = max(
        (head for head in heads if head is not None and head.marketing_opt_out_at),
        key=lambda head: head.marketing_opt_out_at or "",
        default=None,
    )
    if chosen is None or (stated is not None and stated.at >= (chosen.marketing_opt_out_at or "")):
        return _view("marketing", stated)
    return RecordedConsent(
        purpose="marketing",
        state="opted_out" if chosen.marketing_opt_out else "opted_in",
        at=chosen.marketing_opt_out_at,
        source="customer",
    )


def _choose_marketing(call: Call[Choice], *, is_out: bool) -> None:
    """Set the choice on the customer's conversation with each number of the company, where sending reads it."""
    at = clock.to_text(clock.now_ms())
    who = people.spelt(people.named(call, call.input.to, "to"))
    for phone in participants.phones_of(call):
        contact = participants.contact_of(call, phone, who, "to")[0]
        store.customer_facts.note_marketing_choice(
            call.table,
            Conversation.key(phone.arn_suffix, contact),
            at,
            call.company,
            phone.phone,
            is_out=is_out,
        )


def _conversations(call: Call[Any], who: str) -> list[str]:
    return [
        Conversation.key(
            phone.arn_suffix, participants.contact_of(call, phone, people.spelt(who), "to")[0]
        )
        for phone in participants.phones_of(call)
    ]


def _ids(call: Call[Any]) -> list[str]:
    """Return all digits and user ids of the customer, the one that the call names first."""
    who = people.named(call, call.input.to, "to")
    found = subjects.resolve(call.table, call.company, who).ids
    return list(dict.fromkeys([who, *(each for each in found if "-" not in each)]))


def _addresses(ids: list[str]) -> list[str]:
    """Return the addresses under which consent of these ids is recorded."""
    return list(dict.fromkeys(map(people.address_of, ids)))[:MOST_ADDRESSES]


def _view(purpose: Literal["marketing", "all"], newest: Consent | None) -> RecordedConsent:
    if newest is None:
        return RecordedConsent(purpose=purpose)
    return RecordedConsent(
        purpose=purpose,
        state="opted_out" if newest.state == "opted_out" else "opted_in",
        at=newest.at,
        source=str(newest.source),
        evidence=newest.evidence,
        recorded_by=newest.recorded_by,
    )
