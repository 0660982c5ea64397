"""Attacks on every route and queue of newsletters: from another company, and from colleagues of the owner."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any

import pytest

from newsletters.inbound.events import (
    EvaluationRequested,
    ExportRequested,
    IssueRequested,
    IssueTestRequested,
    PrivacyRequested,
    PurgeRequested,
    ReaderRequested,
    SeriesRequested,
    StepRequested,
    entry,
)
from newsletters.issues.links import LEAVE, VIEW, Link, token_of
from shared.api.auth import Caller, Scope
from shared.events.issue_feedback import ISSUE, RECIPIENT, feedback_entry
from shared.events.queued_events import turn_entry
from tests.integration.isolation.attacks.attacks import Attack, Call
from tests.integration.isolation.attacks.events_under_attack import EventAttack, items_after
from tests.integration.isolation.attacks.route_attacks import KEY, Api, Special
from tests.integration.isolation.attacks.route_tests import companies_of, suite_of
from tests.integration.isolation.newsletters.newsletters_setup import (
    BOTH,
    COMPANY_A,
    COMPANY_B,
    SET,
    TwoCompanies,
    issue_input,
    series_input,
    two_companies,
)
from tests.simulation.invocations import Invocation

WRITE = (Scope.NEWSLETTERS_WRITE,)
ALL, ONE, ISSUES = "/newsletters", "/newsletters/{code}", "/newsletters/issues"
STEPS = "NewslettersWorker <- NewsletterStepsQueue"
EXPORTS = "NewslettersExports <- NewsletterExportsQueue"
IN_DRAFT = {"step": "draft"}
A_JOB = Special(
    inputs=({"user_id": BOTH},),
    is_blind="the answer is a job, which reads the company's items later",
)

API = Api(
    functions=("NewslettersApi",),
    values={
        "event_id": "{parked_id}",
        "job_id": "{privacy_job}",
        "name": "{source}",
        "ids": ["{letter}"],
        "company": COMPANY_A,
        "of": "company",
        "step": "topics",
        "format": "html",
        "key": "research",
        "issue_id": "{issue}",
        "list_id": "{list}",
        "test_id": "of-b",
        "domain": "shop.example",
        "series_id": "{series}",
        "template_id": "{template}",
        "version": 1,
        "number": "1",
        "set_name": SET,
        "run_id": "{run}",
    },
    special={
        f"GET {ALL}/options": Special(is_blind="the same values for all companies"),
        f"POST {ALL}": Special(inputs=({"title": "Of the attacker", "copy_from": "{code}"},)),
        f"PATCH {ONE}": Special(inputs=({"version": 2, "title": "Of the attacker"},)),
        f"PUT {ONE}/topics": Special(inputs=({"version": 1, "selected_types": ["events"]},)),
        f"PUT {ONE}/outline": Special(
            inputs=(
                {
                    "version": 1,
                    "sections": [{"id": "section-1", "name": "Of the attacker", "items": []}],
                },
            )
        ),
        f"POST {ONE}/review/request": Special(inputs=({"version": 2},)),
        f"POST {ONE}/review/approve": Special(inputs=({"version": 2},)),
        f"POST {ONE}/review/return": Special(inputs=({"version": 2, "notes": "Of the attacker"},)),
        f"POST {ONE}/exports": Special(inputs=({"formats": ["text"]},)),
        f"GET {ONE}/{{step}}/revisions": Special(path=IN_DRAFT),
        f"POST {ONE}/{{step}}/restore": Special(path=IN_DRAFT),
        f"PUT {ALL}/settings": Special(inputs=({"version": 0},)),
        f"POST {ALL}/settings/versions": Special(
            inputs=({"settings": {"check_claims": True}},), is_blind="it names nothing of A"
        ),
        f"POST {ALL}/settings/versions/{{number}}/live": Special(inputs=({},)),
        f"POST {ALL}/settings/playground": Special(inputs=({"step": "topics", "code": "{code}"},)),
        f"POST {ALL}/settings/sets/{{set_name}}": Special(inputs=({"gate": True},)),
        f"POST {ALL}/settings/sets/{{set_name}}/runs": Special(
            inputs=({"version": 1, "recorded": True},)
        ),
        f"POST {ALL}/sources": Special(
            inputs=({"name": "{source}", "title": "Of the attacker", "text": "Another."},),
            is_blind="a document of the same name is replaced",
        ),
        f"POST {ISSUES}": Special(inputs=(issue_input("{code}", "{list}"),)),
        f"PATCH {ISSUES}/{{issue_id}}": Special(inputs=({"version": 1, "list_ids": ["{list}"]},)),
        f"POST {ISSUES}/{{issue_id}}/test": Special(inputs=({"addresses": ["a@shop.example"]},)),
        f"PUT {ALL}/lists/{{list_id}}": Special(inputs=({"version": 1, "title": "Of B"},)),
        f"POST {ALL}/series": Special(
            inputs=(
                series_input()
                | {
                    "issue": {
                        name: value
                        for name, value in issue_input("{code}", "{list}").items()
                        if name != "newsletter_code"
                    }
                },
            )
        ),
        f"PATCH {ALL}/series/{{series_id}}": Special(inputs=({"version": 1, "title": "Of B"},)),
        f"POST {ALL}/templates": Special(
            inputs=({"name": "Of B", "colours": {"accent": "#7a1f5c", "page": "#fdf6e3"}},),
            is_blind="it names nothing of A",
        ),
        f"PATCH {ALL}/templates/{{template_id}}": Special(inputs=({"version": 1, "name": "Of B"},)),
        f"PUT {ALL}/warm-ups/{{domain}}": Special(inputs=({"version": 1, "limits": [5]},)),
        f"POST {ISSUES}/{{issue_id}}/schedule": Special(
            inputs=({"version": 1, "local": "2030-01-01T09:00", "timezone": "Europe/Berlin"},)
        ),
        f"POST {ALL}/users/erase": A_JOB,
        f"POST {ALL}/users/export": A_JOB,
    },
)


def _queued(event_of: Callable[[Mapping[str, str]], Any]) -> Callable[[TwoCompanies], object]:
    def put(companies: TwoCompanies) -> None:
        system, event = companies.system, event_of(companies.names)
        queue = system.exports_queue if isinstance(event, ExportRequested) else system.steps_queue
        message = (
            turn_entry(event, event.job_id, "attack")
            if isinstance(event, PrivacyRequested)
            else entry(event)
        )
        system.fifo_queues.put(queue, message)

    return put


def _link_with_the_proof_of_b(line: str) -> Callable[[TwoCompanies], object]:
    """The link of a mail of B, with the content of one of A."""
    method, _, path = line.partition(" ")
    purpose = VIEW if path.startswith("/n") else LEAVE

    def make(companies: TwoCompanies) -> None:
        own, other = (
            token_of(Link(purpose=purpose, company_id=company, issue_id=companies.names["issue"]))
            for company in (companies.company_a, companies.company_b)
        )
        event = {
            "resource": path.replace("{}", "{proxy+}"),
            "path": path.replace("{}", own),
            "httpMethod": method,
            "pathParameters": {"proxy": f"{own.partition('.')[0]}.{other.partition('.')[2]}"},
            "body": "scope=all",
        }
        answer = companies.system.api.handler(event, Invocation(companies.system.clock))
        assert answer["statusCode"] == HTTPStatus.NOT_FOUND

    return make


def _feedback(companies: TwoCompanies) -> None:
    tags = {ISSUE: companies.names["issue"], RECIPIENT: "of-b"}
    event = feedback_entry("Complaint", "2026-11-02T12:00:00.000Z", "ses-1", tags, {})
    assert event is not None
    companies.system.fifo_queues.put(companies.system.steps_queue, event)


def _request_of_b(kind: str) -> Callable[[TwoCompanies], object]:
    return lambda companies: companies.system.call(
        "POST", f"{ALL}/users/{kind}", {"user_id": BOTH}, company=companies.company_b
    )


EVENTS: list[EventAttack[TwoCompanies]] = [
    EventAttack(
        surface=STEPS,
        type="newsletter.step",
        names="a newsletter of A, with a job that it does not have",
        make=_queued(lambda a: StepRequested(code=a["code"], step="topics", job_id="of-b")),
    ),
    EventAttack(
        surface=STEPS,
        type="newsletter.step",
        names="the job of a newsletter of A, at a newsletter of B",
        make=_queued(lambda a: StepRequested(code=a["of_b"], step="topics", job_id=a["job"])),
    ),
    EventAttack(
        surface=STEPS,
        type="newsletter.issue",
        names="an issue of A that is not being sent",
        make=_queued(lambda a: IssueRequested(issue_id=a["issue"], turn=1)),
    ),
    EventAttack(
        surface=STEPS,
        type="newsletter.test",
        names="an issue of A, and a test that it does not have",
        make=_queued(lambda a: IssueTestRequested(issue_id=a["issue"], test_id="of-b")),
    ),
    EventAttack(
        surface=STEPS,
        type="newsletter.reader",
        names="a sign-up of A, as one of B",
        make=_queued(
            lambda a: ReaderRequested(
                company_id=COMPANY_B, recipient=a["recipient"], list_id=a["list"], turn=0
            )
        ),
    ),
    EventAttack(
        surface=STEPS,
        type="newsletter.series",
        names="a series of A, as one of B",
        make=_queued(
            lambda a: SeriesRequested(company_id=COMPANY_B, series_id=a["series"], turn=0)
        ),
    ),
    EventAttack(
        surface=STEPS,
        type="newsletter.evaluate",
        names="a run of A, as one of B",
        make=_queued(
            lambda a: EvaluationRequested(company_id=COMPANY_B, run_id=a["run"], position=0)
        ),
    ),
    EventAttack(
        surface=STEPS,
        type="newsletter.feedback",
        names="an issue of A, and a recipient that it does not have",
        make=_feedback,
    ),
    *(
        EventAttack(
            surface=line,
            type="link",
            names="an issue of A, with the proof of a link to one of B",
            make=_link_with_the_proof_of_b(line),
        )
        for line in ("GET /u/{}", "POST /u/{}", "GET /n/{}")
    ),
    EventAttack(
        surface=STEPS,
        type="newsletter.purge",
        names="a newsletter of A, which was not deleted",
        make=_queued(lambda a: PurgeRequested(code=a["code"])),
    ),
    *(
        EventAttack(
            surface=STEPS,
            type="newsletter.privacy",
            names=f"a user of both companies, to {kind} them",
            make=_request_of_b(kind),
        )
        for kind in ("erase", "export")
    ),
    EventAttack(
        surface=STEPS,
        type="newsletter.privacy",
        names="a finished job of A",
        make=_queued(lambda a: PrivacyRequested(job_id=a["privacy_job"])),
    ),
    EventAttack(
        surface=EXPORTS,
        type="newsletter.export",
        names="a newsletter of A, with a job that it does not have",
        make=_queued(lambda a: ExportRequested(code=a["code"], format="markdown", job_id="of-b")),
    ),
    EventAttack(
        surface=EXPORTS,
        type="newsletter.export",
        names="the job of a newsletter of A, at a newsletter of B",
        make=_queued(lambda a: ExportRequested(code=a["of_b"], format="html", job_id=a["job"])),
    ),
]


companies = companies_of(two_companies, API)
TestRoutes = suite_of(API)


@pytest.mark.parametrize("attack", EVENTS, ids=str)
def test_an_event_that_names_items_of_a_changes_nothing_of_a(
    companies: TwoCompanies, attack: EventAttack[TwoCompanies]
) -> None:
    new = items_after(companies, attack)

    assert not [item for item in new if item.get("company_id", {}).get("S") == companies.company_a]
    assert {item["reason"]["S"] for item in new if "reason" in item} == attack.parked
    assert companies.four_eyes_of_a()


def colleague(*scopes: Scope) -> Caller:
    return Caller(company=COMPANY_A, scopes=frozenset(map(str, scopes)), principal="api-key:other")


def on_newsletters_of_a(companies: TwoCompanies, *scopes: Scope) -> list[Attack]:
    """The attacks on single newsletters that each of *scopes* allows."""
    attacks = API.attacks(companies.names)
    return [one for one in attacks if "{code}" in one.line and {*scopes} <= {*one.scopes}]


def test_a_colleague_who_writes_finds_no_newsletter_of_another_user(
    companies: TwoCompanies,
) -> None:
    companies.with_a()
    before = companies.stored()

    for attack in on_newsletters_of_a(companies, Scope.NEWSLETTERS_WRITE):
        call = attack.call.filled(companies.names)
        answer = companies.send(attack.line, call, colleague(Scope.NEWSLETTERS_WRITE))
        assert answer.status == 404, (attack, answer)
        assert "canary-words" not in answer.text

    assert companies.stored() == before


def test_a_colleague_who_may_read_and_write_does_not_change_newsletters_of_another_user(
    companies: TwoCompanies,
) -> None:
    companies.with_a()
    before = companies.stored()
    caller = colleague(Scope.NEWSLETTERS_READ, Scope.NEWSLETTERS_WRITE, Scope.NEWSLETTERS_REVIEW)
    changes = [
        one
        for one in on_newsletters_of_a(companies, Scope.NEWSLETTERS_WRITE)
        if one.is_change and one.scopes == WRITE
    ]

    for attack in changes:
        answer = companies.send(attack.line, attack.call.filled(companies.names), caller)
        assert answer.status == 403, (attack, answer)

    assert companies.stored() == before


def test_own_lists_have_no_newsletter_of_a_colleague_and_lists_of_the_company_need_a_scope(
    companies: TwoCompanies,
) -> None:
    companies.with_a()
    line, writer = f"GET {ALL}", colleague(Scope.NEWSLETTERS_WRITE)

    own = companies.send(line, Call(), writer)
    of_company = companies.send(line, Call(query={"of": "company"}), writer)
    reader = companies.send(line, Call(query={"of": "company"}), colleague(Scope.NEWSLETTERS_READ))

    assert own.status == 200
    assert not any(code in own.text for code in companies.ids)
    assert of_company.status == 403
    assert companies.names["code"] in reader.text
    assert companies.names["of_b"] not in reader.text


def test_the_author_may_not_approve_an_own_text_if_the_company_wants_four_eyes(
    companies: TwoCompanies,
) -> None:
    companies.with_a()
    before = companies.stored()
    author = Caller(company=COMPANY_A, scopes=frozenset(map(str, Scope)), principal="api-key:owner")
    call = Call(path={"code": companies.names["code"]}, body={"version": 2}, headers=KEY)

    assert companies.send(f"POST {ONE}/review/approve", call, author).status == 403

    after = companies.stored()
    assert {key: after[key] for key in before} == before


@pytest.mark.long
def test_each_scope_of_a_route_is_enough_for_its_owner_or_reviewer(companies: TwoCompanies) -> None:
    routes = {one.line: one for one in reversed(API.attacks(companies.names))}
    for attack, scope in [(one, scope) for one in routes.values() for scope in one.scopes]:
        companies.with_a()
        is_reviewer = scope is Scope.NEWSLETTERS_REVIEW or attack.line.endswith("/approve")
        principal = "api-key:other" if is_reviewer else "api-key:owner"
        caller = Caller(company=COMPANY_A, scopes=frozenset({str(scope)}), principal=principal)

        answer = companies.send(attack.line, attack.call.filled(companies.names), caller)

        assert answer.status in {200, 201, 202, 409}, (attack, answer)
