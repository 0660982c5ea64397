"""
Scheduled drafts, pending sends and reminders of threads whose mails move: each draft is open in one thread, and is sent
at most once, after a person has approved it where it is.
"""

from __future__ import annotations

import random
from http import HTTPStatus
from typing import Any

import pytest

from tests.integration.email_threads.api.thread_calls import THREADS, result, thread_of
from tests.integration.email_threads.drafting import (
    again,
    approve,
    composed,
    shown,
    status_of,
    waiting,
)
from tests.integration.email_threads.sends.scheduled_sends import HOUR_MS, at
from tests.integration.email_threads.sends.test_scheduled_sends import undoable, until
from tests.integration.email_threads.threading.test_separation import do, id_of, messages
from tests.simulation.email_threads.mails import verified, with_files
from tests.simulation.email_threads.steps import composed as composed_with_file
from tests.simulation.email_threads.system import BOB, MAILBOX, System, mail


def two_mails(system: System) -> str:
    """A thread of two mails of one customer."""
    return thread_of(system, mail("a@x", "One."), mail("a2@x", "Two.", in_reply_to="a@x"))


def scheduled(system: System, path: str, hours: int = 2, **given: Any) -> str:
    draft = composed(system, path, **given)
    approve(system, draft, send_at=at(system, hours * HOUR_MS), confirm_stale=True)
    return draft


def under(draft: str, path: str) -> str:
    """The path of a draft in another thread."""
    return f"{path}/replies/{draft.rpartition('/')[2]}"


def places(system: System, draft: str) -> list[tuple[str, str]]:
    """The threads in which a draft is open or was sent, with its status; and the threads whose heads list it."""
    reply_id = draft.rpartition("/")[2]
    rows = system.rows()
    found = [
        (key.partition("#")[0], str(row["draft_status"]))
        for key, row in rows.items()
        if key.endswith(f"#draft#{reply_id}") and row["draft_status"] != "superseded"
    ]
    listed = [key for key, row in rows.items() if reply_id in row.get("open_drafts", ())]
    is_open = [thread for thread, status in found if status not in {"sent", "rejected"}]
    assert len(found) == 1, found
    assert listed == is_open, (listed, found)
    return found


def test_a_scheduled_draft_of_a_split_mail_waits_in_the_new_thread(system: System) -> None:
    path = two_mails(system)
    draft = scheduled(system, path, n=2)

    new = do(system, f"{path}/split", mails=[2])
    until(system, at(system, 3 * HOUR_MS))

    assert not system.sent()
    assert places(system, draft) == [(id_of(new), "amended")]
    there = under(draft, new)
    assert status_of(system, there) == ("amended", "merged")
    assert waiting(system) == [there]
    assert shown(system, there).get("send_at") is None
    approve(system, there)
    system.drain()
    assert len(system.sent()) == 1
    assert len(messages(system, new)) == 2
    assert len(messages(system, path)) == 1


def test_a_scheduled_draft_of_a_mail_that_stays_is_sent_at_its_time(system: System) -> None:
    path = two_mails(system)
    draft = scheduled(system, path, n=1)

    do(system, f"{path}/split", mails=[2])

    assert places(system, draft) == [(id_of(path), "approved")]
    until(system, at(system, 3 * HOUR_MS))
    assert len(system.sent()) == 1
    assert places(system, draft) == [(id_of(path), "sent")]


def test_a_draft_returns_with_its_mail_and_is_scheduled_again(system: System) -> None:
    path = two_mails(system)
    draft = scheduled(system, path, n=2)
    new = do(system, f"{path}/split", mails=[2])
    approve(system, under(draft, new), send_at=at(system, HOUR_MS))

    do(system, f"{new}/merge", into=id_of(path))
    until(system, at(system, 3 * HOUR_MS))

    assert not system.sent()
    assert places(system, draft) == [(id_of(path), "amended")]
    approve(system, draft, send_at=at(system, HOUR_MS))
    until(system, at(system, 2 * HOUR_MS))
    assert len(system.sent()) == 1
    assert places(system, draft) == [(id_of(path), "sent")]


def test_a_scheduled_draft_of_an_undone_merge_is_not_sent_by_the_first_schedule(
    system: System,
) -> None:
    winner = thread_of(system, mail("b@x", "Bob.", subject="Tables", sender=BOB))
    loser = thread_of(system, mail("a@x", "Ann.", subject="Chairs"))
    draft = scheduled(system, loser)
    do(system, f"{loser}/merge", into=id_of(winner))
    assert places(system, draft) == [(id_of(winner), "amended")]

    do(system, f"{loser}/unmerge")
    approve(system, draft, send_at=at(system, 5 * HOUR_MS))
    until(system, at(system, 3 * HOUR_MS))

    assert not system.sent()
    assert places(system, draft) == [(id_of(loser), "approved")]
    until(system, at(system, 3 * HOUR_MS))
    assert len(system.sent()) == 1


