"""Parts of scenarios that all contexts write alike."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from shared.ai.evaluation.judge import Judgement
from shared.ai.texts.languages.certain_languages import known_language

MOST_QUESTIONS = 5


class Strict(BaseModel):
    """A part of a scenario; unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def _texts(value: object) -> object:
    """Return a list; one text is a list of one."""
    return [value] if isinstance(value, str) else value


def _listed(value: object) -> object:
    """Return a list; anything else is a list of one."""
    return value if isinstance(value, list) else [value]


def _known_language(value: str) -> str:
    if known_language(value) is None:
        raise ValueError("is a language that Parley does not recognise")
    return value


type Texts = Annotated[list[str], BeforeValidator(_texts)]
type Language = Annotated[str, AfterValidator(_known_language)]


class Judged(Strict):
    """
    A question about texts that a model answers with yes or no: yes is expected.

    *recorded* is its judgement of the recorded answers. A text in a file is `{question: <text>}`.
    """

    question: str = Field(min_length=1, max_length=1_000)
    recorded: Judgement | None = None

    @model_validator(mode="before")
    @classmethod
    def _of_text(cls, value: object) -> object:
        return {"question": value} if isinstance(value, str) else value


type Questions = Annotated[list[Judged], BeforeValidator(_listed), Field(max_length=MOST_QUESTIONS)]


def unjudged(question: str) -> str:
    """Return the failure of a question that was not judged."""
    return f"not judged, without a model and a recorded judgement: {question}"


def refused_by(question: str, judgement: Judgement) -> str | None:
    """Return the failure of a question without a clear yes."""
    if judgement.is_clear_yes:
        return None
    answer = "yes" if judgement.passes else "no"
    return f"judged {answer} ({judgement.confidence:.2f}): {question}: {judgement.reason}"
