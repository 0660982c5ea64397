"""Queues, a gateway and limits in memory, beside the API of agents."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from conversations.configuration.resources import Resources
from conversations.lifecycle.conversation import OpenConversation
from conversations.outbound.turns.plan import TurnDependencies
from conversations.store.items.log import Message
from shared.providers.action_ledger import Action
from shared.providers.outcomes import InDoubt, Sent
from tests.integration import answers


class Answer(answers.Answer):
    """A response of the API."""

    @property
    def refs(self) -> list[str]:
        return [one["ref"] for one in self.result["conversations"]]


@dataclass
class Sqs:
    """Queues that record their messages, once for each deduplication id; `refuses` makes them refuse all."""

    put: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    seen: set[tuple[str, str]] = field(default_factory=set)
    refuses: bool = False

    def send_message_batch(self, *, QueueUrl: str, Entries: list[dict[str, Any]]) -> Any:
        if self.refuses:
            return {"Failed": [{"Id": "0", "Code": "InternalError"}]}
        for entry in Entries:
            once = (QueueUrl, entry["MessageDeduplicationId"])
            if once not in self.seen:
                self.seen.add(once)
                self.put.append((QueueUrl.rpartition("/")[2], json.loads(entry["MessageBody"])))
        return {}


@dataclass
class FakeGateway:
    """A fake provider gateway that sends messages at the test's time; *on_send* is called with each sent message."""

    on_send: Callable[[], None] = lambda: None
    sent: list[str] = field(default_factory=list)
    fails: bool = False

    def send(self, opened: OpenConversation, message: Message, action_id: str) -> Sent:
        self.on_send()
        if self.fails:
            raise InDoubt("no_answer")
        self.sent.append(message.entry_id)
        return Sent(f"SM-{message.entry_id}", "queued")

    def check(self, opened: OpenConversation) -> None:
        return None

    def account(self, opened: OpenConversation) -> str | None:
        return opened.channel.account

    def evidence(self, opened: OpenConversation, message: Message, action: Action) -> str | None:
        return None

    def announce(self, *_: object) -> None:
        return None


class Unlimited:
    """A send policy that refuses nothing."""

    def refusal(self, *_: object) -> None:
        return None


class Unbounded:
    """Bounds on costs that refuse nothing and store nothing: agents' messages cause none."""

    def remember(self, *_: object) -> None:
        return None

    def reserve(self, *_: object) -> None:
        return None


class NoCopies:
    """Keeps no copies at OpenAI."""

    def add(self, *_: object) -> None:
        return None


def turn_dependencies(resources: Resources, gateway: FakeGateway) -> TurnDependencies:
    """The dependencies of turns that do not use models, the policy or providers."""
    untyped: Any = gateway
    policy_gate: Any = Unlimited()
    mirror: Any = NoCopies()
    return TurnDependencies(
        resources=resources, gateway=untyped, policy_gate=policy_gate, mirror=mirror
    )
