"""The generated mails of the load run: their shares, their order, and that a seed reproduces them."""

import pytest

from email_threads.parsing.mail import parse
from email_threads.threading import ids
from local.load.mail_traffic import ROBOT, MailTraffic, mail_traffic

RUN = "load1"


def ids_of(made: MailTraffic) -> list[list[str]]:
    """The Message-IDs of each sender's arrivals, in order."""
    return [[parse(one.raw).message_id for one in arrivals] for arrivals in made.by_sender]


@pytest.mark.long
def test_a_run_has_the_documented_shares_of_repeats_early_replies_and_invalid_mails() -> None:
    made = mail_traffic(1, 4_000, 300, RUN)

    assert made.events in {4_000, 4_001}
    assert 140 < made.repeats < 260
    assert 20 < made.invalid.total() < 60
    assert set(made.invalid) == {"message_id_reused", "unknown_mailbox", "unknown_reference"}
    assert 250 < made.early < 500
    assert {mail.mailbox for mail in made.mails} >= {ROBOT}


@pytest.mark.long
def test_the_same_seed_makes_the_same_run() -> None:
    first, again = mail_traffic(3, 200, 10, RUN), mail_traffic(3, 200, 10, RUN)

    assert (first.mails, first.invalid, ids_of(first)) == (
        again.mails,
        again.invalid,
        ids_of(again),
    )
    assert first.mails != mail_traffic(4, 200, 10, RUN).mails


@pytest.mark.long
def test_every_mail_arrives_and_a_thread_has_one_sender() -> None:
    made = mail_traffic(1, 400, 20, RUN)
    arrived = ids_of(made)

    assert {mail.message_id for mail in made.mails} <= {name for names in arrived for name in names}
    told_twice = sum(one.is_told_twice for arrivals in made.by_sender for one in arrivals)
    assert sum(map(len, arrived)) + told_twice == made.events
    for position, names in enumerate(arrived):
        threads = {mail.thread for mail in made.mails if mail.message_id in names}
        assert {thread % len(arrived) for thread in threads} <= {position}


@pytest.mark.long
def test_a_mail_names_the_root_of_its_thread_so_that_an_early_reply_finds_it() -> None:
    made = mail_traffic(1, 400, 20, RUN)
    raws = {
        mail.message_id: mail
        for arrivals in made.by_sender
        for mail in map(parse, (one.raw for one in arrivals))
    }

    assert all(ids.root(raws[mail.message_id]) == mail.root for mail in made.mails)


@pytest.mark.long
def test_a_copy_of_a_mail_has_its_fingerprint() -> None:
    made = mail_traffic(1, 400, 20, RUN)
    fingerprints: dict[str, set[str]] = {}
    for arrivals in made.by_sender:
        for mail in map(parse, (one.raw for one in arrivals)):
            fingerprints.setdefault(mail.message_id, set()).add(mail.fingerprint)

    assert (
        sum(len(found) - 1 for found in fingerprints.values()) == made.invalid["message_id_reused"]
    )
