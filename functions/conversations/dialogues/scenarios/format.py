"""The format of dialogues."""

from __future__ import annotations

import json
import re
from typing import Annotated, Any, Final, Literal, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    JsonValue,
    model_validator,
)

from conversations.lifecycle.status import Status
from shared.ai.evaluation.format import Language, Questions, Texts
from shared.runtime import clock
from shared.runtime.validation import patterns

SECONDS: Final = {"s": 1, "m": 60, "h": 3_600, "d": clock.DAY_SECONDS}
# A customer writes the parts of a message at this distance unless `after` says otherwise.
FRAGMENT_SECONDS = 2
LONGEST_WAIT_SECONDS = 30 * SECONDS["d"]
_DURATION = re.compile(r"(\d+)\s*([smhd])")


def _seconds(value: object) -> object:
    """Return the seconds of `90`, `90s`, `5m`, `4h` or `2d`."""
    found = _DURATION.fullmatch(value) if isinstance(value, str) else None
    if found is not None:
        return int(found[1]) * SECONDS[found[2]]
    return value


type Seconds = Annotated[int, BeforeValidator(_seconds), Field(ge=0, le=LONGEST_WAIT_SECONDS)]
type ChannelName = Literal["sms", "whatsapp", "email"]
type JsonObject = dict[str, JsonValue]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Attachment(_Strict):
    """A file that the customer sends: its path beside the dialogue, its type, and the *words* of a recording."""

    path: str
    type: str = Field(pattern=patterns.MEDIA_TYPE)
    words: str | None = None


class Place(_Strict):
    """A location that the customer shares."""

    latitude: float
    longitude: float
    name: str | None = None
    address: str | None = None


class SharedContact(_Strict):
    """A contact of the customer's address book."""

    name: str
    company: str | None = None
    phones: Texts = Field(default_factory=list)
    emails: Texts = Field(default_factory=list)


class OrderedArticle(_Strict):
    """An article of an order: its id in the catalog, how many, and the price of one."""

    article: str
    quantity: int = Field(default=1, ge=1)
    price: float = 0
    currency: str = Field(default="EUR", pattern=r"^[A-Z]{3}$")


class Order(_Strict):
    """The customer's order from the catalog, with a note."""

    articles: list[OrderedArticle] = Field(min_length=1)
    note: str = ""


class ModelCall(_Strict):
    """One of several functions that the model calls at once."""

    call: str
    arguments: dict[str, Any] = Field(default_factory=dict)


class Remembered(_Strict):
    """The memory that the model writes of a conversation."""

    summary: str = ""
    facts: Texts = Field(default_factory=list)


class ModelAnswer(_Strict):
    """
    An answer of the stand-in for the model. *call* is the function that it calls, with *arguments*, *calls* are several
    at once; *variables* belong to a template of WhatsApp, *subject* to a mail, *remembers* is the answer to the
    request for a memory.

    A text in a file is `{content: <text>}`. *refused* is a failure of the provider: an HTTP status and an error code.
    *meanwhile* are texts that the customer writes while the model answers.
    """

    content: str = ""
    call: str | None = None
    arguments: dict[str, Any] = Field(default_factory=dict)
    calls: list[ModelCall] = Field(default_factory=list, max_length=20)
    remembers: Remembered | None = None
    hand_off: str | None = None
    asks_for_person: bool = False
    asks_again: bool = False
    variables: dict[str, str] | None = None
    subject: str | None = None
    refused: tuple[int, str] | None = None
    meanwhile: Texts = Field(default_factory=list)

    @model_validator(mode="before")
    @classmethod
    def _of_text(cls, value: object) -> object:
        return {"content": value} if isinstance(value, str) else value

    def as_output(self) -> str:
        """Return the answer in the format of models."""
        if self.remembers is not None:
            return self.remembers.model_dump_json()
        called = self.call and {"name": self.call, "arguments": json.dumps(self.arguments)}
        output = {
            "content": self.content,
            "subject": self.subject,
            "variables": self.variables,
            "function_call": called,
            "hand_off": self.hand_off and {"reason": self.hand_off},
            "asks_for_person": self.asks_for_person,
            "asks_again": self.asks_again,
        }
        return json.dumps(output)


