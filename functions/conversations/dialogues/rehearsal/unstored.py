"""A conversation that is not stored, and the model's turns in it. Nothing is sent, and no function is called."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from conversations.ai.functions import Result
from conversations.ai.turn.task import Task
from conversations.configuration.projects import EmailChannel
from conversations.initiation.case_data import CaseData
from conversations.lifecycle.conversation import OpenConversation
from conversations.lifecycle.status import Status
from conversations.outbound.compose import facts, limits
from conversations.outbound.compose.functions.calls import DONE
from conversations.store.items.conversation import Conversation
from conversations.store.items.parts.state import State
from shared.aws.sqs_fifo import to_json
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from conversations.ai.functions import Call
    from conversations.ai.knowledge.search_tool import Knowledge
    from conversations.ai.prompt.system_prompt import HistoryMessage
    from conversations.configuration.projects import Company
    from conversations.store.items.conversation import ChannelMethod

NOT_SIMULATED = Result(
    "This could not be done: the playground was given no result of this function.", is_error=True
)
_CUSTOMERS = {
    "whatsapp": "+15550000000",
    "sms": "+15550000000",
    "email": "playground@example.com",
}
_ID = "playground"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unstored:
    """
    A conversation with a customer that does not exist. *data* are the facts, *functions* results by name; *now* (ms
    since 1970) is by default the current time; *answers* of the customer were recorded, by question.
    """

    company: Company
    channel: ChannelMethod
    language: str | None = None
    first_name: str | None = None
    data: Mapping[str, Any] = field(default_factory=dict, repr=False)
    functions: Mapping[str, Any] = field(default_factory=dict, repr=False)
    answers: Mapping[str, str] = field(default_factory=dict, repr=False)
    now: int | None = None

    def opened(self, *, has_customer_written: bool) -> OpenConversation:
        """Return the conversation as workers load one. Raises ConfigurationInvalid without the channel."""
        channel, customer = self.company.channel(self.channel), _CUSTOMERS[self.channel]
        now = clock.to_text(clock.now_ms())
        ids = {"company_id": self.company.company_id, "project_id": self.company.project_id}
        address = "recipient_email" if isinstance(channel, EmailChannel) else "recipient_tel"
        conversation = Conversation(
            primary_channel=customer,
            conversation_id=_ID,
            channel_method=self.channel,
            conversation_status=Status.REPLY_SENT,
            request_id=_ID,
            created_at=now,
            updated_at=now,
            recipient_first_name=self.first_name,
            **ids,
            **{address: customer},
        )
        state = State(
            primary_channel=customer,
            conversation_id=_ID,
            channel_method=self.channel,
            business_address=channel.address,
            created_at=now,
            context_hash=_ID,
            language=self.language,
            last_inbound_at=now if has_customer_written else None,
            **ids,
        )
        return OpenConversation(
            ref=_ID, conversation=conversation, state=state, company=self.company
        )

    def task(
        self,
        opened: OpenConversation,
        history: Sequence[HistoryMessage],
        knowledge: Knowledge | None,
        deadline_ms: int,
    ) -> Task:
        """Return the input of the turn that writes the next message; without *history* the first one."""
        is_first = not history
        case = CaseData(project_data=dict(self.data), recorded_answers=dict(self.answers))
        return Task(
            kind="initial" if is_first else "reply",
            channel=self.channel.value,
            config=facts.config_of(opened),
            facts=facts.facts_of(opened, case, now=self.now),
            history=history[-facts.HISTORY :],
            longest=limits.longest(opened),
            sms_length=limits.sms_length(opened, is_first=is_first, is_divisible=not is_first),
            link_hosts=frozenset(self.company.policy.link_hosts),
            contacts=facts.contacts_of(opened),
            language=opened.state.language,
            knowledge=knowledge,
            deadline_ms=deadline_ms,
        )

    def simulated(self, call: Call) -> Result:
        """Return the result of a call: built-in functions only report success."""
        if call.is_built_in:
            return DONE
        if call.name not in self.functions:
            return NOT_SIMULATED
        result = self.functions[call.name]
        return Result(result if isinstance(result, str) else to_json(result))
