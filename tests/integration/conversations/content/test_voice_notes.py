"""Voice notes: text once per recording, stored at the message, read by the model as the customer's own words."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from conversations.ai.config import AiConfig, AiConfigBroken
from events.conversations import sample_data
from local.sandbox.accounts import media
from shared.ai.spending import usage
from shared.ai.spending.bounds import Kind
from shared.aws.dynamodb import Table
from shared.events.exchange import File
from tests.integration.conversations.content.model_input import (
    ANSWER,
    begin,
    newest_input,
    requests,
)
from tests.integration.conversations.inbound.test_inbox_files import at_meta, filed, picture
from tests.integration.conversations.inbound.test_media import Files
from tests.integration.conversations.steps import (
    OPENAI_SECRET_ID,
    model_says,
    status_of,
    texts_by,
    with_model,
)
from tests.simulation.conversations.erasure import erase, traces

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System

OGG = media.BUILT_IN[media.OGG_VOICE].content
WORDS = "Can I bring my dog Wotan?"
HEARD = "[voice note: its words follow, written down by a machine that may mishear]"
SPEECH = {"provider": "openai", "api_key_reference": OPENAI_SECRET_ID}


def say(system: System, files: Files, *words: str, **settings: Any) -> str:
    """The customer sends a voice note, which is downloaded; returns the `ref`."""
    ref = begin(system, transcription=SPEECH | settings)
    files.answers["/v"] = (200, {"Content-Type": "audio/ogg"}, OGG)
    system.sandbox.openai.transcripts.extend(words)
    system.whatsapp(
        "v", "", NumMedia="1", MediaUrl0=f"{files.url}/v", MediaContentType0="audio/ogg"
    )
    system.run_intake()
    system.run_downloads()
    return ref


def answer(system: System) -> None:
    model_says(system, ANSWER)
    system.drain()


def recording(system: System, ref: str) -> dict[str, str]:
    """The file of the customer's message, as it is stored."""
    message = next(m for m in system.log(ref) if m["author"] == "customer")
    (file,) = message["media"]
    return dict(file)


def transcriptions(system: System) -> list[Any]:
    return [sent.body for sent in system.sandbox.sent if sent.operation == "create_transcription"]


def test_the_model_reads_the_words_of_a_voice_note(system: System, files: Files) -> None:
    ref = say(system, files, WORDS)
    answer(system)

    assert newest_input(system) == f"{HEARD}\n{WORDS}"
    assert recording(system, ref)["transcript"] == WORDS
    (request,) = transcriptions(system)
    assert request["model"] == "gpt-4o-mini-transcribe"
    assert request["file"] == {"name": "recording.ogg", "bytes": len(OGG)}


def test_agents_see_the_words_and_no_log_has_them(
    system: System, files: Files, capsys: pytest.CaptureFixture[str]
) -> None:
    ref = say(system, files, WORDS)
    answer(system)

    shown = system.call_admin_api("GET /conversations/{ref}/messages", ref=ref)["messages"]
    (written,) = (one for one in shown if one["author"] == "customer")
    assert written["media"][0]["transcript"] == WORDS
    assert "Wotan" not in capsys.readouterr().out


def test_the_reply_waits_for_the_words_of_a_voice_note_that_the_inbox_has_copied(
    system: System,
) -> None:
    ref = at_meta(system)
    with_model(system, transcription=SPEECH)
    key = f"media/{sample_data.COMPANY}/106540352242922/77/voice.ogg"
    system.s3.put_object(Bucket=system.bucket, Key=key, Body=OGG)
    voice = File(url=f"s3://{system.bucket}/{key}", provider_id="77", mime_type="audio/ogg")
    system.sandbox.openai.transcripts.append(WORDS)

    system.forward(picture(system, media=[voice]))
    system.run_intake()
    system.run_downloads()
    system.advance(9_000)
    assert requests(system) == []
    answer(system)

    assert recording(system, ref)["transcript"] == WORDS
    assert newest_input(system) == f"{HEARD}\n{WORDS}"


