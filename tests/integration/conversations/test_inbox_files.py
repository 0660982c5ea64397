"""
Files fetched by the inbox: message and file may arrive in either order and late; each file is shown at its message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conversations.store import claims, routes
from conversations.store.claims import Name
from conversations.store.items.routes import BusinessAddress
from events.conversations import cast
from shared.events import File, FileStored, InboundMessage
from shared.runtime import clock
from tests.integration.conversations.acts import (
    DAY_MS,
    aside,
    meanwhile,
    queue_name,
    start_conversation,
)
from tests.integration.conversations.test_media import message
from tests.simulation.conversations.erasing import erase, traces
from tests.simulation.wire import When

if TYPE_CHECKING:
    from tests.simulation.conversations.world import World

COPY = f"media/{cast.COMPANY}/106540352242922/77/file.jpg"


def at_meta(world: World) -> str:
    """A conversation over a number of Meta's whose messages the inbox receives; returns its `ref`."""
    channels = cast.project()["channel_config"]
    number = {
        "provider": "meta",
        "account": "102290129340398",
        "phone_number_id": "106540352242922",
        "whatsapp_credentials_id": cast.COMPANY,
    }
    templates = {"invitation": cast.INVITATION | {"meta_name": "invitation"}}
    whatsapp = (
        channels["whatsapp"] | number | {"templates": templates, "reengagement_template": None}
    )
    world.change(channel_config=channels | {"whatsapp": whatsapp})
    return start_conversation(world, "whatsapp")


def picture(world: World, url: str | None = None, **facts: Any) -> InboundMessage:
    """
    The event of a picture that the inbox forwards: the provider's id, and the key of the inbox's copy once it has one.
    """
    return InboundMessage(**{
        "provider": "meta",
        "provider_message_id": "wamid.p",
        "account": "102290129340398",
        "company": cast.COMPANY,
        "channel_method": "whatsapp",
        "business_address": cast.WHATSAPP_SENDER,
        "customer_address": cast.CANDIDATE,
        "received_at": clock.to_text(world.clock.ms),
        "kind": "media",
        "media": [File(url=url, provider_id="77", mime_type="image/jpeg")],
        **facts,
    })  # fmt: skip


def filed(world: World, **facts: Any) -> FileStored:
    """The event that the inbox has fetched the file."""
    return FileStored(**{
        "provider": "meta",
        "provider_message_id": "wamid.p",
        "account": "102290129340398",
        "channel_method": "whatsapp",
        "business_address": cast.WHATSAPP_SENDER,
        "file": File(url=f"s3://{world.bucket}/{COPY}", provider_id="77"),
        **facts,
    })  # fmt: skip


def test_a_picture_is_pending_until_the_inbox_has_fetched_it(world: World) -> None:
    ref = at_meta(world)
    world.tell(picture(world))
    world.take_in()
    assert message(world, ref)["media_state"] == "awaited"

    world.tell(filed(world))
    world.work_off()

    stored = message(world, ref)
    assert (stored["media_state"], stored["media"][0]["key"]) == ("stored", COPY)
    assert stored["media"][0]["mime_type"] == "image/jpeg"


def test_an_existing_copy_of_a_file_needs_no_event(world: World) -> None:
    ref = at_meta(world)

    world.tell(picture(world, f"s3://{world.bucket}/{COPY}"))
    world.work_off()

    stored = message(world, ref)
    assert (stored["media_state"], stored["media"][0]["key"]) == ("stored", COPY)


def test_a_file_event_before_its_message_is_kept_for_it(world: World) -> None:
    ref = at_meta(world)
    world.tell(filed(world))
    world.take_in()

    world.tell(picture(world))
    world.work_off()

    assert message(world, ref)["media"][0]["key"] == COPY


def test_a_file_event_is_kept_as_long_as_queues_keep_messages(world: World) -> None:
    ref = at_meta(world)
    world.tell(filed(world))
    world.work_off()
    world.clock.ms += 28 * DAY_MS

    world.tell(picture(world))
    world.work_off()

    stored = message(world, ref)
    assert (stored["media_state"], stored["media"][0]["key"]) == ("stored", COPY)
    assert (world.parked(), world.lanes.dead_letters) == ([], [])


def test_each_file_of_a_message_is_linked_in_any_order_of_events(world: World) -> None:
    ref = at_meta(world)
    other = f"{COPY}-2"
    files = [File(provider_id=name, mime_type="image/jpeg") for name in ("77", "78")]
    world.tell(filed(world, file=File(url=f"s3://{world.bucket}/{other}", provider_id="78")))
    world.work_off()
    world.tell(picture(world, media=files))
    world.work_off()
    assert message(world, ref)["media_state"] == "awaited"

    world.tell(filed(world))
    world.work_off()

    stored = message(world, ref)
    assert stored["media_state"] == "stored"
    assert [file["key"] for file in stored["media"]] == [COPY, other]


