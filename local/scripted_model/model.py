"""
The scripted model, which the sandbox of OpenAI plays: rules and fixed texts, a pure function of its input.

    1  asks for a human agent               hand-off, with a promise of contact
    2  wants no more messages               opt_out
    3  yes or no, and a question is open    record_answer, thanks, the next question
    4  words of a fact's name               the fact
    5  thanks or goodbye, nothing open      complete_task
    6  a question is open                   the question
    7  otherwise                            does not know, offers a human agent; the second time hands off

The first matching rule applies (spec, section 9). The model reads the facts from the system text and answers in the
form of every model. Customer messages are only matched against phrases: "ignore your rules" has no effect.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from conversations.ai.config import BuiltIn
from conversations.ai.functions import FAILED, REFUSED, UNKNOWN
from conversations.ai.phrases.person_requests import may_ask_for_a_person
from conversations.ai.phrases.phrase_list import compiled, has_phrase
from conversations.ai.prompt.questions import answerable_questions
from conversations.ai.schemas.output_schema import FunctionRequest, HandOffRequest, Output
from local.scripted_model.project_facts import fact_about, facts_in, label_of
from local.scripted_model.wordings import WORDINGS, Wording
from shared.ai import port as ai
from shared.ai.port import OPENING
from shared.ai.texts.languages.function_words import language_of, plain_words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

LONGEST_SUBJECT = 120
LONGEST_VALUE = 200
WANTS_A_PERSON = "User requested agent"
KNOWS_NO_ANSWER = "No answer known"
FUNCTION_FAILED = "A function failed"
_MARK = re.compile(r"\[[^\[\]\n]*\]")  # a line of its own: says what a message has besides text


def text_of(
    instructions: str, items: Sequence[Mapping[str, Any]], schema: Mapping[str, Any] | None
) -> str:
    """Return the answer to a request of OpenAI's Responses: *instructions*, the *items* of its input and its schema."""
    dialogue = _Dialogue.of(facts_in(instructions), items)
    fields = schema["properties"] if schema else {}
    answer = _first_message(dialogue, fields) if dialogue.is_first else _answer(dialogue)
    subject = _subject(dialogue) if "subject" in fields else None
    return answer.model_copy(update={"subject": subject}).model_dump_json()


def _words(content: str | Sequence[Mapping[str, Any]]) -> str:
    """Return the customer's own words in a message, without marks and labels of its files."""
    texts = (
        [content]
        if isinstance(content, str)
        else [str(part["text"]) for part in content if "text" in part]
    )
    lines = [line for text in texts for line in text.split("\n")]
    return "\n".join(line for line in lines if not _MARK.fullmatch(line.strip())).strip()


@dataclass(frozen=True, slots=True)
class _Dialogue:
    """Input of the rules: the facts, the customer's last message, our earlier messages and the last call's result."""

    facts: Mapping[str, Any]
    project_data: Mapping[str, Any]
    text: str
    words: list[str]
    own_messages: list[str]
    result: str | None
    detected: str | None

    @classmethod
    def of(cls, facts: Mapping[str, Any], items: Sequence[Mapping[str, Any]]) -> _Dialogue:
        messages = [item for item in items if item.get("type", "message") == "message"]
        texts = [_words(item["content"]) for item in messages if item["role"] == ai.Role.USER]
        text = texts[-1] if texts else OPENING
        project_data = facts.get("project_data")
        return cls(
            facts=facts,
            project_data=project_data if isinstance(project_data, dict) else {},
            text=text,
            words=plain_words(text),
            own_messages=[_words(i["content"]) for i in messages if i["role"] == ai.Role.ASSISTANT],
            result=items[-1].get("output") if items else None,
            detected=language_of(text) if text != OPENING else None,
        )

    @property
    def is_first(self) -> bool:
        return self.text == OPENING and not self.own_messages

    @property
    def language(self) -> str:
        """The detected language of the customer, else the one in the facts if supported, else English."""
        named = str(self.facts.get("language", "")).partition("-")[0].casefold()
        return self.detected or (named if named in WORDINGS else "en")

    @property
    def wording(self) -> Wording:
        return WORDINGS[self.language]

    @property
    def reply_wordings(self) -> list[Wording]:
        """Wordings of the languages that a short answer may be in."""
        return [self.wording] if self.detected else list(WORDINGS.values())

    @property
    def open_points(self) -> list[str]:
        recorded = self.facts.get("recorded_answers")
        answers = recorded if isinstance(recorded, dict) else {}
        questions = answerable_questions(self.project_data, answers)
        return [question for question in questions if question not in answers]


def _answer(dialogue: _Dialogue) -> Output:
    if dialogue.result is not None:
        return _after_function(dialogue, dialogue.result)
    return next(answer for rule in _RULES if (answer := rule(dialogue)) is not None)


def _asks_for_a_person(dialogue: _Dialogue) -> Output | None:
    if not may_ask_for_a_person(dialogue.text):
        return None
    return _handed_off(dialogue, WANTS_A_PERSON)


def _wants_no_more(dialogue: _Dialogue) -> Output | None:
    if not any(has_phrase(wording.leave_me, dialogue.words) for wording in WORDINGS.values()):
        return None
    return Output(content="", function_call=_function_request(BuiltIn.OPT_OUT))


