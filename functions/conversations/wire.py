"""The providers that carry messages, each asked in its own words; one attempt, and what it means when it fails."""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from conversations.companies import EmailChannel, SmsChannel, WhatsAppChannel
from conversations.consequences import Kind
from conversations.credentials import readable
from conversations.items.books import Unreachable
from conversations.policing import addresses_of
from conversations.store import unreachable
from shared import addresses, clock
from shared.channels import twilio
from shared.channels.email import ses
from shared.channels.email.content import body_of
from shared.channels.email.ses import Mail
from shared.channels.outcomes import (
    AddressUnusable,
    CredentialsRefused,
    InDoubt,
    Misconfigured,
    NotSent,
    OptedOut,
    Refused,
    Sent,
    Throttled,
    WindowClosed,
)
from shared.channels.sms.aws import TextMessage
from shared.channels.twilio_api import credentials_of
from shared.consent.records import Source, Statement
from shared.events import OutboundMessage
from shared.events import body_of as json_of
from shared.queues import Entry, digest

if TYPE_CHECKING:
    from conversations.credentials import Credentials
    from conversations.items.log import Message
    from conversations.opened import Opened
    from conversations.throttling import Throttles
    from shared.channels.email.ses import Ses
    from shared.channels.sms.aws import AwsSms
    from shared.channels.twilio import Twilio
    from shared.channels.whatsapp.eum import Eum
    from shared.channels.whatsapp.graph import Graph
    from shared.consent.records import Consents
    from shared.delivery import Action
    from shared.queues import FifoQueue
    from shared.secrets import JsonSecret

