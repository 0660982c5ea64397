"""
Authors of messages and of changes to them: an edit, a revocation or a reaction acts on a message of the same person in
the same conversation.

The ids in the event and in the message decide. Only if they differ, because a customer has new ones, the contacts are
read.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from shared.identity import addresses
from shared.runtime.failures import Permanent
from whatsapp.configuration.resources import Resources, SendingResources
from whatsapp.inbound import senders
from whatsapp.inbound.event import LONGEST_ID, Event
from whatsapp.store.items import Conversation, Edit, Message, Phone
from whatsapp.worker import contact_links, contacts
from whatsapp.worker.contact_links import Link

OUTBOUND = "OUTBOUND"
BUSINESS = "business"
# The conversation of a reaction that came before its message: the contact, or the group.
IN = "in"
# The reason under which a change of another person's message is parked.
FOREIGN = "foreign_change"

# The author of a change: the ids of the customer, {"phone", "userId"}, as far as the event names them. `business`: the
# business, in the conversation with this customer. `group`: the change was made in this group.
type Author = Mapping[str, Any]


def of_event(event: Event, phone: Phone) -> dict[str, Any]:
    """Return the author of an event that changes a message."""
    payload = event.payload or {}
    sender = senders.sender_of("message", payload, event.contact)
    is_business = event.kind == "echo" or phone.has_number(sender.phone)
    if is_business:
        sender = senders.sender_of("echo", payload, event.contact)
    author = {
        BUSINESS: is_business,
        "phone": sender.phone,
        "userId": sender.user_id,
        "group": str(payload.get("group_id") or "")[:LONGEST_ID],
    }
    return {name: value for name, value in author.items() if value}


def wrote(author: Author, message: Message) -> bool:
    """Whether ids of an author belong to a message's author. True without ids: an older version stored none."""
    if not author:
        return True
    if not _is_of_kind(author, message):
        return False
    user_id, phone = author.get("userId"), author.get("phone")
    if author.get(BUSINESS):
        # Other ids of the receiver belong to the same person, or to another conversation.
        return not (user_id or phone) or message.to in {user_id, _line(phone)}
    if user_id and message.sender_user_id:
        return bool(user_id == message.sender_user_id)
    return bool(phone) and _line(phone) == _line(message.sender_phone)


def _is_of_kind(author: Author, message: Message) -> bool:
    """Whether a change and a message are both the business's or both a customer's, and in the same group, if any."""
    same_side = bool(author.get(BUSINESS)) == (message.direction == OUTBOUND)
    return same_side and author.get("group") == message.group_id


def are_one(resources: Resources, phone: Phone, first: Author, second: Author, at: str) -> bool:
    """Whether two changes of a message that has not arrived are known to be of one author at a time."""
    sides = [(author.get(BUSINESS), author.get("group")) for author in (first, second)]
    if sides[0] != sides[1]:
        return False
    if first == second:
        return True
    keys = [
        contacts.contact_of(
            resources.table, phone, author.get("phone", ""), author.get("userId", ""), at
        )
        for author in (first, second)
    ]
    return bool(keys[0]) and keys[0] == keys[1]


def _line(phone: str | None) -> str:
    return addresses.normal_digits(phone or "")


def check(resources: Resources, event: Event, phone: Phone, message: Message) -> None:
    """Raise Permanent (`foreign_change`) unless the author of a change wrote the message in this conversation."""
    author = of_event(event, phone)
    is_group = bool((event.payload or {}).get("group_id") or message.group_id)
    if wrote(author, message) and not author.get(BUSINESS) and not is_group:
        return
    # Only an echo names the customer of what the business changed, if at all.
    is_named = event.kind == "echo" or not author.get(BUSINESS)
    lookup = contacts.look_up(resources.table, event, phone) if is_named else None
    if lookup is None:
        if author.get(BUSINESS) and wrote(author, message):
            return
        raise Permanent(FOREIGN)
    check_conversation(resources, phone, message, lookup.conversation)
    is_business = bool(author.get(BUSINESS))
    if is_business != (message.direction == OUTBOUND):
        raise Permanent(FOREIGN)
    own = lookup.customer.contact_key
    if not is_business and not _is_same(resources, phone, message.from_pk or "", own):
        raise Permanent(FOREIGN)


def check_conversation(
    resources: Resources, phone: Phone, message: Message, conversation: str
) -> None:
    """Raise Permanent (`foreign_change`) unless a message is in the conversation of a contact or group."""
    key = Conversation.contact_of(message.conversation_pk)
    if not _is_same(resources, phone, key, conversation):
        raise Permanent(FOREIGN)


