"""Changes of many conversations: the routes of each context that they call, and the page that shows how far one is."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import pytest

from console.api.bulk import changes
from console.api.bulk.calls import Refused
from shared.inbox.items import Context
from tests.unit.console.typescript import run

if TYPE_CHECKING:
    from console.api.bulk.calls import Call
    from console.store.bulk_items import Action

UNTIL = "2026-02-01T09:00:00.000Z"
# A server whose change is ended after some looks, with failures by the number of a call.
PORTS = """
const calls = [], kept = { closed: value.closed ?? "" }, broken = { ...(value.broken ?? {}) };
const called = async (name, more) => {
  calls.push([name, ...more]);
  if (broken[calls.length]) throw broken[calls.length];
};
let left = value.left ?? 2, ids = 0, stored = value.stored ?? null;
const ports = {
  read: () => kept.closed,
  write: (id) => { kept.closed = id; },
  begin: async (wanted, targets, key) => {
    await called("begin", [key, targets]);
    stored = { changeId: "change-" + key, requestedAt: new Date(1000).toISOString(), stage: "changing" };
  },
  newest: async () => {
    await called("newest", []);
    if (stored && stored.stage !== "ended" && (left -= 1) < 0) stored = { ...stored, stage: "ended" };
    return stored;
  },
  stop: async (id) => { await called("stop", [id]); left = 0; },
  pause: async (ms) => { calls.push(["pause", ms]); if (value.stops && calls.length < 9) await jobs.stop(); },
  newId: () => "key-" + ++ids,
  now: () => value.now ?? 2000,
};
const jobs = new m.BulkJobs(ports);
const names = () => calls.map(([name]) => name);
const shown = () => [jobs.current && jobs.current.stage, jobs.failure];
const wanted = { action: "resolve", value: null };
"""


def page(steps: str, **value: Any) -> Any:
    """Run steps with `jobs` and return what they return."""
    return run("inbox/bulk/job.ts", f"await (async () => {{ {PORTS} {steps} }})()", value)


def test_a_page_asks_until_the_change_is_ended_and_shows_its_result_until_it_is_closed() -> None:
    found, names, closed = page(
        """
        await jobs.begin(wanted, [{ context: "whatsapp", key: "a" }]);
        const found = shown();
        jobs.dismiss();
        return [found, names(), [shown(), kept.closed]];
        """
    )

    assert found == ["ended", None]
    assert names == ["begin", "newest", "pause", "newest", "pause", "newest"]
    assert closed == [[None, None], "change-key-1"]


@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        (None, None),
        ({"stage": "changing"}, "ended"),
        ({"stage": "ended"}, "ended"),
        ({"stage": "ended", "changeId": "closed"}, None),
        ({"stage": "ended", "requestedAt": "1969-12-30T00:00:00Z"}, None),
    ],
)
def test_after_a_reload_a_page_shows_the_change_that_goes_on_and_a_result_that_is_new(
    stored: dict[str, str] | None, shown: str | None
) -> None:
    base = {"changeId": "a", "requestedAt": "1970-01-01T00:00:00Z"}
    given = {**base, **stored} if stored else None

    found = page(
        "await jobs.look(); await jobs.look(); return shown();", stored=given, closed="closed"
    )

    assert found == [shown, None]


def test_a_request_that_failed_is_repeated_under_its_key_and_a_lost_look_is_no_failure() -> None:
    failed, ended, keys = page(
        """
        await jobs.begin(wanted, []);
        const failed = shown();
        await jobs.repeat();
        return [failed, shown(), calls.filter(([name]) => name === "begin").map(([, key]) => key)];
        """,
        broken={1: "lost", 4: "lost", 5: "lost"},
    )

    assert failed == [None, "lost"]
    assert (ended, keys) == ([None, None], ["key-1", "key-1"])


def test_a_change_is_stopped_while_it_goes_on() -> None:
    names = page("await jobs.begin(wanted, []); return names();", left=9, stops=True)

    assert names == ["begin", "newest", "pause", "stop", "newest"]


def test_shift_chooses_the_rows_between_two_ones() -> None:
    value = ["a", "b", "c", "d"]
    ranges = (
        "[m.rangeOf(value, 'c', 'a'), m.rangeOf(value, 'b', 'c'), m.rangeOf(value, 'gone', 'd')]"
    )

    assert run("inbox/bulk/job.ts", ranges, value) == [["a", "b", "c"], ["b", "c"], ["d"]]


@pytest.mark.parametrize(
    ("context", "action", "value", "made"),
    [
        ("whatsapp", "assign", "user:kim", ("PATCH", {"assignee": "user:kim"})),
        ("whatsapp", "snooze", UNTIL, ("PATCH", {"status": "snoozed", "snoozedUntil": UNTIL})),
        ("whatsapp", "resolve", None, ("PATCH", {"status": "resolved"})),
        ("whatsapp", "archive", None, ("PATCH", {"archived": True})),
        ("whatsapp", "read", None, ("POST", {"upTo": "p9"})),
        ("whatsapp", "label", "vip", ("PATCH", {"labels": ["vip"], "revision": 7})),
        ("email_threads", "assign", "team:a", ("PATCH", {"assigned_to": "team:a"})),
        ("email_threads", "label", "vip", ("PATCH", {"add_tags": ["vip"]})),
        ("email_threads", "snooze", UNTIL, ("PATCH", {"snoozed_until": UNTIL})),
        ("email_threads", "resolve", None, ("PATCH", {"status": "completed"})),
        ("email_threads", "archive", None, ("POST", {})),
        ("email_threads", "read", None, None),
        ("conversations", "label", "vip", ("POST", {"labels": ["vip"], "revision": 7})),
        ("conversations", "snooze", UNTIL, ("POST", {"snoozed_until": UNTIL})),
        ("conversations", "assign", "user:kim", None),
        ("conversations", "resolve", None, None),
    ],
)
def test_a_change_is_that_of_the_conversations_context(
    context: str, action: Action, value: str | None, made: tuple[str, Any] | None
) -> None:
    calls: list[Call] = []

    def ask(call: Call) -> dict[str, Any]:
        calls.append(call)
        return {"labels": [], "revision": 7, "position": "p9"} if call.body is None else {}

    wanted = changes.Wanted(action=action, value=value, key="the-key")
    outcome = changes.make(ask, wanted, Context(context), "1")

    written = [one for one in calls if one.body is not None]
    assert outcome == ("skipped" if made is None else "done")
    assert [(one.line.split(" ")[0], one.body) for one in written] == ([made] if made else [])
    assert all(one.key.startswith("the-key") for one in written)


@pytest.mark.parametrize(
    ("conflicts", "labels", "refused", "writes"),
    [([409], [], None, 2), ([409] * 3, [], 409, 3), ([403], [], 403, 1), ([], ["vip"], None, 0)],
)
def test_a_label_is_added_to_what_colleagues_have_set_meanwhile(
    conflicts: list[int], labels: list[str], refused: int | None, writes: int
) -> None:
    keys: list[str] = []
    answers = list(conflicts)

    def ask(call: Call) -> dict[str, Any]:
        if call.body is None:
            return {"labels": labels, "revision": len(keys)}
        keys.append(call.key)
        if answers:
            raise Refused("refused", answers.pop(0))
        return {}

    wanted = changes.Wanted(action="label", value="vip", key="k")
    status = None
    try:
        changes.make(ask, wanted, Context.WHATSAPP, "1")
    except Refused as refusal:
        status = HTTPStatus(refusal.status)

    assert (status, keys) == (refused, [f"k-{revision}" for revision in range(writes)])
