"""Whatever stands in for a message speaks its language: another channel, and the fixed texts of a project."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from events.conversations import cast
from tests.integration.conversations.acts import asked, said
from tests.integration.conversations.telling import UNREACHABLE, mails, told

if TYPE_CHECKING:
    from tests.simulation.conversations.world import World

EINLADUNG = {**cast.INVITATION, "content_sid": "HX" + "d7f3" * 8, "language": "de"}


# Another channel


def test_a_first_message_on_another_channel_is_in_the_language_of_the_request(
    world: World,
) -> None:
    world.change(fallback_channels=["email"])
    ref = asked(world, "sms", language="de")

    told(world, ref, "undelivered", **UNREACHABLE)

    (by_mail,) = mails(world)
    assert said(world, by_mail)[0].startswith("Hallo Ann, hier schreibt Carol")
    assert world.office("GET /conversations/{ref}", ref=by_mail)["language"] == "de"


def test_a_first_message_on_another_channel_is_the_template_of_the_request(world: World) -> None:
    with_template(world, "einladung", EINLADUNG)
    world.change(fallback_channels=["whatsapp"])
    wanted = cast.request("sms")
    wanted["request_data"]["template"] = "einladung"
    ref = world.request(wanted)["conversation_ref"]
    world.work_off()

    told(world, ref, "undelivered", **UNREACHABLE)

    assert world.sent()[-1]["ContentSid"] == EINLADUNG["content_sid"]


def test_an_address_keeps_its_spelling_on_another_channel(world: World) -> None:
    world.change(fallback_channels=["email"])
    ref = asked(world, "sms", recipient_email="Ann.Doe@Example.com")

    told(world, ref, "undelivered", **UNREACHABLE)

    (by_mail,) = mails(world)
    assert shown(world, by_mail)["recipient"]["email"] == "Ann.Doe@Example.com"


def shown(world: World, ref: str) -> dict[str, Any]:
    return world.office("GET /conversations/{ref}", ref=ref)


def with_template(world: World, name: str, template: dict[str, Any]) -> None:
    channels = cast.project()["channel_config"]
    whatsapp = channels["whatsapp"]
    templates = {**whatsapp["templates"], name: template}
    world.change(channel_config={**channels, "whatsapp": {**whatsapp, "templates": templates}})