LIVES_SECONDS = 3_600  # an SMS that no carrier took by then is not worth sending
EVIDENCE_BACK_MS = 300 * clock.SECOND_MS
# Clients put their provider before its codes (`twilio_21612`, `ses_MessageRejected`), not before words of ours.
_CODE = re.compile(r"(?:twilio|aws_sms|graph|ses)_([0-9]+|[A-Z]\w*)")
_KINDS: tuple[tuple[type[Refused], Kind], ...] = (
    (OptedOut, Kind.OPTED_OUT),
    (WindowClosed, Kind.WINDOW_CLOSED),
    (AddressUnusable, Kind.ADDRESS_UNUSABLE),
    (Misconfigured, Kind.CONFIGURATION),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Providers:
    """The clients, where statuses come back to, and the queue of the inbox. See `outgoing.Wire`."""

    twilio: Twilio
    aws_sms: AwsSms
    graph: Graph
    eum: Eum
    ses: Ses
    tokens: JsonSecret  # of Meta's Graph API, by `whatsapp_credentials_id`
    credentials: Credentials
    consents: Consents
    throttles: Throttles
    inbox: FifoQueue
    public_url: str
    region: str

    def check(self, opened: Opened) -> None:
        """Whether the channel's secret is to be had: asked before a model is, whose words would be for nothing."""
        channel = opened.channel
        if channel.provider == "twilio":
            credentials_of(self.credentials.value(channel.credentials_id))
        elif isinstance(channel, WhatsAppChannel) and channel.provider == "meta":
            self._token(channel)

    def send(self, opened: Opened, message: Message, action_id: str) -> Sent:
        """One attempt. What a refusal means stands in front of the provider's own code, for the ledger to keep."""
        sender = opened.state.business_address
        self.throttles.pass_one(sender)
        try:
            return self._sent(opened, message, action_id)
        except Throttled as refusal:
            raise NotSent(refusal.code, self.throttles.hold(sender, refusal.wait_ms)) from None
        except Refused as refusal:
            kind = next((kind for of, kind in _KINDS if isinstance(refusal, of)), Kind.REJECTED)
            code = _bare(refusal.code)
            if kind is Kind.OPTED_OUT:
                self._record_opt_out(opened, action_id)
            if kind is Kind.ADDRESS_UNUSABLE:
                self._note_unreachable(opened, message, code)
            raise Refused(f"{kind}:{code}") from None

    def evidence(self, opened: Opened, message: Message, action: Action) -> str | None:
        """Twilio lists what it made; the others have nothing but their statuses, which confirm by themselves."""
        if opened.channel.provider != "twilio":
            return None
        prefix = twilio.WHATSAPP if isinstance(opened.channel, WhatsAppChannel) else ""
        try:
            account = credentials_of(self.credentials.value(opened.channel.credentials_id))
            listed = self.twilio.sent_to(
                account, prefix + opened.customer, action.reserved_at - EVIDENCE_BACK_MS
            )
        except (Refused, NotSent, InDoubt):
            return None
        wanted = twilio.body_hash(message.content)
        since = action.reserved_at - clock.SECOND_MS
        return next(
            (m.sid for m in listed if m.body_hash == wanted and m.created_at_ms >= since), None
        )

    def announce(self, opened: Opened, message: Message, action_id: str, provider_id: str) -> None:
        """Let the inbox show what left through a number of its own. Twice is once: the queue and the inbox know it."""
        channel = opened.channel
        if not isinstance(channel, WhatsAppChannel) or channel.provider == "twilio":
            return
        kind, content = _of_meta(opened, message)
        event = OutboundMessage(
            provider=channel.provider,
            provider_message_id=provider_id,
            action_id=action_id,
            account=channel.account or "",
            business_address=channel.phone_number_id or channel.address,
            customer_address=None if addresses.is_user_id(opened.customer) else opened.customer,
            customer_user_id=opened.state.customer_user_id,
            message_type=kind,
            content=content,
            occurred_at=message.message_timestamp,
        )
        group = digest("outbound", opened.state.business_address, opened.customer)
        self.inbox.send([Entry(json_of(event), group, digest("outbound", action_id))])

    def proof_of_file(self, opened: Opened, url: str) -> dict[str, str]:
        """The headers that a file of a customer is fetched with."""
        return file_proof(self.credentials, self.twilio.base_url, opened, url)

    def _sent(self, opened: Opened, message: Message, action_id: str) -> Sent:
        channel = opened.channel
        if isinstance(channel, EmailChannel):
            return self._mailed(opened, channel, message, action_id)
        if channel.provider == "twilio":
            return self._by_twilio(opened, channel, message, action_id)
        if isinstance(channel, SmsChannel):
            return self._by_aws_sms(opened, channel, message, action_id)
        return self._by_meta(opened, channel, message, action_id)

    def _by_twilio(
        self,
        opened: Opened,
        channel: WhatsAppChannel | SmsChannel,
        message: Message,
        action_id: str,
    ) -> Sent:
        is_sms = isinstance(channel, SmsChannel)
        secret = self.credentials.value(channel.credentials_id)
        service = channel.messaging_service_sid if isinstance(channel, SmsChannel) else None
        wanted = twilio.Message(
            channel="sms" if is_sms else "whatsapp",
            to=opened.customer,
            sender=None if service else opened.state.business_address,
            messaging_service_sid=service,
            content=_content(channel, message, secret),
            status_callback=twilio.status_callback(self.public_url, action_id)
            if self.public_url
            else None,
        )
        try:
            return self.twilio.send(credentials_of(secret), wanted)
        except CredentialsRefused:
            # Certainly not sent. They may have been rotated: once more with what the secret holds now.
            if not self.credentials.secret(str(channel.credentials_id)).refreshed():
                raise
        fresh = self.credentials.value(channel.credentials_id)
        return self.twilio.send(credentials_of(fresh), wanted)

    def _by_aws_sms(
        self, opened: Opened, channel: SmsChannel, message: Message, action_id: str
    ) -> Sent:
        return self.aws_sms.send(
            TextMessage(
                to=opened.customer,
                origination=opened.state.business_address,
                body=message.content,
                message_type=channel.message_type,
                configuration_set=channel.configuration_set,
                time_to_live_seconds=LIVES_SECONDS,
                action_id=action_id,
                ref=opened.ref,
            )
        )

    def _by_meta(
        self, opened: Opened, channel: WhatsAppChannel, message: Message, action_id: str
    ) -> Sent:
        if not channel.phone_number_id:
            raise Misconfigured("phone_number_id")
        kind, content = _of_meta(opened, message)
        payload = {
            "messaging_product": "whatsapp",
            **_recipient(opened),
            "type": kind,
            kind: content,
            "biz_opaque_callback_data": action_id,
        }
        if channel.provider == "aws_social":
            found = self.eum.post_message(channel.phone_number_id, payload)
        else:
            token = self._token(channel)
            found = self.graph.post_message(channel.phone_number_id, token, payload)
        if found is None:
            raise InDoubt("no_message_id")
        return Sent(found, "accepted")

    def _token(self, channel: WhatsAppChannel) -> str:
        """The token of Meta's API for a number. Raises Misconfigured and NotSent."""
        with readable():
            token = self.tokens.value().get(channel.whatsapp_credentials_id or "")
        if not isinstance(token, str):
            raise Misconfigured("secrets_missing")
        return token

    def _mailed(
        self, opened: Opened, channel: EmailChannel, message: Message, action_id: str
    ) -> Sent:
        is_answer = message.reply_to is not None
        mail = Mail(
            sender=channel.company_email,
            sender_name=channel.email_from_name or "",
            to=opened.customer,
            reply_to=channel.company_email,
            subject=message.subject or channel.default_subject_line,
            body=body_of(message.content),
            auto_submitted=None
            if message.author.startswith("human:")
            else ("auto-replied" if is_answer else "auto-generated"),
            in_reply_to=message.reply_to,
            references=[opened.conversation.email_id] if opened.conversation.email_id else [],
            unsubscribe=[channel.list_unsubscribe] if channel.list_unsubscribe else [],
            configuration_set=channel.configuration_set,
            action_id=action_id,
            tags={"ref": opened.ref},
        )
        sent = self.ses.send(mail)
        assigned, _ = ses.message_ids(sent.provider_id, self.region)
        return Sent(assigned, sent.status)

    def _note_unreachable(self, opened: Opened, message: Message, code: str) -> None:
        known = Unreachable(
            reason=code,
            at=clock.to_text(clock.now_ms()),
            evidence=message.entry_id,
            ttl=Unreachable.time_to_live(),
        )
        channel = opened.conversation.channel_method
        company = opened.company.company_id
        unreachable.note(self.consents.table, company, opened.customer, channel, known)

    def _record_opt_out(self, opened: Opened, action_id: str) -> None:
        said = Statement(
            source=Source.PROVIDER,
            at_ms=clock.now_ms(),
            evidence=action_id,
            channel=opened.conversation.channel_method,
        )
        company = opened.company.company_id
        self.consents.record_opt_out(company, addresses_of(opened), said)


def _bare(code: str) -> str:
    """A provider's code as the provider writes it: which provider it is, the conversation says."""
    return found[1] if (found := _CODE.fullmatch(code)) else code


def file_proof(
    credentials: Credentials, twilio_url: str, opened: Opened, url: str
) -> dict[str, str]:
    """
    The headers for a file at Twilio, which asks for the account's own; none for any other host. Raises NotSent.

    A company whose secret is missing gets its files later, or not at all: the message is there either way.
    """
    if not url.startswith(f"{twilio_url}/") or opened.channel.provider != "twilio":
        return {}
    try:
        account = credentials_of(credentials.value(opened.channel.credentials_id))
    except Misconfigured:
        raise NotSent("secrets_missing") from None
    pair = f"{account.user}:{account.password}".encode()
    return {"Authorization": f"Basic {b64encode(pair).decode()}"}


def _content(
    channel: WhatsAppChannel | SmsChannel, message: Message, secret: dict[str, Any]
) -> twilio.Text | twilio.Template:
    if message.template is None:
        return twilio.Text(message.content)
    templates = channel.templates if isinstance(channel, WhatsAppChannel) else {}
    configured = templates.get(message.template) or {}
    sid = configured.get("content_sid") or secret.get("twilio_template_sid")
    if not isinstance(sid, str):
        raise Misconfigured("content_sid")
    return twilio.Template(sid, message.variables or {})


def _of_meta(opened: Opened, message: Message) -> tuple[str, dict[str, Any]]:
    """Type and content of Meta's message JSON. Variables become body parameters in the template's order."""
    channel = opened.company.channel_config.whatsapp
    if message.template is None or channel is None:
        return "text", {"body": message.content}
    configured = channel.templates.get(message.template) or {}
    values = [{"type": "text", "text": text} for text in (message.variables or {}).values()]
    components = [{"type": "body", "parameters": values}] if values else []
    return "template", {
        "name": configured.get("meta_name") or message.template,
        "language": {"code": configured.get("language") or "en"},
        "components": components,
    }


def _recipient(opened: Opened) -> dict[str, str]:
    """
    Whom Meta is to send to: a number, or a business-scoped id.

    Check: that ids go into `recipient` is Meta's announcement and not confirmed by traffic of ours.
    """
    if addresses.is_user_id(opened.customer):
        return {"recipient": opened.customer.removeprefix(addresses.USER_ID_PREFIX)}
    return {"to": opened.customer.removeprefix("+")}
