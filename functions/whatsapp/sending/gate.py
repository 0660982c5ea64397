"""
The send policy for messages from the inbox: kill switch, state of the number, consent, window, rates.

A customer to whom the provider refused marketing gets no marketing template for a day (Meta, "Per-user marketing
template message limits": an immediate repetition is refused, too).

The kill switch `safe_mode` is below `/parley/{stage}/whatsapp/`: `false` permits sending; any other text, or none,
stops every send. Consent is read where conversations store it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from shared.aws.tables.rate_limits.gcra import Pace
from shared.aws.tables.rate_limits.limit import Rate
from shared.identity import addresses
from shared.identity.keyed_hashes import keyed_hash
from shared.policy.decision import decide
from shared.policy.facts import Allowed, Author, Facts, Kind, Later, Switches
from shared.policy.limits import WHATSAPP_PAIR
from shared.runtime import clock
from whatsapp import store, transmission
from whatsapp.sending.failures import PolicyRefused, TooFast
from whatsapp.store.items import pk
from whatsapp.store.items.sending.rates import SendRate

if TYPE_CHECKING:
    from shared.aws.dynamodb import Attributes, Table
    from shared.policy.consent.items import Standing
    from shared.policy.consent.records import Consents
    from shared.policy.kill_switches import KillSwitches
    from whatsapp.store.items import Conversation, Phone

SAFE_MODE = "safe_mode"
CHANNEL: Final = "whatsapp"
MARKETING = "MARKETING"
# Meta accepts 80 messages a second from a number; this leaves a tenth for conversations, which send from it too.
NUMBER = Rate(every_ms=14, burst=36)
MARKETING_PAUSE_MS = clock.DAY_SECONDS * clock.SECOND_MS
# Questions to the provider about templates that are not stored, from a number: agents choose stored ones.
TEMPLATE_READS = Rate(every_ms=6_000, burst=10)
_ANY_ZONE = ZoneInfo("UTC")  # Agents' messages are exempt from quiet hours.


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A message for the send policy: its number and conversation. *category* is the template's, as stored."""

    phone: Phone
    conversation: Conversation
    is_template: bool = False
    category: str | None = None

    @property
    def is_marketing(self) -> bool:
        """Whether it is a marketing template."""
        return self.is_template and self.category == MARKETING


@dataclass(kw_only=True, eq=False)
class Gate:
    """The kill switch, the consent records, and the rates in *table*."""

    table: Table
    switches: KillSwitches
    consents: Consents
    pace: Pace = field(init=False)

    def __post_init__(self) -> None:
        self.pace = Pace(self.table, _key, {"itemType": SendRate.item_type})

    def check(self, subject: Subject) -> None:
        """
        Raise PolicyRefused or TooFast unless the message may be sent now. A permitted message takes its place in the
        rates.
        """
        facts = self.rehearse(subject)
        # Last, so that refused messages take no place.
        decision = decide(replace(facts, rate_free_at=self._free_at(subject)))
        if isinstance(decision, Later):
            raise TooFast(decision.at)
        if not isinstance(decision, Allowed):
            raise PolicyRefused(decision.reason)

    def rehearse(self, subject: Subject) -> Facts:
        """Raise PolicyRefused unless the message may be sent, apart from the rates; return its facts."""
        facts = self._facts(subject)
        reason = decide(facts).reason or self._block(subject)
        if reason:
            raise PolicyRefused(reason)
        return facts

    def permit_question(self, phone: Phone) -> None:
        """Take a place among the questions about unknown templates. Raises TooFast."""
        free_at = self.pace.take(f"templates#{phone.phone}", TEMPLATE_READS)
        if free_at is not None:
            raise TooFast(free_at, "questions about unknown templates")

    def _facts(self, subject: Subject) -> Facts:
        head, now = subject.conversation, clock.now_ms()
        last_inbound_at = _ms(head.last_inbound_at)
        standing = self._standing(subject)
        is_begun_by_us = last_inbound_at is None or subject.is_marketing
        has_chosen_marketing = subject.is_marketing and head.marketing_opt_out is False
        has_refused_marketing = subject.is_marketing and bool(head.marketing_opt_out)
        return Facts(
            kind=Kind.FIRST if is_begun_by_us else Kind.ANSWER,
            author=Author.PERSON,
            channel=CHANNEL,
            now=now,
            requested_at=0,  # An agent waits for the answer: nothing is kept until safe mode ends.
            switches=Switches(
                safe_mode=(self.switches.texts() or {}).get(SAFE_MODE) != "false",
                automation=True,
                project_is_active=True,
                channel_is_allowed=True,
                begins_conversations=True,
            ),
            is_opted_out=bool(standing and standing.is_opted_out) or has_refused_marketing,
            has_consent=bool(standing and standing.is_opted_in) or has_chosen_marketing,
            last_inbound_at=last_inbound_at,
            free_entry_until=_ms(head.free_entry_until),
            is_template=subject.is_template,
            quiet_hours=None,
            project_zone=_ANY_ZONE,
            cap_free_at=_marketing_free_at(head) if subject.is_marketing else None,
        )

    def _standing(self, subject: Subject) -> Standing | None:
        """Return the customer's consent; None for a group, which has no consent record."""
        recipient = transmission.recipient_of(subject.conversation)
        if recipient.address is None:
            return None
        # A customer may have opted out under the number or under the user id.
        user = [f"{addresses.USER_ID_PREFIX}{recipient.user_id}"] if recipient.user_id else []
        # And under the number that identified them before another customer had it.
        earlier = transmission.Recipient(phone=transmission.number_in(subject.conversation.from_))
        former = [earlier.address] if earlier.address and not recipient.phone else []
        known = [recipient.address, *user, *former]
        return self.consents.standing(subject.phone.company, known, CHANNEL)

    def _block(self, subject: Subject) -> str | None:
        """Return the reason why the number itself may not send; None if it may."""
        phone = subject.phone
        until = _ms(phone.sending_blocked_until)
        if phone.sending_blocked and (until is None or until > clock.now_ms()):
            return "sending_blocked"
        if subject.is_marketing:
            rating = store.account_reports.get_quality(self.table, phone.phone)
            if rating is not None and rating.quality_rating == "RED":
                return "quality_low"
        return None

    def _free_at(self, subject: Subject) -> int | None:
        """Take a place in the rates of the number and of the pair; return when one is free, None if it was taken."""
        phone = subject.phone.phone
        pair = keyed_hash("pair", phone, subject.conversation.from_ or "")
        return self.pace.take(f"pair#{pair}", WHATSAPP_PAIR) or self.pace.take(
            f"phone#{phone}", rate_of(subject.phone)
        )


def rate_of(phone: Phone) -> Rate:
    """Return the rate of a number: as set for it, else the rate of the provider's lowest level."""
    pace = phone.messages_per_second
    if pace is None:
        return NUMBER
    return Rate(every_ms=-(-clock.SECOND_MS // pace), burst=max(1, pace // 2))


def _marketing_free_at(head: Conversation) -> int | None:
    """Return when the customer may get marketing again (ms since 1970); None if the provider never refused it."""
    refused_at = _ms(head.marketing_capped_at)
    return None if refused_at is None else refused_at + MARKETING_PAUSE_MS


def _key(subject: str) -> Attributes:
    return pk(SendRate.key(subject))


def _ms(text: str | None) -> int | None:
    return clock.from_text(text) if text else None