@pytest.mark.parametrize("moves", ["split", "merge"])
def test_a_send_within_its_undo_time_is_held_back_if_its_mail_moves(
    system: System, moves: str
) -> None:
    draft = undoable(system)
    path = draft.rpartition("/replies/")[0]
    again(system, "More.", "more@x")
    other = thread_of(system, mail("b@x", "Bob.", subject="Tables", sender=BOB))
    approve(system, draft, confirm_stale=True)

    given = {"mails": [1]} if moves == "split" else {"into": id_of(other)}
    answer = result(system.call("POST", f"{path}/{moves}", given))
    system.run_worker(*next(one for one in system.fifo_queues.receive() if one[0] == system.queue))
    until(system, at(system, HOUR_MS))

    assert not system.sent()
    assert places(system, draft) == [(answer["into"], "amended")]


def test_a_moved_draft_keeps_its_files_if_the_move_is_repeated(system: System) -> None:
    system.deliver(verified(b"Message-ID: <a@x>\n" + with_files()), name="first", address=MAILBOX)
    system.drain()
    composed_with_file(system)
    thread_of(system, mail("more@x", "More.", in_reply_to="a@x"))
    (head,) = system.threads()
    path = f"{THREADS}/{head['conversation_id']}"
    answer = result(system.call("POST", f"{path}/split", {"mails": [1]}))
    event = system.fifo_queues.queues[system.queue].messages[-1]
    system.drain()
    system.run_worker(system.queue, event)
    system.drain()
    (draft,) = (one for one in system.drafts() if one["draft_status"] != "superseded")

    approve(
        system, under(draft["conversation_id"].replace("#", "/"), f"{THREADS}/{answer['into']}")
    )
    system.drain()

    assert len(system.sent()) == 1


class Desk:
    """People who move mails, schedule and undo at random."""

    def __init__(self, system: System, seed: int) -> None:
        self.system, self.dice = system, random.Random(seed)  # noqa: S311 - no secret
        self.path = two_mails(system)
        other = thread_of(system, mail("b@x", "Bob.", subject="Tables", sender=BOB))
        self.other, self.new = id_of(other), id_of(self.path)
        self.draft = composed(system, self.path, n=2)

    def act(self) -> None:
        acts = [self.split, self.unsplit, self.change, self.change, self.merge, self.wait]
        self.dice.choice([*acts, self.unmerge])()

    def call(self, path: str, **body: Any) -> tuple[int, Any]:
        """A call that may be refused."""
        answer = self.system.call("POST", path, body)
        self.system.drain()
        return answer

    def split(self) -> None:
        answer = self.call(f"{self.path}/split", mails=[2])
        if answer[0] < HTTPStatus.BAD_REQUEST:
            self.new = str(result(answer)["into"])

    def unsplit(self) -> None:
        self.call(f"/email-threads/{self.new}/merge", into=id_of(self.path))

    def merge(self) -> None:
        self.call(f"{self.path}/merge", into=self.other)

    def unmerge(self) -> None:
        self.call(f"{self.path}/unmerge")

    def change(self) -> None:
        ((thread, status),) = places(self.system, self.draft)
        place = under(self.draft, f"/email-threads/{thread}")
        version = shown(self.system, place)["version"]
        if status == "approved":
            self.call(f"{place}/undo", version=version)
        else:
            send_at = at(self.system, self.dice.choice([1, 2, 20]) * HOUR_MS // 2)
            self.call(f"{place}/approve", version=version, send_at=send_at, confirm_stale=True)

    def wait(self) -> None:
        until(self.system, at(self.system, HOUR_MS // 2))


@pytest.mark.parametrize(
    "seed", [*range(2), *(pytest.param(n, marks=pytest.mark.long) for n in range(2, 12))]
)
def test_a_draft_is_open_in_one_thread_and_sent_once_whichever_way_its_mail_moves(
    system: System, seed: int
) -> None:
    desk = Desk(system, seed)

    for _ in range(16):
        desk.act()
        places(system, desk.draft)
        assert len(system.sent()) <= 1


def test_the_reminder_of_a_merged_thread_is_the_winners_and_comes_once(system: System) -> None:
    winner = thread_of(system, mail("b@x", "Bob.", subject="Tables", sender=BOB))
    loser = thread_of(system, mail("a@x", "Ann.", subject="Chairs"))
    for path in (winner, loser):
        result(system.call("PATCH", path, {"status": "pending_info"}))
    result(system.call("PATCH", loser, {"remind_at": at(system, 2 * HOUR_MS)}))

    do(system, f"{loser}/merge", into=id_of(winner))
    until(system, at(system, 3 * HOUR_MS))

    heads = [system.rows()[id_of(path)] for path in (winner, loser)]
    reminded = [[e["action"] for e in head["audit_log"]].count("reminder") for head in heads]
    assert reminded == [1, 0], [head["audit_log"] for head in heads]
