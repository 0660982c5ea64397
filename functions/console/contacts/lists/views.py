"""Response models of lists of contacts."""

from __future__ import annotations

from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from shared.api.models import views

_IN_CAMEL = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class ContactListView(views.View):
    """A list of contacts. `createdBy` is the principal that made it."""

    model_config = _IN_CAMEL

    list_id: str
    name: str
    created_at: str
    created_by: str


class ContactLists(views.View):
    """Lists of contacts, oldest first."""

    lists: list[ContactListView]


class JoinedList(views.View):
    """People in the list, by the ids that were given. `missing`: ids of no contact that the caller may see."""

    members: list[str]
    missing: list[str]


class LeftList(views.View):
    """A person who is not in the list any more."""

    model_config = _IN_CAMEL

    list_id: str
    contact_id: str
