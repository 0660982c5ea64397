"""Wording messages: what the model answers, what templates say, what people wrote, each as the channel needs it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo

from aws_lambda_powertools.metrics import MetricUnit

from conversations import consequences, snapshot
from conversations.ai import answering, models
from conversations.ai.answering import Task
from conversations.ai.config import AiConfig, AiConfigBroken, BuiltIn
from conversations.ai.prompt import Facts, Said
from conversations.ai.templates import (
    Filled,
    Template,
    TemplateBroken,
    completed,
    known_values,
)
from conversations.companies import LONGEST_TEXT, EmailChannel, SmsChannel, WhatsAppChannel
from conversations.items.conversation import ChannelMethod, Role
from conversations.items.log import Delivery, Message
from conversations.settling import Noted
from conversations.store import messages
from conversations.turns import Unwritable
from shared import ai, clock
from shared.ai.openai_mirror import create_conversation
from shared.channels.email.content import ContentUnusable, subject_line
from shared.channels.outcomes import Misconfigured, NotSent
from shared.channels.sms.text import gsm_twins, measure
from shared.observability import logger, metrics
from shared.secrets import SecretUnreadable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from conversations.ai.functions import Execute
    from conversations.ai.models import Providers
    from conversations.ai.outcome import Answer
    from conversations.credentials import Credentials
    from conversations.opened import Opened
    from conversations.records import HumanMessage
    from conversations.resources import Resources, Run
    from shared.events import Channel

HISTORY = 20
TURN_MS = (
    100 * clock.SECOND_MS
)  # of the 120 s that a run may take; the rest is for sending and storing
OPT_OUT_HINT = "Reply STOP to opt out."
CONFIRMED = "You will get no more messages from {company}. Reply START to get them again."
_UNSPOKEN = frozenset(
    {Delivery.DRAFT, Delivery.DISCARDED, Delivery.FAILED, Delivery.BLOCKED, Delivery.UNKNOWN}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Scribe:
    """
    Words the messages of all turns. See `desk.Writer`.

    *execute* carries out what the model asks for in a turn.
    """

    here: Resources
    providers: Providers
    credentials: Credentials
    execute: Callable[[Opened, str, Run], Execute]

    def first_message(self, opened: Opened, turn_id: str, run: Run) -> Message:
        """A template on WhatsApp, the model's words elsewhere."""
        config = _config(opened)
        template = _template(opened, opened.state.template) if _is_whatsapp(opened) else None
        answer = self._asked(opened, config, turn_id, run, template=template)
        message = self._message(opened, turn_id, answer)
        if template is not None:
            variables = dict(answer.variables or {})
            return message.model_copy(update={"template": template.name, "variables": variables})
        thread = _thread(config, self.providers, opened)
        return message.model_copy(update={"thread_id": thread})

    def answer(
        self, opened: Opened, pending: list[Message], turn_id: str, run: Run
    ) -> Message | None:
        """The model's answer to the newest messages."""
        answer = self._asked(opened, _config(opened), turn_id, run, template=None)
        message = self._message(opened, turn_id, answer)
        return message.model_copy(update={"reply_to": pending[-1].provider_message_id})

    def reengagement(self, opened: Opened, turn_id: str) -> Message:
        """The project's template for it, which has to fill itself from what is known."""
        whatsapp = opened.company.channel_config.whatsapp
        template = _template(opened, whatsapp.reengagement_template if whatsapp else None)
        known = known_values(template, _sources(opened, self._project_data(opened)))
        filled = completed(template, known, {})
        if not isinstance(filled, Filled):
            raise Unwritable("template_incomplete")
        return blank(opened, turn_id, "system", filled.body).model_copy(
            update={"template": template.name, "variables": dict(filled.values)}
        )

    def of_person(self, opened: Opened, turn_id: str, wanted: HumanMessage) -> Message:
        """A person's text as it is, or a template with the values that they gave."""
        author = f"human:{wanted.agent_id}"
        try:
            if wanted.template is None:
                return fitted(opened, blank(opened, turn_id, author, wanted.text or ""))
            return self._filled_by_person(opened, turn_id, author, wanted)
        except Unwritable as fault:
            said = wanted.text or f"[{wanted.template}]"
            unsent = blank(opened, turn_id, author, said)
            raise Unwritable(fault.reason, may_pass=fault.may_pass, unsent=unsent) from None

    def _filled_by_person(
        self, opened: Opened, turn_id: str, author: str, wanted: HumanMessage
    ) -> Message:
        template = _template(opened, wanted.template)
        known = known_values(template, _sources(opened, self._project_data(opened)))
        left = {name: text for name, text in known.items() if name not in wanted.variables}
        filled = completed(template, left, wanted.variables)
        if not isinstance(filled, Filled):
            raise Unwritable("template_incomplete")
        return blank(opened, turn_id, author, filled.body).model_copy(
            update={"template": template.name, "variables": dict(filled.values)}
        )

    def notice(self, opened: Opened, turn_id: str, notice: str) -> Message | None:
        """One of the project's fixed texts."""
        rules = opened.company.policy
        company = opened.company.company_name or opened.company.company_id
        texts = {
            "handoff": rules.handoff_notice,
            "help": f"{company}: {rules.help_text}" if rules.help_text else None,
            "opt_out_confirmation": rules.opt_out_confirmation or CONFIRMED.format(company=company),
        }
        text = texts[notice]
        if text is None:
            return None
        return fitted(opened, blank(opened, turn_id, "system", text))

    def _asked(
        self,
        opened: Opened,
        config: AiConfig,
        turn_id: str,
        run: Run,
        *,
        template: Template | None,
    ) -> Answer:
        is_first = turn_id.startswith("initial")
        task = Task(
            kind="initial" if is_first else "reply",
            channel=_channel(opened),
            config=config,
            facts=_facts(opened, self._project_data(opened)),
            said=[] if is_first else _said(self.here, opened.ref),
            template=template,
            sources=_sources(opened, self._project_data(opened)),
            longest=_longest(opened),
            is_too_long=_too_long(opened, is_first=is_first),
            link_hosts=frozenset([*opened.company.policy.link_hosts, *opened.state.link_hosts]),
            contacts=_contacts(opened),
            deadline_ms=clock.now_ms() + min(TURN_MS, run.remaining_ms()),
        )
        try:
            if config.api_key_reference is not None:
                self.credentials.value(config.api_key_reference)
            model = models.model_for(config, self.providers)
            return answering.answer(model, task, self.execute(opened, turn_id, run))
        except AiConfigBroken as broken:
            raise _misconfigured(broken.attribute) from None
        except SecretUnreadable:
            metrics.add_metric("ConfigurationInvalid", MetricUnit.Count, 1)
            raise Unwritable("secrets_missing") from None
        except Misconfigured as refusal:
            raise Unwritable(refusal.code) from None
        except NotSent as failure:
            raise Unwritable(failure.code, may_pass=True) from None
        except ai.Unavailable as failure:
            metrics.add_metric("ModelFailed", MetricUnit.Count, 1)
            logger.warning("model unavailable", extra={"reason": failure.code})
            may_pass = failure.repeat is ai.Repeat.LATER
            raise Unwritable("ai_failed", may_pass=may_pass) from None

    def _project_data(self, opened: Opened) -> dict[str, Any]:
        return snapshot.project_data_of(opened.conversation, self.here.bucket)

    def _message(self, opened: Opened, turn_id: str, answer: Answer) -> Message:
        """What the turn came to, as a message. Raises Unwritable where nothing is to be sent."""
        names = [made.call.name for made in answer.calls]
        if answer.faults:
            metrics.add_metric("ModelFailed", MetricUnit.Count, 1)
            logger.warning("answer not usable", extra={"reason": ",".join(answer.faults)})
        if not answer.content.strip():
            noted = Noted(names, _recorded(answer))
            if answer.hand_off is not None:
                cause, words = answer.hand_off.cause, answer.hand_off.reason
                raise Unwritable(cause, words=words, noted=noted)
            if BuiltIn.OPT_OUT in names:
                raise Unwritable(consequences.LEFT_BY_MODEL, noted=noted)
            raise Unwritable("ai_invalid_output", noted=noted)
        message = blank(opened, turn_id, "ai", answer.content)
        hand_off, cost = answer.hand_off, answer.cost
        facts = {
            "subject": answer.subject,
            "model": cost.model,
            "calls": cost.calls,
            "ai_prompt_tokens": cost.usage.tokens_in,
            "ai_completion_tokens": cost.usage.tokens_out,
            "ai_total_tokens": cost.usage.tokens_in + cost.usage.tokens_out,
            "processing_time_ms": cost.ms,
            "hand_off_reason": hand_off.reason if hand_off else None,
            "hand_off_cause": hand_off.cause if hand_off else None,
            "functions": names,
            "answers": _recorded(answer),
            "completes_task": (BuiltIn.COMPLETE in names) or None,
        }
        return fitted(opened, message.model_copy(update=facts))