def of_early(
    resources: SendingResources,
    record: Edit,
    message: Message,
    phone: Phone,
    link: Link | None = None,
) -> Edit:
    """
    Return only the changes of a record, made before its message arrived, that the message's people may make.

    Their ids may differ from the message's, as a change names any id of its author: then the contacts are read. *link*:
    of two contacts that the event of the message proves to be one person, and that is not written yet.
    """
    among = _People(resources, phone, message, link)
    revocation = next(
        (one for one in record.revocations or [] if among.wrote(one["author"], one["at"])), None
    )
    is_revoked = bool(record.revoked_at) and among.wrote(
        record.revoked_from or {}, str(record.revoked_at)
    )
    revoked = {"revoked_at": record.revoked_at if is_revoked else None}
    if revocation is not None and not is_revoked:
        revoked = _revoked(revocation)
    return record.model_copy(
        update={
            **revoked,
            "versions": [
                version
                for version in record.versions
                if among.wrote(version.get("author") or {}, str(version["at"]))
            ],
            "reactions": among.reactions(record.reactions or {}) or None,
        }
    )


def _revoked(revocation: Mapping[str, Any]) -> dict[str, Any]:
    """Return a revocation as the fields of a record that show it."""
    return {
        "revoked_at": revocation["at"],
        "revoked_by": revocation["id"],
        "revoked_from": revocation["author"],
    }


def set_aside(record: Edit, theirs: Edit) -> dict[str, Any]:
    """Return the fields of a record that keep the changes that `of_early` left out apart; none if there are none."""
    others = [version for version in record.versions if version not in theirs.versions]
    changes: dict[str, Any] = {}
    if others:
        changes |= {"versions": theirs.versions, "foreign_versions": others}
    if record.revoked_at != theirs.revoked_at:
        changes |= {
            name: getattr(theirs, name) for name in ("revoked_at", "revoked_by", "revoked_from")
        }
        # The one that took effect is in these fields now.
        waiting = [one for one in record.revocations or [] if one["id"] != theirs.revoked_by]
        changes["revocations"] = waiting or None
    return changes


def actor_of(resources: Resources, phone: Phone, message: Message, reacting: str) -> str:
    """
    Return under which name a message shows the reaction of a contact that may react to it: one for all ids of a person.

    Beside the business only its customer reacts to a message. In a group a participant may have reacted under a contact
    that is linked by now.
    """
    if not message.group_id:
        return _customer_of(message) or reacting
    return _same(
        message.reactions or {},
        reacting,
        lambda first, second: _is_same(resources, phone, first, second),
    )


def _same(shown: Mapping[str, Any], reacting: str, is_same: Callable[[str, str], bool]) -> str:
    """Return the name under which a group's message shows a participant's reaction: an earlier one of the person."""
    if reacting in shown:
        return reacting
    # Links join a number and a user id: other pairs cost no reads.
    others = (actor for actor in shown if actor.isdecimal() != reacting.isdecimal())
    return next((actor for actor in others if is_same(actor, reacting)), reacting)


@dataclass(frozen=True, slots=True)
class _People:
    """The people of a message that arrives after changes of it."""

    resources: SendingResources
    phone: Phone
    message: Message
    link: Link | None

    def wrote(self, author: Author, at: str) -> bool:
        """Whether the author of a change at a time wrote the message."""
        if wrote(author, self.message):
            return True
        if not _is_of_kind(author, self.message):
            return False
        contact = contacts.contact_of(
            self.resources.table, self.phone, author.get("phone", ""), author.get("userId", ""), at
        )
        person = self.message.to if author.get(BUSINESS) else self.message.from_pk
        return bool(contact) and self._is_one(contact, str(person))

    def reactions(self, reactions: Mapping[str, Any]) -> dict[str, Any]:
        """Return the reactions of the people, each under the one name that the message shows."""
        customer = _customer_of(self.message)
        conversation = Conversation.contact_of(self.message.conversation_pk)
        shown: dict[str, Any] = {}
        for name, stored in sorted(reactions.items(), key=lambda each: str(each[1]["order"])):
            reaction = dict(stored)
            made_in = reaction.pop(IN, conversation)
            actor = name.removesuffix(f"@{made_in}")
            if not self._is_one(made_in, conversation):
                continue
            if actor == self.phone.display_phone:
                shown[actor] = reaction
            elif not customer:
                shown[_same(shown, actor, self._is_one)] = reaction
            elif self._is_one(actor, customer):
                shown[customer] = reaction
        return shown

    def _is_one(self, first: str, second: str) -> bool:
        if first == second:
            return True
        ends = {self.link.primary, self.link.linked} if self.link else set()
        keys = {
            contact_links.primary_of(self.resources.table, self.phone.phone, key).key
            for key in (first, second)
        }
        return len(keys) == 1 or keys <= ends


def _customer_of(message: Message) -> str:
    """Return the contact of a message's customer; empty in a group."""
    if message.group_id:
        return ""
    return (message.to if message.direction == OUTBOUND else message.from_pk) or ""


def _is_same(resources: Resources, phone: Phone, first: str, second: str) -> bool:
    """Whether two contacts are one person."""
    if first == second:
        return True
    one, other = (
        contact_links.primary_of(resources.table, phone.phone, key).key for key in (first, second)
    )
    return one == other