def test_the_model_reads_the_text_that_a_person_had_made_in_the_inbox_without_another_call(
    system: System,
) -> None:
    ref = at_meta(system)
    key = f"media/{sample_data.COMPANY}/106540352242922/77/voice.ogg"
    system.s3.put_object(Bucket=system.bucket, Key=key, Body=OGG)
    url = f"s3://{system.bucket}/{key}"
    voice = File(url=url, provider_id="77", mime_type="audio/ogg")
    system.forward(picture(system, media=[voice]))
    system.run_intake()

    for text in (WORDS, "A later text."):
        system.forward(filed(system, file=File(url=url, provider_id="77", transcript=text)))
        system.run_intake()
    answer(system)

    assert recording(system, ref)["transcript"] == WORDS
    assert newest_input(system) == f"{HEARD}\n{WORDS}"
    assert transcriptions(system) == []


def test_words_that_ask_for_a_person_reach_one(system: System, files: Files) -> None:
    ref = say(system, files, "I want to speak to a human being.")
    answer(system)

    assert status_of(system, ref)[0] == "handoff_pending"


def test_a_repeated_record_transcribes_nothing_again(system: System, files: Files) -> None:
    ref = say(system, files, WORDS)
    message = next(m for m in system.log(ref) if m["author"] == "customer")

    system.whatsapp(
        "v", "", NumMedia="1", MediaUrl0=f"{files.url}/v", MediaContentType0="audio/ogg"
    )
    system.run_intake()
    system.run_downloads()

    assert len(transcriptions(system)) == 1
    assert recording(system, ref) == message["media"][0]


def test_without_the_setting_nothing_is_transcribed(system: System, files: Files) -> None:
    begin(system)
    files.answers["/v"] = (200, {"Content-Type": "audio/ogg"}, OGG)
    system.whatsapp(
        "v", "", NumMedia="1", MediaUrl0=f"{files.url}/v", MediaContentType0="audio/ogg"
    )
    system.run_intake()
    system.run_downloads()
    answer(system)

    assert newest_input(system) == "[voice note: not heard]"
    assert transcriptions(system) == []


def test_a_recording_beyond_the_bound_is_named_with_the_reason(
    system: System, files: Files
) -> None:
    ref = say(system, files, WORDS, largest_bytes=10)
    answer(system)

    assert newest_input(system) == "[voice note: not heard, it is too long]"
    assert recording(system, ref)["no_transcript"] == "too_large"
    assert transcriptions(system) == []


def test_recordings_beyond_the_bounds_on_costs_have_no_text(system: System, files: Files) -> None:
    table = Table(system.dynamodb, system.tables["spending"])
    usage.set_percents(table, sample_data.COMPANY, {Kind.TRANSCRIPTION: 0}, by="a person")

    ref = say(system, files, WORDS)
    answer(system)

    assert recording(system, ref)["no_transcript"] == "spending_limit"
    assert newest_input(system) == "[voice note: not heard]"


def test_a_refused_key_is_no_reason_to_leave_the_customer_without_an_answer(
    system: System, files: Files
) -> None:
    ref = say(system, files, WORDS, api_key_reference="parley/local/companies/ci-bbb-001/x")
    answer(system)

    assert "no_transcript" in recording(system, ref)
    assert len(texts_by(system, ref)) == 2


def test_the_words_are_erased_with_the_person(system: System, files: Files) -> None:
    ref = say(system, files, WORDS)
    answer(system)
    assert "Wotan" in json.dumps(recording(system, ref))

    erase(system)

    assert not any("Wotan" in repr(row) for row in system.rows().values())
    assert traces(system) == []


@pytest.mark.parametrize(
    ("transcription", "attribute"),
    [
        ({"provider": "openai"}, "ai_config.transcription"),
        ({"provider": "bedrock"}, "ai_config.transcription.provider"),
        (SPEECH | {"language": "English"}, "ai_config.transcription.language"),
        (SPEECH | {"largest_bytes": (16 << 20) + 1}, "ai_config.transcription.largest_bytes"),
    ],
)
def test_settings_of_transcriptions_are_refused_with_field_and_rule(
    transcription: dict[str, Any], attribute: str
) -> None:
    section = {"sms": {"model": "m", "api_key_reference": "k"}}
    settings = {"provider": "openai", "openai_config": section, "transcription": transcription}

    with pytest.raises(AiConfigBroken) as refusal:
        AiConfig.read(settings, "sms")

    assert refusal.value.attribute == attribute
    assert refusal.value.rule != "is missing or invalid"