def blank(opened: Opened, turn_id: str, author: str, content: str) -> Message:
    """A message of ours that is not sent yet; its place in the log is its turn's."""
    return Message(
        entry_id="-",
        message_timestamp="-",
        role=Role.ASSISTANT,
        content=content,
        author=author,
        turn_id=turn_id,
        delivery_status=Delivery.DRAFT,
        ttl=opened.conversation.ttl,
    )


def fitted(opened: Opened, message: Message) -> Message:
    """A message as its channel takes it: an SMS counted, a mail with a subject. Raises Unwritable."""
    channel = opened.channel
    if isinstance(channel, SmsChannel):
        text = gsm_twins(message.content.strip())
        if (message.turn_id or "").startswith("initial"):
            text = f"{text}\n{_hint(opened)}"
        size = measure(text)
        if size.segments > channel.max_segments:
            raise Unwritable("too_long")
        facts: dict[str, Any] = {
            "content": text,
            "encoding": size.encoding,
            "segments": size.segments,
        }
        return message.model_copy(update=facts)
    if isinstance(channel, EmailChannel):
        try:
            subject = subject_line(message.subject, channel.default_subject_line)
        except ContentUnusable as fault:
            raise Unwritable(fault.reason) from None
        return message.model_copy(update={"subject": subject})
    if len(message.content) > LONGEST_TEXT[ChannelMethod.WHATSAPP]:
        raise Unwritable("too_long")
    return message


