"""One trace leads from a webhook of a provider through all queues to the reply, on the deployed stack."""

from __future__ import annotations

import time

import pytest

from local.demo.scenarios.recruiting_scenarios import (
    DELIVERED,
    SCOPES,
    RecruitingDemo,
    start_functions,
)
from local.stack.seed import recruiting_key
from local.stack.traces import report as traces
from local.stack.traces.report import Span
from tests.e2e.conftest import Deployed

pytestmark = pytest.mark.e2e
PATIENCE_SECONDS = 180


@pytest.fixture(scope="module")
def demo(deployed: Deployed) -> RecruitingDemo:
    """A conversation by SMS: the first message, and the answer to the candidate's text."""
    stack = deployed.stack
    key = recruiting_key(stack, *SCOPES)
    start_functions(stack, key)
    demo = RecruitingDemo(stack, key, report=lambda _: None)
    demo.request_conversation("sms")
    for count in (1, 2):
        demo.wait_until(
            "first sms",
            lambda conversation: (
                len(conversation.outbound) == count  # noqa: B023 - called in this turn
                and conversation.outbound[-1].delivery == DELIVERED
            ),
        )
        if count == 1:
            demo.send_texts("Yes, I do.")
    return demo


def trace_with(conversation: str, first: str) -> tuple[str, list[Span]]:
    """
    The trace of this conversation with a whole path from the function *first* to a send.

    A function reports its segment when it ends, so the parts of a trace arrive in any order, and late.
    """
    deadline = time.monotonic() + PATIENCE_SECONDS
    while True:
        for trace_id, spans in traces.spans_by_trace().items():
            refs = {span.annotations.get("conversation") for span in spans}
            if conversation in refs and path_to_the_send(spans)[:1] == [first]:
                return trace_id, spans
        assert time.monotonic() < deadline, "there is no such trace"
        time.sleep(0.3)


def path_to_the_send(spans: list[Span]) -> list[str]:
    """The names from the first segment down to the send; empty without one."""
    by_id = {span.id: span for span in spans}
    span: Span | None = next((span for span in spans if span.name == "send"), None)
    names = []
    while span is not None:
        names.append(span.name)
        span = by_id.get(span.parent or "")
    return names[::-1]


@pytest.mark.long
def test_one_trace_covers_the_webhook_the_queues_and_the_reply(demo: RecruitingDemo) -> None:
    ref = demo.refs["first sms"]
    trace_id, spans = trace_with(ref, "parley-local-conversations-twilio")

    assert path_to_the_send(spans) == [
        "parley-local-conversations-twilio",
        "parley-local-conversations-intake",
        "parley-local-conversations-replies",
        "send",
    ]
    send = next(span for span in spans if span.name == "send")
    assert send.annotations == {
        "context": "conversations",
        "provider": "twilio",
        "channel": "sms",
        "outcome": "sent",
    }
    said = repr([(span.name, span.annotations) for span in spans])
    for secret in (demo.candidate.tel, demo.candidate.tel[1:], "Yes, I do"):
        assert secret not in said
    assert "parley-local-conversations-replies" in traces.waterfall(trace_id, spans)


def test_a_request_to_the_api_and_the_message_that_it_sends_are_one_trace(
    demo: RecruitingDemo,
) -> None:
    _, spans = trace_with(demo.refs["first sms"], "parley-local-conversations-router")

    assert path_to_the_send(spans) == [
        "parley-local-conversations-router",
        "request",
        "parley-local-conversations-processor-sms",
        "send",
    ]
    request = next(span for span in spans if span.name == "request")
    assert (request.annotations["method"], request.annotations["outcome"]) == ("POST", "200")
