"""A version of a mailbox's settings on trial that answers a share of the new threads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from email_threads.analysis.trials.versions import arm_of
from email_threads.store.configuration.mailbox_trials import MailboxTrials
from email_threads.store.items import Thread
from shared.ai.trials.items import Arm
from shared.runtime import clock
from tests.integration.email_threads import desk
from tests.integration.email_threads.api.thread_calls import refused, result
from tests.integration.email_threads.trials.mailbox_trials import (
    FACTS,
    LIVE,
    PATH,
    TRIALS,
    TRIED,
    begin,
    mailbox,
    outcomes,
    stop,
    version,
)
from tests.simulation.email_threads.system import ASSISTED, BOB, COMPANY

if TYPE_CHECKING:
    from tests.simulation.email_threads.system import System

TO_PEOPLE = desk.answer(None, needs_human=True, reason="a decision")


def share(system: System, percent: int = 100, **given: Any) -> str:
    number = given.pop("version", None) or version(system, facts=FACTS)
    return begin(system, mode="share", version=number, share=percent, **given)


def arms(system: System, trial_id: str, *kinds: str) -> list[tuple[Any, ...]]:
    """Counts of the live version, and of the one on trial."""
    found = outcomes(system, trial_id)
    return [tuple(found[arm][kind] for kind in kinds) for arm in ("live", "trial")]


def versions(system: System) -> list[int]:
    """The versions of all drafts, by the mails that they answer."""
    found = sorted(system.drafts(), key=lambda one: int(one["in_reply_to_n"]))
    return [int(one.get("ai_version", 0)) for one in found]


def test_a_thread_in_the_share_is_drafted_by_the_version_and_names_it(system: System) -> None:
    trial_id = share(system)

    desk.receive(system, "a@x")

    assert versions(system) == [2]
    thread = desk.thread(system)
    assert (thread["ai_trial"], thread["ai_trial_version"]) == (trial_id, 2)
    assert arms(system, trial_id, "conversations", "answers", "handed_off") == [
        (0, 0, 0),
        (1, 1, 0),
    ]
    assert outcomes(system, trial_id)["trial"]["dollars"] != "0.000000"


def test_a_thread_outside_the_share_has_the_live_version_and_is_compared(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("email_threads.analysis.trials.versions.arm_of", lambda *_: Arm.LIVE)
    trial_id = share(system, 1)

    desk.receive(system, "a@x")
    (draft,) = system.drafts()
    desk.approve(system, draft)

    assert int(draft["ai_version"]) == 1
    assert arms(system, trial_id, "conversations", "answers", "sent") == [(1, 1, 1), (0, 0, 0)]


def test_all_threads_of_an_address_get_the_same_version_and_addresses_are_divided(
    system: System,
) -> None:
    trial_id = share(system, 50)
    desk.receive(system, "a@x")
    stored = MailboxTrials(system.worker.resources.table, COMPANY, ASSISTED)
    trial, thread = stored.read(trial_id), desk.thread(system)
    assert trial is not None
    head = Thread.read(thread)
    of = {
        name: arm_of(trial, head.model_copy(update={"participant": name, "conversation_id": "x"}))
        for name in (f"p{n}@mill.example" for n in range(40))
    }

    assert set(of.values()) == {Arm.LIVE, Arm.TRIAL}
    for label in ("", "+orders"):
        again = head.model_copy(update={"participant": f"p1{label}@mill.example"})
        assert arm_of(trial, again) is of["p1@mill.example"]


def test_a_thread_that_began_before_the_trial_stays_with_the_live_version(system: System) -> None:
    desk.receive(system, "a@x")
    trial_id = share(system)

    desk.receive(system, "b@x", in_reply_to="a@x")

    assert versions(system) == [0, 1]  # the settings of the first were no version yet
    assert outcomes(system, trial_id)["trial"]["conversations"] == 0
    assert "ai_trial" not in desk.thread(system)


def test_a_thread_keeps_its_version_after_the_trial_and_new_ones_have_the_live_one(
    system: System,
) -> None:
    trial_id = share(system)
    desk.receive(system, "a@x")
    stop(system, trial_id)

    desk.receive(system, "b@x", in_reply_to="a@x")
    desk.receive(system, "c@x", sender=BOB, subject="Tables")

    assert sorted(versions(system)) == [1, 2, 2]
    assert "ai_trial" not in mailbox(system)


def test_a_version_that_is_withdrawn_drafts_for_no_thread_any_more(system: System) -> None:
    trial_id = share(system)
    desk.receive(system, "a@x")
    stop(system, trial_id, withdraw=True)

    desk.receive(system, "b@x", in_reply_to="a@x")

    assert versions(system) == [2, 1]


def test_a_version_that_hands_off_too_often_is_withdrawn_at_the_next_mail(
    system: System, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = {"ann@orchard.example": Arm.TRIAL, BOB: Arm.LIVE}
    monkeypatch.setattr(
        "email_threads.analysis.trials.versions.arm_of",
        lambda _, thread: drawn[thread.participant],
    )
    trial_id = share(system, 50, handed_off_points=20, at_least=1)
    desk.answers(system, TO_PEOPLE, LIVE)
    desk.receive(system, "a@x")
    desk.receive(system, "c@x", sender=BOB, subject="Tables")

    desk.answers(system, LIVE)
    desk.receive(system, "b@x", in_reply_to="a@x")

    found = outcomes(system, trial_id)
    assert (found["ended_for"], found["withdrawn"]) == ("handed_off", True)
    assert [int(one["ai_version"]) for one in system.drafts()] == [1, 1]


def test_a_share_ends_at_its_number_of_threads(system: System) -> None:
    trial_id = share(system, most_conversations=1)

    desk.receive(system, "a@x")
    desk.receive(system, "c@x", sender=BOB, subject="Tables")

    assert sorted(int(one["ai_version"]) for one in system.drafts()) == [1, 2]
    assert outcomes(system, trial_id)["ended_for"] == "most_conversations"


def test_a_trial_ends_at_its_time(system: System) -> None:
    until = clock.to_text(system.clock.ms + 60_000)
    trial_id = share(system, until=until)
    system.clock.ms += 60_000

    desk.receive(system, "a@x")

    assert versions(system) == [1]
    assert outcomes(system, trial_id)["ended_for"] == "until"


def test_what_people_change_and_reject_counts_for_the_version_of_the_thread(
    system: System,
) -> None:
    trial_id = share(system)
    desk.answers(system, TRIED, TRIED)
    desk.receive(system, "a@x")
    desk.receive(system, "c@x", sender=BOB, subject="Tables")
    first, second = system.drafts()
    paths = [
        f"/email-threads/{one['conversation_id'].partition('#')[0]}/replies/{one['reply_id']}"
        for one in (first, second)
    ]
    result(system.call("PATCH", paths[0], {"version": 1, "body_text": "The answer is ready."}))
    desk.approve(system, {**first, "version": 2})
    result(system.call("POST", f"{paths[1]}/reject", {"version": 1, "reason": "wrong"}))

    assert arms(system, trial_id, "sent", "corrected", "edits", "words", "discarded") == [
        (0, 0, 0, 0, 0),
        (1, 1, 1, 5, 1),
    ]


def test_a_version_that_sends_by_itself_does_so_in_its_threads_alone(system: System) -> None:
    number = version(system, reply_mode="auto", facts=FACTS)
    share(system, version=number)
    desk.answers(system, TRIED)

    desk.receive(system, "a@x")

    assert len(system.sent()) == 1
    assert mailbox(system)["reply_mode"] == "manual"


def test_a_version_that_has_not_passed_a_gate_takes_no_share_but_may_draft_in_shadow(
    system: System,
) -> None:
    scenario = {
        "kind": "mail",
        "name": "one",
        "mails": [{"text": "Hello."}],
        "expect": {"language": "en"},
    }
    given = {"scenarios": [scenario], "gate": True}
    result(system.call("POST", f"{PATH}/sets/first", given))
    number = version(system)

    answer = system.call("POST", TRIALS, {"mode": "share", "version": number, "share": 10})

    assert refused(answer)[0] == 409
    assert begin(system, version=number)
