"""Input models of lists of contacts."""

from __future__ import annotations

from typing import Annotated, ClassVar, Final

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from console.contacts.changes.inputs import Name  # noqa: TC001 - field of a model
from console.contacts.lists.views import ContactListView
from shared.api.models.inputs import Change, Input

MOST_JOINING: Final = 50  # one after the other within one call
_IN_CAMEL = ConfigDict(alias_generator=to_camel, populate_by_name=True)

type ContactId = Annotated[str, Field(min_length=1, max_length=64, pattern=r"^[a-z2-7A-Z0-9]+$")]


class ListInput(Input):
    """The name of a list, which no other list of the company has."""

    name: Name


class RenameListInput(Change):
    """Another name of a list; absent, the list keeps its own."""

    view: ClassVar[type[BaseModel] | None] = ContactListView

    name: Name = ""


class JoinInput(Input):
    """People who come into a list."""

    model_config = _IN_CAMEL

    contact_ids: Annotated[list[ContactId], Field(min_length=1, max_length=MOST_JOINING)]
