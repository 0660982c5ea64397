"""Messages and files that the console has not sent yet: shown at once, in order, kept over pages and reloads."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.console.typescript import run

# A store of texts, a clock, and a server whose answers a test gives: `answers.shift()(id)`, or an Error.
PORTS = """
const kept = value.kept ?? {};
let now = Date.parse("2026-01-01T12:00:00Z");
const calls = [], answers = [], unseen = [], pauses = [];
const turn = () => new Promise((done) => setTimeout(done, 0));
const ports = {
  read: (form) => kept[form] ?? "",
  write: (form, text) => { kept[form] = text; },
  send: (form, { key, body }) => new Promise((done, fail) => {
    calls.push([form, key, body.text]);
    answers.push((answer) => (typeof answer === "string" ? done(answer) : fail(answer)));
  }),
  failureOf: (failure) => failure,
  problemOf: (failure) => failure.code,
  onUnseenFailure: (form) => unseen.push(form),
  pause: (ms) => { now += ms; pauses.push(ms); return turn(); },
  now: () => now,
};
const shown = (box) => box.of("ada").map((one) => [one.body.text, one.state]);
const put = (box, text) => box.put("ada", { key: text, body: { text }, file: null });
"""
REFUSED = {"status": 422, "code": "policy_refused", "message": "", "details": [], "newer": None}


def scenario(module: str, steps: str, **value: Any) -> Any:
    """Run steps with `box`, an outbox or the files, and return what they return."""
    made = "new m.Outbox(ports)" if module == "outbox" else "new m.KeptFiles(ports)"
    script = f"await (async () => {{ {PORTS} const box = {made}; {steps} }})()"
    return run(f"conversations/unsent/{module}.ts", script, value)


def test_a_message_is_shown_at_once_and_the_next_one_is_sent_after_it() -> None:
    first, between, last, calls = scenario(
        "outbox",
        """
        put(box, "one"); put(box, "two");
        const first = shown(box);
        answers.shift()("action-1"); await turn();
        const between = shown(box);
        answers.shift()("action-2"); await turn();
        box.arrived("ada", new Set(["action-1"]));
        return [first, between, shown(box), calls.map((call) => call[1])];
        """,
    )

    assert first == [["one", "sending"], ["two", "waiting"]]
    assert between == [["one", "sent"], ["two", "sending"]]
    assert last == [["two", "sent"]]
    assert calls == ["one", "two"]


def test_a_failure_holds_back_the_next_message_until_the_person_decides() -> None:
    held, after_retry, after_edit, keys = scenario(
        "outbox",
        """
        box.watch("ada", () => undefined);
        put(box, "one"); put(box, "two");
        answers.shift()(value.refused); await turn();
        const held = shown(box);
        box.retry("ada", "one"); await turn();
        const afterRetry = shown(box);
        answers.shift()(value.refused); await turn();
        box.take("ada", "one"); await turn();
        return [held, afterRetry, shown(box), calls.map((call) => call[1])];
        """,
        refused=REFUSED,
    )

    assert held == [["one", "failed"], ["two", "waiting"]]
    assert after_retry == [["one", "sending"], ["two", "waiting"]]
    assert after_edit == [["two", "sending"]]
    assert keys == ["one", "one", "two"]


def test_a_message_above_a_rate_is_sent_again_when_the_rate_permits_it() -> None:
    waiting, then, later = scenario(
        "outbox",
        """
        put(box, "one"); answers.shift()({ ...value.refused, retryAfterSeconds: 6 });
        await Promise.resolve(); await Promise.resolve();
        const waiting = shown(box);
        await turn(); await turn();
        const then = [shown(box), pauses, calls.map((call) => call[1])];
        now += 120000; answers.shift()({ ...value.refused, retryAfterSeconds: 6 }); await turn();
        return [waiting, then, shown(box)];
        """,
        refused=REFUSED,
    )

    assert waiting == [["one", "waiting"]]
    assert then == [[["one", "sending"]], [6_000], ["one", "one"]]
    assert later == [["one", "failed"]]


def test_a_message_that_is_being_sent_cannot_be_taken_back() -> None:
    assert scenario("outbox", 'put(box, "one"); return [box.take("ada", "one"), shown(box)];') == [
        None,
        [["one", "sending"]],
    ]


def test_another_position_is_sent_under_another_key() -> None:
    calls = scenario(
        "outbox",
        """
        put(box, "one"); answers.shift()(value.refused); await turn();
        box.replace("ada", "one", { key: "other", body: { text: "one" } }); await turn();
        return calls.map((call) => call[1]);
        """,
        refused=REFUSED,
    )

    assert calls == ["one", "other"]


@pytest.mark.parametrize(("watched", "told"), [("", ["ada"]), ('box.watch("ada", () => 0);', [])])
def test_a_failure_in_a_conversation_that_is_not_shown_is_reported(
    watched: str, told: list[str]
) -> None:
    steps = (
        f'{watched} put(box, "one"); answers.shift()(value.refused); await turn(); return unseen;'
    )

    assert scenario("outbox", steps, refused=REFUSED) == told


@pytest.mark.parametrize(
    ("minutes", "state"), [(4, [["one", "sending"]]), (6, [["one", "failed"]]), (1_441, [])]
)
def test_a_reload_repeats_a_young_message_under_its_key_and_asks_about_an_older_one(
    minutes: int, state: list[list[str]]
) -> None:
    found, keys = scenario(
        "outbox",
        f"""
        put(box, "one"); calls.length = 0;
        now += {minutes} * 60000;
        const later = new m.Outbox(ports);
        void later.run("ada"); await turn();
        return [shown(later), calls.map((call) => call[1])];
        """,
    )

    assert found == state
    assert keys == (["one"] if state == [["one", "sending"]] else [])


def test_nothing_is_stored_after_the_last_message_has_arrived() -> None:
    steps = """
        put(box, "one"); answers.shift()("action-1"); await turn();
        box.arrived("ada", new Set(["action-1"])); return kept;
    """

    assert scenario("outbox", steps) == {"ada": ""}


def test_only_a_failure_that_may_have_sent_the_message_keeps_it_from_being_edited() -> None:
    failures = [
        (0, "network"),
        (503, "busy"),
        (409, "request_in_progress"),
        (422, "policy_refused"),
    ]
    value = [{**REFUSED, "status": status, "code": code} for status, code in failures]

    assert run("conversations/unsent/outbox.ts", "value.map(m.mayBeSent)", value) == [
        *(True, True, True, False)
    ]


FILE = '{ name: "plan.pdf", type: "application/pdf", size: 9 }'


def test_an_upload_goes_on_without_a_page_and_outlives_a_reload() -> None:
    meanwhile, later, expired = scenario(
        "keptFiles",
        f"""
        let finish; const send = (onShare) => (onShare(0.5), new Promise((done) => {{ finish = done; }}));
        void box.add("ada", {FILE}, send);
        const meanwhile = [new m.KeptFiles(ports).of("ada").length, box.of("ada")[0].share];
        finish("upload-1"); await turn();
        const later = new m.KeptFiles(ports).of("ada").map((one) => [one.name, one.bytes, one.upload, one.content]);
        now += 23 * 3600000;
        return [meanwhile, later, new m.KeptFiles(ports).of("ada").length];
        """,
    )

    assert meanwhile == [0, 0.5]  # The content of a file cannot be kept over a reload.
    assert later == [["plan.pdf", 9, "upload-1", None]]
    assert expired == 0


def test_a_removed_file_is_not_uploaded_any_more_and_a_failed_one_can_be_repeated() -> None:
    failed, again, removed = scenario(
        "keptFiles",
        f"""
        const signals = [];
        const send = (answer) => (_, signal) => (signals.push(signal), answer);
        await box.add("ada", {FILE}, send(Promise.reject({{ code: "network" }})));
        const failed = box.of("ada").map((one) => one.error);
        await box.start("ada", box.of("ada")[0].id, send(Promise.resolve("upload-1")));
        const again = box.of("ada").map((one) => [one.error, one.upload]);
        void box.add("ada", {FILE}, send(new Promise(() => undefined)));
        box.clear("ada");
        return [failed, again, [box.of("ada").length, signals.at(-1).aborted, kept.ada]];
        """,
    )

    assert failed == ["network"]
    assert again == [[None, "upload-1"]]
    assert removed == [0, True, ""]


STORAGE = """
globalThis.sessionStorage = Object.create({
  getItem(key) { return this[key] ?? null; },
  setItem(key, text) { this[key] = text; },
  removeItem(key) { delete this[key]; },
})
"""


def test_a_text_keeps_the_position_at_which_its_writing_began() -> None:
    found = run(
        "conversations/drafts.ts",
        f"({STORAGE}, [m.writtenAt('ada', null), m.writtenAt('ada', 'p1'), m.writtenAt('ada', 'p2'),"
        " m.forgetWrittenAt('ada'), m.writtenAt('ada', 'p3'), m.formsOf('position:')])",
        None,
    )

    assert found == [None, "p1", "p1", None, "p3", ["ada"]]
