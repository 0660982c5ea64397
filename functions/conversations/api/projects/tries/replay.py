"""
Lets a version write a message of a real conversation anew.

The model reads what the model of that time read, but without the person: names, numbers and addresses are masked, files
are not shown, and there is no memory. It is the time of the last message that it reads.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from conversations.api.access import Unusable
from conversations.api.projects import views
from conversations.api.projects.tries import playground
from conversations.dialogues.rehearsal.unstored import Unstored
from conversations.initiation import case_data
from conversations.outbound.compose.content import quotes
from conversations.outbound.compose.content.history import history_of
from conversations.outbound.compose.facts import HISTORY
from conversations.store import messages
from conversations.store.items.conversation import Role
from conversations.store.items.log import Message, of
from shared.ai import port as ai
from shared.ai.playground.failures import ModelUnusable
from shared.ai.playground.mask import Mask
from shared.ai.playground.views import SpokenView
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conversations.ai.prompt.system_prompt import HistoryMessage
    from conversations.api.projects.inputs import ReplayInput
    from conversations.api.projects.tries.playground import PlaygroundDependencies
    from conversations.configuration.projects import Company
    from conversations.configuration.resources import Resources
    from conversations.lifecycle.conversation import OpenConversation


@dataclass(frozen=True, slots=True)
class Replayed:
    """A real conversation, and its project with the settings to try."""

    resources: Resources
    opened: OpenConversation
    company: Company

    def answer(
        self, deps: PlaygroundDependencies, given: ReplayInput, remaining_ms: int
    ) -> views.ReplayView:
        """Return what the model would have sent. Raises InvalidInput, ModelUnavailable and ModelUnusable."""
        said, sent = self._said(given.message)
        mask = self._mask()
        quoted = quotes.quoted_by(self.resources.log, self.opened.ref, said)
        history = [_masked(one, mask) for one in history_of(said, quoted)]
        unstored = self._unstored(said, mask, given)
        made = playground.tried(deps, unstored, lambda _: history, remaining_ms, is_first=False)
        return views.ReplayView(
            **playground.shown(made, given, self.company),
            messages=[
                SpokenView(by="customer" if one.role is ai.Role.USER else "company", text=one.whole)
                for one in history
            ],
            sent=mask.text(sent.whole_text) if sent else None,
        )

    def _said(self, place: str) -> tuple[list[Message], Message | None]:
        """Return the dialogue up to the customer's last message, and the company's message that was sent there."""
        log, ref = self.resources.log, self.opened.ref
        sk = Message.sk(*place.split("~"))
        named = messages.get(log, ref, sk)
        if named is None:
            raise Unusable("message", "must name a message of the conversation")
        older, _ = messages.page(log, ref, HISTORY, of(ref, sk))
        is_answered = named.role is Role.USER
        said = [*reversed(older), *([named] if is_answered else [])]
        while said and not _asks(said[-1]):
            said.pop()
        if not said:
            raise Unusable("message", "must follow a message of the customer, or be one")
        return said, None if is_answered else named

    def _mask(self) -> Mask:
        one, state = self.opened.conversation, self.opened.state
        names = (one.recipient_first_name, one.recipient_last_name)
        return Mask([*names, one.recipient_tel, one.recipient_email, state.primary_channel])

    def _unstored(self, said: Sequence[Message], mask: Mask, given: ReplayInput) -> Unstored:
        case = case_data.read(self.opened.conversation, self.resources.bucket)
        if case.unreadable:
            raise ModelUnusable("case_data_unreadable")
        recorded = {
            question: text for message in said for question, text in message.answers.items()
        }
        return Unstored(
            company=self.company,
            channel=self.opened.conversation.channel_method,
            language=self.opened.state.language,
            data=mask.value(case.project_data),
            functions=given.functions,
            answers=mask.value(recorded),
            now=clock.from_text(said[-1].message_timestamp),
        )


def _asks(message: Message) -> bool:
    return message.role is Role.USER and message.kind != "reaction" and message.counts


def _masked(message: HistoryMessage, mask: Mask) -> HistoryMessage:
    marks = tuple(map(mask.text, message.marks))
    return replace(message, text=mask.text(message.text), marks=marks, files=())
