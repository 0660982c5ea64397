"""
The names of things, made from what they are: the same event gives the same name however often it comes.

`conversation_id` holds an address, so no log line and no URL shows it; `ref` stands for it there.

    ref         2 characters: fingerprint of the identifier key that made it; 24 characters: HMAC of `conversation_id`
    action id   HMAC of `ref` and the action, by the key that `ref` names

A conversation keeps its `ref` for life: `ref_key` of its item says which key made it. So its action ids stay the same
when the keys rotate: a changed action id would send a message twice.
"""

import hashlib
import uuid

from conversations.store.items.conversation import ID_PATTERN, Conversation
from shared import keyed_hashes
from shared.aws.sqs_fifo import digest, to_json
from shared.keyed_hashes import FINGERPRINT_CHARACTERS, Key

REF_CHARACTERS = 26
APPROVED = "approved"  # how a turn is called that a released function began
ATTEMPT = "~"  # before the number of an attempt, in the id of a turn
_ENTRIES = uuid.UUID("8f2f7f0a-6a0e-5c53-9d27-6b0c1d7f5a11")  # our own name space


def conversation_id(company_id: str, project_id: str, request_id: str, recipient: str) -> str:
    """The contract's id. *recipient* is a number without `+`, a business-scoped id, or the key of an address."""
    return ID_PATTERN.format(
        company_id=company_id, project_id=project_id, request_id=request_id, recipient=recipient
    )


def ref_of(conversation_id: str) -> str:
    """
    The `ref` of a new conversation, made with the key that writes: 26 lower-case base32 characters.

    Raises KeysUnreadable.
    """
    return _ref_by(keyed_hashes.all_keys()[0], conversation_id)


def refs_of(conversation_id: str, answered: str | None = None) -> list[str]:
    """
    The `ref` by each key: a conversation that exists may have any of them.

    First stands *answered*, the one that the API has answered, if a key makes it; else that of the key that writes.
    """
    refs = [_ref_by(key, conversation_id) for key in keyed_hashes.all_keys()]
    return [answered, *(ref for ref in refs if ref != answered)] if answered in refs else refs


def ref_of_item(conversation: Conversation) -> str:
    """
    The `ref` of a conversation; of one that another system wrote and that has none yet, the one it would get.

    Raises KeyUnknown where the secret no longer holds the key that made it.
    """
    if conversation.ref_key is None:
        return ref_of(conversation.conversation_id)
    return _ref_by(keyed_hashes.key_named(conversation.ref_key), conversation.conversation_id)


def has_key(conversation: Conversation) -> bool:
    """Whether the secret holds the key that made the `ref` of a conversation, so that it can be told."""
    known = {key.fingerprint for key in keyed_hashes.all_keys()}
    return conversation.ref_key is None or conversation.ref_key in known


def key_of_ref(ref: str) -> str:
    """The fingerprint of the key that made a `ref`."""
    return ref[:FINGERPRINT_CHARACTERS]


def fingerprint(payload: object) -> str:
    """A hash of JSON, the same for the same values in any order."""
    return hashlib.sha256(to_json(payload).encode()).hexdigest()


def action_id(ref: str, *what: str) -> str:
    """
    The ledger's id of one thing that is done in a conversation: a turn, a function call, a notice.

    Raises KeyUnknown where the secret no longer holds the key that made *ref*.
    """
    key = keyed_hashes.key_named(key_of_ref(ref))
    return key.hex("action", ref, *what)


def entry_id(action: str) -> str:
    """The id of the message that an action sends."""
    return str(uuid.uuid5(_ENTRIES, action))


def request(company_id: str, project_id: str, request_id: str) -> str:
    """The hash under which a request of a company's software was answered."""
    return digest("request", company_id, project_id, request_id)


def first_turn(releases: int) -> str:
    """The turn of the first message; after a person let it go once more, another one."""
    return f"initial:{releases}" if releases else "initial"


def pair(channel_method: str, business_address: str, customer: str) -> str:
    """The hash that a conversation of two addresses is put under."""
    return keyed_hashes.keyed_hash("pair", channel_method, business_address, customer)


def pairs(channel_method: str, business_address: str, customer: str) -> list[str]:
    """The hashes, one for each key, that the conversations of two addresses are found under."""
    return keyed_hashes.keyed_hashes("pair", channel_method, business_address, customer)


def bucket_of(ref: str, buckets: int) -> str:
    """One of a few partitions, always the same for a conversation."""
    return str(int(hashlib.sha256(ref.encode()).hexdigest(), 16) % buckets)


def _ref_by(key: Key, conversation_id: str) -> str:
    return (key.fingerprint + key.base32("conversation", conversation_id))[:REF_CHARACTERS]


EXTERNAL = "human:external"


REQUEST_PREFIX = "in-"
