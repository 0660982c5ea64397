"""Questions that the model did not answer become suggestions, which admins accept or dismiss."""

from __future__ import annotations

import pytest

from conversations.store import erasures
from conversations.store.items.log import Delivery
from shared.runtime import clock
from tests.integration.conversations.admin.projects.test_knowledge import KNOWLEDGE, documents
from tests.integration.conversations.admin.unanswered.suggestions import (
    ANN_ASKS,
    BACK,
    accept,
    asked,
    note,
    settle,
    suggested,
    suggestions,
)
from tests.integration.conversations.harness import (
    COMPANY,
    OTHER_PROJECT,
    PROJECT,
    SECOND_COMPANY,
    Harness,
    caller,
)
from tests.integration.logs import recorded

__all__ = ["documents"]


def test_questions_that_ask_the_same_are_one_suggestion_with_the_reply_of_a_person_as_draft(
    harness: Harness,
) -> None:
    first, _ = asked(harness, BACK, name="req-1")
    harness.says(first, "Hello, Carol here.", "system")
    harness.says(first, "Yes, within 30 days. Call +44 7700 900555.", "human:carol")
    harness.says(first, "Anything else?", "human:carol")
    asked(harness, "Hello!", "Can I send back the tent?", name="req-2", cause="no_passage")
    asked(harness, "When is the shop open?", name="req-3")

    both, other = suggestions(harness)

    assert (both["new"], both["causes"]) == (2, {"ai": 1, "no_passage": 1})
    assert [one["text"] for one in both["questions"]] == ["Hello!\nCan I send back the tent?", BACK]
    assert both["draft"].startswith("Yes, within 30 days.")
    assert "900555" not in both["draft"].replace("***-***-0555", "")
    assert (both["questions"][1]["ref"], both["questions"][1]["version"]) == (first, 3)
    assert (other["new"], other["draft"]) == (1, "")


