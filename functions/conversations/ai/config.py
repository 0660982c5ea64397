"""AI settings of a project for one channel: the `ai_config` map of its company data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, Field, ValidationError, model_validator

from conversations.ai.schemas.json_schema import Parameters, ParametersBroken
from shared.ai.attachments import Medium  # noqa: TC001 - pydantic reads the annotation at run time
from shared.ai.files.capabilities import media_of
from shared.ai.settings import (
    Configured,
    EmbeddingSettings,
    ModelSettings,
    TranscriptionSettings,
)
from shared.aws.tables.dynamodb_json import plain
from shared.runtime.settings import is_local_stage
from shared.runtime.validation import web_addresses
from shared.runtime.validation.validation_errors import errors_of, rule_of

if TYPE_CHECKING:
    from shared.events.exchange import Channel

LARGEST_PROMPT_BYTES = 8 * 1024
LARGEST_FILE_BYTES = (
    3_750_000  # of an image at Bedrock; of the other providers' limits the smallest
)
SEARCH_DOCUMENTS = "search_documents"  # the function of projects with documents


class AiConfigBroken(Exception):
    """
    The company data is invalid. *attribute* is the path, such as `ai_config.prompts.reply`; never a value.

    *rule* is the rule that the attribute breaks, if it is more specific than the default.
    """

    def __init__(self, attribute: str, rule: str = "is missing or invalid") -> None:
        super().__init__(attribute)
        self.attribute = attribute
        self.rule = rule


class BuiltIn(StrEnum):
    """Functions that every project has. A project's own functions must not use these names."""

    HAND_OFF = "hand_off_to_human"
    COMPLETE = "complete_task"
    OPT_OUT = "opt_out"
    RECORD_ANSWER = "record_answer"


def _short_enough(text: str) -> str:
    if len(text.encode("utf-8", "surrogatepass")) > LARGEST_PROMPT_BYTES:
        raise ValueError(f"must be at most {LARGEST_PROMPT_BYTES} bytes")
    return text


def _callable(target: str) -> str:
    return web_addresses.checked(target, local=is_local_stage())


type Prompt = Annotated[str, AfterValidator(_short_enough)]


class Function(Configured):
    """
    A function of the project, executed by its webhook.

    With *approval* a call runs only after a human agent has released it. *target* has the syntax of
    `shared.runtime.validation.web_addresses`; each call checks that its host is public.
    """

    name: Annotated[str, Field(pattern=r"^[a-zA-Z0-9_-]{1,64}$")]
    description: Annotated[str, Field(min_length=1, max_length=1_000)]
    parameters: dict[str, Any] = Field(
        default_factory=lambda: {"type": "object", "properties": {}, "additionalProperties": False}
    )
    kind: Literal["webhook"] = "webhook"
    approval: bool = False
    target: Annotated[str, AfterValidator(_callable)] = Field(repr=False)
    secret_reference: Annotated[str, Field(min_length=1)] | None = (
        None  # `{"signing_key": "whsec_..."}`
    )

    @property
    def purpose(self) -> str:
        """Name and description, which say what a successful call has done."""
        return f"{self.name}: {self.description}"

    @cached_property
    def compiled(self) -> Parameters:
        """Compiled parameters that validate arguments."""
        return Parameters(self.parameters)

    @model_validator(mode="after")
    def _can_be_enforced(self) -> Function:
        if self.name in set(BuiltIn):
            raise ValueError("is the name of a built-in function")
        try:
            _ = self.compiled
        except ParametersBroken as broken:
            raise ValueError(str(broken)) from None
        return self


class Prompts(Configured):
    """The project's prompts for first messages and for replies."""

    initial: Prompt = Field(default="", repr=False)
    reply: Prompt = Field(default="", repr=False)


class ConversationModel(ModelSettings):
    """
    A model of conversations.

    *reads* is what it can read beside text; None: what `shared.ai.files.capabilities` says of its id.
    """

    reads: tuple[Medium, ...] | None = None

    @property
    def media(self) -> frozenset[Medium]:
        """The media that the model can read beside text."""
        return frozenset(self.reads) if self.reads is not None else media_of(self.model)


class Files(Configured):
    """
    Bounds on customers' files that a model reads in a turn: their number (0: none), their size, and an estimate of the
    tokens of all of them.
    """

    most: Annotated[int, Field(ge=0, le=5)] = 4
    largest_bytes: Annotated[int, Field(ge=1, le=LARGEST_FILE_BYTES)] = LARGEST_FILE_BYTES
    most_tokens: Annotated[int, Field(ge=1, le=500_000)] = 60_000


class AiConfig(ConversationModel):
    """
    AI settings of one project on one channel: its model, prompts and functions.

    *keep_thread* keeps a copy of each conversation in the project's OpenAI account, see `openai_mirror`. *fallback* is
    another model, of any provider, that continues a turn if the first one fails or refuses. *embedding* is the model by
    which unanswered questions are grouped.
    """

    fallback: ConversationModel | None = None
    prompts: Prompts = Field(default_factory=Prompts)
    functions: tuple[Function, ...] = ()
    keep_thread: bool = False
    files: Files = Field(default_factory=Files)
    transcription: TranscriptionSettings | None = None
    embedding: EmbeddingSettings | None = None

    @model_validator(mode="after")
    def _has_another_fallback(self) -> AiConfig:
        second = self.fallback
        if second and (second.provider, second.model) == (self.provider, self.model):
            raise ValueError("fallback must be another model")
        return self

    @model_validator(mode="after")
    def _has_unique_functions(self) -> AiConfig:
        if len({function.name for function in self.functions}) < len(self.functions):
            raise ValueError("function names must be unique")
        return self

    @classmethod
    def read(cls, ai_config: object, channel: Channel) -> AiConfig:
        """Parse the `ai_config` of a company-data item for *channel* (spec, section 2). Raises AiConfigBroken."""
        if not isinstance(ai_config, Mapping):
            raise AiConfigBroken("ai_config")
        try:
            whole = plain(dict(ai_config))
        except TypeError:
            raise AiConfigBroken("ai_config") from None
        section = f"{whole.get('provider')}_config"
        channels = whole.get(section) or {}
        own = (channels.get(channel) or {}) if isinstance(channels, dict) else None
        if not isinstance(own, dict):
            raise AiConfigBroken(f"ai_config.{section}")
        shared = {name: whole[name] for name in OF_ALL_CHANNELS if name in whole}
        try:
            return cls.model_validate_json(json.dumps(own | shared))
        except ValidationError as error:
            first = errors_of(error)[0]
            attribute = _attribute(first["loc"], section, channel)
            raise AiConfigBroken(attribute, rule_of(first)) from None


OF_ALL_CHANNELS = (
    *("provider", "prompts", "functions", "keep_thread", "files", "transcription"),
    "embedding",
)


def _attribute(location: tuple[int | str, ...], section: str, channel: Channel) -> str:
    if not location:
        return f"ai_config.{section}.{channel}"
    path = ".".join(str(part) for part in location)
    if location[0] in OF_ALL_CHANNELS:
        return f"ai_config.{path}"
    return f"ai_config.{section}.{channel}.{path}"
