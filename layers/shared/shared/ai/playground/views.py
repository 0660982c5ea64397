"""Response models of tries that all contexts share."""

from typing import Literal

from shared.api.models.views import View


class ModelCallView(View):
    """One call of the model: what it read, and what it answered."""

    system: str
    history: list[str]
    answer: str
    calls: list[str]
    stop: str
    tokens_in: int
    tokens_out: int
    ms: int


class TraceView(View):
    """How a try came to its result. `dollars` is an estimate by list prices."""

    model: str
    model_calls: list[ModelCallView]
    tokens_in: int
    tokens_out: int
    ms: int
    dollars: str


class SpokenView(View):
    """A real message as the model read it: without the person's names, numbers and addresses."""

    by: Literal["customer", "company"]
    text: str