def test_numbers_addresses_and_names_of_the_customer_are_masked_and_reach_no_log(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = recorded(monkeypatch)
    asked(harness, ANN_ASKS)

    [shown] = suggestions(harness)

    for private in ("Ann", "Doe", "ann.doe", "900123"):
        assert private not in str(shown["questions"][0]["text"]) + shown["title"]
    assert "May I send my tent back?" in shown["questions"][0]["text"]
    accept(harness, shown["question_ids"], title="Tents", text="Words of the answer")
    assert "call answered" in stream.getvalue()
    for private in ("tent", "Tents", "Words", "Ann", "900123"):
        assert private not in stream.getvalue()


def test_parts_and_other_forms_of_what_is_known_of_the_customer_are_masked_in_text_title_and_draft(
    harness: Harness,
) -> None:
    words = "Li Wei-Berg, l\u00ed: Bergs tent, {0} or ann.doe"
    names = {"recipient_first_name": "Li", "recipient_last_name": "Wei-Berg"}
    ref, _ = asked(
        harness, words.format("447700900123"), **names, recipient_email="ann.doe@example.com"
    )
    harness.says(ref, words.format("ANN.DOE@home.example"), "human:carol")

    [shown] = suggestions(harness)

    assert shown["questions"][0]["text"] == "*** ***, ***: *** tent, ***-***-0123 or ***"
    assert shown["title"] == shown["questions"][0]["text"]
    assert shown["draft"] == "*** ***, ***: *** tent, *** or ***"


def test_mails_of_unproven_authors_and_replies_that_were_not_sent_are_in_no_suggestion(
    harness: Harness,
) -> None:
    ref = harness.begin()
    harness.says(ref, "Words of another author.", provider="ses", extra={"trust": "unverified"})
    note(harness, ref, harness.says(ref, BACK))
    harness.says(ref, "Never sent.", "human:carol", delivery_status=Delivery.DISCARDED)
    harness.says(ref, "Bounced.", "human:carol", delivery_status=Delivery.FAILED)
    harness.says(ref, "Yes, within 30 days.", "human:carol")

    [shown] = suggestions(harness)

    assert [one["text"] for one in shown["questions"]] == [BACK]
    assert shown["draft"] == "Yes, within 30 days."


def test_a_dismissed_suggestion_stays_away_until_a_new_question_comes(harness: Harness) -> None:
    asked(harness, BACK, name="req-1")
    [shown] = suggestions(harness)

    assert settle(harness, "dismissals", shown["question_ids"]).result == {"settled": 1}
    assert suggestions(harness) == []

    asked(harness, "Can I send back the tent?", name="req-2")
    [again] = suggestions(harness)
    assert (again["new"], again["settled"], len(again["question_ids"])) == (1, 1, 1)


def test_the_words_of_an_erased_conversation_are_in_no_suggestion(harness: Harness) -> None:
    ref, _ = asked(harness, BACK)
    erasures.fence_erased(harness.resources.log, ref, clock.to_text(harness.now[0]))
    assert suggestions(harness) == []  # as soon as its erasure has begun


def test_an_answer_that_agents_rate_as_bad_is_a_question_until_they_take_it_back(
    harness: Harness,
) -> None:
    ref = harness.begin()
    question = harness.says(ref, BACK)
    answer = harness.says(ref, "No idea.", "ai", up_to=question.own_sk, ai_version=4)

    def rate(rating: str | None, **more: str) -> None:
        body = {"entry_id": answer.entry_id, "rating": rating} | more
        assert harness.on(ref, "ratings", body).status == 200

    rate("down", reason="wrong")
    [shown] = suggestions(harness)
    assert shown["causes"] == {"rated_down": 1}
    assert (shown["questions"][0]["reasons"], shown["questions"][0]["version"]) == (["wrong"], 4)
    rate("down", reason="incomplete")
    assert suggestions(harness)[0]["questions"][0]["reasons"] == ["incomplete"]
    rate(None)
    assert suggestions(harness) == []
    rate("up")
    assert suggestions(harness) == []


def test_a_bad_rating_of_a_hand_off_keeps_its_cause(harness: Harness) -> None:
    ref, question = asked(harness, BACK, cause="source_missing")
    answer = harness.says(ref, "No idea.", "ai", up_to=question.own_sk)
    for rating in ("down", None):
        harness.on(ref, "ratings", {"entry_id": answer.entry_id, "rating": rating})
        assert suggestions(harness)[0]["causes"] == {"source_missing": 1}


def test_suggestions_are_of_one_project_and_no_other_caller_settles_their_questions(
    harness: Harness,
) -> None:
    asked(harness, BACK)
    [shown] = suggestions(harness)
    body = {"questions": shown["question_ids"]}
    line = f"POST {KNOWLEDGE}/dismissals"

    for company, project in ((COMPANY, OTHER_PROJECT), (SECOND_COMPANY, PROJECT)):
        who, names = caller(company), {"project_id": project}
        assert suggested(harness, who, project).result["suggestions"] == []
        assert harness.call(line, body, names=names, who=who).status == 404
        whole = body | {"kind": "document", "title": "a", "text": "b"}
        line_of_acceptance = f"POST {KNOWLEDGE}/acceptances"
        assert harness.call(line_of_acceptance, whole, names=names, who=who).status == 404
    assert len(suggestions(harness)) == 1


@pytest.mark.parametrize("question", ["none", "a~b", "a~b~c~d", "~~"])
def test_a_question_that_is_not_noted_is_not_found(harness: Harness, question: str) -> None:
    assert settle(harness, "dismissals", [question]).status == 404
    assert accept(harness, [question]).status == 404


def test_a_list_of_suggestions_reads_the_newest_questions_and_a_few_messages_of_each(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conversations.store.knowledge.unanswered.MOST_COMPARED", 2)
    for number in range(3):
        asked(harness, *[f"Word{number} {at}" for at in range(6)], name=f"req-{number}")

    shown = suggested(harness).result

    assert (shown["compared"], shown["has_older"], shown["has_more"]) == (2, True, False)
    texts = [one["text"] for group in shown["suggestions"] for one in group["questions"]]
    assert sorted(text.splitlines()[0] for text in texts) == ["Word1 2", "Word2 2"]
    assert {len(text.splitlines()) for text in texts} == {4}
