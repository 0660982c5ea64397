"""Response models of changes of many conversations."""

from __future__ import annotations

from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from console.api.views import InboxRow  # noqa: TC001 - field of a model
from console.store.bulk.items import Action, Outcome, Stage  # noqa: TC001 - fields of models
from shared.api.models import views


class BulkRefusal(views.View):
    """A conversation that was not changed, and the code of the error; without `conversation` if it may not be read."""

    conversation: InboxRow | None
    code: str


class BulkChangeView(views.View):
    """
    A change of many conversations and its result so far.

    `handled` of the `total` conversations are `done`, `skipped` (their context has no such change) or `refused`; the
    first refused ones are in `refusals`. With `undoes` it is the undo of that change: `done` are put back, `stale` were
    changed since and stay, `skipped` had not been changed. `mayBeUndone`: POST /inbox/bulk/undo takes its id. While it
    is `listing`, the total is not known. `isCut`: more conversations matched. An ended change is done, was stopped by
    the person, or ended with the person's session (`revoked`) or after its time (`expired`).
    """

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    change_id: str
    requested_at: str
    action: Action
    stage: Stage
    outcome: Outcome | None
    is_stopping: bool
    is_cut: bool
    total: int
    handled: int
    done: int
    skipped: int
    stale: int
    undoes: str | None
    may_be_undone: bool
    refused: int
    refusals: list[BulkRefusal]


class NewestBulkChange(views.View):
    """The newest change of many conversations that the caller asked for; absent after a week, or without any."""

    change: BulkChangeView | None


class BulkChangeState(views.View):
    """The id of a change of many conversations, and whether it is ended."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    change_id: str
    stage: Stage
