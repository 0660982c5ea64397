"""Pictures and PDFs of customers: the model gets them within bounds, and is told why it does not get others."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import pytest

from conversations.ai.config import AiConfig, AiConfigBroken
from local.sandbox.accounts import media
from local.sandbox.accounts.openai import OpenAiAnswer
from shared.ai.files.refused_files import REFUSED
from shared.events.exchange import File
from tests.integration.conversations.content.model_input import (
    ANSWER,
    begin,
    newest_input,
    requests,
)
from tests.integration.conversations.inbound.test_inbox_files import COPY, at_meta, picture
from tests.integration.conversations.inbound.test_media import Files
from tests.integration.conversations.steps import (
    model_says,
    texts_by,
    with_model,
)

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

PNG = media.BUILT_IN[media.PNG_IMAGE].content
PDF = media.BUILT_IN[media.PDF_DOCUMENT].content
SECTION = {"model": "m", "api_key_reference": "k"}
SEES = ["image", "document"]


def reading(**changes: Any) -> dict[str, Any]:
    """Model settings of a model that reads files."""
    section = {
        "model": "gpt-made-up",
        "api_key_reference": "parley/local/companies/ci-aaa-001/openai",
        "reads": SEES,
        **changes.pop("model", {}),
    }
    return {"openai_config": dict.fromkeys(("whatsapp", "sms", "email"), section), **changes}


def send(
    system: System,
    *urls: str,
    body: str = "",
    kind: str = "image/png",
    name: str = "m",
    **fields: str,
) -> None:
    """The customer sends files, which are downloaded before the reply."""
    named = {f"MediaUrl{n}": url for n, url in enumerate(urls)}
    kinds = {f"MediaContentType{n}": kind for n in range(len(urls))}
    system.whatsapp(name, body, NumMedia=str(len(urls)), **named, **kinds, **fields)
    system.run_intake()
    system.run_downloads()
    model_says(system, ANSWER)
    system.drain()


def serve(files: Files, **contents: bytes) -> None:
    for path, content in contents.items():
        files.answers[f"/{path}"] = (200, {"Content-Type": "image/png"}, content)


def parts_of(content: Any) -> list[str]:
    """The types of the parts of a message, without texts."""
    return [part["type"] for part in content if part["type"] != "input_text"]


def test_the_model_gets_a_picture_with_its_caption(system: System, files: Files) -> None:
    ref = begin(system, **reading())
    serve(files, a=PNG)

    send(system, f"{files.url}/a", body="Is this the right one?")

    content = newest_input(system)
    assert content[0]["text"] == "[image: attached as file 1]\nIs this the right one?"
    assert content[1] == {"type": "input_text", "text": "[file 1]"}
    encoded = base64.b64encode(PNG).decode()
    assert content[2]["image_url"] == f"data:image/png;base64,{encoded}"
    assert len(texts_by(system, ref)) == 2


def test_a_pdf_that_the_inbox_has_copied_is_read(system: System) -> None:
    at_meta(system)
    with_model(system, **reading())
    key = COPY.replace("jpg", "pdf")
    system.s3.put_object(Bucket=system.bucket, Key=key, Body=PDF)
    letter = File(
        url=f"s3://{system.bucket}/{key}",
        provider_id="77",
        mime_type="application/pdf",
        name="my letter [1].pdf",
    )
    model_says(system, ANSWER)

    system.forward(picture(system, media=[letter], text="My letter"))
    system.drain()

    content = newest_input(system)
    assert content[0]["text"] == ("[document: my letter (1).pdf, attached as file 1]\nMy letter")
    assert parts_of(content) == ["input_file"]


def test_a_model_that_reads_no_files_is_told_so(system: System, files: Files) -> None:
    begin(system)
    serve(files, a=PNG)

    send(system, f"{files.url}/a", body="Is this the right one?")

    assert newest_input(system) == (
        "[image: not shown to you, you cannot see images]\nIs this the right one?"
    )


@pytest.mark.parametrize(
    ("bounds", "content", "why", "is_beyond"),
    [
        ({"largest_bytes": 20}, PNG, "it is too large", True),
        ({"most_tokens": 100}, PNG, "it is too large", True),
        ({}, b"MZ\x90 a program", "it is no picture or PDF that you can read", False),
        ({"most": 0}, PNG, "you cannot see images", False),
    ],
)
def test_a_file_beyond_the_bounds_is_named_with_the_reason(
    system: System,
    files: Files,
    *,
    bounds: dict[str, int],
    content: bytes,
    why: str,
    is_beyond: bool,
) -> None:
    ref = begin(system, **reading(files=bounds))
    system.change(policy={"file_refused": "Please send smaller files."})
    serve(files, a=content)

    send(system, f"{files.url}/a")

    assert newest_input(system) == f"[image: not shown to you, {why}]"
    assert texts_by(system, ref, "system") == ["Please send smaller files."] * is_beyond
    system.whatsapp("another", "Is that a problem?")
    system.drain()
    assert len(texts_by(system, ref, "system")) == is_beyond, "told once"


def test_the_newest_files_come_first_and_the_number_is_bounded(
    system: System, files: Files
) -> None:
    ref = begin(system, **reading(files={"most": 2}))
    system.change(policy={"file_refused": "Please send fewer files."})
    serve(files, a=PNG, b=PNG, c=PNG)

    urls = [f"{files.url}/{path}" for path in "abc"]
    send(system, *urls)

    content = newest_input(system)
    assert parts_of(content) == ["input_image", "input_image"]
    assert content[0]["text"].split("\n") == [
        "[image: attached as file 1]",
        "[image: attached as file 2]",
        "[image: not shown to you, there are too many files]",
    ]
    assert texts_by(system, ref, "system") == ["Please send fewer files."]


def test_a_picture_is_shown_again_for_a_few_messages_and_where_it_is_quoted(
    system: System,
    files: Files,
) -> None:
    ref = begin(system, **reading())
    serve(files, a=PNG)
    send(system, f"{files.url}/a")
    sent = next(m for m in system.log(ref) if m["author"] == "customer")
    for number in range(3):
        model_says(system, ANSWER.replace("I have", f"({number}) I have"))
        system.whatsapp(f"n{number}", f"And the {number + 1}. question?")
        system.drain()
    pictures = [
        sum(
            parts_of(item["content"]) != []
            for item in body["input"]
            if isinstance(item["content"], list)
        )
        for body in requests(system)[1:]
    ]
    assert pictures == [1, 1, 1, 0]

    model_says(system, ANSWER)
    system.whatsapp("q", "This one", OriginalRepliedMessageSid=sent["provider_message_id"])
    system.drain()

    contents = [item["content"] for item in requests(system)[-1]["input"]]
    assert contents[-1] == "[quoting: the person sent image: attached as file 1]\nThis one"
    assert [parts_of(content) for content in contents if isinstance(content, list)] == [
        ["input_image"]
    ]


def test_a_provider_that_refuses_a_file_is_asked_again_without_it(
    system: System, files: Files
) -> None:
    ref = begin(system, **reading())
    serve(files, a=PNG)
    system.sandbox.openai.answers.append(OpenAiAnswer(refused=(400, "invalid_image_format")))

    send(system, f"{files.url}/a", body="See")

    assert newest_input(system) == f"[image: attached as file 1]\nSee\n{REFUSED}"
    assert len(texts_by(system, ref)) == 2


def test_a_file_that_has_expired_is_named_as_lost(system: System, files: Files) -> None:
    begin(system, **reading())
    serve(files, a=PNG)
    system.whatsapp(
        "m", "", NumMedia="1", MediaUrl0=f"{files.url}/a", MediaContentType0="image/png"
    )
    system.run_intake()
    system.run_downloads()
    for key in system.objects():
        if "file-" in key:
            system.s3.delete_object(Bucket=system.bucket, Key=key)
    model_says(system, ANSWER)

    system.drain()

    assert newest_input(system) == "[image: not shown to you, it could not be opened]"


@pytest.mark.parametrize(
    ("change", "attribute"),
    [
        ({"files": {"most": 6}}, "ai_config.files.most"),
        ({"files": {"most": -1}}, "ai_config.files.most"),
        ({"files": {"largest_bytes": 3_750_001}}, "ai_config.files.largest_bytes"),
        ({"files": {"most_tokens": 0}}, "ai_config.files.most_tokens"),
        ({"files": []}, "ai_config.files"),
        ({"openai_config": {"sms": SECTION | {"reads": ["video"]}}}, "ai_config.openai_config.sms.reads.0"),
    ],
)  # fmt: skip
def test_settings_of_files_are_refused_with_field_and_rule(
    change: dict[str, Any], attribute: str
) -> None:
    settings = {"provider": "openai", "openai_config": {"sms": SECTION}, **change}

    with pytest.raises(AiConfigBroken) as refusal:
        AiConfig.read(settings, "sms")

    assert refusal.value.attribute == attribute
    assert refusal.value.rule != "is missing or invalid"
