"""
Deterministic ids: the same event yields the same id at every delivery.

`conversation_id` contains an address, so log lines and URLs use `ref` instead.

    ref         2 characters: fingerprint of the identifier key that made it; 24 characters: HMAC of `conversation_id`
    action id   HMAC of `ref` and the action, with the key that `ref` names

A conversation keeps its `ref` for life: `ref_key` of its item names the key that made it. So its action ids survive a
key rotation: a changed action id would send a message twice.
"""

import hashlib
import uuid

from conversations.store.items.conversation import ID_PATTERN, Conversation
from shared.aws.sqs_fifo import digest, to_json
from shared.identity import keyed_hashes
from shared.identity.keyed_hashes import FINGERPRINT_CHARACTERS, Key

REF_CHARACTERS = 26
APPROVED = "approved"  # prefix of the id of a turn that a released function started
REPLY = "reply:"  # prefix of the id of a turn that a customer's message started
ATTEMPT = "~"  # precedes the attempt number in a turn id
PART = "+"  # precedes the number of a message after the first one of a turn
_ENTRIES = uuid.UUID("8f2f7f0a-6a0e-5c53-9d27-6b0c1d7f5a11")  # UUID namespace of entry ids


def conversation_id(company_id: str, project_id: str, request_id: str, recipient: str) -> str:
    """Return the contract's id. *recipient* is a number without `+`, a business-scoped id, or the key of an address."""
    return ID_PATTERN.format(
        company_id=company_id, project_id=project_id, request_id=request_id, recipient=recipient
    )


def ref_of(conversation_id: str) -> str:
    """
    Return the `ref` of a new conversation, made with the current key: 26 lower-case base32 characters.

    Raises KeysUnreadable.
    """
    return _ref_by(keyed_hashes.all_keys()[0], conversation_id)


def refs_of(conversation_id: str, answered: str | None = None) -> list[str]:
    """
    Return the `ref` under each key: an existing conversation may have any of them.

    The first is *answered*, the `ref` in the API's answer, if a key makes it; otherwise the current key's.
    """
    refs = [_ref_by(key, conversation_id) for key in keyed_hashes.all_keys()]
    return [answered, *(ref for ref in refs if ref != answered)] if answered in refs else refs


def ref_of_item(conversation: Conversation) -> str:
    """
    Return the `ref` of a conversation; for an item of another system without one, the `ref` it would get.

    Raises KeyUnknown if the secret no longer contains the key that made it.
    """
    if conversation.ref_key is None:
        return ref_of(conversation.conversation_id)
    return _ref_by(keyed_hashes.key_named(conversation.ref_key), conversation.conversation_id)


def has_key(conversation: Conversation) -> bool:
    """Whether the secret contains the key of a conversation's `ref`, so that the `ref` can be computed."""
    fingerprints = {key.fingerprint for key in keyed_hashes.all_keys()}
    return conversation.ref_key is None or conversation.ref_key in fingerprints


def key_of_ref(ref: str) -> str:
    """Return the fingerprint of the key that made a `ref`."""
    return ref[:FINGERPRINT_CHARACTERS]


def fingerprint(payload: object) -> str:
    """Return a hash of a JSON value that does not depend on the order of keys."""
    return hashlib.sha256(to_json(payload).encode()).hexdigest()


def action_id(ref: str, *what: str) -> str:
    """
    Return the ledger id of one action in a conversation: a turn, a function call, a notice.

    Raises KeyUnknown if the secret no longer contains the key that made *ref*.
    """
    key = keyed_hashes.key_named(key_of_ref(ref))
    return key.hex("action", ref, *what)


def entry_id(action: str) -> str:
    """Return the id of the message that an action sends."""
    return str(uuid.uuid5(_ENTRIES, action))


def request(company_id: str, project_id: str, request_id: str) -> str:
    """Return the hash under which the answer to a company's request is stored."""
    return digest("request", company_id, project_id, request_id)


def first_turn(releases: int) -> str:
    """Return the turn id of the first message; each release gets a new one."""
    return f"initial:{releases}" if releases else "initial"


def pair(channel_method: str, business_address: str, customer: str) -> str:
    """Return the hash of an address pair under the current key, for writing."""
    return keyed_hashes.keyed_hash("pair", channel_method, business_address, customer)


def pairs(channel_method: str, business_address: str, customer: str) -> list[str]:
    """Return the hashes of an address pair under each key, for lookups."""
    return keyed_hashes.keyed_hashes("pair", channel_method, business_address, customer)


def bucket_of(ref: str, buckets: int) -> str:
    """Return one of *buckets* partitions, always the same for a conversation."""
    return str(int(hashlib.sha256(ref.encode()).hexdigest(), 16) % buckets)


def _ref_by(key: Key, conversation_id: str) -> str:
    return (key.fingerprint + key.base32("conversation", conversation_id))[:REF_CHARACTERS]


EXTERNAL = "human:external"


REQUEST_PREFIX = "in-"
