"""Composes outgoing messages: model answers, templates and agents' texts, each fitted to its channel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from conversations.configuration.projects import WhatsAppChannel
from conversations.initiation import case_data
from conversations.outbound.compose.answer_message import message_of, outdated
from conversations.outbound.compose.content import memory
from conversations.outbound.compose.facts import HISTORY, config_of
from conversations.outbound.compose.functions.proposals import decided_call
from conversations.outbound.compose.limits import blank, fitted, longest
from conversations.outbound.compose.model_turns import ModelTurns
from conversations.outbound.compose.texts import fixed_texts
from conversations.outbound.compose.turn_input import Known, task_of
from conversations.outbound.policy import newer_messages, spending_bounds
from conversations.outbound.unwritable import Unwritable
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conversations.ai.config import AiConfig
    from conversations.ai.functions import Execute
    from conversations.ai.knowledge.search_tool import Knowledge
    from conversations.ai.outcome import Answer
    from conversations.ai.prompt.memory import Remembered
    from conversations.ai.prompt.whatsapp_templates import Template
    from conversations.configuration.follow_ups import FollowUp
    from conversations.configuration.resources import People, Resources, Run
    from conversations.lifecycle.conversation import OpenConversation
    from conversations.lifecycle.records.commands import HumanMessage
    from conversations.outbound.compose.functions.calls import Effects
    from conversations.outbound.compose.functions.document_search import DocumentSearch
    from conversations.outbound.compose.openai_mirror import Mirror
    from conversations.outbound.policy.newer_messages import Unanswered
    from conversations.store.items.log import Message
    from shared.ai import port as ai
    from shared.ai.providers.model_creation import ModelDependencies
    from shared.ai.spending.budget import Spending
    from shared.providers.company_secrets import CompanySecrets

TURN_MS = (
    100 * clock.SECOND_MS
)  # of the 120 s that a run may take; the rest is for sending and storing


@dataclass(slots=True, kw_only=True, eq=False)
class MessageWriter:
    """
    Composes the messages of all turns. All methods raise Unwritable for a message that cannot be composed.

    *people* leads to the person's other conversations; *effects* runs the function calls of a turn, *documents*
    searches the company's documents; *mirror* creates OpenAI's copy of a conversation, if the project enables it;
    *spending* bounds what customers cause.
    """

    resources: Resources
    people: People
    model_deps: ModelDependencies
    credentials: CompanySecrets
    effects: Effects
    documents: DocumentSearch
    mirror: Mirror
    spending: Spending

    def first_message(self, opened: OpenConversation, turn_id: str, run: Run) -> Message | None:
        """Compose the first message: a template on WhatsApp, the model's text elsewhere; None if an agent took over."""
        config = config_of(opened)
        template = _template_of_first(opened)
        execute = self.effects.of_turn(opened, turn_id, run)
        answer = self._model_answer(
            opened, config, turn_id, run, execute, template=template, is_first=True
        )
        if answer.outdated:
            return None
        message = message_of(opened, answer, is_first=True)
        if message.proposal is not None:
            return message
        facts: dict[str, Any] = {"thread_id": self.mirror.begun(opened, config)}
        if template is not None:
            variables = dict(answer.variables or {})
            facts |= {"template": template.name, "variables": variables}
        return message.model_copy(update=facts)

    def answer(
        self, opened: OpenConversation, unanswered: Unanswered, turn_id: str, run: Run
    ) -> Message | None:
        """Compose the model's reply to the *unanswered* customer messages; None if an agent has taken over."""
        config, pending = config_of(opened), unanswered.asking
        execute = self.effects.of_turn(opened, turn_id, run, unanswered)
        answer = self._model_answer(opened, config, turn_id, run, execute)
        if answer.outdated == newer_messages.NEWER_MESSAGE:
            return outdated(opened, answer)
        if answer.outdated:
            return None
        message = message_of(opened, answer)
        if message.proposal is not None:
            return message
        reply_to = pending[-1].quoted_as if pending else None
        thread_id = self.mirror.begun(opened, config)
        return message.model_copy(update={"reply_to": reply_to, "thread_id": thread_id})

    def reengagement(self, opened: OpenConversation, turn_id: str) -> Message:
        """
        Compose the template that asks a customer to write again after the messaging window has closed.

        All its variables must have known values.
        """
        whatsapp = opened.company.channel_config.whatsapp
        name = whatsapp.reengagement_template if whatsapp else None
        message = self._of_template(opened, "system", name, {})
        spending_bounds.reserve_notice(self.spending, opened, turn_id)
        return message

    def follow_up(
        self,
        opened: OpenConversation,
        step: FollowUp,
        number: int,
        turn_id: str,
        *,
        is_template: bool,
    ) -> Message:
        """Compose a follow-up, the *step* with this *number*: its template with known values, or its text."""
        text = fixed_texts.follow_up(self.resources.log, opened, step.text) if step.text else ""
        try:
            if is_template:
                message = self._of_template(opened, "system", step.template, {})
            else:
                message = fitted(opened, blank(opened, "system", text))
        except Unwritable as fault:
            unsent = blank(opened, "system", text or f"[{step.template}]")
            raise Unwritable(fault.reason, may_pass=fault.may_pass, unsent=unsent) from None
        spending_bounds.reserve_notice(self.spending, opened, turn_id)
        return message.model_copy(update={"follow_up": number})

    def satisfaction(self, opened: OpenConversation, base_url: str, turn_id: str) -> Message:
        """Compose the question how satisfied the customer is. *base_url*: of the page to which its link leads."""
        from conversations.outbound.compose.texts import question  # noqa: PLC0415 - few turns ask

        settings = opened.company.satisfaction
        own = settings.text if settings else None
        text, spoken = fixed_texts.satisfaction(
            self.resources.log, opened, own or question.QUESTIONS
        )
        language = question.page_language(spoken)
        now = clock.to_text(clock.now_ms())
        # As long as the text that is sent.
        whole = question.with_link(text, opened.ref, language, now, base_url)
        try:
            message = fitted(opened, blank(opened, "system", whole))
        except Unwritable as fault:
            unsent = blank(opened, "system", text)
            raise Unwritable(fault.reason, may_pass=fault.may_pass, unsent=unsent) from None
        spending_bounds.reserve_notice(self.spending, opened, turn_id)
        stored = message.content.rpartition("\n")[0]
        return message.model_copy(update={"content": stored, "language": language})

    def of_person(self, opened: OpenConversation, command: HumanMessage) -> Message:
        """Compose an agent's message: the text unchanged, or a template with the agent's values."""
        author, by = f"human:{command.agent_id}", {"principal": command.principal}
        try:
            if command.template is None:
                message = blank(opened, author, command.text or "")
                message = fitted(opened, message, is_divisible=command.is_divisible)
            else:
                message = self._of_template(opened, author, command.template, command.variables)
        except Unwritable as fault:
            unsent = blank(opened, author, command.text or f"[{command.template}]")
            unsent = unsent.model_copy(update=by)
            raise Unwritable(fault.reason, may_pass=fault.may_pass, unsent=unsent) from None
        return message.model_copy(update=by)

    def _of_template(
        self,
        opened: OpenConversation,
        author: str,
        name: str | None,
        supplied: Mapping[str, str],
    ) -> Message:
        """Compose a template without a model, from known values and *supplied* ones."""
        from conversations.outbound.compose.templates import (  # noqa: PLC0415 - of one channel
            filled,
            template_of,
        )

        template = template_of(opened, name)
        whole = filled(
            opened,
            template,
            supplied,
            project_data=case_data.read(opened.conversation, self.resources.bucket).project_data,
            longest=longest(opened),
        )
        return blank(opened, author, whole.body).model_copy(
            update={"template": template.name, "variables": dict(whole.values)}
        )

    def notice(self, opened: OpenConversation, notice: str, turn_id: str) -> Message | None:
        """Compose a fixed text (`help`, `handoff`, `opt_out_confirmation`); None if the project defines none."""
        text = fixed_texts.notice(self.resources.log, opened, notice)
        if text is None:
            return None
        spending_bounds.reserve_notice(self.spending, opened, turn_id)
        return fitted(opened, blank(opened, "system", text))

    def _model_answer(
        self,
        opened: OpenConversation,
        config: AiConfig,
        turn_id: str,
        run: Run,
        execute: Execute,
        *,
        template: Template | None = None,
        is_first: bool = False,
    ) -> Answer:
        known = memory.remembered(self.resources, self.people, opened)
        history = [] if is_first else memory.read_messages(self.resources, opened, known, HISTORY)
        case = case_data.read(opened.conversation, self.resources.bucket)
        if case.unreadable:
            # With partial data the model would repeat questions or state errors: report the fault to agents instead.
            raise Unwritable("case_data_unreadable")
        task = task_of(
            self.resources,
            opened,
            config,
            Known(
                messages=history,
                case=case,
                memory=known,
                template=template,
                decided=self._decided(opened, config),
                knowledge=self._knowledge(opened, config),
            ),
            is_first=is_first,
            deadline_ms=clock.now_ms() + min(TURN_MS, run.remaining_ms()),
        )
        return self._models().answer(opened, config, task, execute, None if is_first else turn_id)

    def remember(self, opened: OpenConversation, turn_id: str, run: Run) -> None:
        """Renew the memory of a conversation after a turn, if its project has one and there is time."""
        if run.remaining_ms() < memory.NEEDED_MS:
            return

        def ask(request: ai.Request) -> Remembered:
            return self._models().summary(opened, config_of(opened), request, turn_id)

        memory.renew(self.resources, self.people, opened, ask)

    def _models(self) -> ModelTurns:
        return ModelTurns(self.resources.log, self.model_deps, self.credentials, self.spending)

    def _knowledge(self, opened: OpenConversation, config: AiConfig) -> Knowledge | None:
        """Return the documents that the model may search; None for projects without this setting."""
        if not opened.company.knowledge_config:
            return None
        return self.documents.knowledge_of(opened, config)

    def _decided(self, opened: OpenConversation, config: AiConfig) -> list[ai.Exchange]:
        """Return the outcomes of functions that agents decided on and the model has not been given yet."""
        exchanges = [
            decided_call(self.resources, opened.ref, sk) for sk in sorted(opened.state.to_tell)
        ]
        names = {function.name for function in config.functions}
        return [
            exchange
            for exchange in exchanges
            if exchange is not None and exchange.call.name in names
        ]


def _template_of_first(opened: OpenConversation) -> Template | None:
    """Return the template of a first message on WhatsApp; None on other channels. Raises Unwritable."""
    if not isinstance(opened.channel, WhatsAppChannel):
        return None
    from conversations.outbound.compose.templates import template_of  # noqa: PLC0415 - of one channel

    return template_of(opened, opened.state.template)
