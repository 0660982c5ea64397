"""
Files fetched by the inbox: message and file may arrive in either order and late; each file is shown at its message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conversations.store import routes
from conversations.store.items.routes import BusinessAddress
from events.conversations import sample_data
from shared.access.ownership import claims
from shared.access.ownership.claims import Proof
from shared.access.ownership.ids import ProviderId
from shared.events.exchange import File, FileStored, InboundMessage
from shared.runtime import clock
from tests.integration.conversations.inbound.test_media import message
from tests.integration.conversations.steps import (
    DAY_MS,
    before_call,
    direct_resources,
    queue_name,
    start_conversation,
)
from tests.simulation.conversations.erasure import erase, traces
from tests.simulation.interceptor import When

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

COPY = f"media/{sample_data.COMPANY}/106540352242922/77/file.jpg"


def at_meta(system: System) -> str:
    """A conversation over a number of Meta's whose messages the inbox receives; returns its `ref`."""
    channels = sample_data.project()["channel_config"]
    number = {
        "provider": "meta",
        "account": "102290129340398",
        "phone_number_id": "106540352242922",
        "whatsapp_credentials_id": sample_data.COMPANY,
    }
    templates = {"invitation": sample_data.INVITATION | {"meta_name": "invitation"}}
    whatsapp = (
        channels["whatsapp"] | number | {"templates": templates, "reengagement_template": None}
    )
    system.change(channel_config=channels | {"whatsapp": whatsapp})
    return start_conversation(system, "whatsapp")


def picture(system: System, url: str | None = None, **facts: Any) -> InboundMessage:
    """
    The event of a picture that the inbox forwards: the provider's id, and the key of the inbox's copy once it has one.
    """
    return InboundMessage(**{
        "provider": "meta",
        "provider_message_id": "wamid.p",
        "account": "102290129340398",
        "company": sample_data.COMPANY,
        "channel_method": "whatsapp",
        "business_address": sample_data.WHATSAPP_SENDER,
        "customer_address": sample_data.CANDIDATE,
        "received_at": clock.to_text(system.clock.ms),
        "kind": "media",
        "media": [File(url=url, provider_id="77", mime_type="image/jpeg")],
        **facts,
    })  # fmt: skip


def filed(system: System, **facts: Any) -> FileStored:
    """The event that the inbox has fetched the file."""
    return FileStored(**{
        "provider": "meta",
        "provider_message_id": "wamid.p",
        "account": "102290129340398",
        "channel_method": "whatsapp",
        "business_address": sample_data.WHATSAPP_SENDER,
        "file": File(url=f"s3://{system.bucket}/{COPY}", provider_id="77"),
        **facts,
    })  # fmt: skip


def test_a_picture_is_pending_until_the_inbox_has_fetched_it(system: System) -> None:
    ref = at_meta(system)
    system.forward(picture(system))
    system.run_intake()
    assert message(system, ref)["media_state"] == "awaited"

    system.forward(filed(system))
    system.drain()

    stored = message(system, ref)
    assert (stored["media_state"], stored["media"][0]["key"]) == ("stored", COPY)
    assert stored["media"][0]["mime_type"] == "image/jpeg"


def test_an_existing_copy_of_a_file_needs_no_event(system: System) -> None:
    ref = at_meta(system)

    system.forward(picture(system, f"s3://{system.bucket}/{COPY}"))
    system.drain()

    stored = message(system, ref)
    assert (stored["media_state"], stored["media"][0]["key"]) == ("stored", COPY)


def test_a_file_event_before_its_message_is_kept_for_it(system: System) -> None:
    ref = at_meta(system)
    system.forward(filed(system))
    system.run_intake()

    system.forward(picture(system))
    system.drain()

    assert message(system, ref)["media"][0]["key"] == COPY


def test_a_file_event_is_kept_as_long_as_queues_keep_messages(system: System) -> None:
    ref = at_meta(system)
    system.forward(filed(system))
    system.drain()
    system.clock.ms += 28 * DAY_MS

    system.forward(picture(system))
    system.drain()

    stored = message(system, ref)
    assert (stored["media_state"], stored["media"][0]["key"]) == ("stored", COPY)
    assert (system.parked(), system.fifo_queues.dead_letters) == ([], [])


def test_each_file_of_a_message_is_linked_in_any_order_of_events(system: System) -> None:
    ref = at_meta(system)
    other = f"{COPY}-2"
    files = [File(provider_id=name, mime_type="image/jpeg") for name in ("77", "78")]
    system.forward(filed(system, file=File(url=f"s3://{system.bucket}/{other}", provider_id="78")))
    system.drain()
    system.forward(picture(system, media=files))
    system.drain()
    assert message(system, ref)["media_state"] == "awaited"

    system.forward(filed(system))
    system.drain()

    stored = message(system, ref)
    assert stored["media_state"] == "stored"
    assert [file["key"] for file in stored["media"]] == [COPY, other]


