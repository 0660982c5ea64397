"""The words of a broken rule, as pydantic and the API say them, have a text in each language of the console."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from shared.access.ownership.proofs import EMAIL_RULE, LISTED_RULE, RULE
from shared.api.errors import InvalidInput
from shared.api.models.inputs import Input, checked
from shared.runtime.validation import patterns
from tests.unit.console.typescript import run


class Form(Input):
    """A field for each rule that inputs of the API have."""

    name: Annotated[str, Field(min_length=1, max_length=3, pattern="^[a-z]*$")] = "a"
    long: Annotated[str, Field(min_length=2)] = "aa"
    count: Annotated[int, Field(ge=2, le=5)] = 2
    share: Annotated[float, Field(gt=0, lt=1)] = 0.5
    on: bool = True
    at: datetime | None = None
    kind: Literal["a", "b"] = "a"
    labels: list[str] = Field(default_factory=list, min_length=1, max_length=2)


# As the API of e-mail says them.
OF_MAILS = [
    ("must have a recipient", "problem.recipient", ""),
    (EMAIL_RULE, "problem.other_domain", ""),
    (RULE, "problem.other_domain", ""),
    (LISTED_RULE, "problem.other_domain", ""),
    ("a forward needs a recipient", "problem.recipient", ""),
    ("to, cc and bcc must have at most 50 addresses in all", "problem.recipients", "50"),
    ("must have 1 to 64 ASCII characters before the @", "problem.local_part", ""),
    ("must be in the future, at most 28 days ahead", "problem.future", "28"),
    ("must be before 2026-12-01T00:00:00.000Z, when the thread is deleted", "problem.deleted", ""),
    ("the zone of the recipient is not known", "problem.zone_unknown", ""),
    ("must be a zone of the IANA database, or recipient", "problem.zone", ""),
    ("must be the name of a time zone", "problem.zone", ""),
    ("must be a date, as 2026-12-25", "problem.date", ""),
    ("resolution_minutes must be within 26 weeks of business hours", "problem.unreachable", "26"),
    ("may have the variables name, mailbox and mailbox_name only", "problem.variables", ""),
    ("values are missing: name, thing", "problem.values", "name, thing"),
    ("the text has more than 4096 characters", "problem.too_long", "4096"),
    ("a thread has at most 20 tags", "problem.labels", "20"),
    ("at least one mail must stay", "split.one_stays", ""),
    ("the threads have more than 2500 mails together", "problem.mails", "2500"),
    ("there is no such canned reply", "problem.no_reply", ""),
]


@pytest.mark.parametrize(
    ("given", "key", "value"),
    [
        ({"name": ""}, "problem.blank", ""),
        ({"name": "abcd"}, "problem.too_long", "3"),
        ({"name": 1}, "problem.text", ""),
        ({"long": "a"}, "problem.too_short", "2"),
        ({"count": 1}, "problem.least", "2"),
        ({"count": 6}, "problem.most", "5"),
        ({"count": "x"}, "problem.integer", ""),
        ({"share": 0}, "problem.more", "0"),
        ({"share": 1}, "problem.less", "1"),
        ({"share": "x"}, "problem.number", ""),
        ({"on": "perhaps"}, "problem.boolean", ""),
        ({"at": "soon"}, "problem.date", ""),
        ({"kind": "c"}, "problem.one_of", "a or b"),
        ({"labels": []}, "problem.too_few", "1"),
        ({"labels": ["a", "b", "c"]}, "problem.too_many", "2"),
        ({"other": 1}, "problem.unknown", ""),
    ],
)
def test_a_broken_rule_has_a_text_with_its_value(
    given: dict[str, Any], key: str, value: str
) -> None:
    with pytest.raises(InvalidInput) as refused:
        checked(given, Form)
    [problem] = refused.value.problems

    found = run("texts/problems.ts", "m.ruleOf(value)", problem["problem"])

    assert found == {"key": key, "values": {"a": value}}


def test_the_rules_of_patterns_have_texts_with_what_fits() -> None:
    rules = [
        patterns.rule_of(one)
        for one in (r"^[a-z]*$", r"^[0-9]{5,20}$", r"^[A-Z]{2}$", r"^[a-z][a-z_-]{0,39}$")
    ]
    found = run(
        "texts/problems.ts", "value.map(m.ruleOf)", [*rules, patterns.rule_of(patterns.TIME)]
    )

    assert [one["key"] for one in found] == ["problem.characters"] * 4 + ["problem.example"]
    assert [tuple(one["values"].values()) for one in found] == [
        ("0+", "a-z"),
        ("5\u201320", "0-9"),
        ("2", "A-Z"),
        ("1\u201340", "a-z _ -"),
        ("08:30",),
    ]


def test_the_rules_of_mails_have_texts_with_their_values() -> None:
    found = run("texts/problems.ts", "value.map(m.ruleOf)", [words for words, _, _ in OF_MAILS])

    assert found == [{"key": key, "values": {"a": value}} for _, key, value in OF_MAILS]


def test_other_words_are_shown_as_they_are() -> None:
    words = ["must equal referenceId", "must be the sum of the items", ""]

    assert run("texts/problems.ts", "value.map(m.ruleOf)", words) == [None] * 3
