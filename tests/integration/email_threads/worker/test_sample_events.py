"""The sample events of single functions, as `sam local invoke` sends them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import TypeAdapter

from email_threads.inbound.events import EmailFeedback, EmailReceived
from events.email_threads.direct import KEY, direct_events, queue_batch
from shared.events.issue_feedback import IssueFeedback
from shared.events.queued_events import body_of
from tests.simulation.email_threads.system import ANN, System, mail
from tests.simulation.invocations import Invocation
from tests.simulation.processes import quiet

if TYPE_CHECKING:
    from types import ModuleType

EVENTS = {direct.name: direct.event for direct in direct_events()}


def invoked(module: ModuleType, system: System, event: dict[str, Any]) -> Any:
    with quiet():
        return module.handler(event, Invocation(system.clock))


def test_a_bare_notification_queues_the_mail(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    system.s3.put_object(Bucket=system.bucket, Key=KEY, Body=mail("a@x"))
    event = json.loads(json.dumps(EVENTS["notification"]))
    event["Records"][0]["s3"]["bucket"]["name"] = system.bucket
    monkeypatch.setattr(system, "workers", {system.queue: system.worker})

    assert invoked(system.ingest, system, event) == {"batchItemFailures": []}
    system.drain()

    assert len(system.mails()) == 1


def test_a_mail_that_is_gone_is_acknowledged(system: System) -> None:
    event = EVENTS["queue_mail"]

    assert invoked(system.worker, system, event) == {"batchItemFailures": []}
    assert not system.mails()


def test_the_schedule_and_the_list_of_threads_answer(system: System) -> None:
    assert invoked(system.scheduled, system, EVENTS["schedule"]) is None
    answer = invoked(system.api, system, EVENTS["list_threads"])
    assert json.loads(answer["body"])["result"] == {"threads": []}


def test_a_bounce_of_ses_is_queued_for_the_worker(system: System) -> None:
    answer = invoked(system.ingest, system, EVENTS["bounce"])

    assert answer == {"batchItemFailures": []}
    (body,) = system.fifo_queues.queues[system.queue].accepted.values()
    event = TypeAdapter(EmailFeedback).validate_json(body)
    assert (event.event, event.recipients) == ("Bounce", [ANN])
    assert event.tags == {"thread": "a28b3aefecc1e03b", "reply": "e2daffbbfccbddec"}
    assert event.detail == {"bounceType": "Permanent", "bounceSubType": "General"}


@pytest.mark.parametrize(("name", "queued"), [("Bounce", 1), ("Send", 0)])
def test_an_event_about_the_mail_of_an_issue_is_queued_for_newsletters_by_hashes(
    system: System, name: str, queued: int
) -> None:
    event = json.loads(json.dumps(EVENTS["bounce"]))
    body = json.loads(event["Records"][0]["body"])
    tags = {"issue": ["IS-20261102-AAAAAAAA"], "recipient": ["0a1b"], "action": ["nl-1"]}
    body |= {"eventType": name, "mail": {**body["mail"], "tags": tags}}
    event["Records"][0]["body"] = json.dumps(body)

    assert invoked(system.ingest, system, event) == {"batchItemFailures": []}

    assert not system.fifo_queues.queues[system.queue].accepted
    bodies = [*system.fifo_queues.queues[system.newsletters].accepted.values()]
    assert len(bodies) == queued
    for one in bodies:
        found = TypeAdapter(IssueFeedback).validate_json(one)
        assert (found.issue_id, found.recipient) == ("IS-20261102-AAAAAAAA", "0a1b")
        assert ANN not in one


@pytest.mark.parametrize("named", ["own", "click", "of-another-system"])
def test_an_event_of_another_configuration_set_with_our_tags_is_ignored(
    system: System, named: str
) -> None:
    own = system.ingest.settings
    sets = {"own": own.email_configuration_set, "click": own.click_configuration_set}
    event = json.loads(json.dumps(EVENTS["bounce"]))
    body = json.loads(event["Records"][0]["body"])
    tags = {"issue": ["IS-20261102-AAAAAAAA"], "recipient": ["0a1b"]}
    tags["ses:configuration-set"] = [sets.get(named, named)]
    body["mail"]["tags"] = tags
    event["Records"][0]["body"] = json.dumps(body)

    assert len({*sets.values(), named}) == (2 if named in sets.values() else 3)
    assert invoked(system.ingest, system, event) == {"batchItemFailures": []}

    assert not system.fifo_queues.queues[system.queue].accepted
    queued = system.fifo_queues.queues[system.newsletters].accepted
    assert len(queued) == (named in sets)


def test_the_queued_sample_has_the_format_of_ingest() -> None:
    (record,) = queue_batch("queue_mail", 0)["Records"]
    event = TypeAdapter(EmailReceived).validate_json(record["body"])

    assert json.loads(body_of(event)) == json.loads(record["body"])
