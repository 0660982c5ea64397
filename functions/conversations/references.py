"""
The names of things, made from what they are: the same event gives the same name however often it comes.

`conversation_id` holds an address, so no log line and no URL shows it; `ref` stands for it there.
"""

import base64
import hashlib
import uuid

from conversations.items.conversation import ID_PATTERN
from shared.queues import digest, to_json

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
    """What stands for a conversation in keys, URLs and logs: 130 bits of a hash, in lower-case base32."""
    hashed = hashlib.sha256(conversation_id.encode()).digest()
    return base64.b32encode(hashed).decode().lower()[:REF_CHARACTERS]


def fingerprint(payload: object) -> str:
    """A hash of JSON, the same for the same values in any order."""
    return hashlib.sha256(to_json(payload).encode()).hexdigest()


def action_id(ref: str, *what: str) -> str:
    """The ledger's id of one thing that is done in a conversation: a turn, a function call, a notice."""
    return digest(ref, *what)


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
    """The hash that the conversations of two addresses are found under."""
    return digest("pair", channel_method, business_address, customer)


def bucket_of(ref: str, buckets: int) -> str:
    """One of a few partitions, always the same for a conversation."""
    return str(int(hashlib.sha256(ref.encode()).hexdigest(), 16) % buckets)
