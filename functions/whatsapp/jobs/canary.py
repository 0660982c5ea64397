"""
The canary: sends a message from a fictitious customer to a fictitious number, and looks for it in the table.

It covers the whole path of Meta's webhooks: public address, signature, queue, worker, table. The number belongs to a
separate company, has no provider behind it, and keeps its messages for a day.
"""

from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from shared.api.webhook_signatures import meta_signature
from shared.aws.dynamodb import Table
from shared.aws.secrets import JsonSecret, SecretUnreadable, texts
from shared.aws.sqs_fifo import to_json
from shared.providers import http
from shared.providers.outcomes import InDoubt, NotSent
from shared.runtime import clock
from whatsapp import store
from whatsapp.inbound.event import CANARY_APP
from whatsapp.inbound.json_body import WHATSAPP_OBJECT
from whatsapp.store.items import Message, Phone, pk

COMPANY = "parley-canary"
# Numbers of the range reserved for fiction.
CUSTOMER = "12025550199"
PHONE = Phone(
    pk=Phone.key(CANARY_APP),
    company=COMPANY,
    phone=CANARY_APP,
    display_phone="12025550198",
    phone_arn=f"arn:parley:whatsapp:::phone-number-id/{CANARY_APP}",
    provider="graph",
    waba_meta_id=CANARY_APP,
    app_id=CANARY_APP,
    proof="deployment",
    message_ttl_days=1,
)
# The function may read keys with this prefix; the template contains the same prefix.
MESSAGE_PREFIX = "canary-"
TIMEOUT_MS = 20 * clock.SECOND_MS
PAUSE_MS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class CanaryDependencies:
    """The canary's webhook address and table. *secret* contains `app_secret`, which the webhook has too."""

    webhook_url: str
    secret: JsonSecret
    table: Table


@dataclass(frozen=True, slots=True)
class Result:
    """One message of the canary. *failure* names the failed step: `no_connection`, `answer_403`, `not_stored` ..."""

    message_id: str
    failure: str | None


def run(deps: CanaryDependencies) -> Result:
    """Send one message and look for it for 20 seconds. A repeated run sends a second message, which is harmless."""
    _register_number(deps.table)
    now_ms = clock.now_ms()
    message_id = f"{MESSAGE_PREFIX}{now_ms}"
    return Result(
        message_id, _send(deps, message_id, now_ms) or _wait_for_message(deps, message_id)
    )


def _register_number(table: Table) -> None:
    """Register the number with this version's settings."""
    if store.phones.get(table, PHONE.phone) != PHONE:
        store.phones.register_unlisted(table, PHONE)


def _send(deps: CanaryDependencies, message_id: str, now_ms: int) -> str | None:
    """Post the message as Meta would; return None if accepted, otherwise the reason."""
    body = to_json(_webhook(message_id, now_ms // 1_000)).encode()
    keys = texts(deps.secret.value().get("app_secret"))
    if not keys:
        raise SecretUnreadable("app_secret is missing in the canary secret")
    headers = {
        "Content-Type": "application/json",
        "X-Hub-Signature-256": meta_signature(body, keys[0]),
    }
    try:
        answer = http.call("POST", deps.webhook_url, headers=headers, body=body)
    except (NotSent, InDoubt) as failure:
        return failure.code
    return None if answer.status == HTTPStatus.OK else f"answer_{answer.status}"


def _wait_for_message(deps: CanaryDependencies, message_id: str) -> str | None:
    """Return None once the message is in the table; `not_stored` after the timeout."""
    deadline = clock.now_ms() + TIMEOUT_MS
    while deps.table.get(pk(Message.key(message_id))) is None:
        if clock.now_ms() >= deadline:
            return "not_stored"
        clock.sleep_ms(PAUSE_MS)
    return None


def _webhook(message_id: str, at: int) -> dict[str, Any]:
    """Return the body of a webhook with one text message."""
    message = {
        "id": message_id,
        "from": CUSTOMER,
        "timestamp": str(at),
        "type": "text",
        "text": {"body": "chirp"},
    }
    value = {
        "messaging_product": "whatsapp",
        "metadata": {"phone_number_id": PHONE.phone, "display_phone_number": PHONE.display_phone},
        "contacts": [{"wa_id": CUSTOMER, "profile": {"name": "Canary"}}],
        "messages": [message],
    }
    change = {"field": "messages", "value": value}
    return {
        "object": WHATSAPP_OBJECT,
        "entry": [{"id": PHONE.waba_meta_id, "changes": [change]}],
    }
