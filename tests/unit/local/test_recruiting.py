"""The account of a recruiting morning: what adds up, and what never may. And whose numbers its people have."""

from dataclasses import replace

import pytest

from events.conversations.morning import Run
from local.demo.recruiting_scenes import Account
from shared.addresses import phone_number

FINE = Account(
    accepted=6,
    repeated=1,
    begun=3,
    blocked=2,
    told=6,
    retold=1,
    stored=5,
    sent=("SM1", "SM2"),
    received=("SM2", "SM1"),
    dead_letters=0,
)


def test_an_account_adds_up_when_everything_became_something_once() -> None:
    assert FINE.adds_up


@pytest.mark.parametrize(
    "wrong",
    [
        replace(FINE, begun=2),
        replace(FINE, repeated=0),
        replace(FINE, stored=4),
        replace(FINE, stored=6),
        replace(FINE, received=("SM1",)),
        replace(FINE, received=("SM1", "SM2", "SM3")),
        replace(FINE, sent=("SM1", "SM1"), received=("SM1", "SM1")),
        replace(FINE, sent=("SM1", "nobody took it")),
        replace(FINE, dead_letters=1),
    ],
    ids=[
        "a request is lost",
        "a repetition begins a conversation",
        "a text is lost",
        "a text is doubled",
        "a message did not leave",
        "a message left that nobody knows of",
        "a message left twice",
        "a message that nobody took",
        "a dead letter",
    ],
)
def test_it_does_not_when_something_is_lost_or_doubled(wrong: Account) -> None:
    assert not wrong.adds_up


def test_the_people_of_a_run_are_those_of_no_other() -> None:
    runs = [Run(1_800_000_000 + second) for second in range(500)]
    people = [run.candidate("Ann", "Doe", place) for run in runs for place in range(8)]

    assert len({person.tel for person in people}) == len(people)
    assert len({person.email for person in people}) == len(runs)


def test_their_numbers_are_possible_and_kept_for_fiction() -> None:
    for second in range(0, 80_000, 97):
        tel = Run(1_800_000_000 + second).candidate("Ann", "Doe").tel

        assert phone_number(tel) == tel
        assert tel[5:10] == "55501"
