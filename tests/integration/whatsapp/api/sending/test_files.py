"""Files that agents send: uploads, links, and refused files."""

from __future__ import annotations

import json
from base64 import b64decode
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.integration.whatsapp.api.sending.conftest import GLOBEX, AgentHarness
from tests.integration.whatsapp.conftest import PHONE

AWS_PHONE = "phone-number-id-0123456789abcdef0123456789abcdef"
JPEG = b"\xff\xd8\xff\xe0 a photo"


def test_an_uploaded_file_is_sent_by_link_and_kept_with_its_message(
    agent_harness: AgentHarness,
) -> None:
    upload = agent_harness.upload("image", "image/jpeg", JPEG)

    answer = agent_harness.send(
        {"media": {"type": "image", "upload": upload, "caption": "Your bike"}}
    )

    assert answer.status == 200
    [sent], [shown] = agent_harness.sent, agent_harness.messages()
    link = urlsplit(sent["image"]["link"])
    assert sent["image"].keys() == {"link", "caption"}
    action_id = answer.body["result"]["actionId"]
    key = f"media/acme/{PHONE}/{action_id}/file.jpg"
    assert link.path.endswith(f"/{key}")
    assert agent_harness.module.resources.bucket.get(key) == JPEG
    assert (shown["type"], shown["preview"], shown["caption"]) == ("image", *["Your bike"] * 2)
    assert (shown["media"]["status"], shown["media"]["mimeType"]) == ("STORED", "image/jpeg")


def test_a_number_at_aws_sends_an_uploaded_file_by_its_media_id(
    agent_harness: AgentHarness,
) -> None:
    agent_harness.register(provider="eum", aws_phone=AWS_PHONE, aws_waba="waba-1")
    upload = agent_harness.upload("document", "application/pdf", b"%PDF-1.7")

    answer = agent_harness.send(
        {"media": {"type": "document", "upload": upload, "filename": "bill.pdf"}}
    )

    assert answer.status == 200
    uploaded, sent = agent_harness.sent
    action_id = answer.body["result"]["actionId"]
    assert uploaded["sourceS3File"]["key"] == f"media/acme/{PHONE}/{action_id}/file.pdf"
    document = sent["message"]["document"]
    assert document["filename"] == "bill.pdf"
    [shown] = agent_harness.messages()
    assert shown["preview"] == "[document] bill.pdf"
    assert document["id"] in agent_harness.sandbox.sendable_media
    # An erasure of the contact finds the file by this record.
    assert agent_harness.harness.item(f"MSG#{shown['id']}")["mediaId"] == action_id
    assert (
        agent_harness.harness.item(f"MEDIA#{action_id}")["s3Key"] == uploaded["sourceS3File"]["key"]
    )


@pytest.mark.long
def test_a_linked_file_is_sent_by_graph_and_not_supported_at_aws(
    agent_harness: AgentHarness,
) -> None:
    body = {"media": {"type": "image", "link": "https://acme.example/bike.jpg"}}

    sent = agent_harness.send(body)
    agent_harness.register(provider="eum", aws_phone=AWS_PHONE, aws_waba="waba-1")
    refused = agent_harness.send(body, idempotency_key="key-00000002")

    assert sent.status == 200
    assert [message["image"] for message in agent_harness.sent] == [
        {"link": "https://acme.example/bike.jpg"}
    ]
    [shown] = agent_harness.messages()
    assert shown["content"] == {"link": "https://acme.example/bike.jpg"}
    assert (refused.status, refused.error) == (501, "not_supported")
    assert "media.link" in refused.body["error"]["message"]


@pytest.mark.parametrize(
    ("announced", "content", "problem"),
    [
        (("image", "image/jpeg"), b"MZ\x90\x00 an executable", "content differs"),
        (("image", "image/jpeg"), b"\x89PNG\r\n\x1a\n and so on", "content differs"),
        (("sticker", "image/webp"), b"RIFF\x00\x00\x00\x00WEBP" + bytes(100_000), "at most 100000"),
        (("image", "image/jpeg"), None, "no file has been uploaded"),
    ],
)
def test_a_file_of_another_size_or_type_is_refused(
    agent_harness: AgentHarness, announced: tuple[str, str], content: bytes | None, problem: str
) -> None:
    upload = agent_harness.upload(*announced, content)

    answer = agent_harness.send({"media": {"type": announced[0], "upload": upload}})

    assert (answer.status, answer.fields) == (400, ["media.upload"])
    assert problem in answer.body["error"]["details"][0]["problem"]
    assert agent_harness.sent == []
    assert not [key for key in agent_harness.harness.keys() if key.startswith("ACTION#")]


def test_an_upload_of_another_company_does_not_exist(agent_harness: AgentHarness) -> None:
    upload = agent_harness.upload("image", "image/jpeg", JPEG, caller=GLOBEX)

    answer = agent_harness.send({"media": {"type": "image", "upload": upload}})

    assert (answer.status, answer.fields) == (400, ["media.upload"])


def test_a_form_uploads_one_file_of_its_type_and_size(agent_harness: AgentHarness) -> None:
    answer = agent_harness.call(
        "POST /whatsapp/uploads", {"type": "image", "mimeType": "image/png"}, "key-up-00001"
    )
    refused = agent_harness.call(
        "POST /whatsapp/uploads", {"type": "image", "mimeType": "image/gif"}, "key-up-00002"
    )

    result = answer.body["result"]
    policy = json.loads(b64decode(result["fields"]["policy"]))["conditions"]
    assert {"Content-Type": "image/png"} in policy
    assert ["content-length-range", 1, 5 << 20] in policy
    assert {"key": f"uploads/acme/{result['upload']}"} in policy
    assert result["largestBytes"] == 5 << 20
    assert (refused.status, refused.fields) == (400, ["mimeType"])


@pytest.mark.parametrize(
    ("media", "field"),
    [
        ({"type": "image"}, "media"),
        ({"type": "image", "link": "https://a.example/b", "upload": "a" * 26}, "media"),
        ({"type": "image", "link": "http://a.example/b"}, "media.link"),
        ({"type": "audio", "link": "https://a.example/b", "caption": "x"}, "media"),
        ({"type": "image", "link": "https://a.example/b", "filename": "x"}, "media"),
        ({"type": "image", "upload": "../other"}, "media.upload"),
    ],
)
def test_a_bad_file_is_refused(
    agent_harness: AgentHarness, media: dict[str, Any], field: str
) -> None:
    answer = agent_harness.send({"media": media})

    assert (answer.status, answer.fields) == (400, [field])
