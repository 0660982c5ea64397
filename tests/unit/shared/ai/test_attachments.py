"""Files for models: recognised by content, priced by pages, and left out where a model does not read them."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from shared.ai import port as ai
from shared.ai.attachments import (
    BYTES_OF_A_PAGE,
    IMAGE_TOKENS,
    PAGE_TOKENS,
    Attachment,
    Medium,
    recognised,
)
from shared.ai.files.capabilities import media_of
from shared.ai.files.refused_files import REFUSED, ReadsFiles
from tests.cases import each

PNG = b"\x89PNG\r\n\x1a\n" + b"\0" * 40
PDF = b"%PDF-1.7\n1 0 obj <</Type /Pages /Kids [2 0 R 3 0 R] /Count 2>> 2 0 obj <</Type/Page>> 3 0 obj <</Type /Page>>"
STILL, MOVING = b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0", b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\x02"
PICTURE = Attachment(Medium.IMAGE, "image/png", "file 1", PNG)
LETTER = Attachment(Medium.DOCUMENT, "application/pdf", "file 2", PDF)
LIMITS = ai.Limits(most_tokens=16, within_ms=1_000)


@each(
    ("data", "kind"),
    [
        (PNG, (Medium.IMAGE, "image/png")),
        (b"\xff\xd8\xff\xe0", (Medium.IMAGE, "image/jpeg")),
        (b"GIF89a", (Medium.IMAGE, "image/gif")),
        (STILL, (Medium.IMAGE, "image/webp")),
        (PDF, (Medium.DOCUMENT, "application/pdf")),
        (b"\n\n" + PDF, (Medium.DOCUMENT, "application/pdf")),
        (MOVING, None),
        (b"GIF89a\x21\xff\x0bNETSCAPE2.0", None),
        (PNG[:8] + b"\0\0\0\x08acTL", None),
        (b"MZ\x90", None),
        (b"<svg/>", None),
        (b"", None),
    ],
)
def test_a_file_is_recognised_by_its_content(data: bytes, kind: tuple[Medium, str] | None) -> None:
    assert recognised(data) == kind


@pytest.mark.parametrize(
    ("medium", "data", "tokens"),
    [
        (Medium.IMAGE, PNG, IMAGE_TOKENS),
        (Medium.DOCUMENT, PDF, 2 * PAGE_TOKENS),
        (Medium.DOCUMENT, b"%PDF-1.7 <</Type/Pages /Count 90>>", 90 * PAGE_TOKENS),
        (Medium.DOCUMENT, b"%PDF-1.7" + b"x" * BYTES_OF_A_PAGE, 2 * PAGE_TOKENS),
    ],
)
def test_the_tokens_of_a_file_follow_from_its_pages(
    medium: Medium, data: bytes, tokens: int
) -> None:
    assert Attachment(medium, "x/y", "file 1", data).tokens == tokens


@each(
    ("model", "media"),
    [
        ("gpt-4o-mini", "image document"),
        ("gpt-5.2", "image document"),
        ("o4-mini", "image document"),
        ("o3-mini", ""),
        ("gpt-4o-audio-preview", ""),
        ("gpt-3.5-turbo", ""),
        ("anthropic.claude-3-haiku-20240307-v1:0", "image document"),
        ("eu.anthropic.claude-sonnet-4-5-20250929-v1:0", "image document"),
        ("anthropic.claude-v2", ""),
        ("us.amazon.nova-lite-v1:0", "image document"),
        ("us.amazon.nova-micro-v1:0", ""),
        ("us.meta.llama3-2-90b-instruct-v1:0", "image"),
        ("arn:aws:bedrock:eu-west-1:123456789012:application-inference-profile/abc", ""),
        (None, "image document"),
    ],
)
def test_what_a_model_reads_follows_from_its_id(model: str | None, media: str) -> None:
    assert media_of(model) == frozenset(map(Medium, media.split()))


@dataclass
class FakeModel:
    """A fake model that refuses requests with files, if told to; `requests` has all of them."""

    failure: ai.Unavailable | None = None
    requests: list[ai.Request] = field(default_factory=list)
    name: str = "fake"

    def reply(self, request: ai.Request) -> ai.Reply:
        self.requests.append(request)
        if self.failure and request.file_tokens:
            raise self.failure
        return ai.Reply("ok", ai.Stop.END)


def request(*files: Attachment) -> ai.Request:
    return ai.Request("s", [ai.Message(ai.Role.USER, "See this", files)], LIMITS)


def messages(model: FakeModel) -> list[tuple[str, int]]:
    """Text and number of files of the message in each request."""
    found = [one.history[0] for one in model.requests]
    return [(m.text, len(m.files)) for m in found if isinstance(m, ai.Message)]


def test_a_model_gets_only_files_that_it_reads() -> None:
    model = FakeModel()

    ReadsFiles(model, frozenset({Medium.IMAGE})).reply(request(PICTURE, LETTER))
    ReadsFiles(model, frozenset(Medium)).reply(request(PICTURE, LETTER))

    assert messages(model) == [(f"See this\n{REFUSED}", 1), ("See this", 2)]


def test_a_provider_that_refuses_files_is_asked_without_them_for_the_rest_of_the_turn() -> None:
    model = FakeModel(ai.Unavailable("ValidationException", ai.Repeat.NEVER))
    reader = ReadsFiles(model, frozenset(Medium))

    assert reader.reply(request(PICTURE)).text == "ok"
    reader.reply(request(PICTURE))

    assert [files for _, files in messages(model)] == [1, 0, 0]


def test_a_passing_failure_is_not_taken_for_a_refusal_of_files() -> None:
    model = FakeModel(ai.Unavailable("ThrottlingException"))

    with pytest.raises(ai.Unavailable):
        ReadsFiles(model, frozenset(Medium)).reply(request(PICTURE))

    assert len(model.requests) == 1


def test_merged_messages_keep_all_files() -> None:
    turns = [
        ai.Message(ai.Role.USER, "One", (PICTURE,)),
        ai.Message(ai.Role.USER, "Two", (LETTER,)),
    ]

    assert ai.alternating(turns) == [ai.Message(ai.Role.USER, "One\n\nTwo", (PICTURE, LETTER))]