def _config(opened: Opened) -> AiConfig:
    try:
        return AiConfig.read(opened.company.ai_config, _channel(opened))
    except AiConfigBroken as broken:
        raise _misconfigured(broken.attribute) from None


def _channel(opened: Opened) -> Channel:
    name: Channel = opened.conversation.channel_method.value
    return name


def _template(opened: Opened, name: str | None) -> Template:
    whatsapp = opened.company.channel_config.whatsapp
    if whatsapp is None:
        raise _misconfigured("channel_config.whatsapp")
    name = name or whatsapp.default_template
    if name is None or name not in whatsapp.templates:
        raise Unwritable("template_missing")
    try:
        return Template.read(name, whatsapp.templates[name])
    except TemplateBroken as broken:
        raise _misconfigured(f"channel_config.whatsapp.templates.{broken.attribute}") from None


def _misconfigured(attribute: str) -> Unwritable:
    metrics.add_metric("ConfigurationInvalid", MetricUnit.Count, 1)
    logger.error("project is not set up as it must be", extra={"attribute": attribute})
    return Unwritable("configuration_invalid")


def _facts(opened: Opened, project_data: Mapping[str, Any]) -> Facts:
    company, conversation = opened.company, opened.conversation
    today = datetime.fromtimestamp(clock.now_ms() / clock.SECOND_MS, UTC)
    local = today.astimezone(ZoneInfo(company.timezone))
    private = {
        "recipient_last_name": conversation.recipient_last_name,
        "recipient_tel": conversation.recipient_tel,
        "recipient_email": conversation.recipient_email,
    }
    return Facts(
        company_name=company.company_name or company.company_id,
        project_name=company.project_name or company.project_id,
        language=opened.state.language or company.default_language,
        local_date=f"{local:%A, %Y-%m-%d}",
        representatives=tuple(name for name in company.company_rep.values() if name),
        recipient_first_name=conversation.recipient_first_name,
        project_data=project_data,
        private={name: text for name, text in private.items() if text},
    )


def _sources(opened: Opened, project_data: Mapping[str, Any]) -> dict[str, Any]:
    company, conversation = opened.company, opened.conversation
    return {
        "recipient_first_name": conversation.recipient_first_name,
        "recipient_last_name": conversation.recipient_last_name,
        "company_name": company.company_name,
        "project_name": company.project_name,
        "project_data": project_data,
        **company.company_rep,
    }


def _said(here: Resources, ref: str) -> list[Said]:
    """The newest messages of the log that were said, oldest first."""
    known = messages.newest(here.log, ref, HISTORY)
    return [
        Said(
            role=ai.Role.USER if message.role is Role.USER else ai.Role.ASSISTANT,
            text=message.content,
            by_colleague=message.author.startswith("human:"),
        )
        for message in known
        if message.delivery_status not in _UNSPOKEN
    ]


def _contacts(opened: Opened) -> list[str]:
    conversation, company = opened.conversation, opened.company
    own = (conversation.recipient_tel, conversation.recipient_email)
    channels = company.channel_config
    business = [c.address for c in (channels.whatsapp, channels.sms, channels.email) if c]
    return [*filter(None, own), *business]


def _longest(opened: Opened) -> int:
    return opened.company.longest_text(opened.conversation.channel_method)


def _too_long(opened: Opened, *, is_first: bool) -> Callable[[str], bool] | None:
    """The measure of an SMS: its parts, the hint how to leave included where it is the first."""
    channel = opened.channel
    if not isinstance(channel, SmsChannel):
        return None
    most, tail = channel.max_segments, f"\n{_hint(opened)}" if is_first else ""
    return lambda text: measure(gsm_twins(text.strip()) + tail).segments > most


def _hint(opened: Opened) -> str:
    return opened.company.policy.opt_out_hint or OPT_OUT_HINT


def _is_whatsapp(opened: Opened) -> bool:
    return isinstance(opened.channel, WhatsAppChannel)


def _recorded(answer: Answer) -> dict[str, str]:
    made = [m for m in answer.calls if m.call.name == BuiltIn.RECORD_ANSWER]
    calls = [m.call for m in made if m.result is not None and not m.result.is_error]
    return {str(call.arguments["key"]): str(call.arguments["value"]) for call in calls}


def _thread(config: AiConfig, providers: Providers, opened: Opened) -> str | None:
    """The id of the copy that OpenAI keeps, where the project wants one; best effort."""
    if config.provider != "openai" or not config.keep_thread:
        return None
    account = models.account_for(config, providers)
    return create_conversation(account, {"conversation": opened.ref})
