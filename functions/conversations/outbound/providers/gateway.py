"""The provider gateway: sends a message once through its provider's client and classifies the refusal."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from conversations.configuration.ownership import NotOwned
from conversations.configuration.projects import EmailChannel, SmsChannel, WhatsAppChannel
from conversations.lifecycle.conversation import addresses_of
from conversations.outbound.failures import Kind
from conversations.outbound.providers.payloads import (
    for_aws_sms,
    for_inbox,
    for_meta,
    for_ses,
    for_threads,
    for_twilio,
)
from conversations.outbound.providers.twilio_accounts import (
    is_unsupported,
    not_owned,
    twilio_account,
)
from conversations.store import states
from conversations.store.items.turn import TurnKind
from shared.aws.sqs_fifo import Entry, digest
from shared.identity import addresses
from shared.identity.business_accounts import OWN_PROVIDERS
from shared.identity.secret_owners import owns_token
from shared.policy.consent import unreachable, withdrawals
from shared.policy.consent.items import Source, Statement
from shared.policy.consent.unreachable import Unreachable
from shared.providers.company_secrets import NOT_OWNED, readable, secret_missing
from shared.providers.outcomes import (
    AddressUnusable,
    AddressWithdrawn,
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
from shared.runtime import clock
from shared.runtime.failures import Transient

if TYPE_CHECKING:
    from conversations.configuration.ownership import Claims
    from conversations.lifecycle.conversation import OpenConversation
    from conversations.outbound.policy.sender_throttle import Throttles
    from conversations.outbound.providers.clients import ProviderClients
    from conversations.store.items.log import Message
    from shared.aws.secrets import JsonSecret
    from shared.aws.sqs_fifo import FifoQueue
    from shared.policy.consent.records import Consents
    from shared.providers.action_ledger import Action
    from shared.providers.company_secrets import CompanySecrets

EVIDENCE_BACK_MS = 300 * clock.SECOND_MS
LIST_TRIED_MS = 900 * clock.SECOND_MS
# Clients prefix a provider's codes with its name (`twilio_21612`, `ses_MessageRejected`), their own codes with nothing.
_CODE = re.compile(r"(?:twilio|aws_sms|graph|ses)_([0-9]+|[A-Z]\w*)")
_KINDS: tuple[tuple[type[Refused], Kind], ...] = (
    (OptedOut, Kind.OPTED_OUT),
    (WindowClosed, Kind.WINDOW_CLOSED),
    (AddressUnusable, Kind.ADDRESS_UNUSABLE),
    (AddressWithdrawn, Kind.ADDRESS_WITHDRAWN),
    (Misconfigured, Kind.CONFIGURATION),
)


@dataclass(slots=True, kw_only=True, eq=False)
class Providers:
    """
    The providers' clients, the base URL for callbacks, and the queues of the inbox and of e-mail threads.

    *configuration_set*: the set of SES for projects that name none.
    """

    clients: ProviderClients
    tokens: JsonSecret  # of Meta's Graph API, by `whatsapp_credentials_id`
    credentials: CompanySecrets
    consents: Consents
    claims: Claims
    throttles: Throttles
    inbox: FifoQueue
    threads: FifoQueue
    public_url: str
    region: str
    configuration_set: str

    def check(self, opened: OpenConversation) -> None:
        """
        Check that sender and secret are the company's and readable; called before paying for a model's answer.

        Raises Misconfigured if the sending secret is missing, NotSent if it cannot be read now.
        """
        channel = opened.channel
        self.require_claims(opened)
        if channel.provider == "twilio":
            twilio_account(self.credentials, opened)
        elif isinstance(channel, WhatsAppChannel) and channel.provider == "meta":
            self.token(opened, channel)

    def account(self, opened: OpenConversation) -> str | None:
        """
        Return the provider account that would send a message now; None if it is the deployment's own.

        Twilio's account comes from the secret, other accounts from the project settings.
        """
        channel = opened.channel
        if channel.provider in OWN_PROVIDERS:
            return None
        if channel.provider == "twilio":
            with suppress(Refused, NotSent):  # Without the secret nothing is sent.
                return twilio_account(self.credentials, opened)[0].account_sid
        return channel.account

    def send(self, opened: OpenConversation, message: Message, action_id: str) -> Sent:
        """
        Make one attempt. Raises Refused, NotSent or InDoubt of `shared.providers.outcomes`.

        A refusal's kind prefixes the provider's code in the reason, which the ledger stores.
        """
        sender = opened.state.business_address
        self.throttles.admit(sender)
        try:
            return self._sent(opened, message, action_id)
        except Throttled as refusal:
            raise NotSent(refusal.code, self.throttles.hold(sender, refusal.wait_ms)) from None
        except Refused as refusal:
            kind = _kind_of(refusal, opened)
            code = _bare(refusal.code)
            if kind is Kind.OPTED_OUT:
                self._record_opt_out(opened, action_id)
            if kind is Kind.ADDRESS_UNUSABLE:
                self._note_unreachable(opened, message, code)
            raise Refused(f"{kind}:{code}") from None

    def evidence(self, opened: OpenConversation, message: Message, action: Action) -> str | None:
        """
        Return the provider id that proves that an attempt in doubt reached the provider; None without proof.

        Looks in Twilio's list of messages; other providers offer only statuses, which confirm on their own. A list
        that cannot be read proves no absence: raises Transient, and InDoubt once `LIST_TRIED_MS` have passed.
        """
        if opened.channel.provider != "twilio":
            return None
        from shared.providers.twilio import messages  # noqa: PLC0415 - of one provider

        is_whatsapp = isinstance(opened.channel, WhatsAppChannel)
        to = messages.whatsapp_address(opened.customer) if is_whatsapp else opened.customer
        try:
            account, _ = twilio_account(self.credentials, opened)
            listed = self.clients.twilio.sent_to(account, to, action.reserved_at - EVIDENCE_BACK_MS)
        except (Refused, NotSent, InDoubt):
            if clock.now_ms() < action.reserved_at + LIST_TRIED_MS:
                raise Transient("send_in_doubt") from None
            raise InDoubt("twilio_list_unreadable") from None
        expected_hash = messages.body_hash(self._as_sent(opened, message).content)
        since = action.reserved_at - clock.SECOND_MS
        return next(
            (m.sid for m in listed if m.body_hash == expected_hash and m.created_at_ms >= since),
            None,
        )

    def announce(
        self, opened: OpenConversation, message: Message, action_id: str, provider_id: str
    ) -> None:
        """
        Inform the inbox of a message sent from its number, or the e-mail threads of a mail. Idempotent: queues and
        consumers deduplicate.
        """
        channel = opened.channel
        if isinstance(channel, EmailChannel):
            queue = self.threads
            event = for_threads(opened, channel, message, action_id, provider_id)
        elif isinstance(channel, WhatsAppChannel) and channel.provider != "twilio":
            queue = self.inbox
            event = for_inbox(opened, channel, message, action_id, provider_id)
        else:
            return
        from shared.events.exchange import body_of  # noqa: PLC0415 - SMS needs none

        group = digest("outbound", opened.state.business_address, opened.customer)
        queue.send([Entry(body_of(event), group, digest("outbound", action_id))])

    def _sent(self, opened: OpenConversation, message: Message, action_id: str) -> Sent:
        self.require_claims(opened)
        message = self._as_sent(opened, message)
        channel = opened.channel
        if not isinstance(channel, EmailChannel) and not addresses.is_user_id(opened.customer):
            opened = self._proven(opened)
        if isinstance(channel, EmailChannel):
            return self._mailed(opened, channel, message, action_id)
        if channel.provider == "twilio":
            return self._by_twilio(opened, channel, message, action_id)
        if isinstance(channel, SmsChannel):
            return self.clients.aws_sms.send(for_aws_sms(opened, channel, message, action_id))
        return self._by_meta(opened, channel, message, action_id)

    def _as_sent(self, opened: OpenConversation, message: Message) -> Message:
        """Return a message with the text that the provider gets: a question has a link that is not stored."""
        if message.turn_kind is not TurnKind.SATISFACTION:
            return message
        from conversations.outbound.compose.texts.question import as_sent  # noqa: PLC0415 - few turns ask

        return as_sent(message, opened.ref, self.public_url)

    def _proven(self, opened: OpenConversation) -> OpenConversation:
        """
        Return the conversation with its state right before the call: it has the address that is still the customer's.

        Any conversation of the company may have shown that the number changed hands. Raises AddressWithdrawn if the
        number is another person's, and NotSent if this cannot be read.
        """
        table, company, state = self.consents.table, opened.company.company_id, opened.state
        is_whatsapp = isinstance(opened.channel, WhatsAppChannel)
        try:
            if is_whatsapp:
                state = states.read(table, opened.ref) or state
            withdrawn_at = withdrawals.withdrawn_at(
                table, company, opened.customer, state.number_stated_at,
                named_at=state.number_named_at, user_id=state.customer_user_id,
            )  # fmt: skip
        except (ClientError, BotoCoreError, Transient):
            raise NotSent("state_unreadable") from None
        if withdrawn_at is not None:
            state = state.model_copy(update={"number_withdrawn_at": withdrawn_at})
        opened = opened.with_state(state)
        is_reachable = (
            is_whatsapp and opened.channel.provider != "twilio" and state.customer_user_id
        )
        if not state.has_number and not is_reachable:
            raise AddressWithdrawn("number")
        return opened

    def _by_twilio(
        self,
        opened: OpenConversation,
        channel: WhatsAppChannel | SmsChannel,
        message: Message,
        action_id: str,
    ) -> Sent:
        from shared.providers.twilio import messages  # noqa: PLC0415 - of one provider

        account, secret = twilio_account(self.credentials, opened)
        reported = messages.status_callback(self.public_url, action_id) if self.public_url else None
        request = for_twilio(opened, channel, message, secret, reported)
        try:
            return self.clients.twilio.send(account, request)
        except CredentialsRefused:
            # Certainly not sent. The credentials may have been rotated: retry once with the current secret.
            company_id, secret_id = opened.company.company_id, str(channel.credentials_id)
            if not self.credentials.secret(company_id, secret_id).refreshed():
                raise
        fresh, _ = twilio_account(self.credentials, opened)
        if fresh.account_sid != account.account_sid:
            # The ledger names the old account. The next attempt makes a new reservation with the new account.
            raise NotSent("account_changed", 0)
        return self.clients.twilio.send(fresh, request)

    def _by_meta(
        self, opened: OpenConversation, channel: WhatsAppChannel, message: Message, action_id: str
    ) -> Sent:
        if not channel.phone_number_id:
            raise Misconfigured("phone_number_id")
        payload = for_meta(opened, message, action_id)
        if channel.provider == "aws_social":
            provider_id = self.clients.eum.post_message(channel.phone_number_id, payload)
        else:
            token = self.token(opened, channel)
            provider_id = self.clients.graph.post_message(channel.phone_number_id, token, payload)
        if provider_id is None:
            raise InDoubt("no_message_id")
        return Sent(provider_id, "accepted")

    def token(self, opened: OpenConversation, channel: WhatsAppChannel) -> str:
        """Return the company's token of Meta's API. Raises Misconfigured and NotSent."""
        name = channel.whatsapp_credentials_id or ""
        if name and not owns_token(opened.company.company_id, name):
            raise not_owned("channel_config.whatsapp.whatsapp_credentials_id", NOT_OWNED)
        with readable():
            token = self.tokens.value().get(name)
        if not isinstance(token, str):
            raise secret_missing()
        return token

    def _mailed(
        self, opened: OpenConversation, channel: EmailChannel, message: Message, action_id: str
    ) -> Sent:
        from shared.providers.email import ses  # noqa: PLC0415 - of one provider

        mail = for_ses(opened, channel, message, action_id)
        if mail.configuration_set is None:
            mail = replace(mail, configuration_set=self.configuration_set)
        sent = self.clients.ses.send(mail)
        assigned, _ = ses.message_ids(sent.provider_id, self.region)
        return Sent(assigned, sent.status)

    def require_claims(self, opened: OpenConversation) -> None:
        """Raise Misconfigured if the sender is not the company's, NotSent if the claims cannot be read."""
        method, sender = opened.conversation.channel_method, opened.state.business_address
        try:
            self.claims.require(opened.company, method, sender)
        except NotOwned as fault:
            raise not_owned(fault.attribute, "sender_not_owned") from None
        except (ClientError, BotoCoreError, Transient):
            raise NotSent("claims_unreadable") from None

    def _note_unreachable(self, opened: OpenConversation, message: Message, code: str) -> None:
        record = Unreachable(
            reason=code,
            at=clock.to_text(clock.now_ms()),
            evidence=message.entry_id,
            ttl=Unreachable.time_to_live(),
        )
        channel = opened.conversation.channel_method
        company = opened.company.company_id
        unreachable.note(self.consents.table, company, opened.customer, channel, record)

    def _record_opt_out(self, opened: OpenConversation, action_id: str) -> None:
        statement = Statement(
            source=Source.PROVIDER,
            at_ms=clock.now_ms(),
            evidence=action_id,
            channel=opened.conversation.channel_method,
        )
        company = opened.company.company_id
        self.consents.record_opt_out(company, addresses_of(opened), statement)


def _kind_of(refusal: Refused, opened: OpenConversation) -> Kind:
    if isinstance(refusal, AddressUnusable) and is_unsupported(opened.channel, opened.customer):
        return Kind.UNSUPPORTED
    return next((kind for of, kind in _KINDS if isinstance(refusal, of)), Kind.REJECTED)


def _bare(code: str) -> str:
    """Return the code without the provider's name, which the conversation already states."""
    return match[1] if (match := _CODE.fullmatch(code)) else code
