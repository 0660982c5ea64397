"""Changes of many conversations and their undo, as the API of conversations takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from shared.inbox.items import Context
from tests.integration.console.inbox.bulk_contexts import OverApi
from tests.integration.conversations.admin.agents.annotations import shown
from tests.integration.conversations.admin.agents.test_snoozes import ahead
from tests.integration.conversations.harness import CAROL, Harness

if TYPE_CHECKING:
    from console.api.bulk.calls import Call
    from console.store.bulk.items import Action


def test_a_conversation_is_put_back_unless_an_agent_changed_it_since(harness: Harness) -> None:
    ref = harness.begin()

    def call(one: Call) -> tuple[int, dict[str, Any]]:
        body = one.body if one.body is None else CAROL | dict(one.body)
        answer = harness.call(one.line, body, ref=ref, key=one.key or "")
        return answer.status, answer.body

    talk = OverApi(Context.CONVERSATIONS, ref, call)
    until, later = ahead(harness, days=1), ahead(harness, days=2)
    asked: list[tuple[Action, str]] = [("label", "vip"), ("snooze", later)]
    for state in ({"labels": ["old"]}, {"snoozed_until": until}):
        what = "labels" if "labels" in state else "snooze"
        harness.on(ref, what, CAROL | state | {"revision": shown(harness, ref)[2]})
        before = shown(harness, ref)[:2]
        for action, value in asked:
            assert talk.make(action, value) == "done"
            assert shown(harness, ref)[:2] != before
            for _ in range(2):
                assert talk.undo(action, value) == "done"
                assert shown(harness, ref)[:2] == before

    talk.make("snooze", later)
    labels = CAROL | {"labels": ["new"], "revision": shown(harness, ref)[2]}
    harness.on(ref, "labels", labels)
    after = shown(harness, ref)
    assert talk.undo("snooze", later) == "stale"
    assert shown(harness, ref) == after
