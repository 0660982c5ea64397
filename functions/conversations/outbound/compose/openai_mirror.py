"""
Keeps a copy of a conversation at OpenAI for inspection there: adds finished turns, reads nothing.

Best effort: a failed write leaves a gap, and a turn whose worker is killed after the release is not added later. The
stored conversation is complete regardless, and no outcome depends on the copy.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aws_lambda_powertools.metrics import MetricUnit

from conversations.outbound.compose.facts import config_of
from conversations.store.items.conversation import Role
from conversations.store.messages import entry_of
from shared.ai import port as ai
from shared.ai.providers import model_creation
from shared.runtime.observability import describe, logger, metrics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conversations.ai.config import AiConfig
    from conversations.lifecycle.conversation import OpenConversation, Speaking
    from conversations.store.items.conversation import Entry
    from shared.ai.providers.model_creation import ModelDependencies

_ROLES = {Role.USER: ai.Role.USER, Role.ASSISTANT: ai.Role.ASSISTANT}


@dataclass(slots=True, eq=False)
class Mirror:
    """The copies, in the projects' own OpenAI accounts."""

    model_deps: ModelDependencies

    def begun(self, opened: OpenConversation, config: AiConfig) -> str | None:
        """Create a copy and return its id; None if the conversation has one or its project does not enable it."""
        if opened.conversation.thread_id is not None or not _is_enabled(config):
            return None
        from shared.ai.providers.openai_mirror import create_conversation  # noqa: PLC0415 - few projects use OpenAI

        account = model_creation.account_for(config, self.model_deps, opened.company.company_id)
        return create_conversation(account, {"conversation": opened.ref})

    def add(self, speaking: Speaking, answered: Sequence[Entry]) -> None:
        """Add the messages *answered* and the reply. Never raises: the message is already sent."""
        try:
            is_whole = self._added(speaking, answered)
        except Exception as failure:  # noqa: BLE001 - no failure of the copy may undo a turn
            logger.warning("thread copy failed", extra=describe(failure))
            is_whole = False
        if not is_whole:
            metrics.add_metric("MirrorFailed", MetricUnit.Count, 1)

    def _added(self, speaking: Speaking, answered: Sequence[Entry]) -> bool:
        opened, message = speaking.opened, speaking.message
        thread_id = opened.conversation.thread_id or message.thread_id
        if thread_id is None:
            return True
        config = config_of(opened)
        if not _is_enabled(config):
            return True
        from shared.ai.providers.openai_mirror import append_messages  # noqa: PLC0415 - few projects use OpenAI

        turns = [
            ai.Message(_ROLES[entry.role], entry.content)
            for entry in (*answered, entry_of(message))
            if entry.content
        ]
        account = model_creation.account_for(config, self.model_deps, opened.company.company_id)
        return append_messages(account, thread_id, turns)


def _is_enabled(config: AiConfig) -> bool:
    return config.provider == "openai" and config.keep_thread