def test_a_message_that_arrives_while_its_file_is_recorded_is_linked(world: World) -> None:
    ref = at_meta(world)
    world.tell(filed(world))
    name = queue_name(world, "inbound")
    (letter,) = world.lanes.queues[name].receive(1)

    def message_comes(_: str) -> None:
        world.tell(picture(world))
        world.take_in()

    meanwhile(world, "dynamodb.PutItem FILE#", message_comes)
    world.run_worker(name, letter)

    assert message(world, ref)["media"][0]["key"] == COPY


def test_a_message_attached_later_shows_its_file(world: World) -> None:
    ref = at_meta(world)
    world.tell(picture(world, customer_address="+447700900456"))
    world.work_off()
    world.tell(filed(world))
    world.work_off()
    (waiting,) = world.call_admin_api("GET /unmatched")["messages"]

    line = "POST /unmatched/{unmatched_id}/attach"
    world.call_admin_api(line, {"ref": ref}, unmatched_id=waiting["id"])
    world.work_off()

    stored = message(world, ref)
    assert (stored["media_state"], stored["media"][0]["key"]) == ("stored", COPY)


def test_a_file_event_without_its_message_is_recorded_and_removed_from_the_queue(
    world: World,
) -> None:
    at_meta(world)
    before = world.rows()

    world.tell(filed(world))
    world.take_in()

    assert world.lanes.queues[queue_name(world, "inbound")].messages == []
    (noted,) = (row for key, row in world.rows().items() if key not in before)
    assert noted["ttl"] == world.clock.ms // 1_000 + 35 * 86_400
    assert "wamid" not in str(noted)


def test_no_file_of_an_erased_message_is_recorded(world: World) -> None:
    at_meta(world)
    world.tell(picture(world, customer_address="+447700900456"))
    world.take_in()
    world.tell(filed(world))
    world.work_off()

    erase(world, "+447700900456")
    world.tell(filed(world, file=File(url=f"s3://{world.bucket}/{COPY}", provider_id="78")))
    world.work_off()

    assert traces(world, COPY) == []


@pytest.mark.long
def test_after_a_crash_at_any_call_the_message_gets_its_file(world: World) -> None:
    ref = at_meta(world)
    start = world.remember()

    def comes() -> None:
        world.tell(filed(world))
        world.work_off()
        world.tell(picture(world))
        world.take_in()

    world.wire.rewind()
    comes()
    calls = list(world.wire.calls)
    assert any("FILE#" in call for call in calls)

    for number in range(1, len(calls) + 1):
        world.begin_again(start)
        world.wire.die_at = (number, When.AFTER)
        comes()
        world.work_off()
        assert message(world, ref)["media"][0]["key"] == COPY, calls[number - 1]


def test_a_file_of_another_company_is_never_linked_to_a_message(world: World) -> None:
    ref = at_meta(world)
    url = f"s3://{world.bucket}/media/ci-bbb-002/106540352242922/77/file.jpg"
    world.tell(picture(world, url))
    world.work_off()
    late = picture(world, provider_message_id="wamid.q")
    world.tell(filed(world, provider_message_id="wamid.q", file=File(url=url, provider_id="77")))
    world.tell(late)
    world.tell(filed(world, provider_message_id="wamid.q", file=File(url=url, provider_id="77")))
    world.work_off()

    files = [row["media"][0] for row in world.log(ref) if row.get("media")]
    assert len(files) == 2
    assert all("key" not in file for file in files)


@pytest.mark.parametrize(
    "other",
    [{"account": "another"}, {"business_address": "+12025550199"}],
    ids=["account", "number"],
)
def test_a_file_reported_by_another_account_or_number_is_not_shown(
    world: World, other: dict[str, str]
) -> None:
    ref = at_meta(world)
    world.tell(picture(world))
    world.work_off()

    world.tell(filed(world, **other))
    world.work_off()

    assert message(world, ref)["media_state"] == "awaited"
    assert world.parked() == ["TENANT_MISMATCH"]


def test_a_file_event_of_another_company_before_the_message_is_ignored(world: World) -> None:
    ref = at_meta(world)
    theirs = {"account": "of-another-company", "business_address": "+12025550199"}
    owner = BusinessAddress(
        company_id="ci-bbb-001", project_id="pi-bbb-001", provider="meta", account=theirs["account"]
    )
    log, theirs_on_whatsapp = aside(world).log, Name("whatsapp", theirs["business_address"])
    claims.claim(log, theirs_on_whatsapp, owner.company_id)
    routes.add_address(log, "whatsapp", theirs["business_address"], owner)
    world.tell(
        filed(
            world, **theirs, file=File(url=f"s3://{world.bucket}/{COPY}-forged", provider_id="77")
        )
    )
    world.tell(filed(world, account="unknown"))
    world.work_off()
    assert world.parked() == ["TENANT_MISMATCH"]

    world.tell(picture(world))
    world.work_off()
    assert message(world, ref)["media_state"] == "awaited"
    world.tell(filed(world))
    world.work_off()
    assert message(world, ref)["media"][0]["key"] == COPY
