"""Changes of many conversations in the console: each once, also over reloads, failures and stops; with a result."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.console.test_functions import run

# A store of texts, and a server that a test makes fail: `broken` has a status for the number of a change.
PORTS = """
const kept = {}, keys = [], waits = [], broken = { ...(value.broken ?? {}) };
const pages = [[["a", "b"], "2"], [["b", "c"], null]];
const target = (key) => ({ context: "whatsapp", key, title: key });
let crash = value.crash ?? -1, ids = 0;
const ports = {
  read: (name) => kept[name] ?? "",
  write: (name, text) => { kept[name] = text; },
  list: async (_, cursor) => {
    const [found, next] = pages[cursor === null ? 0 : 1];
    return { targets: found.map(target), cursor: next };
  },
  change: async (wanted, { key }, id) => {
    keys.push(id);
    const at = keys.length - 1;
    if (at === crash) return new Promise(() => undefined);
    if (broken[at]) throw { status: broken[at] };
    return key === "skip" ? "skipped" : "done";
  },
  waitOf: ({ status }) => (status === 429 ? 1000 : null),
  codeOf: ({ status }) => String(status),
  pause: async (ms) => { waits.push(ms); if (value.stops) jobs.stop(); },
  newId: () => "job-" + ++ids,
};
const turns = async () => { for (let n = 0; n < 9; n += 1) await new Promise((done) => setTimeout(done, 0)); };
let jobs = new m.BulkJobs(ports);
const wanted = { action: "resolve", value: null };
const result = () => {
  const { stage, total, done, skipped, refused } = jobs.current;
  return { stage, total, done, skipped, refused: refused.map((one) => [one.target.key, one.code]) };
};
"""


def job(steps: str, **value: Any) -> Any:
    """Run steps with `jobs` and return what they return."""
    return run("inbox/bulk/job.ts", f"await (async () => {{ {PORTS} {steps} }})()", value)


def ended(total: int, **more: Any) -> dict[str, Any]:
    counts = {"done": total, "skipped": 0, "refused": []} | more
    return {"stage": "ended", "total": total, **counts}


def test_each_chosen_conversation_is_changed_once_and_failures_are_in_the_result() -> None:
    found, keys = job(
        """
        jobs.begin(wanted, ["a", "b", "skip"].map(target), null); await turns();
        return [result(), keys];
        """,
        broken={1: 409},
    )

    assert found == ended(3, done=1, skipped=1, refused=[["b", "409"]])
    assert keys == ["job-1-0", "job-1-1", "job-1-2"]


def test_all_that_match_are_collected_before_the_first_change() -> None:
    found, keys = job("jobs.begin(wanted, [], { q: 1 }); await turns(); return [result(), keys];")

    assert found == ended(3)
    assert len(keys) == 3


@pytest.mark.parametrize("crash", range(3))
def test_after_a_reload_the_change_without_an_answer_is_repeated_under_its_key(crash: int) -> None:
    found, keys, shown = job(
        """
        jobs.begin(wanted, ["a", "b", "c"].map(target), null); await turns();
        crash = -1; jobs = new m.BulkJobs(ports);
        const shown = jobs.isActive;
        await jobs.resume();
        return [result(), keys, shown];
        """,
        crash=crash,
    )

    assert (found, shown) == (ended(3), True)
    assert keys == [f"job-1-{n}" for n in [*range(crash + 1), *range(crash, 3)]]


def test_a_rate_is_waited_for_and_a_stopped_job_goes_on_where_it_was() -> None:
    waited, waits, keys = job(
        'jobs.begin(wanted, ["a", "b"].map(target), null); await turns(); return [result(), waits, keys];',
        broken={0: 429},
    )
    stopped, later = job(
        """
        jobs.begin(wanted, ["a", "b"].map(target), null); await turns();
        const stopped = result();
        await jobs.resume();
        return [stopped, result()];
        """,
        broken={0: 429, 1: 429},
        stops=True,
    )

    assert (waited, waits) == (ended(2), [1_000])
    assert keys == ["job-1-0", "job-1-0", "job-1-1"]
    assert stopped == {**ended(2, done=0), "stage": "stopped"}
    assert later == ended(2)


def test_one_job_runs_at_a_time_and_its_result_is_kept_until_it_is_dismissed() -> None:
    during, after, kept = job(
        """
        jobs.begin(wanted, ["a"].map(target), null);
        jobs.begin(wanted, ["b", "c"].map(target), null);
        const during = jobs.current.total;
        await turns();
        const after = new m.BulkJobs(ports).current.stage;
        jobs.dismiss();
        return [during, after, Object.values(kept)];
        """
    )

    assert (during, after, kept) == (1, "ended", ["", ""])


def test_shift_chooses_the_rows_between_two_ones() -> None:
    value = ["a", "b", "c", "d"]
    ranges = (
        "[m.rangeOf(value, 'c', 'a'), m.rangeOf(value, 'b', 'c'), m.rangeOf(value, 'gone', 'd')]"
    )

    assert run("inbox/bulk/job.ts", ranges, value) == [["a", "b", "c"], ["b", "c"], ["d"]]


CALLS = """
const calls = [], conflicts = [...(value.conflicts ?? [])];
const call = async (route, { body, key }) => {
  calls.push([route.replace(/{\\w+}/, "1"), body ?? null, key ?? null]);
  if (route.startsWith("GET")) return { result: { labels: value.labels ?? [], revision: 7, position: "p9" } };
  const status = conflicts.shift();
  if (status) throw { status };
  return { result: {} };
};
"""
UNTIL = "2026-02-01T09:00:00.000Z"


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
    context: str, action: str, value: str | None, made: tuple[str, Any] | None
) -> None:
    outcome, calls = run(
        "inbox/bulk/change.ts",
        f"await (async () => {{ {CALLS}"
        " return [await m.change(call, value.wanted, value.target, 'key-1'), calls]; })()",
        {
            "wanted": {"action": action, "value": value},
            "target": {"context": context, "key": "1", "title": "Ada"},
        },
    )

    changes = [one for one in calls if not one[0].startswith("GET")]
    assert outcome == ("skipped" if made is None else "done")
    assert [(route.split(" ")[0], body) for route, body, _ in changes] == ([made] if made else [])
    assert all(key.startswith("key-1") for _, _, key in changes)


@pytest.mark.parametrize(
    ("conflicts", "labels", "outcome", "writes"),
    [
        ([409], [], "done", 2),
        ([409] * 3, [], 409, 3),
        ([403], [], 403, 1),
        ([], ["vip"], "done", 0),
    ],
)
def test_a_label_is_added_to_what_colleagues_have_set_meanwhile(
    conflicts: list[int], labels: list[str], outcome: str | int, writes: int
) -> None:
    found = run(
        "inbox/bulk/change.ts",
        f"await (async () => {{ {CALLS}"
        " const wanted = { action: 'label', value: 'vip' }, target = { context: 'whatsapp', key: '1', title: '' };"
        " let end; try { end = await m.change(call, wanted, target, 'k'); } catch (failure) { end = failure.status; }"
        " return [end, calls.filter(([route]) => route.startsWith('PATCH')).map((one) => one[2])]; })()",
        {"conflicts": conflicts, "labels": labels},
    )

    assert found == [outcome, [f"k-{n + 1}" for n in range(writes)]]
