"""The totals of the recruiting demo, and the phone numbers of its candidates."""

from dataclasses import replace

from events.conversations.recruiting import Run
from local.demo.scenarios.recruiting_scenarios import Totals
from shared.identity.addresses import phone_number
from tests.cases import each

FINE = Totals(
    accepted=6,
    repeated=1,
    started=3,
    blocked=2,
    webhook_calls=6,
    repeated_calls=1,
    stored=5,
    sent=("SM1", "SM2"),
    received=("SM2", "SM1"),
    dead_letters=0,
)


def test_totals_match_when_every_request_and_text_has_one_result() -> None:
    assert FINE.match


@each(
    "wrong",
    [
        replace(FINE, started=2),
        replace(FINE, repeated=0),
        replace(FINE, stored=4),
        replace(FINE, stored=6),
        replace(FINE, received=("SM1",)),
        replace(FINE, received=("SM1", "SM2", "SM3")),
        replace(FINE, sent=("SM1", "SM1"), received=("SM1", "SM1")),
        replace(FINE, sent=("SM1", "not accepted")),
        replace(FINE, dead_letters=1),
    ],
    ids=[
        "a request is lost",
        "a repeat starts a conversation",
        "a text is lost",
        "a text is duplicated",
        "a message is missing at the provider",
        "a message is missing in the log",
        "a message is sent twice",
        "a message is not accepted",
        "a dead letter",
    ],
)
def test_totals_do_not_match_when_an_entry_is_lost_or_duplicated(wrong: Totals) -> None:
    assert not wrong.match


def test_runs_do_not_share_candidates() -> None:
    runs = [Run(1_800_000_000 + second) for second in range(500)]
    people = [run.candidate("Ann", "Doe", place) for run in runs for place in range(8)]

    assert len({person.tel for person in people}) == len(people)
    assert len({person.email for person in people}) == len(runs)


def test_candidates_have_possible_numbers_reserved_for_fiction() -> None:
    for second in range(0, 80_000, 97):
        tel = Run(1_800_000_000 + second).candidate("Ann", "Doe").tel

        assert phone_number(tel) == tel
        assert tel[5:10] == "55501"
