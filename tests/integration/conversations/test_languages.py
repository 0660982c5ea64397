"""Fallback messages and fixed texts are in the language of the message that they replace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conversations.lifecycle import conversation
from conversations.outbound.providers import payloads
from conversations.store.items.log import Message
from events.conversations import cast
from tests.integration.conversations.acts import (
    aside,
    says,
    start_conversation,
    texts_by,
    with_model,
    write,
)
from tests.integration.conversations.telling import UNREACHABLE, mails, report_status

if TYPE_CHECKING:
    from tests.simulation.conversations.world import World

EINLADUNG = {**cast.INVITATION, "content_sid": "HX" + "d7f3" * 8, "language": "de"}


# Fallback channels


def test_a_first_message_on_another_channel_is_in_the_language_of_the_request(
    world: World,
) -> None:
    world.change(fallback_channels=["email"])
    ref = start_conversation(world, "sms", language="de")

    report_status(world, ref, "undelivered", **UNREACHABLE)

    (by_mail,) = mails(world)
    assert texts_by(world, by_mail)[0].startswith("Hallo Ann, hier schreibt Carol")
    assert shown(world, by_mail)["language"] == "de"


def test_a_first_message_on_another_channel_is_the_template_of_the_request(world: World) -> None:
    with_template(world, "einladung", EINLADUNG)
    world.change(fallback_channels=["whatsapp"])
    payload = cast.request("sms")
    payload["request_data"]["template"] = "einladung"
    ref = world.request(payload)["conversation_ref"]
    world.work_off()

    report_status(world, ref, "undelivered", **UNREACHABLE)

    assert world.sent()[-1]["ContentSid"] == EINLADUNG["content_sid"]


def test_an_address_keeps_its_spelling_on_another_channel(world: World) -> None:
    world.change(fallback_channels=["email"])
    ref = start_conversation(world, "sms", recipient_email="Ann.Doe@Example.com")

    report_status(world, ref, "undelivered", **UNREACHABLE)

    (by_mail,) = mails(world)
    assert shown(world, by_mail)["recipient"]["email"] == "Ann.Doe@Example.com"


def shown(world: World, ref: str) -> dict[str, Any]:
    return world.call_admin_api("GET /conversations/{ref}", ref=ref)


def with_template(world: World, name: str, template: dict[str, Any]) -> None:
    channels = cast.project()["channel_config"]
    whatsapp = channels["whatsapp"]
    templates = {**whatsapp["templates"], name: template}
    world.change(channel_config={**channels, "whatsapp": {**whatsapp, "templates": templates}})


# Fixed texts


@pytest.mark.parametrize(
    ("language", "hint"),
    [
        ("de", "Abmelden mit STOP."),
        ("pt-BR", "Responda STOP para sair."),
        ("nl", "Reply STOP to opt out."),
    ],
)
def test_the_opt_out_hint_is_in_the_language_of_the_message(
    world: World, language: str, hint: str
) -> None:
    ref = start_conversation(world, "sms", language=language)

    assert texts_by(world, ref)[0].splitlines()[-1] == hint


def test_without_a_language_in_the_request_the_hint_is_in_the_projects(world: World) -> None:
    world.change(default_language="fr")

    ref = start_conversation(world, "sms")

    assert texts_by(world, ref)[0].splitlines()[-1] == "STOP pour vous désinscrire."


def test_a_project_may_have_its_texts_in_several_languages(world: World) -> None:
    hints = {"en": "STOP ends this.", "de": "STOP beendet das.", "pt-BR": "STOP encerra."}
    world.change(policy={"opt_out_hint": hints}, default_language="de")

    expected = {"de-AT": "de", "en": "en", "pt": "pt-BR", "nl": "de"}
    for number, (language, found) in enumerate(expected.items()):
        number_of_theirs = f"+4477009001{number:02}"
        ref = start_conversation(
            world, "sms", f"r-{number}", language=language, recipient_tel=number_of_theirs
        )
        assert texts_by(world, ref)[0].splitlines()[-1] == hints[found]


def test_a_project_with_one_text_uses_it_for_all_languages(world: World) -> None:
    world.change(policy={"opt_out_hint": "STOP ends this."})

    ref = start_conversation(world, "sms", language="de")

    assert texts_by(world, ref)[0].splitlines()[-1] == "STOP ends this."


def test_an_opt_out_is_confirmed_in_the_language_of_the_customers_message(world: World) -> None:
    ref = start_conversation(world, "sms")
    write(world, "Wann kann ich anfangen, und wer ist da?", "m")

    write(world, "STOPP", "n")

    assert texts_by(world, ref, "system") == [
        "Sie erhalten keine Nachrichten mehr von Cucumber Recruitment."
        " Mit START erhalten Sie wieder welche."
    ]


def test_a_hand_off_notice_is_in_the_language_of_the_answer_that_it_replaces(
    world: World,
) -> None:
    notices = {"en": "A colleague will answer you.", "de": "Eine Kollegin antwortet Ihnen."}
    world.change(policy={"handoff_notice": notices})
    with_model(world, says("Hello Ann, can you start in May?"), "no JSON", "none again")
    ref = start_conversation(world, "sms")

    write(world, "Ich habe eine Frage: wann kann ich anfangen?")

    assert texts_by(world, ref, "system") == [notices["de"]]


def test_help_is_in_the_language_of_the_request_if_the_keyword_has_none(world: World) -> None:
    world.change(policy={"help_text": {"en": "we help you.", "de": "wir helfen Ihnen."}})
    ref = start_conversation(world, "sms", language="de")

    write(world, "HELP")

    assert texts_by(world, ref, "system") == [
        "Cucumber Recruitment: wir helfen Ihnen. Abmelden mit STOP."
    ]


def test_a_mail_without_a_subject_has_the_default_one_in_its_language(world: World) -> None:
    channels = cast.project()["channel_config"]
    mail = {n: part for n, part in channels["email"].items() if n != "default_subject_line"}
    world.change(channel_config={**channels, "email": mail})
    with_model(world, says("Hallo Ann, wann können Sie bei uns anfangen?", subject=None))

    ref = start_conversation(world, "email", language="de")

    assert world.log(ref)[0]["subject"] == "Eine Nachricht für Sie"


# Templates


@pytest.mark.parametrize(
    ("configured", "named"), [("de", "de"), (None, "de_AT"), ("pt-BR", "pt_BR"), ("en_US", "en_US")]
)
def test_meta_receives_the_language_of_the_template_or_of_the_project(
    world: World, configured: str | None, named: str
) -> None:
    with_template(world, "invitation", {**cast.INVITATION, "language": configured})
    world.change(default_language="de-AT")
    ref = start_conversation(world, "whatsapp", language="en")
    opened = conversation.load(aside(world), ref)

    form = payloads.for_meta(opened, Message.read(world.log(ref)[0]), "action")

    assert form["template"]["language"] == {"code": named}


def test_a_template_without_a_language_is_filled_in_the_projects_language(world: World) -> None:
    unnamed = {n: part for n, part in EINLADUNG.items() if n != "language"}
    with_template(world, "invitation", unnamed)
    world.change(default_language="de")
    question = "Haben Sie einen Führerschein, und wann können Sie bei uns anfangen?"
    with_model(world, says("", variables={"question": question}))

    ref = start_conversation(world, "whatsapp", language="en")

    assert texts_by(world, ref)[0].endswith(question)