class Expected(_Strict):
    """
    What a turn must lead to. *contains* and *lacks* are about all texts that were sent in the turn, without case.

    *replies* counts the messages of the model. *hands_off* is whether an agent is to answer, or the reason code for it.
    *calls* are exactly the functions called, in order; *calls_no* must not be among them. *model_reads* is text of the
    model's input. *cites* are titles of documents that the list of sources must have; *sends*: whether anything is sent
    to the customer.
    """

    contains: Texts = Field(default_factory=list)
    contains_any: Texts = Field(default_factory=list)
    lacks: Texts = Field(default_factory=list)
    replies: int | None = Field(default=None, ge=0)
    hands_off: bool | str | None = None
    calls: Texts | None = None
    calls_no: Texts = Field(default_factory=list)
    language: Language | None = None
    status: Status | None = None
    model_reads: Texts = Field(default_factory=list)
    model_calls: int | None = Field(default=None, ge=0)
    cites: Texts = Field(default_factory=list)
    sends: bool | None = None
    judge: Questions = Field(default_factory=list)


class Step(_Strict):
    """
    A turn: the customer sends one or more messages *after* the previous turn, or only time passes (*waits*).

    Of several texts in *says* each is a message, *apart* seconds after the one before; files, place, button, contacts,
    order, product and quote belong to the last one. *quotes* is the position of a message in the conversation: 1 is the
    first, -1 the newest. *reacts* is an emoji for that message, by default the newest.

    *answers* are the recorded answers of the model. Each of *bad_answers*, in their place, must break an expectation.
    """

    says: Texts = Field(default_factory=list)
    after: Seconds = 60
    apart: Seconds = FRAGMENT_SECONDS
    waits: Seconds | None = None
    files: list[Attachment] = Field(default_factory=list, max_length=10)
    location: Place | None = None
    button: str | None = None
    contacts: list[SharedContact] = Field(default_factory=list, max_length=10)
    order: Order | None = None
    product: str | None = None
    reacts: str | None = Field(default=None, min_length=1, max_length=16)
    quotes: int | None = None
    answers: list[ModelAnswer] = Field(default_factory=list)
    bad_answers: list[ModelAnswer] = Field(default_factory=list, max_length=10)
    expect: Expected = Field(default_factory=Expected)

    @model_validator(mode="after")
    def _is_about_something(self) -> Self:
        own = [
            bool(one) for one in (self.files, self.location, self.button, self.contacts, self.order)
        ]
        has_message = any([self.says, *own])
        if [has_message, bool(self.reacts), self.waits is not None].count(True) != 1:
            kinds = "says, files, location, button, contacts, order"
            raise ValueError(f"a turn has a message ({kinds}), reacts or waits")
        if sum(own) > 1 or (self.product and not self.says):
            raise ValueError("a message has one kind of content; a product is asked about in says")
        if self.quotes == 0:
            raise ValueError("quotes counts from 1, or from -1 backwards")
        return self

    @property
    def is_of_whatsapp(self) -> bool:
        """Whether only WhatsApp has what the customer sends."""
        return bool(self.files or self.contacts or self.order or self.product or self.reacts)


class Document(_Strict):
    """A passage of the company's documents that a search finds."""

    title: str = Field(min_length=1, max_length=120)
    text: str = Field(min_length=1, max_length=2_000)
    url: str = ""
    date: str = Field(
        default="",
        pattern=patterns.worded(
            r"^([0-9]{4}-[0-9]{2}-[0-9]{2})?$", "must be a date such as 2026-02-28"
        ),
    )


class Dialogue(_Strict):
    """
    A dialogue. *project* has settings as `operations projects put` takes them, over a sample project; *data*
    is the `project_data` of the request: the facts. *functions* are the answers of the company's systems by function
    name, *documents* the result of each search in the company's documents.
    """

    name: str = Field(min_length=1, max_length=200)
    channel: ChannelName = "sms"
    language: str | None = Field(default=None, max_length=35)
    first_name: str | None = Field(default=None, max_length=100)
    project: JsonObject = Field(default_factory=dict)
    data: JsonObject = Field(default_factory=dict)
    functions: JsonObject = Field(default_factory=dict)
    documents: list[Document] = Field(default_factory=list, max_length=20)
    starts_at: str | None = Field(
        default=None,
        pattern=patterns.worded(
            r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}Z$",
            "must be a time such as 2026-02-28T08:30Z",
        ),
    )
    opening: ModelAnswer | None = None
    turns: list[Step] = Field(min_length=1, max_length=100)

    @model_validator(mode="after")
    def _has_files_where_they_exist(self) -> Self:
        if self.channel != "whatsapp" and any(step.is_of_whatsapp for step in self.turns):
            raise ValueError(
                "files, contacts, orders, products and reactions are sent over whatsapp"
            )
        return self
