"""Questions that the model did not answer become suggestions, which admins accept or dismiss."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from conversations.lifecycle import unanswered
from conversations.lifecycle.conversation import load
from conversations.store import erasures
from conversations.store.items.log import Delivery
from conversations.store.knowledge.unanswered import UnansweredQuestions
from shared.ai.retrieval.documents import Documents
from shared.ai.versions.stored import Versions
from shared.runtime import clock
from tests.integration.conversations.admin.test_knowledge import (
    KNOWLEDGE,
    documents,
    search,
)
from tests.integration.conversations.admin.test_projects import (
    ADMIN,
    OF_PROJECT,
    PROMPTS,
    make,
    numbers,
    put_live,
    settings,
    version,
)
from tests.integration.conversations.harness import (
    COMPANY,
    OTHER_PROJECT,
    PROJECT,
    SECOND_COMPANY,
    Answer,
    Harness,
    caller,
)
from tests.integration.logs import recorded

if TYPE_CHECKING:
    from conversations.store.items.log import Message
    from shared.ai.versions.stored import Version

__all__ = ["documents"]
BACK = "May I send my tent back?"
ANN_ASKS = "I am Ann Doe, ann.doe@example.com, +44 7700 900123. May I send my tent back?"


def asked(
    harness: Harness, *said: str, name: str = "req-1", cause: str = "ai", **facts: Any
) -> tuple[str, Message]:
    """A conversation whose newest question the model did not answer; returns its `ref` and the question."""
    ref = harness.begin(name, **facts)
    harness.says(ref, "Hello, how can we help?", "ai")
    question = [harness.says(ref, text) for text in said][-1]
    note(harness, ref, question, cause)
    return ref, question


def note(harness: Harness, ref: str, question: Message, cause: str = "ai") -> None:
    opened = load(harness.resources, ref)
    company, project = opened.state.company_id, opened.state.project_id
    stored = UnansweredQuestions(harness.resources.log, company, project)
    stored.note(unanswered._question(opened, question.own_sk, cause, 3))


def suggested(harness: Harness, who: Any = ADMIN, project: str = PROJECT) -> Answer:
    line = f"GET {KNOWLEDGE}/suggestions"
    return harness.call(line, names={"project_id": project}, who=who)


def suggestions(harness: Harness) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = suggested(harness).result["suggestions"]
    return found


def settle(harness: Harness, what: str, questions: list[str], **given: Any) -> Answer:
    body = {"questions": questions} | given
    return harness.call(f"POST {KNOWLEDGE}/{what}", body, names=OF_PROJECT, who=ADMIN)


def accept(harness: Harness, questions: list[str], **given: Any) -> Answer:
    whole = {"kind": "document", "title": "Returns", "text": "A tent may be sent back."} | given
    return settle(harness, "acceptances", questions, **whole)


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


def test_an_accepted_answer_is_a_document_that_the_model_finds_with_source_and_date(
    harness: Harness, documents: Documents
) -> None:
    asked(harness, BACK, name="req-1")
    [shown] = suggestions(harness)

    made = accept(harness, shown["question_ids"], topics=["Returns"]).result

    [listed] = documents.page(COMPANY, 9).documents
    today = clock.to_text(harness.now[0])[:10]
    assert (listed.name, listed.title, listed.date) == (made["document"], "Returns", today)
    assert (listed.origin, listed.topics) == ("answers of agents", ("Returns",))
    found = search(harness, BACK).result["passages"]
    assert [one["document"] for one in found] == [made["document"]]
    assert suggestions(harness) == []
    asked(harness, "Can I send back the tent?", name="req-2")
    assert suggestions(harness)[0]["answered_by"] == made["document"]


def test_an_accepted_fact_is_a_new_version_of_the_settings_that_is_not_live(
    harness: Harness,
) -> None:
    asked(harness, BACK)
    [shown] = suggestions(harness)

    made = accept(harness, shown["question_ids"], kind="fact", text="Tents may be sent back.")

    assert (made.status, made.result["version"]) == (200, 2)
    assert numbers(harness) == [(2, False), (1, True)]
    before, after = (
        version(harness, number)["settings"]["ai_config"]["prompts"].get("reply", "")
        for number in (1, 2)
    )
    assert after == f"{before}\n\nTents may be sent back.".strip()
    assert version(harness, 2)["note"] == "Returns"


def facts_in(harness: Harness, number: int) -> list[str]:
    """The paragraphs that people have added to the first version's words for replies."""
    first, reply = (
        version(harness, one)["settings"]["ai_config"]["prompts"].get("reply", "")
        for one in (1, number)
    )
    added: list[str] = reply.removeprefix(first).strip().split("\n\n")
    return added


