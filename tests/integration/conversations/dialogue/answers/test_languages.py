"""Fallback messages and fixed texts are in the language of the message that they replace."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conversations.lifecycle import conversation
from conversations.outbound.providers import payloads
from conversations.store.items.log import Message
from events.conversations import sample_data
from tests.integration.conversations.outbound.delivery_reports import (
    UNREACHABLE,
    email_conversations,
    report_status,
)
from tests.integration.conversations.steps import (
    direct_resources,
    model_answer,
    start_conversation,
    texts_by,
    with_model,
    write,
)

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

GERMAN_INVITATION = {**sample_data.INVITATION, "content_sid": "HX" + "d7f3" * 8, "language": "de"}


# Fallback channels


def test_a_first_message_on_another_channel_is_in_the_language_of_the_request(
    system: System,
) -> None:
    system.change(fallback_channels=["email"])
    ref = start_conversation(system, "sms", language="de")

    report_status(system, ref, "undelivered", **UNREACHABLE)

    (by_mail,) = email_conversations(system)
    assert texts_by(system, by_mail)[0].startswith("Hallo Ann, hier schreibt Carol")
    assert shown(system, by_mail)["language"] == "de"


def test_a_first_message_on_another_channel_is_the_template_of_the_request(system: System) -> None:
    with_template(system, "einladung", GERMAN_INVITATION)
    system.change(fallback_channels=["whatsapp"])
    payload = sample_data.request("sms")
    payload["request_data"]["template"] = "einladung"
    ref = system.request(payload)["conversation_ref"]
    system.drain()

    report_status(system, ref, "undelivered", **UNREACHABLE)

    assert system.sent()[-1]["ContentSid"] == GERMAN_INVITATION["content_sid"]


def test_an_address_keeps_its_spelling_on_another_channel(system: System) -> None:
    system.change(fallback_channels=["email"])
    ref = start_conversation(system, "sms", recipient_email="Ann.Doe@Example.com")

    report_status(system, ref, "undelivered", **UNREACHABLE)

    (by_mail,) = email_conversations(system)
    assert shown(system, by_mail)["recipient"]["email"] == "Ann.Doe@Example.com"


def shown(system: System, ref: str) -> dict[str, Any]:
    return system.call_admin_api("GET /conversations/{ref}", ref=ref)


def with_template(system: System, name: str, template: dict[str, Any]) -> None:
    channels = sample_data.project()["channel_config"]
    whatsapp = channels["whatsapp"]
    templates = {**whatsapp["templates"], name: template}
    system.change(channel_config={**channels, "whatsapp": {**whatsapp, "templates": templates}})


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
    system: System, language: str, hint: str
) -> None:
    ref = start_conversation(system, "sms", language=language)

    assert texts_by(system, ref)[0].splitlines()[-1] == hint


def test_without_a_language_in_the_request_the_hint_is_in_the_projects(system: System) -> None:
    system.change(default_language="fr")

    ref = start_conversation(system, "sms")

    assert texts_by(system, ref)[0].splitlines()[-1] == "STOP pour vous désinscrire."


def test_a_project_may_have_its_texts_in_several_languages(system: System) -> None:
    hints = {"en": "STOP ends this.", "de": "STOP beendet das.", "pt-BR": "STOP encerra."}
    system.change(policy={"opt_out_hint": hints}, default_language="de")

    expected = {"de-AT": "de", "en": "en", "pt": "pt-BR", "nl": "de"}
    for number, (language, found) in enumerate(expected.items()):
        number_of_theirs = f"+4477009001{number:02}"
        ref = start_conversation(
            system, "sms", f"r-{number}", language=language, recipient_tel=number_of_theirs
        )
        assert texts_by(system, ref)[0].splitlines()[-1] == hints[found]


def test_a_project_with_one_text_uses_it_for_all_languages(system: System) -> None:
    system.change(policy={"opt_out_hint": "STOP ends this."})

    ref = start_conversation(system, "sms", language="de")

    assert texts_by(system, ref)[0].splitlines()[-1] == "STOP ends this."


def test_an_opt_out_is_confirmed_in_the_language_of_the_customers_message(system: System) -> None:
    ref = start_conversation(system, "sms")
    write(system, "Wann kann ich anfangen, und wer ist da?", "m")

    write(system, "STOPP", "n")

    assert texts_by(system, ref, "system") == [
        "Sie erhalten keine Nachrichten mehr von Cucumber Recruitment."
        " Mit START erhalten Sie wieder welche."
    ]


def test_a_hand_off_notice_is_in_the_language_of_the_answer_that_it_replaces(
    system: System,
) -> None:
    notices = {"en": "A colleague will answer you.", "de": "Eine Kollegin antwortet Ihnen."}
    system.change(policy={"handoff_notice": notices})
    with_model(system, model_answer("Hello Ann, can you start in May?"), "no JSON", "none again")
    ref = start_conversation(system, "sms")

    write(system, "Ich habe eine Frage: wann kann ich anfangen?")

    assert texts_by(system, ref, "system") == [notices["de"]]


def test_help_is_in_the_language_of_the_request_if_the_keyword_has_none(system: System) -> None:
    system.change(policy={"help_text": {"en": "we help you.", "de": "wir helfen Ihnen."}})
    ref = start_conversation(system, "sms", language="de")

    write(system, "HELP")

    assert texts_by(system, ref, "system") == [
        "Cucumber Recruitment: wir helfen Ihnen. Abmelden mit STOP."
    ]


def test_a_mail_without_a_subject_has_the_default_one_in_its_language(system: System) -> None:
    channels = sample_data.project()["channel_config"]
    mail = {n: part for n, part in channels["email"].items() if n != "default_subject_line"}
    system.change(channel_config={**channels, "email": mail})
    with_model(system, model_answer("Hallo Ann, wann können Sie bei uns anfangen?", subject=None))

    ref = start_conversation(system, "email", language="de")

    assert system.log(ref)[0]["subject"] == "Eine Nachricht für Sie"


# Templates


@pytest.mark.parametrize(
    ("configured", "named"), [("de", "de"), (None, "de_AT"), ("pt-BR", "pt_BR"), ("en_US", "en_US")]
)
def test_meta_receives_the_language_of_the_template_or_of_the_project(
    system: System, configured: str | None, named: str
) -> None:
    with_template(system, "invitation", {**sample_data.INVITATION, "language": configured})
    system.change(default_language="de-AT")
    ref = start_conversation(system, "whatsapp", language="en")
    opened = conversation.load(direct_resources(system), ref)

    form = payloads.for_meta(opened, Message.read(system.log(ref)[0]), "action")

    assert form["template"]["language"] == {"code": named}


def test_a_template_without_a_language_is_filled_in_the_projects_language(system: System) -> None:
    unnamed = {n: part for n, part in GERMAN_INVITATION.items() if n != "language"}
    with_template(system, "invitation", unnamed)
    system.change(default_language="de")
    question = "Haben Sie einen Führerschein, und wann können Sie bei uns anfangen?"
    with_model(system, model_answer("", variables={"question": question}))

    ref = start_conversation(system, "whatsapp", language="en")

    assert texts_by(system, ref)[0].endswith(question)
