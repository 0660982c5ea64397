"""Attacks on every route and queue of newsletters: from another company, and from colleagues of the owner."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from newsletters.inbound.events import (
    ExportRequested,
    PrivacyRequested,
    PurgeRequested,
    StepRequested,
    entry,
)
from shared.api.auth import Caller, Scope
from shared.events.queued_events import turn_entry
from tests.integration.isolation.attacks import Attack, Call, assert_unchanged, of_document
from tests.integration.isolation.events_under_attack import EventAttack
from tests.integration.isolation.newsletters_setup import (
    BOTH,
    COMPANY_A,
    TwoCompanies,
    two_companies,
)
from tests.integration.isolation.route_tests import one_of_each_route, suite_of

WRITE = (Scope.NEWSLETTERS_WRITE,)
REVIEW = (Scope.NEWSLETTERS_REVIEW,)
ADMIN = (Scope.NEWSLETTERS_ADMIN,)
PRIVACY = (Scope.NEWSLETTERS_PRIVACY,)
OPERATE = (Scope.OPERATOR,)
READ = (Scope.NEWSLETTERS_READ, *WRITE, *REVIEW)
READ_COMPANY = (Scope.NEWSLETTERS_READ, *WRITE, *ADMIN)
READ_PARKED = (Scope.NEWSLETTERS_READ, *OPERATE)
REPLAY = (*ADMIN, *OPERATE)
KEY = {"Idempotency-Key": "the-same-key"}
ALL, ONE = "/newsletters", "/newsletters/{code}"
STEPS = "NewslettersWorker <- NewsletterStepsQueue"
EXPORTS = "NewslettersExports <- NewsletterExportsQueue"
TOPICS: dict[str, Any] = {"version": 1, "selected_types": ["events"]}
SECTIONS = [{"id": "section-1", "name": "Of the attacker", "items": []}]


def of_query(line: str, scopes: tuple[Scope, ...], is_blind: str = "", **query: str) -> Attack:
    """A listing with A's ids in the query."""
    return Attack(
        line=line,
        names=", ".join(query) or "nothing",
        scopes=scopes,
        call=lambda a: Call(query={name: value.format(**a) for name, value in query.items()}),
        has_no_projects=True,
        is_blind=is_blind,
    )


def of_read(below: str = "", **path: str) -> Attack:
    """A's newsletter, or a part of it."""
    return Attack(
        line=f"GET {ONE}{below}",
        names=", ".join(["code", *path]),
        scopes=READ,
        call=lambda a: Call(path={"code": a["code"], **path}),
        has_no_projects=True,
    )


def of_change(
    line: str, scopes: tuple[Scope, ...] = WRITE, path: Mapping[str, str] | None = None, **body: Any
) -> Attack:
    """A change of A's newsletter."""
    return Attack(
        line=line,
        names=", ".join(["code", *(path or {}), *body]),
        scopes=scopes,
        call=lambda a: Call(path={"code": a["code"], **(path or {})}, body=body, headers=KEY),
        has_no_projects=True,
    )


def of_company(
    line: str,
    scopes: tuple[Scope, ...],
    is_blind: str = "",
    path: str = "",
    body: Callable[[Mapping[str, str]], Mapping[str, Any]] = lambda _: {},
) -> Attack:
    """A call about something of the company; *path* is the name of its id in the path and of the item of A."""
    parameter, _, item = path.partition("=")
    return Attack(
        line=line,
        names=item or "nothing",
        scopes=scopes,
        call=lambda a: Call(
            path={parameter: a[item]} if item else {},
            body=None if line.startswith("GET") else body(a),
            headers={} if line.startswith("GET") else KEY,
        ),
        has_no_projects=scopes != OPERATE,
        is_blind=is_blind,
    )


