"""Tests of several texts of an issue: a sample gets them in equal parts, and all others the one that wins."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from newsletters.store.items import IssueState
from tests.cases import each
from tests.simulation.newsletters.scenarios import (
    EXPORTED,
    NEWSLETTER,
    configured,
    exported,
    settled,
    started,
    topics_selected,
)
from tests.simulation.newsletters.scenarios import ONE as NEWS
from tests.simulation.newsletters.steps.issues import (
    ONE,
    approved,
    changed,
    drafted,
    issue_of,
    ledger,
    mails,
    opened,
    reported,
    sent,
    stats,
    with_readers,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.simulation.newsletters.system import System

MANY: Final = [f"reader{number}@orchard.example" for number in range(12)]
OTHER: Final = "The other text of this week."
MINUTE: Final = 60_000


def another(system: System, text: str = OTHER, **fields: Any) -> str:
    """A second newsletter with a text of its own, exported as mail; the scenario goes on with the first one."""
    first = system.code
    body = {**NEWSLETTER, "title": "Other", **fields}
    system.code = system.act("POST", "/newsletters", body, key=text)["newsletter_code"]
    settled(topics_selected, started("topics"), started("outline"), started("draft"))(system)
    version = system.read(NEWS)["draft"]["version"]
    system.act("PUT", f"{NEWS}/draft", {"version": version, "content": text}, key=text)
    settled(exported("email", "text", key=text))(system)
    made, system.code = system.code, first
    return made


def variants(code: str | None, **fields: Any) -> dict[str, Any]:
    return {
        "subjects": ["News of the week"],
        "newsletter_codes": [code],
        "sample_percent": 50,
        "wait_minutes": 240,
        "decided_by": "clicks",
        **fields,
    }


def ready(system: System, **fields: Any) -> str:
    """An issue with two texts; return the newsletter of the second one."""
    settled(EXPORTED, with_readers(*MANY), partial(configured, track_clicks=True))(system)
    code = another(system)
    drafted(system, subject_test=variants(code, **fields))
    return code


def sampled(system: System, **fields: Any) -> str:
    code = ready(system, **fields)
    approved(system)
    system.sandbox.forget_sent()
    sent(system)
    system.drain()
    return code


def is_other(mail: Mapping[str, Any]) -> bool:
    parts = mail["Content"]["Simple"]["Body"]
    found = {OTHER in parts[name]["Data"] for name in ("Html", "Text")}
    assert len(found) == 1
    return found.pop()


def texts(system: System) -> Counter[bool]:
    return Counter(map(is_other, mails(system)))


def web_page(system: System, mail: Mapping[str, Any]) -> str:
    text = mail["Content"]["Simple"]["Body"]["Text"]["Data"]
    return opened(system, text.rpartition(": ")[2].strip()).text


def test_the_sample_gets_the_texts_and_all_others_the_one_with_the_most_clicks(
    system: System,
) -> None:
    code = sampled(system)
    sample = texts(system)
    assert min(sample[True], sample[False]) > 0
    assert sample.total() < len(MANY)
    other = next(one for one in mails(system) if is_other(one))
    system.clock.ms += MINUTE
    reported(system, other, "Click")
    system.drain()
    system.clock.ms += 240 * MINUTE
    system.settle()

    assert issue_of(system).winner == "b"
    assert issue_of(system).state is IssueState.SENT
    assert texts(system) == sample + Counter({True: len(MANY) - sample.total()})
    counts = stats(system)
    assert (counts["audience"], counts["sent"], counts["clicked"]) == (len(MANY), len(MANY), 1)
    found = {one["variant"]: one for one in system.read(f"{ONE}/stats")["variants"]}
    assert {name: (one["sent"], one["clicked"]) for name, one in found.items()} == {
        "a": (sample[False], 0),
        "b": (sample[True], 1),
    }
    assert (found["a"].get("newsletter_code"), found["b"]["newsletter_code"]) == (None, code)
    of_sample = Counter(one.variant for one in ledger(system) if one.variant)
    assert of_sample == {"a": sample[False], "b": sample[True]}


def test_each_reader_sees_the_own_text_in_the_browser_also_after_the_choice(
    system: System,
) -> None:
    sampled(system, decided_by="person")
    before = {is_other(one): web_page(system, one) for one in mails(system)}
    assert (OTHER in before[True], OTHER in before[False]) == (True, False)
    changed("winner", variant="b")(system)
    system.settle()

    for one in mails(system):
        assert (OTHER in web_page(system, one)) is is_other(one)
    assert len(mails(system)) == len(MANY)


def test_both_texts_are_sealed_by_the_approval(system: System) -> None:
    code = ready(system)
    approved(system)
    first, system.code = system.code, code
    system.act("DELETE", NEWS)
    system.settle()
    system.code = first
    sent(system)
    system.drain()
    assert texts(system)[True] > 0


def test_the_checklist_looks_at_each_text(system: System) -> None:
    code = ready(system)

    def found() -> set[tuple[str, str | None]]:
        checks = system.read(f"{ONE}/checklist")["checks"]
        return {(one["code"], one.get("variant")) for one in checks if one["level"] == "blocks"}

    assert found() == set()
    first, system.code = system.code, code
    version = system.read(NEWS)["draft"]["version"]
    wrong = {"version": version, "content": "Hello {{city|you}}, [here](https://a.example)."}
    system.act("PUT", f"{NEWS}/draft", wrong, key="wrong")
    assert found() == {("not_exported", "b")}
    settled(exported("email", "text", key="wrong"))(system)
    assert found() == {("unknown_placeholder", "b")}
    system.act("DELETE", NEWS)
    system.code = first
    assert found() == {("not_exported", "b")}
    version = system.read(ONE)["version"]
    unseen = {"version": version, "content_id": "-"}
    status, answer = system.call("POST", f"{ONE}/approve", unseen)
    assert (status, answer["error"]["code"]) == (409, "checklist_failed")


def test_a_test_mail_has_the_text_of_its_variant(system: System) -> None:
    ready(system)
    system.sandbox.forget_sent()
    body = {"addresses": ["ann@shop.example"], "variant": "b"}
    system.act("POST", f"{ONE}/test", body, key="b")
    system.act("POST", f"{ONE}/test", {"addresses": ["ann@shop.example"]}, key="a")
    system.settle()
    assert texts(system) == {True: 1, False: 1}
    status, answer = system.call("POST", f"{ONE}/test", {**body, "variant": "c"})
    assert (status, answer["error"]["details"][0]["field"]) == (400, "variant")


@each(
    ("fields", "field"),
    [
        ({"newsletter_codes": [None]}, "subject_test.subjects.0"),
        ({"subjects": ["B", "B"], "newsletter_codes": []}, "subject_test.subjects.1"),
        ({"subjects": ["B", "C"]}, "subject_test"),
        ({"newsletter_codes": ["NL-20260101-ZZZZ"]}, "subject_test.newsletter_codes.0"),
        ({"newsletter_codes": ["../x"]}, "subject_test.newsletter_codes.0"),
        ({"newsletter_codes": [7]}, "subject_test.newsletter_codes.0"),
    ],
)
def test_variants_that_do_not_differ_or_cannot_be_read_are_refused(
    system: System, fields: dict[str, Any], field: str
) -> None:
    settled(EXPORTED, with_readers())(system)
    drafted(system)
    test = variants(None, **fields)
    status, answer = system.call("PATCH", ONE, {"version": 1, "subject_test": test})
    assert (status, answer["error"]["details"][0]["field"]) == (400, field)
    body = {**system.read(ONE), "subject_test": test, "newsletter_code": system.code}
    del body["issue_id"]
    assert system.call("POST", "/newsletters/issues", body, key="made")[0] == 400


def test_a_text_in_another_language_or_of_another_company_is_refused(system: System) -> None:
    settled(EXPORTED, with_readers())(system)
    german = another(system, language="de")
    foreign = next(
        key.removeprefix("NEWSLETTER#").partition(" ")[0]
        for key, row in system.rows().items()
        if row.get("company_id") == "other" and key.endswith("METADATA")
    )
    drafted(system)
    for code in (german, foreign):
        body = {"version": 1, "subject_test": variants(code)}
        status, answer = system.call("PATCH", ONE, body)
        named = answer["error"]["details"][0]["field"]
        assert (status, named) == (400, "subject_test.newsletter_codes.0")


def test_what_a_read_returns_can_be_sent_back(system: System) -> None:
    code = ready(system)
    found = system.read(ONE)
    assert found["subject_test"]["newsletter_codes"] == [code]
    body = {"version": found["version"], "subject_test": found["subject_test"]}
    system.act("PATCH", ONE, body, key="back")
    assert system.read(ONE)["subject_test"] == found["subject_test"]


def test_a_change_that_does_not_name_the_texts_keeps_them_or_is_refused(system: System) -> None:
    code = ready(system)
    own = system.read(ONE)["subject_test"]
    del own["newsletter_codes"]
    body = {"version": 1, "subject_test": {**own, "wait_minutes": 60}}
    system.act("PATCH", ONE, body, key="kept")
    found = system.read(ONE)["subject_test"]
    assert (found["newsletter_codes"], found["wait_minutes"]) == ([code], 60)

    more = {"version": 2, "subject_test": {**own, "subjects": ["B", "C"]}}
    status, answer = system.call("PATCH", ONE, more)
    field = answer["error"]["details"][0]["field"]
    assert (status, field) == (400, "subject_test.newsletter_codes")
    system.act(
        "PATCH",
        ONE,
        {"version": 2, "subject_test": {**own, "subjects": ["B"], "newsletter_codes": []}},
        key="none",
    )
    assert system.read(ONE)["subject_test"]["newsletter_codes"] == []
    system.act("PATCH", ONE, {"version": 3, "subject_test": None}, key="end")
    assert system.read(ONE).get("subject_test") is None


def test_a_test_mail_of_a_variant_that_was_removed_meanwhile_is_skipped_and_says_why(
    system: System,
) -> None:
    ready(system)
    asked = {"addresses": ["ann@shop.example"], "variant": "b"}
    made = system.act("POST", f"{ONE}/test", asked, key="trial-of-b")
    version = system.read(ONE)["version"]
    system.act("PATCH", ONE, {"version": version, "subject_test": None}, key="take-away")
    system.settle()

    [mail] = system.read(f"{ONE}/tests/{made['test_id']}")["mails"]
    assert (mail["state"], mail["reason"]) == ("skipped", "variant_removed")


def test_a_deleted_text_of_a_variant_blocks_the_approval_and_no_other_change(
    system: System,
) -> None:
    code = ready(system)
    system.act("DELETE", f"/newsletters/{code}", {}, key="delete-the-text")
    version = system.read(ONE)["version"]

    changed = system.act("PATCH", ONE, {"version": version, "preheader": "New"}, key="preheader")

    assert changed["preheader"] == "New"
    assert not system.read(f"{ONE}/checklist")["may_be_sent"]
