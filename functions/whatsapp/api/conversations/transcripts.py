"""Routes of voice notes as text: a person asks for one, and an administrator sets the transcriber of a number."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from shared.api.auth import Scope
from shared.api.errors import InvalidInput
from shared.api.models.inputs import Input, NoInput
from shared.api.routing import route_methods
from shared.api.routing.routes import Request
from shared.identity.secret_owners import SECRET_RULE, owns_secret
from shared.runtime.validation.validation_errors import errors_of
from whatsapp import store
from whatsapp.api.json_view import View, plain
from whatsapp.api.queries import NotFound
from whatsapp.configuration.voice_notes import VoiceNotes
from whatsapp.inbound import transcript_requests
from whatsapp.store.accounts.numbers import phone_settings
from whatsapp.store.items import Message, Phone

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table
    from shared.aws.sqs_standard import StandardQueue


class TranscriptInput(Input):
    """A message with a recording, by its `id`, and its number, by `transcript.phone`."""

    phone: Annotated[str, Field(min_length=1, max_length=100)]
    message_id: Annotated[str, Field(alias="messageId", min_length=1, max_length=1_000)]


class Transcriber(Input):
    """The transcriber of a number (`VoiceNotes`). *automatic*: each voice note of a customer becomes text."""

    model_config = ConfigDict(alias_generator=to_camel)

    provider: Literal["openai", "scripted"]
    api_key_reference: str | None = None
    model: str | None = None
    language: str | None = None
    largest_bytes: int | None = None
    automatic: bool = True


class TranscriptionInput(Input):
    """A number by Meta's id, and its transcriber; null: its voice notes become no text."""

    phone: Annotated[str, Field(min_length=1, max_length=100)]
    transcription: Transcriber | None


class TranscriberView(View):
    """As in the input."""

    provider: str
    api_key_reference: str | None
    model: str
    language: str | None
    largest_bytes: int
    automatic: bool


class NumberTranscriptionView(View):
    """The transcriber of a number."""

    phone: str
    transcription: TranscriberView | None


class Transcriptions(View):
    """The company's numbers, oldest first, with their transcribers."""

    numbers: list[NumberTranscriptionView]


class RequestedTranscript(View):
    """The state of a transcript after a request: PENDING, until a worker has looked at the message."""

    id: str
    status: str


@dataclass(frozen=True, slots=True)
class TranscriptRoutes:
    """*jobs* is the queue of jobs."""

    table: Table
    jobs: StandardQueue

    @route_methods.changes(
        "POST /whatsapp/transcripts", Scope.WHATSAPP_WRITE, status=HTTPStatus.ACCEPTED
    )
    def request_transcript(
        self, request: Request[TranscriptInput]
    ) -> Callable[[], RequestedTranscript]:
        """
        Ask for the text of a recording, again after a failure. The worker looks whether the number has such a message;
        a text that is there stays, and is not paid for again.
        """
        given = request.input
        phone = self._number(request.caller.company, given.phone)
        if phone.transcription is None:
            raise InvalidInput([{"field": "phone", "problem": "the number has no transcriber"}])

        def requested() -> RequestedTranscript:
            transcript_requests.request(self.jobs, phone, Message.key(given.message_id))
            return RequestedTranscript(id=given.message_id, status="PENDING")

        return requested

    @route_methods.reads("GET /whatsapp/transcription", Scope.WHATSAPP_ADMIN)
    def list_transcriptions(self, request: Request[NoInput]) -> Transcriptions:
        """List the company's numbers with their transcribers."""
        numbers = store.phones.records_of_company(self.table, request.caller.company)
        return Transcriptions(numbers=[_view_of(one) for one in numbers])

    @route_methods.changes("POST /whatsapp/transcription", Scope.WHATSAPP_ADMIN)
    def set_transcription(
        self, request: Request[TranscriptionInput]
    ) -> Callable[[], NumberTranscriptionView]:
        """Set or remove the transcriber of a number, in force within a minute."""
        phone = self._number(request.caller.company, request.input.phone)
        wanted = _checked(request.caller.company, request.input.transcription)

        def change() -> NumberTranscriptionView:
            stored = wanted.model_dump() if wanted else None
            phone_settings.change(self.table, phone, transcription=stored)
            return NumberTranscriptionView(phone=phone.phone, transcription=stored)

        return change

    def _number(self, company: str, phone_id: str) -> Phone:
        # From the company's own list: another company's number is not looked up.
        numbers = store.phones.records_of_company(self.table, company)
        found = next((one for one in numbers if one.phone == phone_id), None)
        if found is None:
            raise NotFound("phone: number not found")
        return found


def _checked(company: str, given: Transcriber | None) -> VoiceNotes | None:
    """Return the setting that is stored. Raises InvalidInput."""
    if given is None:
        return None
    known: dict[str, Any] = plain(given.model_dump(exclude_none=True))
    try:
        wanted = VoiceNotes.model_validate(known)
    except ValidationError as errors:
        problems = [
            {
                "field": ".".join(("transcription", *map(_name_of, error["loc"]))),
                "problem": str(error["msg"]).removeprefix("Value error, "),
            }
            for error in errors_of(errors)
        ]
        raise InvalidInput(problems) from None
    if wanted.api_key_reference and not owns_secret(company, wanted.api_key_reference):
        field = "transcription.apiKeyReference"
        raise InvalidInput([{"field": field, "problem": SECRET_RULE}])
    return wanted


def _view_of(number: Phone) -> NumberTranscriptionView:
    """Return the transcriber of a number; one that this release cannot read is shown as none, as workers treat it."""
    try:
        stored = number.transcription and VoiceNotes.model_validate(plain(number.transcription))
    except ValidationError:
        stored = None
    shown = TranscriberView(**stored.model_dump()) if stored else None
    return NumberTranscriptionView(phone=number.phone, transcription=shown)


def _name_of(part: int | str) -> str:
    return to_camel(str(part))