ATTACKS = [
    of_query(f"GET {ALL}", READ),
    of_query(f"GET {ALL}", READ, of="company"),
    of_query(f"GET {ALL}", READ, limit="1", cursor="{cursor}"),
    of_query(f"GET {ALL}", READ, of="company", limit="1", cursor="{company_cursor}"),
    of_query(f"GET {ALL}/options", READ, is_blind="the same values for all companies"),
    of_read(),
    of_read("/exports"),
    of_read("/exports/{format}", format="html"),
    of_read("/{step}/status", step="topics"),
    of_read("/{step}/revisions", step="draft"),
    of_company(
        f"POST {ALL}",
        WRITE,
        is_blind="it names nothing of A",
        body=lambda _: {"title": "Of the attacker"},
    ),
    of_change(f"PATCH {ONE}", version=2, title="Of the attacker"),
    of_change(f"DELETE {ONE}"),
    of_change(f"PUT {ONE}/topics", **TOPICS),
    of_change(f"PUT {ONE}/outline", version=1, sections=SECTIONS),
    of_change(f"PUT {ONE}/draft", version=1, content="Of the attacker"),
    of_change(
        f"PUT {ONE}/draft/sections/{{key}}",
        path={"key": "research"},
        version=1,
        content="Of the attacker",
    ),
    of_change(f"DELETE {ONE}/draft/edits", version=1),
    of_change(f"POST {ONE}/review/request", version=2),
    of_change(f"POST {ONE}/review/approve", REVIEW, version=2),
    of_change(f"POST {ONE}/review/return", REVIEW, version=2, notes="Of the attacker"),
    of_change(f"POST {ONE}/{{step}}/start", path={"step": "topics"}),
    of_change(f"POST {ONE}/{{step}}/cancel", path={"step": "topics"}),
    of_change(f"POST {ONE}/{{step}}/restore", path={"step": "draft"}, version=1, revision=1),
    of_change(f"POST {ONE}/exports", formats=["text"]),
    of_company(f"GET {ALL}/settings", READ_COMPANY),
    of_company(f"PUT {ALL}/settings", ADMIN, body=lambda _: {"version": 0}),
    of_query(f"GET {ALL}/sources", READ_COMPANY),
    of_query(f"GET {ALL}/sources", READ_COMPANY, limit="1", cursor="{source_cursor}"),
    of_company(
        f"POST {ALL}/sources",
        ADMIN,
        is_blind="a document of the same name is replaced",
        body=lambda a: {"name": a["source"], "title": "Of the attacker", "text": "Another."},
    ),
    of_company(f"DELETE {ALL}/sources/{{name}}", ADMIN, path="name=source"),
    *(
        of_company(
            f"POST {ALL}/users/{kind}",
            PRIVACY,
            is_blind="the answer is a job, which reads the company's items later",
            body=lambda _: {"user_id": BOTH},
        )
        for kind in ("erase", "export")
    ),
    of_company(f"GET {ALL}/privacy-jobs/{{job_id}}", PRIVACY, path="job_id=privacy_job"),
    of_query(f"GET {ALL}/parked", READ_PARKED),
    of_query(f"GET {ALL}/parked", READ_PARKED, company=COMPANY_A),
    of_query(f"GET {ALL}/parked", READ_PARKED, limit="1", cursor="{parked_cursor}"),
    of_company(f"POST {ALL}/parked/{{event_id}}/replay", REPLAY, path="event_id=parked_id"),
    of_company(f"POST {ALL}/parked/replay", REPLAY, body=lambda _: {"company": COMPANY_A}),
    of_query(f"GET {ALL}/dead-letters", OPERATE),
    of_company(f"POST {ALL}/dead-letters/redrive", OPERATE, body=lambda a: {"ids": [a["letter"]]}),
    of_document(f"GET {ALL}/openapi.json", *READ, *ADMIN, *PRIVACY, *OPERATE),
]
OF_ONE = [attack for attack in one_of_each_route(ATTACKS) if "{code}" in attack.line]


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


@pytest.fixture(scope="module")
def companies() -> Iterator[TwoCompanies]:
    with two_companies() as made:
        yield made


TestRoutes = suite_of(ATTACKS)


@pytest.mark.parametrize("attack", EVENTS, ids=str)
def test_an_event_that_names_items_of_a_changes_nothing_of_a(
    companies: TwoCompanies, attack: EventAttack[TwoCompanies]
) -> None:
    companies.without_a()
    owned = companies.stored()
    companies.with_a()
    for queue in companies.system.fifo_queues.queues.values():
        queue.messages.clear()  # of A's own jobs
    before = companies.stored()

    attack.make(companies)
    companies.system.drain()

    after = companies.stored()
    assert_unchanged(str(attack), before, after, owned, ())
    new = [after[key] for key in after.keys() - before.keys() if isinstance(after[key], dict)]
    assert not [item for item in new if item.get("company_id", {}).get("S") == companies.company_a]
    assert {item["reason"]["S"] for item in new if "reason" in item} == attack.parked
    assert companies.four_eyes_of_a()


def colleague(*scopes: Scope) -> Caller:
    return Caller(company=COMPANY_A, scopes=frozenset(map(str, scopes)), principal="api-key:other")


@pytest.mark.parametrize(
    "attack", [one for one in OF_ONE if Scope.NEWSLETTERS_WRITE in one.scopes], ids=str
)
def test_a_colleague_who_writes_finds_no_newsletter_of_another_user(
    companies: TwoCompanies, attack: Attack
) -> None:
    companies.with_a()
    before = companies.stored()

    answer = companies.send(
        attack.line, attack.call(companies.names), colleague(Scope.NEWSLETTERS_WRITE)
    )

    assert answer.status == 404, answer
    assert "canary-words" not in answer.text
    assert companies.stored() == before


@pytest.mark.parametrize(
    "attack", [one for one in OF_ONE if one.is_change and one.scopes == WRITE], ids=str
)
def test_a_colleague_who_may_read_and_write_does_not_change_newsletters_of_another_user(
    companies: TwoCompanies, attack: Attack
) -> None:
    companies.with_a()
    before = companies.stored()
    caller = colleague(Scope.NEWSLETTERS_READ, Scope.NEWSLETTERS_WRITE, Scope.NEWSLETTERS_REVIEW)

    answer = companies.send(attack.line, attack.call(companies.names), caller)

    assert answer.status == 403, answer
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


@pytest.mark.parametrize(
    ("attack", "scope"),
    [
        pytest.param(attack, scope, id=f"{attack} [{scope}]")
        for attack in one_of_each_route(ATTACKS)
        for scope in attack.scopes
    ],
)
def test_each_scope_of_a_route_is_enough_for_its_owner_or_reviewer(
    companies: TwoCompanies, attack: Attack, scope: Scope
) -> None:
    companies.with_a()
    principal = "api-key:other" if scope is Scope.NEWSLETTERS_REVIEW else "api-key:owner"
    caller = Caller(company=COMPANY_A, scopes=frozenset({str(scope)}), principal=principal)

    answer = companies.send(attack.line, attack.call(companies.names), caller)

    assert answer.status in {200, 201, 202, 409}, answer
