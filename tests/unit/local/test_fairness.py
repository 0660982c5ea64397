"""`make load` with two companies: what it counts, and what it reports."""

from __future__ import annotations

import pytest

from local.load.fairness import Accepted, FairnessOutcome, FairnessVerdict, Wait
from local.load.traffic import message_ids, traffic


@pytest.mark.parametrize(
    ("wait", "waiting", "before"),
    [
        (Wait(accepted=1_000, handled=100, handled_then=1_000), 900, 900),  # behind all of them
        (Wait(accepted=1_000, handled=100, handled_then=400), 900, 300),  # a third of them
        (Wait(accepted=1_000, handled=100, handled_then=1_800), 900, 900),  # later events, too
        (Wait(accepted=100, handled=100, handled_then=150), 0, 0),  # nothing waited
        (Wait(accepted=100, handled=102, handled_then=102), 0, 0),  # counted in between
    ],
)
def test_a_wait_counts_the_events_that_were_there_before_and_no_later_ones(
    wait: Wait, waiting: int, before: int
) -> None:
    assert (wait.waiting, wait.before) == (waiting, before)


def test_the_report_names_the_mean_and_the_largest_share_of_waiting_events() -> None:
    waits = [Wait(100, 0, 100), Wait(200, 0, 100), Wait(5, 5, 9)]

    lines = list(FairnessOutcome(2_000, waits, FairnessVerdict([])).in_words())

    assert lines == [
        "2000 events of one company, 3 messages of another one meanwhile",
        "2 of them were accepted behind up to 200 events; 75% of these were handled first on average, 100% at most",
    ]


def test_a_run_in_which_nothing_waited_says_that_it_shows_nothing() -> None:
    lines = list(FairnessOutcome(10, [Wait(5, 5, 6)], FairnessVerdict([])).in_words())

    assert lines[-1] == "none of them was accepted behind other events: send more events"


def test_a_message_that_was_not_stored_is_an_error() -> None:
    verdict = FairnessVerdict(["message 3 was not stored in 600 s"])

    assert list(FairnessOutcome(10, [], verdict).in_words())[-1].startswith("ERROR: message 3")


def test_repeats_and_invalid_events_are_no_messages_that_wait() -> None:
    made = traffic(1, 400, 20, 1_767_268_800)
    accepted = Accepted()

    for bodies in made.requests_by_sender:
        for body in bodies:
            accepted.add(message_ids(body))

    assert accepted.count == len(made.messages) < made.events
