"""Pictures and PDFs in requests to both providers, checked by their rules and by the types of their SDKs."""

from __future__ import annotations

from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from local.sandbox.accounts import media
from shared.ai import port as ai
from shared.ai.attachments import Attachment, Medium
from shared.ai.providers.bedrock import Bedrock
from shared.ai.providers.openai import Account, OpenAI
from tests.integration.sandbox.models.test_converse import ARN, client_of
from tests.integration.sandbox.models.test_openai_reasoning import with_types_of_the_sdk

if TYPE_CHECKING:
    from local.sandbox import Sandbox

LIMITS = ai.Limits(most_tokens=600, within_ms=8_000)


def content_of(media_id: str) -> bytes:
    return media.BUILT_IN[media_id].content


@pytest.fixture(scope="module")
def files() -> tuple[Attachment, ...]:
    return (
        Attachment(Medium.IMAGE, "image/png", "file 1", content_of(media.PNG_IMAGE)),
        Attachment(Medium.IMAGE, "image/jpeg", "file 2", content_of(media.JPEG_IMAGE)),
        Attachment(Medium.DOCUMENT, "application/pdf", "file 3", content_of(media.PDF_DOCUMENT)),
    )


def request(*files: Attachment) -> ai.Request:
    return ai.Request("Help.", [ai.Message(ai.Role.USER, "Look", files)], LIMITS)


def newest(sandbox: Sandbox, operation: str) -> Any:
    return [sent.body for sent in sandbox.sent if sent.operation == operation][-1]


def test_openai_gets_pictures_and_pdfs_as_parts_after_their_labels(
    sandbox: Sandbox, files: tuple[Attachment, ...]
) -> None:
    secret: Any = SimpleNamespace(value=lambda: {"ai_api_key": "sk-made-up"})
    model = OpenAI(Account(f"{sandbox.url}/v1", secret), "gpt-5")

    assert model.reply(request(*files)).stop is ai.Stop.END

    body = newest(sandbox, "create_response")
    assert with_types_of_the_sdk(body) == body
    parts = body["input"][0]["content"]
    assert [part["type"] for part in parts] == [
        *("input_text", "input_text", "input_image", "input_text", "input_image"),
        *("input_text", "input_file"),
    ]
    assert [part["text"] for part in parts if "text" in part] == [
        *("Look", "[file 1]", "[file 2]", "[file 3]")
    ]
    assert parts[-1]["filename"] == "file 3.pdf"


def test_bedrock_gets_pictures_and_pdfs_as_blocks_after_their_labels(
    sandbox: Sandbox, files: tuple[Attachment, ...]
) -> None:
    model = Bedrock(partial(client_of, sandbox), ARN)

    assert model.reply(request(*files)).stop is ai.Stop.END

    blocks = newest(sandbox, "Converse")["messages"][0]["content"]
    assert [*map(list, blocks)] == [
        ["text"],
        ["text"],
        ["image"],
        ["text"],
        ["image"],
        ["text"],
        ["document"],
    ]
    assert [block["image"]["format"] for block in blocks if "image" in block] == ["png", "jpeg"]
    document = blocks[-1]["document"]
    assert (document["format"], document["name"]) == ("pdf", "file 3")


@pytest.mark.parametrize("provider", ["openai", "bedrock"])
def test_both_providers_refuse_a_file_that_is_none(sandbox: Sandbox, provider: str) -> None:
    secret: Any = SimpleNamespace(value=lambda: {"ai_api_key": "sk-made-up"}, refreshed=bool)
    model: ai.Model = OpenAI(Account(f"{sandbox.url}/v1", secret), "gpt-5")
    if provider == "bedrock":
        model = Bedrock(partial(client_of, sandbox), ARN)
    form = "image/png" if provider == "openai" else "image/tiff"

    with pytest.raises(ai.Unavailable) as refusal:
        model.reply(request(Attachment(Medium.IMAGE, form, "file 1", b"no picture")))

    assert refusal.value.repeat is ai.Repeat.NEVER
