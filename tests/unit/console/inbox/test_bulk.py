"""Changes of many conversations: the page that shows how far one is."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.console.typescript import run

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
  undo: async (id, key) => {
    await called("undo", [id, key]);
    stored = { ...stored, changeId: "change-" + key, stage: "changing", undoes: id };
    left = 1;
  },
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


def test_an_ended_change_is_undone_and_one_that_goes_on_is_not() -> None:
    steps = """
    await jobs.undo();
    await jobs.begin(wanted, []);
    await jobs.undo();
    return [jobs.current.undoes, jobs.current.stage, names(), shown()[1]];
    """
    undoes, stage, names, failure = page(steps)

    assert (undoes, stage, failure) == ("change-key-1", "ended", None)
    assert names.count("undo") == 1

    broken = page(
        """
        await jobs.begin(wanted, []);
        broken[calls.length + 1] = "lost";
        await jobs.undo();
        const failed = shown()[1];
        await jobs.repeat();
        return [failed, shown()[1], calls.filter(([name]) => name === "undo")];
        """
    )
    assert broken[:2] == ["lost", None]
    assert broken[2] == [["undo", "change-key-1", "key-2"]] * 2


def test_shift_chooses_the_rows_between_two_ones() -> None:
    value = ["a", "b", "c", "d"]
    ranges = (
        "[m.rangeOf(value, 'c', 'a'), m.rangeOf(value, 'b', 'c'), m.rangeOf(value, 'gone', 'd')]"
    )

    assert run("inbox/bulk/job.ts", ranges, value) == [["a", "b", "c"], ["b", "c"], ["d"]]
