"""Segments: conditions that are checked before they are stored, and the people who fit them, counted and listed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from console.contacts.segments import routes
from shared.api.auth import Caller
from shared.contacts import audience, segments
from shared.contacts.audience import Audience
from shared.inbox.items import Channel
from shared.policy.consent.items import Source, Statement
from shared.runtime import clock
from tests.cases import each
from tests.integration.console.contacts.test_audiences import ADMIN, addresses, sources
from tests.integration.console.contacts.test_contact_changes import EDITOR, created, id_of, send
from tests.integration.console.contacts.test_contact_lists import join, made_list
from tests.integration.console.contacts.test_contacts_api import GLOBEX, people

if TYPE_CHECKING:
    from shared.contacts.person import Sources
    from tests.integration.console.system import InboxSystem, Listed

__all__ = ["people", "sources"]
OWNER = Caller(
    company="acme", scopes=EDITOR.scopes | {"consent:read", "contacts:admin"}, principal="api-key:1"
)


@pytest.fixture
def plans(
    inbox: InboxSystem, people: Listed, sources: Sources, monkeypatch: pytest.MonkeyPatch
) -> dict[str, str]:
    """Zoë and Mário, who have written; Lea and Ben, whom people have described five days later. Ids by name."""
    later = clock.now_ms() + 5 * clock.DAY_SECONDS * clock.SECOND_MS
    monkeypatch.setattr(clock, "now_ms", lambda: later)
    attributes: dict[str, dict[str, Any]] = {
        "plan": {"kind": "choice", "title": "Plan", "choices": ["gold", "free"]},
        "visits": {"kind": "number", "title": "Visits"},
        "joined": {"kind": "date", "title": "Joined"},
        "member": {"kind": "boolean", "title": "Member"},
    }
    for name, body in attributes.items():
        send(inbox, f"PUT /attributes/{name}", body, ADMIN)
    described = {
        "Lea": ({"plan": "gold", "visits": 12, "joined": "2026-01-03", "member": True}, "fr"),
        "Ben": ({"plan": "free", "visits": 2, "member": False}, "de-AT"),
    }
    found = {"Zoe": id_of(inbox, "zoe"), "Mario": id_of(inbox, "mario")}
    for number, (name, (values, language)) in enumerate(described.items()):
        phone = {"kind": "phone", "value": f"+44770090016{number}"}
        more = {"labels": ["vip"]} if name == "Lea" else {"owner": "team:night"}
        made = created(
            inbox, name, identifiers=[phone], attributes=values, language=language, **more
        )
        found[name] = made["contactId"]
    said = Statement(source=Source.OPERATOR, at_ms=clock.now_ms(), evidence="a call")
    sources.consents.record_opt_in("acme", ["+447700900101"], said, channels=("whatsapp",))
    return found


def compare(field: str, operator: str, value: object) -> dict[str, Any]:
    return {"field": field, "operator": operator, "value": value}


def members(inbox: InboxSystem, conditions: dict[str, Any], limit: int = 2) -> set[str]:
    """The names of the people of a new segment, page by page; the count is the same."""
    body = {"name": str(conditions)[:90], "conditions": conditions}
    made = send(inbox, "POST /contacts/segments", body, OWNER).result
    assert made["conditions"] == conditions
    names: list[str] = []
    cursor: dict[str, Any] = {}
    path = f"/contacts/segments/{made['segmentId']}"
    while True:
        answer = inbox.get(OWNER, f"{path}/members", limit=limit, **cursor)
        names += [one["name"].split()[0] for one in answer.result["contacts"]]
        if not answer.body.get("cursor"):
            break
        cursor = {"cursor": answer.body["cursor"]}
    assert len(names) == len(set(names)), "a person is named twice"
    count = inbox.get(OWNER, f"{path}/count").result
    assert count == {"people": len(names), "compared": count["compared"], "exact": True}
    return {"Zoe" if one == "Zoë" else "Mario" if one == "Mário" else one for one in names}


@pytest.mark.long
def test_each_operator_chooses_the_people_who_fit(
    inbox: InboxSystem, plans: dict[str, str]
) -> None:
    regulars = made_list(inbox)
    join(inbox, regulars, plans["Zoe"], plans["Ben"])
    cases: list[tuple[dict[str, Any], set[str]]] = [
        (compare("name", "contains", "ZOE"), {"Zoe"}),
        (compare("language", "in", ["FR", "es"]), {"Lea"}),
        (compare("language", "startsWith", "de"), {"Ben"}),
        (compare("label", "is", "vip"), {"Lea"}),
        (compare("owner", "exists", True), {"Ben"}),
        (compare("attributes.plan", "in", ["gold", "free"]), {"Lea", "Ben"}),
        (compare("attributes.plan", "exists", False), {"Zoe", "Mario"}),
        (compare("attributes.visits", "atLeast", 2.5), {"Lea"}),
        (compare("attributes.visits", "atMost", 12), {"Lea", "Ben"}),
        (compare("attributes.joined", "atLeast", "2026-01-03"), {"Lea"}),
        (compare("attributes.member", "is", False), {"Ben"}),
        (compare("list", "is", regulars), {"Zoe", "Ben"}),
        (compare("channel", "is", "email"), {"Zoe"}),
        (compare("consent.whatsapp", "is", "opted_in"), {"Zoe"}),
        (compare("consent.whatsapp", "is", "none"), {"Mario", "Lea", "Ben"}),
        (compare("consent.email", "in", ["none", "opted_in"]), {"Zoe"}),
        (compare("lastContact", "withinDays", 6), {"Zoe", "Mario"}),
        (compare("lastContact", "olderThanDays", 6), set()),
        (compare("created", "withinDays", 1), {"Lea", "Ben"}),
        (
            {
                "all": [
                    compare("lastContact", "exists", False),
                    {"not": compare("attributes.plan", "is", "gold")},
                ]
            },
            {"Ben"},
        ),
        (
            {"any": [compare("label", "is", "vip"), compare("channel", "is", "email")]},
            {"Lea", "Zoe"},
        ),
    ]
    for conditions, expected in cases:
        assert members(inbox, conditions) == expected, conditions


DEEP: dict[str, Any] = {"field": "label", "operator": "is", "value": "vip"}
for _ in range(5):
    DEEP = {"not": DEEP}


@each(
    ("conditions", "field", "rule"),
    [
        ({"all": "vip"}, "all", "must have 1 to 50 conditions"),
        ({"any": []}, "any", "must have 1 to 50 conditions"),
        ({"all": [compare("label", "is", "vip")], "limit": 3}, "", "all must be the only field"),
        ({"all": ["vip"]}, "all.0", "must be an object"),
        (DEEP, "not.not.not.not.not", "at most 5 levels"),
        ({"field": "label", "operator": "is"}, "", "must have field, operator and value"),
        (compare("colour", "is", "red"), "field", "must be one of name"),
        (compare("attributes.colour", "is", "red"), "field", "must be one of name"),
        (compare("plan", "is", "gold"), "field", "must be one of name"),
        (
            {"not": compare("label", "contains", "v")},
            "not.operator",
            "must be one of is, in, exists",
        ),
        (
            compare("attributes.plan", "atLeast", "gold"),
            "operator",
            "must be one of is, in, exists",
        ),
        (
            {"any": [DEEP["not"]["not"], compare("attributes.plan", "is", "red")]},
            "any.1.value",
            "choices",
        ),
        (compare("attributes.visits", "is", "12"), "value", "must be a number"),
        (compare("attributes.visits", "is", True), "value", "must be a number"),
        (compare("attributes.joined", "atMost", "2026-02-30"), "value", "must be a date"),
        (compare("lastContact", "withinDays", 0), "value", "must be a whole number"),
        (compare("lastContact", "withinDays", 1.5), "value", "must be a whole number"),
        (compare("owner", "exists", "yes"), "value", "must be true or false"),
        (compare("channel", "is", "fax"), "value", "must be one of the choices"),
        (compare("name", "contains", "\u0301"), "value", "must have a visible character"),
        (compare("label", "in", "vip"), "value", "must be a list"),
        (compare("label", "is", ["vip"]), "value", "must be a list"),
        (compare("label", "in", ["x"] * 51), "value", "must have 1 to 50 values"),
        (compare("list", "is", "0123456789abcdef"), "value", "must be the id of a list"),
        ({"all": [{"any": [compare("label", "is", "v")] * 26}] * 2}, "", "at most 50 comparisons"),
    ],
)
def test_conditions_that_break_a_rule_are_refused_with_field_and_rule(
    inbox: InboxSystem, plans: dict[str, str], conditions: dict[str, Any], field: str, rule: str
) -> None:
    body = {"name": "People", "conditions": conditions}
    for path, given in (("", body), ("/count", {"conditions": conditions})):
        answer = send(inbox, f"POST /contacts/segments{path}", given, OWNER)
        assert answer.status == 422, answer
        (problem,) = answer.body["error"]["details"]
        assert problem["field"] == ".".join(filter(None, ("conditions", field)))
        assert rule in problem["problem"]
    assert inbox.get(OWNER, "/contacts/segments").result == {"segments": []}


def test_a_count_compares_a_bounded_number_of_contacts_and_says_whether_it_is_exact(
    inbox: InboxSystem, plans: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routes, "COMPARED_AT_ONCE", 2)
    body = {"conditions": {"not": compare("label", "is", "vip")}}
    answers = [send(inbox, "POST /contacts/segments/count", body, OWNER)]
    while cursor := answers[-1].body.get("cursor"):
        answers.append(
            send(inbox, "POST /contacts/segments/count", {**body, "cursor": cursor}, OWNER)
        )

    counts = [one.result for one in answers]
    assert [one["compared"] for one in counts][:2] == [2, 4]
    assert counts[-1] == {"people": 3, "compared": 4, "exact": True}
    assert {one["exact"] for one in counts[:-1]} == {False}
    other = {"conditions": compare("label", "is", "vip"), "cursor": answers[0].body["cursor"]}
    assert send(inbox, "POST /contacts/segments/count", other, OWNER).status == 400


def test_a_segment_is_changed_deleted_and_its_company_s_alone(
    inbox: InboxSystem, plans: dict[str, str], sources: Sources
) -> None:
    body = {"name": "Gold", "conditions": compare("attributes.plan", "is", "gold")}
    made = send(inbox, "POST /contacts/segments", body, key="one-key-of-a-segment").result
    again = send(inbox, "POST /contacts/segments", body, key="one-key-of-a-segment").result
    assert again == made
    assert send(inbox, "POST /contacts/segments", body).status == 409
    path, of = (
        f"/contacts/segments/{made['segmentId']}",
        Audience(kind="segment", id=made["segmentId"]),
    )
    assert addresses(sources, of, Channel.WHATSAPP) == {plans["Lea"]: "+447700900160"}

    wanted = {"conditions": compare("attributes.plan", "is", "free")}
    changed = send(inbox, f"PATCH {path}", wanted).result
    assert changed == {**made, **wanted}
    assert send(inbox, f"PATCH {path}", changed).result == changed
    assert addresses(sources, of, Channel.WHATSAPP) == {plans["Ben"]: "+447700900161"}

    for one in (path, f"{path}/count", f"{path}/members"):
        assert inbox.get(GLOBEX, one).status == 404
    with pytest.raises(segments.SegmentNotFound):
        audience.page(sources, "globex", of, Channel.WHATSAPP)
    assert send(inbox, f"DELETE {path}").result == {"segmentId": made["segmentId"]}
    assert inbox.get(OWNER, "/contacts/segments").result == {"segments": []}
    assert send(inbox, f"PATCH {path}", wanted).status == 404


def test_a_comparison_with_a_list_or_an_attribute_that_was_removed_fits_no_one(
    inbox: InboxSystem, plans: dict[str, str]
) -> None:
    regulars = made_list(inbox)
    join(inbox, regulars, plans["Zoe"])
    paths = []
    for asked in (compare("list", "is", regulars), compare("attributes.plan", "is", "gold")):
        body = {"name": asked["field"], "conditions": asked}
        made = send(inbox, "POST /contacts/segments", body, OWNER).result
        paths.append(f"/contacts/segments/{made['segmentId']}/count")
    assert [inbox.get(OWNER, one).result["people"] for one in paths] == [1, 1]

    # The memberships of the list are still stored.
    assert send(inbox, f"DELETE /contacts/lists/{regulars}", {}, OWNER).status < 300
    assert send(inbox, "DELETE /attributes/plan", {}, OWNER).status < 300

    assert [inbox.get(OWNER, one).result["people"] for one in paths] == [0, 0]


def test_conditions_about_consent_need_the_right_to_read_it(
    inbox: InboxSystem, plans: dict[str, str]
) -> None:
    asked = {"any": [compare("consent.sms", "is", "opted_out")]}
    body = {"name": "Out", "conditions": asked}
    made = send(inbox, "POST /contacts/segments", body, OWNER).result
    path = f"/contacts/segments/{made['segmentId']}"
    refused = [
        send(inbox, "POST /contacts/segments", body),
        send(inbox, "POST /contacts/segments/count", {"conditions": asked}),
        inbox.get(EDITOR, f"{path}/count"),
        inbox.get(EDITOR, f"{path}/members"),
    ]
    assert [one.status for one in refused] == [403] * 4
    assert inbox.get(OWNER, f"{path}/count").result["people"] == 0


def test_merged_people_fit_once_by_what_all_of_their_contacts_have(
    inbox: InboxSystem, plans: dict[str, str]
) -> None:
    send(inbox, f"POST /contacts/{plans['Zoe']}/merge", {"contactId": plans["Lea"]})
    asked = {"all": [compare("label", "is", "vip"), compare("channel", "is", "whatsapp")]}
    assert members(inbox, asked, limit=1) == {"Lea"}
