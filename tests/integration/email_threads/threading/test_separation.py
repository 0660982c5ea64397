"""People undo merges and split threads: each mail is where they put it, and so are the answers to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from email_threads.api.merges import actions
from email_threads.inbound.events import EmailMerge, EmailSeparate, entry
from tests.integration.email_threads.api.thread_calls import THREADS, refused, result, thread_of
from tests.integration.email_threads.drafting import composed, status_of
from tests.simulation.email_threads.mails import verified, with_files
from tests.simulation.email_threads.system import ANN, BOB, MAILBOX, System, mail

if TYPE_CHECKING:
    from collections.abc import Iterable

# They change with every write, or tell of it.
VERSIONS = {
    "last_seq", "updated_at", "last_updated_at", "ttl", "ttl_date", "audit_log", "audit_count", "last_cause",
    "kept_apart", "merge_effects", "closed_at",
}  # fmt: skip


WITH_FILES = verified(b"In-Reply-To: <a@x>\n" + with_files())


def id_of(path: str) -> str:
    return path.rpartition("/")[2]


def state(system: System, path: str) -> dict[str, Any]:
    """The head, mails and rows of a thread, without the versions of its head; and the places of its Message-IDs."""
    thread = id_of(path)
    rows = {key: row for key, row in system.rows().items() if key.startswith(thread)}
    head = {name: value for name, value in rows[thread].items() if name not in VERSIONS}
    history = ({k: v for k, v in one.items() if v != []} for one in head["email_history"])
    head["email_history"] = list(history)
    mails = {key: row for key, row in rows.items() if "#mail#" in key}
    people = [key for key in rows if "#participant#" in key]
    aliases = {
        key: (row.get("n"), row["kind"])
        for key, row in system.rows().items()
        if key.startswith("mid#") and row["thread"] == thread
    }
    return {"head": head, "mails": mails, "people": sorted(people), "aliases": aliases}


def messages(system: System, path: str) -> list[tuple[int, str]]:
    """Numbers and Message-IDs of a thread, oldest first."""
    shown = result(system.call("GET", f"{path}/emails"))["mails"]
    return [(one["n"], one["message_id"]) for one in reversed(shown)]


def do(system: System, path: str, **body: Any) -> str:
    """A call that moves mails; returns the path of the thread to which they move."""
    answer = result(system.call("POST", path, body))
    system.drain()
    return f"{THREADS}/{answer['into']}"


def two_threads(system: System) -> tuple[str, str]:
    """A thread of Bob, and one of Ann with two mails, tags and an assignee."""
    bobs = thread_of(system, mail("b@x", subject="Tables", sender=BOB))
    anns = thread_of(system, mail("a@x", subject="Chairs"), mail("a2@x", in_reply_to="a@x"))
    facts = {"add_tags": ["oak"], "assigned_to": "user:ada", "priority": "high"}
    result(system.call("PATCH", anns, facts))
    result(system.call("PATCH", anns, {"status": "pending_info"}))
    return anns, bobs


def merge(system: System, loser: str, winner: str) -> None:
    do(system, f"{loser}/merge", into=id_of(winner))


def test_an_undone_merge_leaves_both_threads_exactly_as_they_were(system: System) -> None:
    system.register(MAILBOX, first_response_minutes=60)
    anns, bobs = two_threads(system)
    before = state(system, anns), state(system, bobs)
    merge(system, anns, bobs)
    assert len(messages(system, bobs)) == 3

    assert do(system, f"{anns}/unmerge") == anns

    assert (state(system, anns), state(system, bobs)) == before
    assert [one["conversation_id"] for one in result(system.call("GET", THREADS))["threads"]] == [
        id_of(bobs)
    ]
    listed = result(system.call("GET", THREADS, query={"participant": ANN}))["threads"]
    assert [one["conversation_id"] for one in listed] == [id_of(anns)]
    (change,) = [
        one
        for one in result(system.call("GET", f"{anns}/changes"))["changes"]
        if one["action"] == "unmerge"
    ]
    assert (change["actor"], change["detail"]) == ("key-1", id_of(bobs))


def test_after_an_undone_merge_answers_go_to_their_threads_and_later_mails_have_kept_theirs(
    system: System,
) -> None:
    anns, bobs = two_threads(system)
    merge(system, anns, bobs)
    thread_of(system, mail("a3@x", in_reply_to="a2@x"))
    assert (4, "a3@x") in messages(system, bobs)
    result(system.call("PATCH", bobs, {"add_tags": ["elm"], "assigned_to": "user:eve"}))

    do(system, f"{anns}/unmerge")

    assert messages(system, anns) == [(1, "a@x"), (2, "a2@x")]
    assert messages(system, bobs) == [(1, "b@x"), (4, "a3@x")]
    shown = result(system.call("GET", bobs))
    assert (shown["tags"], shown["assigned_to"]) == (["elm"], "user:eve")
    thread_of(system, mail("a4@x", in_reply_to="a@x"))
    thread_of(system, mail("b2@x", sender=BOB, in_reply_to="b@x"))
    assert (3, "a4@x") in messages(system, anns)
    assert (5, "b2@x") in messages(system, bobs)
    # Neither a mail that names both nor a late copy of the merge makes them one again.
    thread_of(system, mail("a5@x", in_reply_to="a4@x", references="a3@x a4@x"))
    again = EmailMerge(loser=id_of(anns), winner=id_of(bobs))
    system.fifo_queues.put(system.queue, entry(again))
    system.drain()
    assert (4, "a5@x") in messages(system, anns)
    # But a person may.
    merge(system, anns, bobs)
    assert result(system.call("GET", anns))["conversation_id"] == id_of(bobs)
    do(system, f"{anns}/unmerge")
    assert messages(system, anns)[-1] == (4, "a5@x")


def test_a_split_moves_mails_with_their_files_and_answers_to_a_new_thread(system: System) -> None:
    path = thread_of(system, mail("a@x"), WITH_FILES)
    thread_of(system, mail("c@x", in_reply_to="files@x"))
    draft = composed(system, path, n=2)
    old_keys = sorted(key for key in system.objects() if key.startswith(("attach", "bodies")))

    new = do(system, f"{path}/split", mails=[2], subject="The broken chair")

    assert messages(system, new) == [(1, "files@x")]
    assert messages(system, path) == [(1, "a@x"), (3, "c@x")]
    shown = result(system.call("GET", new))
    assert (shown["subject"], shown["status"], shown["email_count"]) == (
        "The broken chair", "active", 1,
    )  # fmt: skip
    assert shown["links"]["split_from"] == id_of(path)
    keys = sorted(key for key in system.objects() if key.startswith(("attach", "bodies")))
    assert keys == [key.replace(id_of(path), id_of(new)) for key in old_keys]
    assert status_of(system, draft)[0] == "superseded"
    assert status_of(system, f"{new}/replies/{id_of(draft)}")[0] == "pending"
    thread_of(system, mail("d@x", in_reply_to="files@x"))
    thread_of(system, mail("e@x", in_reply_to="c@x"))
    thread_of(system, mail("f@x", in_reply_to="d@x", references="a@x d@x"))
    assert messages(system, new) == [(1, "files@x"), (2, "d@x"), (3, "f@x")]
    assert messages(system, path)[-1] == (4, "e@x")


def test_an_undone_split_leaves_the_thread_exactly_as_it_was(system: System) -> None:
    system.register(MAILBOX, first_response_minutes=60)
    path = thread_of(system, mail("a@x"), mail("b@x", in_reply_to="a@x"))
    thread_of(system, mail("z@x", sender="zoe@orchard.example", in_reply_to="b@x"))
    before = state(system, path)
    new = do(system, f"{path}/split", mails=[1, 3])
    assert messages(system, path) == [(2, "b@x")]

    merge(system, new, path)

    after = state(system, path)
    assert after["head"].pop("merged_from") == {id_of(new)}
    assert after == before
    shown = result(system.call("GET", new))
    assert (shown["conversation_id"], shown["undoable_merges"]) == (id_of(path), [])
    assert refused(system.call("POST", f"{new}/unmerge"))[:2] == (409, "invalid_transition")


def test_a_split_is_made_once_and_lists_both_threads(system: System) -> None:
    path = thread_of(system, mail("a@x"), mail("b@x", in_reply_to="a@x"))
    answers = [
        system.call("POST", f"{path}/split", {"mails": [2]}, key="the-same-split") for _ in range(2)
    ]
    system.drain()

    assert result(answers[0]) == result(answers[1])
    listed = result(system.call("GET", THREADS))["threads"]
    assert {one["conversation_id"]: one["email_count"] for one in listed} == {
        id_of(path): 2,  # the place of the moved mail keeps its number
        answers[0][1]["result"]["into"]: 1,
    }


@pytest.mark.parametrize("mails", [[2, 3], [2], [3]])
def test_a_merge_of_which_mails_were_split_is_undone_after_they_are_back(
    system: System, mails: list[int]
) -> None:
    system.register(MAILBOX, first_response_minutes=60)
    anns, bobs = two_threads(system)
    before = state(system, anns), state(system, bobs)
    merge(system, anns, bobs)
    seq = system.rows()[id_of(anns)]["last_seq"]
    new = do(system, f"{bobs}/split", mails=mails)

    answer = system.call("POST", f"{anns}/unmerge")
    # A late event of an undo that was requested before does nothing.
    late = EmailSeparate(
        source=id_of(bobs), target=id_of(anns), actor="key-1", cause="late", seq=int(seq)
    )
    system.fifo_queues.put(system.queue, entry(late))
    system.drain()

    assert refused(answer)[:2] == (409, "invalid_transition")
    assert f"{id_of(new)} since: merge" in answer[1]["error"]["message"]
    assert result(system.call("GET", anns))["conversation_id"] == id_of(bobs)
    assert [len(messages(system, one)) for one in (bobs, new)] == [3 - len(mails), len(mails)]

    merge(system, new, bobs)
    do(system, f"{anns}/unmerge")

    after = state(system, bobs)
    assert after["head"].pop("merged_from", {id_of(new)}) == {id_of(new)}
    assert (state(system, anns), after) == before


def test_a_merge_that_could_not_be_undone_is_refused(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(actions, "MOST_SEPARATED", 2)
    anns, bobs = two_threads(system)

    answer = system.call("POST", f"{anns}/merge", {"into": id_of(bobs)})

    assert refused(answer) == (400, "invalid_input", ["into"])


@pytest.mark.parametrize(
    ("mails", "field"),
    [([1, 2], "mails"), ([3], "mails"), ([0], "mails"), ([], "mails"), (["1"], "mails")],
)
def test_a_split_of_all_or_of_missing_mails_is_refused(
    system: System, mails: Iterable[object], field: str
) -> None:
    path = thread_of(system, mail("a@x"), mail("b@x", in_reply_to="a@x"))

    status, code, fields = refused(system.call("POST", f"{path}/split", {"mails": mails}))

    assert (status, code) == (400, "invalid_input")
    assert fields[0].startswith(field)


def test_a_thread_that_was_not_merged_has_no_merge_to_undo(system: System) -> None:
    path = thread_of(system, mail("a@x"))

    assert refused(system.call("POST", f"{path}/unmerge"))[:2] == (409, "invalid_transition")


def test_a_later_merge_is_undone_first(system: System) -> None:
    anns, bobs = two_threads(system)
    zoes = thread_of(system, mail("z@x", subject="Shelves", sender="zoe@mill.example"))
    merge(system, anns, bobs)
    merge(system, bobs, zoes)
    assert result(system.call("GET", zoes))["undoable_merges"] == [id_of(bobs)]
    assert refused(system.call("POST", f"{anns}/unmerge"))[:2] == (409, "invalid_transition")

    do(system, f"{bobs}/unmerge")
    do(system, f"{anns}/unmerge")

    assert [messages(system, one) for one in (anns, bobs, zoes)] == [
        [(1, "a@x"), (2, "a2@x")],
        [(1, "b@x")],
        [(1, "z@x")],
    ]


def test_the_files_of_a_merged_thread_stay_as_long_as_the_thread_that_it_is_part_of(
    system: System,
) -> None:
    files = thread_of(system, verified(with_files()))
    other = thread_of(system, mail("b@x", subject="Tables", sender=BOB))
    merge(system, files, other)
    system.clock.ms += 20 * 86_400_000
    thread_of(system, mail("b2@x", sender=BOB, in_reply_to="b@x"))
    kept = {key for key in system.objects() if id_of(files) in key}
    system.clock.ms += 11 * 86_400_000

    system.run_schedule()
    system.drain()

    assert id_of(files) not in system.rows()
    assert {key for key in system.objects() if id_of(files) in key} == kept != set()
    system.clock.ms += 20 * 86_400_000
    system.run_schedule()
    system.drain()
    assert not {key for key in system.objects() if not key.startswith("raw/")}
