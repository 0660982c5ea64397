"""The input model of a chosen canned reply."""

from typing import Annotated

from pydantic import Field, StringConstraints

from shared.api.models.inputs import Input
from shared.inbox.canned_replies.texts import LONGEST_NAME, MOST_VARIABLES

type Value = Annotated[str, StringConstraints(min_length=1, max_length=1_024)]
type Variable = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,31}$")]
type Values = Annotated[dict[Variable, Value], Field(max_length=MOST_VARIABLES)]


class CannedReplyInput(Input):
    """A canned reply by name, with a value for each of its variables."""

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]*$", max_length=LONGEST_NAME)
    variables: Values = Field(default_factory=dict)
