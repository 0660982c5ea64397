"""
Builds the item of a new conversation: request and project, copied into the contract's format.

Configurations are flattened to the conversation's channel, without secrets, prompts, schemas or template bodies; a hash
replaces those. Large project data is stored in the bucket.
"""

from typing import Any

from conversations.configuration.folders import folder_of
from conversations.configuration.projects import Channel, Company
from conversations.initiation.case_data import stored_project_data
from conversations.initiation.context_object import ContextObject, as_json
from conversations.initiation.requests import Request
from conversations.lifecycle.status import Status
from conversations.store.items import identifiers
from conversations.store.items.conversation import ChannelMethod, Conversation
from shared.aws.s3 import Bucket
from shared.aws.tables.dynamodb_json import storable
from shared.runtime import clock

_LONG_AI_PARTS = frozenset({"prompts", "functions"})
_LONG_CHANNEL_PARTS = frozenset({"templates"})


def conversation_of(
    context: ContextObject,
    request: Request,
    company: Company,
    bucket: Bucket,
    *,
    ref: str,
    version: str,
) -> Conversation:
    """
    Build the item of a request; *ref* is the conversation's.

    Writes data too large for the item to the bucket, under its hash, so that a retry writes the same object.
    """
    recipient, channel = request.recipient, company.channel(request.channel_method)
    customer = recipient.primary(request.channel_method)
    at = clock.to_text(clock.now_ms())
    return Conversation(
        primary_channel=customer,
        conversation_id=context.conversation_data.conversation_id,
        ref_key=identifiers.key_of_ref(ref),
        recipient_tel=recipient.tel,
        recipient_email=recipient.email,
        company_id=company.company_id,
        project_id=company.project_id,
        channel_method=request.channel_method,
        conversation_status=Status.PROCESSING,
        request_id=request.request_id,
        created_at=at,
        updated_at=at,
        initial_request_timestamp=request.requested_at,
        processor_version=version,
        router_version=context.metadata.router_version,
        recipient_first_name=recipient.first_name,
        recipient_last_name=recipient.last_name,
        comms_consent=request.has_consent,
        company_name=company.company_name,
        project_name=company.project_name,
        company_rep=company.company_rep or None,
        allowed_channels=[str(method) for method in company.allowed_channels],
        project_status=company.project_status,
        auto_queue_initial_message=company.auto_queue_initial_message,
        auto_queue_initial_message_from_number=company.auto_queue_initial_message_from_number,
        auto_queue_initial_message_from_email=company.auto_queue_initial_message_from_email,
        auto_queue_reply_message=company.auto_queue_reply_message,
        auto_queue_reply_message_from_number=company.auto_queue_reply_message_from_number,
        auto_queue_reply_message_from_email=company.auto_queue_reply_message_from_email,
        ai_config=_ai(company, request.channel_method),
        channel_config=_channel(channel),
        ttl=clock.expires_in(company.retention_days * clock.DAY_SECONDS + _seconds_until(request)),
        gsi_recipient_tel=recipient.tel,
        gsi_recipient_email=recipient.email,
        **stored_project_data(
            storable(request.payload.get("project_data") or {}),
            folder_of(bucket, ref),
        ),
        **{_BUSINESS[request.channel_method]: company.sender(request.channel_method, customer)},
    )


_BUSINESS = {
    ChannelMethod.WHATSAPP: "gsi_company_whatsapp_number",
    ChannelMethod.SMS: "gsi_company_sms_number",
    ChannelMethod.EMAIL: "gsi_company_email",
}


def _seconds_until(request: Request) -> int:
    """Return the seconds until a scheduled first message, 0 without one."""
    send_at_ms = clock.from_text(request.send_at) if request.send_at else 0
    return max(0, send_at_ms - clock.now_ms()) // clock.SECOND_MS


def _ai(company: Company, method: ChannelMethod) -> dict[str, Any] | None:
    config = company.ai_config
    own = (config.get(f"{config.get('provider')}_config") or {}).get(method) or {}
    short = {name: part for name, part in config.items() if isinstance(part, str | bool)}
    return {**short, **_hashed(own, _LONG_AI_PARTS), **_hashes(config, _LONG_AI_PARTS)} or None


def _channel(channel: Channel) -> dict[str, Any]:
    config = channel.model_dump(mode="json", exclude_none=True)
    return _hashed(config, _LONG_CHANNEL_PARTS)


def _hashed(config: dict[str, Any], long_parts: frozenset[str]) -> dict[str, Any]:
    short = {name: part for name, part in config.items() if name not in long_parts and part}
    return {**short, **_hashes(config, long_parts)}


def _hashes(config: dict[str, Any], long_parts: frozenset[str]) -> dict[str, Any]:
    return {
        f"{name}_sha256": identifiers.fingerprint(as_json(config[name]))
        for name in sorted(long_parts)
        if config.get(name)
    }
