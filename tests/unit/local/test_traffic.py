"""The generated traffic of the load run: its shares, and that a seed reproduces it."""

import json

from local.load.traffic import traffic

NOW = 1_767_268_800


def test_a_run_has_the_documented_shares_of_repeats_and_invalid_events() -> None:
    made = traffic(1, 10_000, 500, NOW)

    assert made.events == 10_000
    assert 400 < made.repeats < 600
    assert 60 < made.invalid.total() < 140
    assert set(made.invalid) == {"conflict", "unknown_phone", "unknown_status"}
    assert len({sent.conversation for sent in made.messages}) == 500


def test_the_same_seed_makes_the_same_run() -> None:
    assert traffic(3, 200, 10, NOW) == traffic(3, 200, 10, NOW)
    assert traffic(3, 200, 10, NOW) != traffic(4, 200, 10, NOW)


def test_every_event_is_posted_and_a_conversation_has_one_sender() -> None:
    made = traffic(1, 400, 20, NOW)

    posted = [
        [change for body in bodies for change in json.loads(body)["entry"][0]["changes"]]
        for bodies in made.requests_by_sender
    ]
    assert sum(map(len, posted)) == 400
    senders = [
        {m["from"] for c in changes for m in c["value"].get("messages", [])} for changes in posted
    ]
    assert sum(map(len, senders)) == len(set().union(*senders))
