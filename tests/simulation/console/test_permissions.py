"""The roles of the inbox feeds, of the inbox's API and of live updates permit exactly what the functions do."""

from __future__ import annotations

from unittest import mock

import pytest

from events.whatsapp.payloads import text
from events.whatsapp.sample_data import ADA, COUNTER
from shared.runtime.failures import Permanent
from tests.simulation.console.permissions.calls import STAGE
from tests.simulation.console.permissions.feeds import empty, feeding
from tests.simulation.console.permissions.inbox import change_many, read_inbox, use_live
from tests.simulation.console.permissions.person_requests import request_person
from tests.simulation.conversations.scenarios import with_trial
from tests.simulation.conversations.system import System as Conversations
from tests.simulation.email_threads.people import arrive, finished
from tests.simulation.email_threads.system import ANN, mail
from tests.simulation.email_threads.system import System as EmailThreads
from tests.simulation.kernel import running
from tests.simulation.permissions.permissions import CallObserver, Use
from tests.simulation.permissions.role_checks import check
from tests.simulation.whatsapp.event_builders import ada_message, webhook_of
from tests.simulation.whatsapp.system import System as WhatsApp
from tests.template import resources
from whatsapp.store.items import Conversation, pk

pytestmark = pytest.mark.long
FUNCTIONS = [
    "ConsoleLive",
    "ConversationsInboxFeed",
    "EmailThreadsInboxFeed",
    "InboxApi",
    "WhatsAppInboxFeed",
]


def test_every_feed_and_the_api_are_exercised() -> None:
    names = resources("AWS::Serverless::Function")

    assert (
        sorted(
            one for one in names if one.endswith("InboxFeed") or one in {"ConsoleLive", "InboxApi"}
        )
        == FUNCTIONS
    )


@pytest.fixture(scope="module")
def uses() -> dict[str, set[Use]]:
    observer = CallObserver()
    with (
        running(WhatsApp) as system,
        feeding(system, observer, "WhatsAppInboxFeed", [system.table.name]) as feed,
    ):
        system.reset()
        assert system.deliver(webhook_of(ada_message("hello", text("Hello"))))
        system.drain()
        feed()
        read_inbox(system, observer)
        use_live(system, observer)
        system.deliver(webhook_of(ada_message("again", text("Hello again"))))
        system.drain()
        with mock.patch("shared.inbox.entries.refresh", side_effect=Permanent("too_large")):
            feed()
        system.table.delete(pk(Conversation.key(COUNTER.phone, ADA.wa_id)))
        feed()
        change_many(system, observer)
        request_person(system, observer)
    with running(Conversations) as talks:
        talks.reset()
        names = [talks.tables["conversations"], talks.tables["log"]]
        with feeding(talks, observer, "ConversationsInboxFeed", names) as feed:
            talks.begin("sms")
            talks.drain()
            feed()
            _hand_off_on_trial(talks)
            feed()
            for table in names:
                empty(talks.dynamodb, table)
            feed()
    with running(EmailThreads) as inbox:
        inbox.reset()
        with feeding(inbox, observer, "EmailThreadsInboxFeed", [inbox.table]) as feed:
            arrive(inbox, mail("a@x"))
            feed()
            finished(inbox, "erase", ANN)
            feed()
    return observer.uses


def _hand_off_on_trial(talks: Conversations) -> None:
    """A conversation in the share of a trial goes to people, which the feed counts for the trial."""
    with_trial(mode="share", share=100)(talks)
    talks.begin("sms", request_id="on-trial")
    talks.drain()
    talks.text("people", "I want to talk to a person.")
    talks.drain()


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_role_permits_exactly_the_calls_of_its_function(
    uses: dict[str, set[Use]], function: str
) -> None:
    check(function, uses, STAGE)
