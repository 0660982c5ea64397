"""The playground shows the answer of a version and how the model came to it, and stores nothing."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from shared.ai import port as ai
from shared.ai.providers import model_creation
from shared.ai.spending import ceilings, usage
from shared.runtime import clock
from tests.integration.conversations.admin.projects.test_projects import (
    ADMIN,
    BOOK,
    OF_PROJECT,
    make,
    numbers,
    settings,
    version,
)
from tests.integration.conversations.fakes import Answer
from tests.integration.conversations.harness import COMPANY, Harness
from tests.integration.conversations.steps import function_call, model_answer

if TYPE_CHECKING:
    from shared.aws.dynamodb import Table


@dataclass
class Scripted:
    """A model that gives these answers and keeps what it was asked."""

    answers: list[str]
    asked: list[ai.Request] = field(default_factory=list)
    name: str = "gpt-made-up"

    def reply(self, request: ai.Request) -> ai.Reply:
        self.asked.append(request)
        return ai.Reply(self.answers.pop(0), ai.Stop.END, ai.Usage(1_000, 100))


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    scripted = Scripted([])
    monkeypatch.setattr(model_creation, "model_for", lambda *_: scripted)
    return scripted


def tried(harness: Harness, *said: str, **given: Any) -> Answer:
    """What the model would answer to a customer who has *said* this."""
    harness.left_ms = 29_000
    messages = [{"by": "customer", "text": text} for text in said]
    body = {"channel": "sms", "messages": messages} | given
    return harness.call("POST /projects/{project_id}/playground", body, names=OF_PROJECT, who=ADMIN)


def test_the_playground_shows_the_answer_of_a_version_and_how_the_model_came_to_it(
    harness: Harness, model: Scripted
) -> None:
    make(harness, settings(prompts={"reply": "Offer tea."}))
    model.answers = [model_answer("Would you like tea?")]

    shown = tried(harness, "Hello", version=2).result

    assert (shown["content"], shown["version"], shown["faults"]) == ("Would you like tea?", 2, [])
    [call] = shown["model_calls"]
    assert "Offer tea." in call["system"]
    assert "Offer tea." not in version(harness, 1)["settings"]["ai_config"]["prompts"].get(
        "reply", ""
    )
    assert (call["history"], call["tokens_in"]) == (["user: Hello"], 1_000)
    assert float(shown["dollars"]) > 0


def test_settings_are_tried_before_they_are_stored(harness: Harness, model: Scripted) -> None:
    model.answers = [model_answer("Yes.")]
    shown = tried(harness, "Hello", settings=settings(prompts={"reply": "Say yes."})).result

    assert "Say yes." in shown["model_calls"][0]["system"]
    assert "version" not in shown
    assert numbers(harness) == []


def test_a_function_of_the_project_is_not_called_but_answered_by_the_request(
    harness: Harness, model: Scripted
) -> None:
    with_function = settings(functions=[BOOK])
    model.answers = [function_call("book"), model_answer("It is booked.")]
    model.answers += [function_call("book"), model_answer("That is not possible.")]

    shown = tried(
        harness, "Book it", settings=with_function, functions={"book": {"ok": True}}
    ).result
    other = tried(harness, "Book it", settings=with_function).result

    [call] = shown["calls"]
    assert (call["name"], json.loads(call["result"]), call["simulated"]) == (
        "book",
        {"ok": True},
        True,
    )
    assert "no result of this function" in other["calls"][0]["result"]
    assert not other["calls"][0]["simulated"]


PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(62)).decode()


def test_the_model_reads_the_customers_files_that_it_can_read(
    harness: Harness, model: Scripted
) -> None:
    model.answers = [model_answer("A nice picture."), model_answer("I cannot see it.")]
    both: list[dict[str, list[str]]] = [{"reads": ["image"]}, {"reads": []}]
    for reads in both:
        given = {"by": "customer", "text": "Look", "files": [{"content": PNG}]}
        tried(harness, settings=settings(scripted_config={"sms": reads}), messages=[given])

    seen, unseen = (one.history[-1] for one in model.asked)
    assert isinstance(seen, ai.Message)
    assert isinstance(unseen, ai.Message)
    assert ("[image: attached as file 1]" in seen.text, len(seen.files)) == (True, 1)
    assert ("[image: not shown to you]" in unseen.text, unseen.files) == (True, ())


@pytest.mark.parametrize(
    ("spoken", "field", "problem"),
    [
        ({"files": [{"content": "no base64"}]}, "messages.0.files.0.content", "must be base64"),
        ({"files": [{"content": "AAAA"}]}, "messages.0.files.0.content", "must be a PNG"),
        ({"by": "company", "files": [{"content": PNG}]}, "messages.0", "only the customer"),
    ],
)
def test_files_that_no_model_reads_are_refused_with_their_place(
    harness: Harness, model: Scripted, spoken: dict[str, Any], field: str, problem: str
) -> None:
    refused = tried(harness, messages=[{"by": "customer"} | spoken])

    assert refused.status == 400
    [detail] = refused.body["error"]["details"]
    assert detail["field"] == field
    assert problem in detail["problem"]
    assert model.asked == []


def test_the_second_model_answers_if_the_first_one_does_not(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    @dataclass
    class Down(Scripted):
        def reply(self, request: ai.Request) -> ai.Reply:
            raise ai.Unavailable("overloaded")

    models = {None: Down([]), "second": Scripted([model_answer("Yes.")], name="the second")}
    monkeypatch.setattr(model_creation, "model_for", lambda one, *_: models[one.model])
    second = {"provider": "bedrock", "model": "second"}

    shown = tried(
        harness, "Hello", settings=settings(scripted_config={"sms": {"fallback": second}})
    )

    assert (shown.result["content"], shown.result["model"]) == ("Yes.", "the second")


def test_faults_are_shown_with_what_follows_from_them(harness: Harness, model: Scripted) -> None:
    model.answers = [model_answer("It costs 99 EUR."), model_answer("A colleague knows the price.")]

    shown = tried(harness, "What does it cost?").result

    assert {"fault": "unknown_amount", "severity": "repair"} in shown["faults"]
    assert (shown["content"], len(shown["model_calls"])) == ("A colleague knows the price.", 2)


def test_the_playground_stores_and_sends_nothing_but_the_count_of_tokens(
    harness: Harness, model: Scripted
) -> None:
    before = harness.rows()
    model.answers = [model_answer("Hi.")]

    tried(harness, "Hello")

    after = harness.rows()
    new = after["ConversationLogTable"].keys() - before["ConversationLogTable"].keys()
    assert {name: rows for name, rows in after.items() if name != "ConversationLogTable"} == {
        name: rows for name, rows in before.items() if name != "ConversationLogTable"
    }
    assert [pk.partition("#")[0] for pk, _ in new] == ["TOKENS"]
    assert harness.sqs.put == []


@pytest.mark.parametrize(
    ("failure", "status", "code"),
    [
        (ai.Unavailable("overloaded", ai.Repeat.LATER), 503, "model_unavailable"),
        (ai.Unavailable("model_unknown", ai.Repeat.NEVER), 422, "model_unusable"),
    ],
)
def test_a_model_that_does_not_answer_is_reported_and_not_hidden(
    harness: Harness, monkeypatch: pytest.MonkeyPatch, failure: Exception, status: int, code: str
) -> None:
    def fail(*_: object) -> None:
        raise failure

    monkeypatch.setattr(model_creation, "model_for", fail)

    refused = tried(harness, "Hello")

    assert (refused.status, refused.error) == (status, code)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"channel": "fax"}, "channel"),
        ({"messages": [{"by": "company", "text": "Hello"}]}, "body"),
        ({"messages": [{"by": "customer", "text": ""}]}, "messages.0"),
        ({"version": 0}, "version"),
        ({"settings": {"timezone": "Mars/Base"}}, "settings.timezone"),
    ],
)
def test_a_wrong_try_is_refused_with_its_field(
    harness: Harness, model: Scripted, given: dict[str, Any], field: str
) -> None:
    refused = tried(harness, "Hello", **given)

    assert refused.status == 400
    assert field in [one["field"] for one in refused.body["error"]["details"]]
    assert model.asked == []


def limit(harness: Harness, micros: int) -> None:
    """A ceiling of a day of the company."""
    usage.set_ceilings(spending(harness), COMPANY, {"day_micros": micros}, by="a person")


def spending(harness: Harness) -> Table:
    table: Table = harness.resources.log.beside(harness.module.settings.spending_table_name)
    return table


def spent(harness: Harness) -> int:
    """The micro-dollars of the company that are counted today."""
    return ceilings.spent(spending(harness), COMPANY, clock.to_text(harness.now[0])[:10])[0]


def test_a_try_counts_for_the_limit_of_the_company_and_ends_at_it(
    harness: Harness, model: Scripted
) -> None:
    limit(harness, 1_000_000_000)
    model.answers = [model_answer("Yes.")]
    tried(harness, "Hello")
    counted = spent(harness)
    limit(harness, 0)

    refused = tried(harness, "Hello")

    assert counted > 0
    assert (refused.status, refused.body["error"]["message"]) == (422, "spending_limit")
    assert len(model.asked) == 1


def test_a_replay_ends_at_the_limit_of_the_company(harness: Harness, model: Scripted) -> None:
    ref = harness.begin()
    message = harness.says(ref, "Is there tea?")
    harness.left_ms = 29_000
    limit(harness, 0)

    refused = harness.on(
        ref,
        "playground",
        {"message": f"{message.message_timestamp}~{message.entry_id}"},
        who=ADMIN,
    )

    assert (refused.status, model.asked) == (422, [])