def test_a_message_that_arrives_while_its_file_is_recorded_is_linked(system: System) -> None:
    ref = at_meta(system)
    system.forward(filed(system))
    name = queue_name(system, "inbound")
    (letter,) = system.fifo_queues.queues[name].receive(1)

    def message_comes(_: str) -> None:
        system.forward(picture(system))
        system.run_intake()

    before_call(system, "dynamodb.PutItem FILE#", message_comes)
    system.run_worker(name, letter)

    assert message(system, ref)["media"][0]["key"] == COPY


def test_a_message_attached_later_shows_its_file(system: System) -> None:
    ref = at_meta(system)
    system.forward(picture(system, customer_address="+447700900456"))
    system.drain()
    system.forward(filed(system))
    system.drain()
    (waiting,) = system.call_admin_api("GET /unmatched")["messages"]

    line = "POST /unmatched/{unmatched_id}/attach"
    system.call_admin_api(line, {"ref": ref}, unmatched_id=waiting["id"])
    system.drain()

    stored = message(system, ref)
    assert (stored["media_state"], stored["media"][0]["key"]) == ("stored", COPY)


def test_a_file_event_without_its_message_is_recorded_and_removed_from_the_queue(
    system: System,
) -> None:
    at_meta(system)
    before = system.rows()

    system.forward(filed(system))
    system.run_intake()

    assert system.fifo_queues.queues[queue_name(system, "inbound")].messages == []
    (noted,) = (row for key, row in system.rows().items() if key not in before)
    assert noted["ttl"] == system.clock.ms // 1_000 + 35 * 86_400
    assert "wamid" not in str(noted)


def test_no_file_of_an_erased_message_is_recorded(system: System) -> None:
    at_meta(system)
    system.forward(picture(system, customer_address="+447700900456"))
    system.run_intake()
    system.forward(filed(system))
    system.drain()

    erase(system, "+447700900456")
    system.forward(filed(system, file=File(url=f"s3://{system.bucket}/{COPY}", provider_id="78")))
    system.drain()

    assert traces(system, COPY) == []


@pytest.mark.long
def test_after_a_crash_at_any_call_the_message_gets_its_file(system: System) -> None:
    ref = at_meta(system)
    start = system.snapshot()

    def comes() -> None:
        system.forward(filed(system))
        system.drain()
        system.forward(picture(system))
        system.run_intake()

    system.interceptor.rewind()
    comes()
    calls = list(system.interceptor.calls)
    assert any("FILE#" in call for call in calls)

    for number in range(1, len(calls) + 1):
        system.restore(start)
        system.interceptor.die_at = (number, When.AFTER)
        comes()
        system.drain()
        assert message(system, ref)["media"][0]["key"] == COPY, calls[number - 1]


def test_a_file_of_another_company_is_never_linked_to_a_message(system: System) -> None:
    ref = at_meta(system)
    url = f"s3://{system.bucket}/media/ci-bbb-002/106540352242922/77/file.jpg"
    system.forward(picture(system, url))
    system.drain()
    late = picture(system, provider_message_id="wamid.q")
    system.forward(
        filed(system, provider_message_id="wamid.q", file=File(url=url, provider_id="77"))
    )
    system.forward(late)
    system.forward(
        filed(system, provider_message_id="wamid.q", file=File(url=url, provider_id="77"))
    )
    system.drain()

    files = [row["media"][0] for row in system.log(ref) if row.get("media")]
    assert len(files) == 2
    assert all("key" not in file for file in files)


@pytest.mark.parametrize(
    "other",
    [{"account": "another"}, {"business_address": "+12025550199"}],
    ids=["account", "number"],
)
def test_a_file_reported_by_another_account_or_number_is_not_shown(
    system: System, other: dict[str, str]
) -> None:
    ref = at_meta(system)
    system.forward(picture(system))
    system.drain()

    system.forward(filed(system, **other))
    system.drain()

    assert message(system, ref)["media_state"] == "awaited"
    assert system.parked() == ["TENANT_MISMATCH"]


def test_a_file_event_of_another_company_before_the_message_is_ignored(system: System) -> None:
    ref = at_meta(system)
    theirs = {"account": "of-another-company", "business_address": "+12025550199"}
    owner = BusinessAddress(
        company_id="ci-bbb-001", project_id="pi-bbb-001", provider="meta", account=theirs["account"]
    )
    log, theirs_on_whatsapp = (
        direct_resources(system).log,
        ProviderId("whatsapp", theirs["business_address"]),
    )
    claims.claim(log, theirs_on_whatsapp, claims.new(owner.company_id, Proof.GRANTED))
    routes.add_address(log, "whatsapp", theirs["business_address"], owner)
    system.forward(
        filed(
            system, **theirs, file=File(url=f"s3://{system.bucket}/{COPY}-forged", provider_id="77")
        )
    )
    system.forward(filed(system, account="unknown"))
    system.drain()
    assert system.parked() == ["TENANT_MISMATCH"]

    system.forward(picture(system))
    system.drain()
    assert message(system, ref)["media_state"] == "awaited"
    system.forward(filed(system))
    system.drain()
    assert message(system, ref)["media"][0]["key"] == COPY