def test_facts_that_are_accepted_one_after_another_are_in_one_version(harness: Harness) -> None:
    asked(harness, BACK)
    [shown] = suggestions(harness)

    def add(fact: str) -> int:
        made = accept(harness, shown["question_ids"], kind="fact", text=fact)
        return int(made.result["version"])

    assert facts_in(harness, add("First.")) == ["First."]
    make(harness, settings(**PROMPTS))  # a draft of another person
    number = add("Second.")

    assert (number, facts_in(harness, number)) == (4, ["First.", "Second."])
    assert version(harness, number)["based_on"] == 2
    assert put_live(harness, number).status == 200
    assert facts_in(harness, add("Third.")) == ["First.", "Second.", "Third."]
    assert put_live(harness, 3).status == 200
    assert facts_in(harness, add("Fourth."))[-1] == "Fourth."
    assert "Third." not in facts_in(harness, 6)


def test_facts_that_two_people_accept_at_once_are_in_one_version(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked(harness, BACK)
    [shown] = suggestions(harness)
    put = Versions.put

    def put_second(self: Versions, wanted: Version) -> Version:
        monkeypatch.setattr(Versions, "put", put)
        text = "Of the first person."
        made = accept(harness, shown["question_ids"], kind="fact", text=text)
        assert made.status == 200
        return put(self, wanted)

    accept(harness, shown["question_ids"], kind="fact", text="Known.")
    monkeypatch.setattr(Versions, "put", put_second)
    made = accept(harness, shown["question_ids"], kind="fact", text="Of the second person.")

    added = ["Known.", "Of the first person.", "Of the second person."]
    assert facts_in(harness, made.result["version"]) == added


def test_a_fact_for_which_the_prompt_has_no_room_is_refused_at_its_field(
    harness: Harness,
) -> None:
    asked(harness, BACK)
    [shown] = suggestions(harness)

    refused = accept(harness, shown["question_ids"], kind="fact", text="x" * 9_000)

    assert (refused.status, refused.body["error"]["details"][0]["field"]) == (400, "text")
    assert len(suggestions(harness)) == 1


def test_a_fact_for_which_the_settings_have_no_room_is_refused_at_its_field(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked(harness, BACK)
    [shown] = suggestions(harness)
    monkeypatch.setattr("conversations.api.projects.inputs.LARGEST_SETTINGS_BYTES", 2_000)

    refused = accept(harness, shown["question_ids"], kind="fact", text="x" * 2_000)

    assert (refused.status, refused.body["error"]["details"][0]["field"]) == (400, "text")
    assert len(suggestions(harness)) == 1


def test_a_repeated_acceptance_writes_one_document_and_one_version(
    harness: Harness, documents: Documents, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked(harness, BACK)
    [shown] = suggestions(harness)
    whole: dict[str, Any] = {"questions": shown["question_ids"], "title": "Returns", "text": "Yes."}
    line = f"POST {KNOWLEDGE}/acceptances"

    def dies(*_: object, **__: object) -> None:
        raise RuntimeError("the function was stopped")

    for kind in ("document", "fact"):
        key, body = f"key-of-the-{kind}", whole | {"kind": kind}
        with monkeypatch.context() as patch:
            patch.setattr(UnansweredQuestions, "settle", dies)
            assert harness.call(line, body, names=OF_PROJECT, who=ADMIN, key=key).status == 500
        harness.later(clock.HOUR_MS)
        for _ in range(2):
            assert harness.call(line, body, names=OF_PROJECT, who=ADMIN, key=key).status == 200

    assert len(documents.page(COMPANY, 9).documents) == 1
    assert numbers(harness) == [(2, False), (1, True)]


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


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"questions": []}, "questions"),
        ({"questions": ["x"] * 201}, "questions"),
        ({"kind": "mail"}, "kind"),
        ({"title": " "}, "title"),
        ({"text": ""}, "text"),
        ({"text": "x" * 20_001}, "text"),
        ({"topics": ["x" * 61]}, "topics.0"),
        ({"kind": "fact", "topics": ["x"]}, "body"),
    ],
)
def test_an_acceptance_that_breaks_a_rule_is_refused_with_its_field_and_stores_nothing(
    harness: Harness, given: dict[str, Any], field: str
) -> None:
    asked(harness, BACK)
    [shown] = suggestions(harness)
    whole = {"questions": shown["question_ids"]} | given
    refused = accept(harness, **whole)

    assert refused.status == 400
    assert refused.body["error"]["details"][0]["field"] == field
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
