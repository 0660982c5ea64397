"""What reports count of a conversation, from one head to the next."""

from typing import Any

from shared.inbox import rounds
from shared.inbox.rounds import Fact, Round, Seen
from tests.cases import each

NOW = 100_000
OPEN = Seen(is_open=True, is_archived=False, active_ms=10_000)
WAITS = Seen(is_open=True, is_archived=False, active_ms=10_000, waiting_ms=10_000)
ANSWERED = Seen(is_open=True, is_archived=False, active_ms=25_000, answered_ms=25_000)
RESOLVED = Seen(
    is_open=False, is_archived=False, active_ms=25_000, answered_ms=25_000, ended_ms=40_000
)


def played(*heads: Seen, known: Round | None = None) -> list[tuple[Fact, int, int | None]]:
    """The facts of heads that follow each other."""
    round_, found = known, []
    for head in heads:
        round_, happened = rounds.after(round_, head, NOW)
        found += [(one.fact, one.at_ms, one.since_ms) for one in happened]
    return found


OPENED = (Fact.OPENED, 10_000, None)
FIRST_ANSWER = (Fact.ANSWERED, 25_000, 10_000)
END = (Fact.RESOLVED, 40_000, 10_000)


FACTS = {
    "a round has one opening, one answer and one end": (
        [WAITS, ANSWERED, RESOLVED],
        [OPENED, FIRST_ANSWER, END],
    ),
    "heads that come again count nothing": (
        [WAITS, WAITS, ANSWERED, ANSWERED, RESOLVED, RESOLVED],
        [OPENED, FIRST_ANSWER, END],
    ),
    "an answer that is seen together with the end counts": (
        [WAITS, RESOLVED],
        [OPENED, FIRST_ANSWER, END],
    ),
    "a second question of the round is no first one": (
        [
            WAITS,
            ANSWERED,
            Seen(is_open=True, is_archived=False, active_ms=30_000, waiting_ms=30_000),
            Seen(is_open=True, is_archived=False, active_ms=35_000, answered_ms=35_000),
        ],
        [OPENED, FIRST_ANSWER],
    ),
    "a message of the company in between is an answer to the one before it": (
        [
            WAITS,
            Seen(
                is_open=True,
                is_archived=False,
                active_ms=30_000,
                waiting_ms=30_000,
                answered_ms=25_000,
            ),
        ],
        [OPENED, FIRST_ANSWER],
    ),
    "an earlier question that arrives late begins the wait": (
        [
            WAITS,
            Seen(is_open=True, is_archived=False, active_ms=10_000, waiting_ms=5_000),
            ANSWERED,
        ],
        [OPENED, (Fact.ANSWERED, 25_000, 5_000)],
    ),
    "an answer that is older than the question is none": (
        [
            Seen(
                is_open=True,
                is_archived=False,
                active_ms=10_000,
                waiting_ms=10_000,
                answered_ms=9_000,
            ),
            Seen(is_open=True, is_archived=False, active_ms=10_000, answered_ms=9_000),
        ],
        [OPENED],
    ),
    "a conversation that the company begins waits from the first answer of the customer on": (
        [
            Seen(is_open=True, is_archived=False, active_ms=5_000, answered_ms=5_000),
            WAITS,
            ANSWERED,
        ],
        [(Fact.OPENED, 5_000, None), FIRST_ANSWER],
    ),
    "a message after the end begins another round": (
        [
            WAITS,
            RESOLVED,
            Seen(
                is_open=True,
                is_archived=False,
                active_ms=60_000,
                waiting_ms=60_000,
                answered_ms=25_000,
            ),
            Seen(is_open=True, is_archived=False, active_ms=70_000, answered_ms=70_000),
        ],
        [
            OPENED,
            FIRST_ANSWER,
            END,
            (Fact.OPENED, 60_000, None),
            (Fact.REOPENED, 60_000, 40_000),
            (Fact.ANSWERED, 70_000, 60_000),
        ],
    ),
    "a person who opens it again does so now": (
        [WAITS, RESOLVED, ANSWERED],
        [OPENED, FIRST_ANSWER, END, (Fact.OPENED, NOW, None), (Fact.REOPENED, NOW, 40_000)],
    ),
    "an archived one ends without a resolution, and resolving it later counts nothing": (
        [
            WAITS,
            Seen(is_open=False, is_archived=True, active_ms=10_000),
            RESOLVED,
        ],
        [OPENED, (Fact.ARCHIVED, NOW, 10_000)],
    ),
    "what is archived at once, such as spam, is not counted": (
        [Seen(is_open=False, is_archived=True, active_ms=10_000)],
        [],
    ),
}


@each("heads, expected", FACTS.values(), FACTS)
def test_facts_of_a_round_are_counted_once(
    heads: list[Seen], expected: list[tuple[Fact, int, int | None]]
) -> None:
    assert played(*heads) == expected


def _with_assistant(status: str, **more: Any) -> Seen:
    is_over = status in {"closed", "opted_out"}
    return Seen(is_open=not is_over, is_archived=False, active_ms=10_000, assistant=status, **more)


ENDS = {
    "alone": (["reply_sent", "closed"], [Fact.RESOLVED, Fact.ENDED_ALONE]),
    "with people": (
        ["reply_sent", "handoff_pending", "handoff_active", "reply_sent", "closed"],
        [Fact.HANDED_OFF, Fact.RESOLVED, Fact.ENDED_WITH_PEOPLE],
    ),
    "by an opt-out": (["reply_sent", "opted_out"], [Fact.RESOLVED, Fact.OPTED_OUT]),
    "after a failure": (
        ["failed", "processing", "failed", "closed"],
        [Fact.FAILED, Fact.RESOLVED, Fact.ENDED_ALONE],
    ),
}


@each("statuses, expected", ENDS.values(), ENDS)
def test_an_ai_conversation_ends(statuses: list[str], expected: list[Fact]) -> None:
    facts = [fact for fact, *_ in played(*map(_with_assistant, statuses))]
    assert facts == [Fact.OPENED, *expected]


@each("head", [WAITS, OPEN, ANSWERED, RESOLVED])
def test_what_was_before_the_first_count_is_not_counted(head: Seen) -> None:
    known = rounds.uncounted(head, NOW)
    assert played(head, head, known=known) == []
    if head is WAITS:
        assert played(ANSWERED, known=known) == [FIRST_ANSWER]