def _answers_a_question(dialogue: _Dialogue) -> Output | None:
    answer, points = _yes_or_no(dialogue), dialogue.open_points
    if answer is None or not points:
        return None
    last = dialogue.own_messages[-1] if dialogue.own_messages else ""
    point = next((open_point for open_point in points if open_point in last), points[0])
    remaining = [open_point for open_point in points if open_point != point]
    wording = dialogue.wording
    then = wording.ask.format(point=remaining[0]) if remaining else wording.all_noted
    answers = [{"key": point, "value": answer}]
    recorded = _function_request(BuiltIn.RECORD_ANSWER, answers=answers)
    return Output(content=f"{wording.noted} {then}", function_call=recorded)


def _asks_for_a_fact(dialogue: _Dialogue) -> Output | None:
    fact = fact_about(dialogue.project_data, dialogue.words)
    if fact is None:
        return None
    value = fact.value
    if isinstance(value, bool):
        value = _first(dialogue.wording.yes if value else dialogue.wording.no)
    return Output(content=dialogue.wording.fact.format(label=label_of(fact), value=value))


def _says_goodbye(dialogue: _Dialogue) -> Output | None:
    says = any(has_phrase(wording.thanks, dialogue.words) for wording in WORDINGS.values())
    if not says or dialogue.open_points:
        return None
    done = _function_request(BuiltIn.COMPLETE, summary="The person said goodbye; nothing was open.")
    return Output(content=dialogue.wording.closing, function_call=done)


def _has_an_open_question(dialogue: _Dialogue) -> Output | None:
    points = dialogue.open_points
    return Output(content=dialogue.wording.ask.format(point=points[0])) if points else None


def _does_not_know(dialogue: _Dialogue) -> Output:
    confessed = [wording.unknown for wording in WORDINGS.values()]
    if any(text in message for message in dialogue.own_messages for text in confessed):
        return _handed_off(dialogue, KNOWS_NO_ANSWER)
    return Output(content=dialogue.wording.unknown)


_RULES: tuple[Callable[[_Dialogue], Output | None], ...] = (
    _asks_for_a_person,
    _wants_no_more,
    _answers_a_question,
    _asks_for_a_fact,
    _says_goodbye,
    _has_an_open_question,
    _does_not_know,
)


def _after_function(dialogue: _Dialogue, result: str) -> Output:
    if result in {FAILED.text, UNKNOWN.text, REFUSED.text}:
        return _handed_off(dialogue, FUNCTION_FAILED)
    return Output(content=dialogue.wording.done)


def _first_message(dialogue: _Dialogue, fields: Mapping[str, Any]) -> Output:
    if "variables" in fields:
        names = fields["variables"]["anyOf"][0]["properties"]
        values = {name: _value_for(dialogue, name)[:LONGEST_VALUE] for name in names}
        return Output(content="", variables=values)
    sentences = [_greeting(dialogue)]
    sentences += [dialogue.wording.ask.format(point=point) for point in dialogue.open_points[:1]]
    return Output(content=" ".join(sentences))


def _greeting(dialogue: _Dialogue) -> str:
    wording, name = dialogue.wording, dialogue.facts.get("recipient_first_name")
    rep, company = _representative(dialogue), dialogue.facts.get("company_name")
    hello = f"{wording.hello} {name}" if name else wording.hello
    if rep and company:
        return f"{hello}, {wording.by_both.format(rep=rep, company=company)}"
    if rep or company:
        return f"{hello}, {wording.by_one.format(who=rep or company)}"
    return f"{hello}."


def _value_for(dialogue: _Dialogue, variable: str) -> str:
    """Return a template variable's value: the fact of this name, the open question, or the project or company."""
    fact = fact_about(dialogue.project_data, plain_words(variable.replace("_", " ")))
    if fact and isinstance(fact.value, str):
        return fact.value
    points = dialogue.open_points
    candidates = (
        points[0] if points else None,
        dialogue.facts.get("project_name"),
        dialogue.facts.get("company_name"),
    )
    return next((str(value) for value in candidates if value), dialogue.wording.hello)


def _subject(dialogue: _Dialogue) -> str | None:
    named = dialogue.facts.get("project_name") or dialogue.facts.get("company_name")
    return str(named)[:LONGEST_SUBJECT] if named else None


def _representative(dialogue: _Dialogue) -> str | None:
    names = dialogue.facts.get("representatives")
    return str(names[0]) if isinstance(names, list) and names else None


def _yes_or_no(dialogue: _Dialogue) -> str | None:
    if "?" in dialogue.text or any(
        _begins(w.unsure, dialogue.words) for w in dialogue.reply_wordings
    ):
        return None
    # Check `no` first: "I have no licence" begins like "I have one".
    if any(_begins(wording.no, dialogue.words) for wording in dialogue.reply_wordings):
        return "no"
    return (
        "yes"
        if any(_begins(wording.yes, dialogue.words) for wording in dialogue.reply_wordings)
        else None
    )


def _begins(phrases: str, words: Sequence[str]) -> bool:
    return any(tuple(words[: len(phrase)]) == phrase for phrase, _ in compiled(phrases))


def _handed_off(dialogue: _Dialogue, reason: str) -> Output:
    return Output(content=dialogue.wording.promise, hand_off=HandOffRequest(reason=reason))


def _function_request(name: str, **arguments: object) -> FunctionRequest:
    return FunctionRequest(name=str(name), arguments=json.dumps(arguments, ensure_ascii=False))


def _first(phrases: str) -> str:
    return phrases.partition(",")[0].strip()
