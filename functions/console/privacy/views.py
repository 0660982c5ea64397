"""Response models of requests about a person."""

from __future__ import annotations

from console.store.person_requests import RequestStage  # noqa: TC001 - field of models
from shared.api.models import views
from shared.privacy.jobs import Kind  # noqa: TC001 - field of models
from shared.privacy.parts import NameKind  # noqa: TC001 - field of a model
from shared.privacy.views import RemainderView  # noqa: TC001 - field of a model


class NameView(views.View):
    """A name of the person."""

    kind: NameKind
    value: str


class PersonRequestState(views.View):
    """
    A request that was accepted, or confirmed. Of a dry run there is none, only the `names` of the person, the number of
    `profiles`, and of `conversations` by context; with `is_cut` there are more, which may prove further names.
    """

    id: str | None = None
    stage: RequestStage | None = None
    expires_at: str | None = None
    names: list[NameView] | None = None
    profiles: int | None = None
    conversations: dict[str, int] | None = None
    is_cut: bool | None = None


class ContextReceipt(views.View):
    """
    What was removed or exported in a context, by kind. Of an erasure `kept` is what stays and why, `outside` the copies
    that it does not reach; `until` is when these are gone.
    """

    context: str
    counts: dict[str, int]
    kept: list[RemainderView] | None = None
    outside: list[RemainderView] | None = None


class PersonRequestView(views.View):
    """
    A request and its receipts. `waiting`: another administrator confirms it before `expires_at`; then it is `running`
    until it is `done`. `names` are there until it ends, `problem` is the code of a failure that is tried again.

    `due_on` is the day until which the person has to be answered, a month after they asked.

    With `contexts` it is about the person in these alone, by the company's retention. `copies_left` are ids of copies
    that an operator has to delete at the model's provider. `link` downloads an export's ZIP for an hour; each read
    makes a new one, until the ZIP is deleted after seven days.
    """

    id: str
    kind: Kind
    stage: RequestStage
    requested_at: str
    requested_by: str
    reason: str
    reference: str | None
    received_on: str | None = None
    due_on: str | None = None
    confirmed_by: str | None
    expires_at: str | None
    finished_at: str | None
    problem: str | None
    names: list[NameView]
    contexts: list[str] | None = None
    receipts: list[ContextReceipt]
    copies_left: list[str]
    link: str | None = None


class PersonRequests(views.View):
    """A page of the company's requests, newest first. `four_eyes`: whether another administrator confirms each."""

    four_eyes: bool
    requests: list[PersonRequestView]
