"""Changes of many conversations: what each context is called with, and the way back, against contexts with versions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from console.api.bulk import changes, steps
from console.api.bulk.calls import Refused
from shared.inbox.items import Context

if TYPE_CHECKING:
    from console.api.bulk.calls import Call
    from console.store.bulk.items import Action, Kept

UNTIL, EARLIER = "2999-02-01T09:00:00.000Z", "2999-01-01T09:00:00.000Z"
OPEN: dict[str, Any] = {"labels": ["old"], "tags": ["old"], "status": "open", "archived": False}
ACTIVE = OPEN | {"status": "active"}
NEXT = {
    "active": {"pending_info", "completed", "archived"},
    "pending_info": {"active", "completed", "archived"},
    "completed": {"active", "archived"},
    "archived": {"active"},
}


@dataclass
class Served:
    """A conversation of a context as its API has it: versions, and calls by their keys. *lost*: answers to lose."""

    context: Context
    head: dict[str, Any]
    version: int = 7
    made: set[str] = field(default_factory=set)
    calls: list[Call] = field(default_factory=list)
    lost: int = 0
    conflicts: int = 0
    kept: Kept | None = None

    def keep(self, kept: Kept, *, is_new: bool) -> Kept:
        if self.kept is None or not is_new:
            self.kept = kept
        return self.kept

    def forget(self) -> None:
        self.kept = None

    def ask(self, call: Call) -> dict[str, Any]:
        shown, named = steps.VERSIONS[self.context]
        if call.body is None:
            return self.head | {shown: self.version, "position": "p9"}
        self.calls.append(call)
        if self.conflicts:
            self.conflicts -= 1
            self.colleague(priority="high")
        if call.key not in self.made:
            if call.body.get(named, self.version) != self.version:
                raise Refused("conflict", 409)
            self._change({name: one for name, one in call.body.items() if name != named})
            self.made.add(call.key)
            self.version += 1
        if self.lost:
            self.lost -= 1
            raise ConnectionError
        return {}

    def colleague(self, **fields: Any) -> None:
        self.head |= fields
        self.version += 1

    def _change(self, body: dict[str, Any]) -> None:
        if self.calls[-1].line.endswith("/wake"):
            body = {"snoozed_until": None}
        tags = [*self.head["tags"], *body.pop("add_tags", [])]
        gone = body.pop("remove_tags", [])
        self.head["tags"] = [one for one in tags if one not in gone]
        if "status" in body and self.context is Context.EMAIL_THREADS:
            if body["status"] not in NEXT[self.head["status"]]:
                raise Refused("invalid_transition", 422)
            self.head["snoozed_until"] = None
        if "status" in body and self.context is Context.WHATSAPP:
            self.head["snoozedUntil"] = None
        self.head |= body

    @property
    def facts(self) -> dict[str, Any]:
        return {name: one for name, one in self.head.items() if one is not None}


def made(served: Served, action: Action, value: str | None, key: str = "k") -> str:
    wanted = changes.Wanted(action=action, value=value, key=key)
    return changes.make(served.ask, wanted, served.context, "1", served)


def undone(served: Served, action: Action, value: str | None) -> str:
    wanted = changes.Wanted(action=action, value=value, key="undo")
    return changes.undo(served.ask, wanted, served.context, "1", served.kept)


CASES: list[tuple[str, Action, str | None, dict[str, Any], tuple[str, dict[str, Any]]]] = [
    ("whatsapp", "assign", "user:kim", OPEN, ("PATCH", {"assignee": "user:kim"})),
    ("whatsapp", "assign", None, OPEN | {"assignee": "team:a"}, ("PATCH", {"assignee": None})),
    ("whatsapp", "label", "vip", OPEN, ("PATCH", {"labels": ["old", "vip"]})),
    ("whatsapp", "snooze", UNTIL, OPEN, ("PATCH", {"status": "snoozed", "snoozedUntil": UNTIL})),
    (
        "whatsapp",
        "snooze",
        UNTIL,
        OPEN | {"status": "resolved"},
        ("PATCH", {"status": "snoozed", "snoozedUntil": UNTIL}),
    ),
    (
        "whatsapp",
        "resolve",
        None,
        OPEN | {"status": "snoozed", "snoozedUntil": EARLIER},
        ("PATCH", {"status": "resolved"}),
    ),
    ("whatsapp", "archive", None, OPEN, ("PATCH", {"archived": True})),
    ("email_threads", "assign", "team:a", ACTIVE, ("PATCH", {"assigned_to": "team:a"})),
    ("email_threads", "label", "vip", ACTIVE, ("PATCH", {"add_tags": ["vip"]})),
    ("email_threads", "snooze", UNTIL, ACTIVE, ("PATCH", {"snoozed_until": UNTIL})),
    ("email_threads", "resolve", None, ACTIVE, ("PATCH", {"status": "completed"})),
    (
        "email_threads",
        "resolve",
        None,
        ACTIVE | {"status": "pending_info", "snoozed_until": EARLIER},
        ("PATCH", {"status": "completed"}),
    ),
    (
        "email_threads",
        "archive",
        None,
        ACTIVE | {"status": "completed"},
        ("PATCH", {"status": "archived"}),
    ),
    ("conversations", "label", "vip", OPEN, ("POST", {"labels": ["old", "vip"]})),
    ("conversations", "snooze", UNTIL, OPEN, ("POST", {"snoozed_until": UNTIL})),
    (
        "conversations",
        "snooze",
        UNTIL,
        OPEN | {"snoozed_until": EARLIER},
        ("POST", {"snoozed_until": UNTIL}),
    ),
]


@pytest.mark.parametrize(("context", "action", "value", "before", "call"), CASES)
def test_a_change_is_that_of_its_context_and_is_put_back_unless_something_changed_since(
    context: str,
    action: Action,
    value: str | None,
    before: dict[str, Any],
    call: tuple[str, dict[str, Any]],
) -> None:
    served = Served(Context(context), dict(before))
    named = steps.VERSIONS[served.context][1]

    assert made(served, action, value) == "done"
    assert [(one.line.split(" ")[0], one.body) for one in served.calls] == [
        (call[0], call[1] | {named: 7})
    ]
    assert undone(served, action, value) == "done"
    assert served.facts == before
    assert undone(served, action, value) == "done"  # again, as after a crash
    assert served.facts == before

    for changed in ({"priority": "high"}, {"assignee": "user:lee"}):
        other = Served(Context(context), dict(before))
        made(other, action, value)
        other.colleague(**changed)
        after = dict(other.head)
        assert undone(other, action, value) == "stale"
        assert other.head == after


@pytest.mark.parametrize(("context", "action", "value", "before", "call"), CASES)
def test_a_change_whose_answer_was_lost_or_that_meets_a_colleague_is_made_and_undone_once(
    context: str,
    action: Action,
    value: str | None,
    before: dict[str, Any],
    call: tuple[str, dict[str, Any]],
) -> None:
    del call
    served = Served(Context(context), dict(before), lost=1)
    with pytest.raises(ConnectionError):
        made(served, action, value)
    assert made(served, action, value) == "done"
    assert served.version == 8
    assert undone(served, action, value) == "done"
    assert served.facts == before

    other = Served(Context(context), dict(before), conflicts=1)
    assert made(other, action, value) == "done"
    assert undone(other, action, value) == "done"
    assert other.facts == before | {"priority": "high"}

    for conflicts in (3, 9):
        contended = Served(Context(context), dict(before), conflicts=conflicts)
        with pytest.raises(Refused):
            made(contended, action, value)
        assert undone(contended, action, value) == "skipped"


def test_what_is_so_already_or_has_no_such_change_is_neither_changed_nor_undone() -> None:
    cases: list[tuple[str, Action, str | None, dict[str, Any], str]] = [
        ("whatsapp", "assign", "user:kim", OPEN | {"assignee": "user:kim"}, "done"),
        ("whatsapp", "label", "old", OPEN, "done"),
        ("whatsapp", "resolve", None, OPEN | {"status": "resolved"}, "done"),
        ("email_threads", "label", "old", ACTIVE, "done"),
        ("email_threads", "archive", None, ACTIVE | {"status": "archived"}, "done"),
        ("email_threads", "snooze", UNTIL, ACTIVE | {"snoozed_until": UNTIL}, "done"),
        ("email_threads", "read", None, ACTIVE, "skipped"),
        ("conversations", "snooze", UNTIL, OPEN | {"snoozed_until": UNTIL}, "done"),
        ("conversations", "assign", "user:kim", OPEN, "skipped"),
        ("conversations", "resolve", None, OPEN, "skipped"),
    ]
    for context, action, value, before, outcome in cases:
        served = Served(Context(context), dict(before))
        assert made(served, action, value) == outcome
        assert served.calls == []
        assert undone(served, action, value) == "skipped"


def test_a_change_that_a_colleague_makes_meanwhile_is_not_undone() -> None:
    served = Served(Context.WHATSAPP, dict(OPEN))
    real = served.ask

    def ask(call: Call) -> dict[str, Any]:
        if call.body is not None and served.version == 7:
            served.colleague(assignee="user:kim")
        return real(call)

    wanted = changes.Wanted(action="assign", value="user:kim", key="k")
    assert changes.make(ask, wanted, Context.WHATSAPP, "1", served) == "done"
    assert undone(served, "assign", "user:kim") == "skipped"


def test_whatsapp_is_read_up_to_the_position_that_is_shown() -> None:
    served = Served(Context.WHATSAPP, dict(OPEN))

    assert made(served, "read", None) == "done"
    (call,) = served.calls
    assert (call.line.split(" ")[0], call.body) == ("POST", {"upTo": "p9"})
    assert served.kept is None
