"""The kinds of events and calls in the measured e-mail threads, with their figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Final

from tests.cost.email_threads import acts, moves, runs
from tests.cost.email_threads.acts import Steps
from tests.cost.harness import Figures
from tests.simulation.email_threads.system import ANN

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, slots=True)
class Kind:
    """
    A kind of event or call: the unmeasured set-up *before*, and the measured *steps*.

    *smaller* are the figures that differ while the head of the thread is not full: by its number of mails.
    *most_reads* bounds the read units at any length: heads, referenced mails and mails of a page grow up to limits.
    *only_at*: it is measured in threads of these lengths. The API refuses it in longer ones, and its requests depend on
    the length.
    """

    name: str
    steps: Steps
    figures: Figures
    most_reads: float
    before: Steps = lambda _: None
    smaller: Mapping[int, Mapping[str, int]] = field(default_factory=dict)
    only_at: tuple[int, ...] = ()

    def is_measured_at(self, length: int) -> bool:
        """Whether it is measured in a thread of this length."""
        return not self.only_at or length in self.only_at

    def at(self, length: int) -> dict[str, int]:
        """The figures by name in a thread of this length."""
        return {**asdict(self.figures), **self.smaller.get(length, {})}


_is_merged: Final = acts.then(acts.has_another_thread, moves.merges, acts.run, moves.undoes)
_is_to_be_split: Final = acts.then(acts.written_twice, acts.run, moves.splits)
_BOUNCE: Final = {"bounceType": "Permanent", "bouncedRecipients": [{"emailAddress": ANN}]}

KINDS = (
    # Figures: write units, requests (all, SQS, S3), lines (log, EMF), their bytes; then read units. Of a new process:
    # the next ones do not read the owner of a mailbox again within 30 seconds.
    Kind("a mail, first of its thread", acts.writes_first, Figures(17, 16, 6, 2, 2, 1, 900), 6),
    Kind("a further mail", acts.writes, Figures(47, 15, 6, 2, 2, 1, 900), 18,
         smaller={1: {"write_units": 30}, 10: {"write_units": 43}}),
    Kind("a further mail of 3 KB", acts.writes_long, Figures(57, 15, 6, 2, 2, 1, 900), 18,
         smaller={1: {"write_units": 43}, 10: {"write_units": 53}}),
    Kind("a further mail, with files", acts.writes_with_files, Figures(59, 20, 6, 7, 2, 1, 900), 18,
         smaller={1: {"write_units": 48}, 10: {"write_units": 55}}),
    Kind("a mail again", acts.again, Figures(4, 17, 6, 2, 2, 1, 900), 21, acts.then(acts.writes, acts.six_minutes),
         smaller={1: {"requests": 18}}),
    Kind("a mail without a mailbox", acts.to_nobody, Figures(3, 10, 5, 2, 2, 2, 1_100), 3),
    Kind("its analysis, with a draft", acts.run, Figures(25, 13, 2, 0, 2, 1, 1_300), 27, acts.writes,
         smaller={1: {"write_units": 19, "requests": 15}, 10: {"write_units": 23}}),
    Kind("its analysis, over a waiting draft", acts.run, Figures(28, 15, 2, 0, 2, 1, 1_300), 28, acts.written_twice,
         smaller={1: {"write_units": 21}, 10: {"write_units": 26}}),
    Kind("its analysis, with a changed value", acts.run, Figures(36, 13, 2, 0, 2, 1, 1_300), 27, acts.writes_otherwise,
         smaller={1: {"write_units": 26, "requests": 15}, 10: {"write_units": 33}}),
    Kind("an analysis, and a draft in shadow", runs.plays, Figures(52, 30, 5, 0, 4, 2, 2_600), 65,
         acts.written_in_shadow,
         smaller={1: {"write_units": 43, "requests": 32}, 10: {"write_units": 50}}),
    Kind("its approval", acts.approves, Figures(46, 10, 1, 0, 2, 0, 700), 5,
         acts.then(acts.is_drafted, acts.a_minute_later), smaller={1: {"write_units": 30}, 10: {"write_units": 42}}),
    Kind("its send", acts.run, Figures(57, 24, 2, 0, 1, 1, 700), 30, acts.is_approved,
         smaller={1: {"write_units": 42}, 10: {"write_units": 53}}),
    Kind("an answer with copies, composed", acts.composes, Figures(63, 12, 0, 0, 2, 0, 600), 7, acts.writes_with_copies,
         smaller={1: {"write_units": 38}, 10: {"write_units": 56}}),
    Kind("its send to all", acts.run, Figures(62, 32, 2, 0, 1, 1, 700), 39, acts.copies_are_approved,
         smaller={1: {"write_units": 53}, 10: {"write_units": 61}}),
    Kind("SES reports: sent", acts.reports("Send"), Figures(2, 9, 5, 0, 2, 1, 800), 4, acts.is_sent,
         smaller={1: {"write_units": 1}}),
    Kind("SES reports: delivered", acts.reports("Delivery"), Figures(2, 9, 5, 0, 2, 1, 800), 4, acts.is_sent,
         smaller={1: {"write_units": 1}}),
    Kind("SES reports: permanent bounce", acts.reports("Bounce", **_BOUNCE), Figures(43, 13, 5, 0, 2, 1, 800), 7,
         acts.is_sent, smaller={1: {"write_units": 30}, 10: {"write_units": 39}}),
    Kind("a list of 25 threads", acts.calls("/email-threads"), Figures(0, 2, 0, 0, 1, 0, 400), 52, acts.fill_lists),
    Kind("a thread", acts.calls("/email-threads/{thread}"), Figures(0, 1, 0, 0, 1, 0, 400), 2),
    Kind("its newest 25 mails", acts.calls("/email-threads/{thread}/emails"), Figures(0, 2, 0, 0, 1, 0, 400), 27),
    Kind("a list of 25 of a customer's 500 threads", acts.calls("/email-threads", participant=ANN),
         Figures(0, 2, 0, 0, 1, 0, 400), 53, acts.fill_customer),
    Kind("a mail of a customer with 500 threads", acts.writes_again_by_subject, Figures(19, 18, 6, 2, 2, 1, 900), 27,
         acts.fill_customer),
    Kind("a mail of 30 MB", acts.writes_huge, Figures(14, 14, 5, 2, 2, 1, 900), 5),
    Kind("a mail, first of its thread, with targets", acts.writes_first, Figures(23, 16, 6, 2, 2, 1, 900), 6,
         acts.with_targets),
    Kind("an alarm before a breach", acts.looks, Figures(19, 15, 5, 0, 1, 1, 700), 7, acts.is_due),
    Kind("a question at the end of a thread", acts.looks, Figures(38, 16, 5, 0, 1, 1, 700), 9, acts.is_completed,
         smaller={1: {"write_units": 29}, 10: {"write_units": 35}}),
    Kind("the send of a question", acts.sends_question, Figures(56, 36, 8, 0, 2, 1, 900), 34, acts.is_asked,
         smaller={1: {"write_units": 42, "requests": 37}, 10: {"write_units": 52}}),
    Kind("an answer to a question", acts.answers_question, Figures(29, 2, 0, 0, 0, 0, 0), 2, acts.is_asked,
         smaller={1: {"write_units": 20}, 10: {"write_units": 26}}),
    # An undo and a split derive the head from all mails: they read the thread four times, or twice.
    Kind("a merge of another thread of one mail", acts.run, Figures(131, 25, 2, 0, 1, 1, 600), 17,
         acts.then(acts.has_another_thread, moves.merges),
         smaller={1: {"write_units": 98}, 10: {"write_units": 123}}, only_at=(1, 10, 2_000)),
    Kind("the undo of a merge", acts.run, Figures(121, 114, 2, 0, 1, 1, 600), 8_024, _is_merged,
         smaller={1: {"write_units": 101, "requests": 37}, 10: {"write_units": 116, "requests": 35}},
         only_at=(1, 10, 2_000)),
    Kind("a split of two mails", acts.run, Figures(127, 82, 3, 4, 1, 1, 600), 4_039, _is_to_be_split,
         smaller={1: {"write_units": 95, "requests": 43, "sqs": 4}, 10: {"write_units": 122, "requests": 42}},
         only_at=(1, 10, 2_000)),
    Kind("a list of 25 drafts", acts.calls("/email-threads/drafts"), Figures(0, 2, 0, 0, 1, 0, 400), 25.5,
         acts.fill_lists),
    Kind("a run of two recorded scenarios", runs.plays, Figures(8, 18, 4, 0, 2, 2, 1_500), 12,
         runs.begins_recorded),
    Kind("a run of two scenarios with a model", runs.plays, Figures(9, 21, 4, 0, 4, 2, 2_600), 14,
         runs.begins_with_model),
)  # fmt: skip
WRITTEN_DOWN = {kind.name: kind.figures for kind in KINDS}
