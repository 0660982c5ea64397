"""
One change of one conversation, and its undo, over the routes of its context.

    read -> keep the version, and how it is put back -> change, if it has this version

What is kept is stored before the call. An attempt that follows a crash repeats the call of the kept version, which the
context makes once; a colleague's change in between refuses it, and the conversation is read again.
"""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

from console.api.bulk import steps
from console.api.bulk.calls import Call, Refused
from console.api.bulk.steps import WHATSAPP
from console.store.bulk.items import Kept
from shared.aws.sqs_fifo import digest
from shared.inbox.items import Context
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Callable

    from console.store.bulk.items import Action

_MOST_CONFLICTS: Final = 3  # with changes of colleagues at the same time

# skipped: the context has no such change, or there is none to undo; stale: it was changed since.
type Made = Literal["done", "skipped", "stale"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The change, and the idempotency key under which it is made once."""

    action: Action
    value: str | None
    key: str


type Ask = Callable[[Call], dict[str, Any]]


class Keeper(Protocol):
    """The place of the conversation's version."""

    def keep(self, kept: Kept, *, is_new: bool) -> Kept:
        """Store it, if *is_new* unless an earlier attempt has; return what is stored."""
        ...

    def forget(self) -> None:
        """Remove it: the conversation was not changed."""
        ...


def make(ask: Ask, wanted: Wanted, context: Context, key: str, keeper: Keeper) -> Made:
    """Change the conversation with this key. Safe to repeat. Raises what *ask* raises."""
    path = {steps.NAMES[context]: key}
    if wanted.action == "read":
        return _read(ask, wanted, path) if context is Context.WHATSAPP else "skipped"
    if not steps.has_change(context, wanted.action):
        return "skipped"
    shown, named = steps.VERSIONS[context]
    for attempt in range(1, _MOST_CONFLICTS + 1):
        head = ask(Call(line=f"GET {steps.ROUTES[context]}", path=path))
        step = steps.step_of(context, wanted.action, wanted.value, head, _now())
        if step is None:
            if attempt > 1:  # A colleague has made the change.
                keeper.forget()
            break
        given = Kept(version=int(head.get(shown) or 0), back=step.back)
        # A label is added to the present ones, so its call is another one then.
        kept = keeper.keep(given, is_new=attempt == 1 and bool(step.back))
        call_key = f"{wanted.key}-{kept.version}"
        try:
            ask(_call(step.line, path, step.body | {named: kept.version}, call_key))
            break
        except Refused as refusal:
            if refusal.status != HTTPStatus.CONFLICT or attempt == _MOST_CONFLICTS:
                keeper.forget()
                raise
    return "done"


def undo(ask: Ask, wanted: Wanted, context: Context, key: str, kept: Kept | None) -> Made:
    """Put a conversation back, unless it was changed after *wanted*. Safe to repeat. Raises what *ask* raises."""
    if kept is None:
        return "skipped"
    path, named = {steps.NAMES[context]: key}, steps.VERSIONS[context][1]
    try:
        if not kept.back:
            return _without_label(ask, wanted, context, path, kept.version + 1)
        if context is Context.CONVERSATIONS:
            return _snoozed_as_before(ask, wanted, path, kept)
        line = f"PATCH {steps.ROUTES[context]}"
        for version, body in enumerate(kept.back, kept.version + 1):
            ask(_call(line, path, body | {named: version}, f"{wanted.key}-{version}"))
    except Refused as refusal:
        if refusal.status != HTTPStatus.CONFLICT:
            raise
        return "stale"
    return "done"


def _read(ask: Ask, wanted: Wanted, path: dict[str, str]) -> Made:
    """A read mark never goes back: there is nothing to undo."""
    position = ask(Call(line=f"GET {WHATSAPP}", path=path)).get("position")
    if position:
        # A newer message makes another call: the answer of an earlier one is not this one's.
        key = f"{wanted.key}-{digest('read', str(position))}"
        ask(Call(line=f"POST {WHATSAPP}/read", path=path, body={"upTo": position}, key=key))
    return "done"


def _without_label(
    ask: Ask, wanted: Wanted, context: Context, path: dict[str, str], version: int
) -> Made:
    head = ask(Call(line=f"GET {steps.ROUTES[context]}", path=path))
    labels = list(head.get("labels") or [])
    if head.get("revision") == version + 1 and wanted.value not in labels:
        return "done"  # by an earlier attempt
    if head.get("revision") != version:
        return "stale"
    labels.remove(str(wanted.value))
    line = f"PATCH {WHATSAPP}" if context is Context.WHATSAPP else f"POST {steps.TALK}/labels"
    ask(_call(line, path, {"labels": labels, "revision": version}, f"{wanted.key}-{version}"))
    return "done"


def _snoozed_as_before(ask: Ask, wanted: Wanted, path: dict[str, str], kept: Kept) -> Made:
    version, until = kept.version + 1, kept.back[0]["snoozed_until"]
    key = f"{wanted.key}-{version}"
    if until is not None:
        body = {"snoozed_until": until, "revision": version}
        ask(_call(f"POST {steps.TALK}/snooze", path, body, key))
        return "done"
    # To wake a conversation names no version.
    head = ask(Call(line=f"GET {steps.TALK}", path=path))
    if head.get("revision") == version:
        ask(_call(f"POST {steps.TALK}/wake", path, {}, key))
        return "done"
    is_awake = head.get("snoozed_until") is None and head.get("revision") == version + 1
    return "done" if is_awake else "stale"


def _call(line: str, path: dict[str, str], body: dict[str, Any], key: str) -> Call:
    return Call(line=line, path=path, body=body, key=key)


def _now() -> str:
    return clock.to_text(clock.now_ms())
