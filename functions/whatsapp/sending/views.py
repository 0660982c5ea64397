"""Responses of the routes that send."""

from typing import Literal

from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from shared.api.models import views


class View(views.View):
    """Part of a response, in camelCase."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class SentView(View):
    """
    The outcome of a send.

    sent: the provider accepted the message. in_doubt: its answer was lost; the message is not sent again, and a status
    or a later check settles it. unknown: no evidence arrived; agents decide. *message_id* is the `id` of the message in
    its conversation; absent while in doubt.
    """

    action_id: str
    state: Literal["sent", "in_doubt", "unknown"]
    message_id: str | None = None


class CannedReplyView(View):
    """A canned reply; *variables* are the variables of its text, in order."""

    name: str
    text: str
    variables: list[str]
    updated_at: str
    updated_by: str


class CannedRepliesView(View):
    """All canned replies of a company."""

    canned_replies: list[CannedReplyView]


class RemovedView(View):
    """A canned reply that no longer exists."""

    name: str


class UploadView(View):
    """
    A form that uploads one file: a POST to *url* as multipart/form-data with *fields*, and last the file as `file`.

    *upload* is the id to send it by, within a day.
    """

    upload: str
    url: str
    fields: dict[str, str]
    largest_bytes: int
    expires_in_seconds: int
