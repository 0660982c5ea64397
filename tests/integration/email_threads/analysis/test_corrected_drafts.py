"""Drafts of the model that people correct are counted with their edits, once, by version of the settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.integration.email_threads import desk
from tests.integration.email_threads.api.thread_calls import refused, result
from tests.integration.email_threads.drafting import composed
from tests.simulation.email_threads.system import ASSISTED

if TYPE_CHECKING:
    from tests.simulation.email_threads.system import System

PATH = f"/email-mailboxes/{ASSISTED}"
RANGE = {"from": "2026-01-01", "to": "2026-01-31"}


def outcomes(system: System) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = result(system.call("GET", f"{PATH}/outcomes", query=RANGE))[
        "days"
    ]
    return found


def drafted(system: System, name: str = "a@x") -> dict[str, Any]:
    """The draft of an answer to a new mail."""
    desk.receive(system, name, subject=name)
    return max(system.drafts(), key=lambda one: str(one["updated_at"]))


def amended(system: System, draft: dict[str, Any], text: str) -> dict[str, Any]:
    thread = draft["conversation_id"].partition("#")[0]
    path = f"/email-threads/{thread}/replies/{draft['reply_id']}"
    version = int(draft["version"])
    result(system.call("PATCH", path, {"version": version, "body_text": text}))
    return {**draft, "version": version + 1}


def test_a_draft_that_is_sent_as_it_is_has_no_edits(system: System) -> None:
    draft = drafted(system)

    assert desk.approve(system, draft)[0] == 202

    (day,) = outcomes(system)
    words = len(draft["body_text"].split())
    assert {**day, "date": "-"} == {
        "date": "-", "version": 0, "sent": 1, "corrected": 0, "edits": 0, "words": words,
    }  # fmt: skip


def test_a_corrected_draft_has_the_words_that_people_changed_in_all_their_edits(
    system: System,
) -> None:
    draft = drafted(system)
    words = draft["body_text"].split()
    first = amended(system, draft, "Something else.")
    second = amended(system, first, " ".join([*words[1:], "Yours"]))

    desk.approve(system, second)

    (day,) = outcomes(system)
    assert (day["sent"], day["corrected"], day["edits"], day["words"]) == (1, 1, 2, len(words))


def test_counts_are_by_version_and_a_repeated_send_counts_nothing_more(system: System) -> None:
    desk.approve(system, drafted(system))
    result(system.call("PUT", PATH, {"facts": ["A chair costs $40."]}))
    draft = drafted(system, "b@x")
    sends = [one for one in system.drafts() if one["draft_status"] == "sent"]
    desk.approve(system, amended(system, draft, f"{draft['body_text']} Bye."))
    system.drain()

    assert len(sends) == 1
    found = {one["version"]: (one["sent"], one["edits"]) for one in outcomes(system)}
    assert found == {0: (1, 0), 2: (1, 1)}


def test_mails_of_people_and_rejected_drafts_are_not_counted(system: System) -> None:
    draft = drafted(system)
    thread = draft["conversation_id"].partition("#")[0]
    path = f"/email-threads/{thread}/replies/{draft['reply_id']}"
    result(system.call("POST", f"{path}/reject", {"version": 1, "reason": "wrong"}))
    own = composed(system, f"/email-threads/{thread}")
    result(system.call("POST", f"{own}/approve", {"version": 1}))
    system.drain()

    assert outcomes(system) == []


def test_outcomes_of_another_company_are_not_found(system: System) -> None:
    answer = system.call("GET", f"{PATH}/outcomes", query=RANGE, company="beta")
    assert refused(answer)[0] == 404
