"""Saved views of the inbox: of a person and of a team, with counts of what the caller may read."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from console.api import saved_views as api
from console.store import saved_views as store
from shared.aws.dynamodb import ConditionFailed, Table
from shared.inbox.items import Context
from tests.integration.console.system import ACME, GLOBEX, READ, InboxSystem, Listed

if TYPE_CHECKING:
    from shared.api.auth import Caller

AGENT = replace(ACME, scopes=READ | {"whatsapp:write"})
KIM = replace(AGENT, principal="user:kim")
LEE = replace(AGENT, principal="user:lee")
OVER = "2026-01-01T11:00:00.000Z"  # before the tests' time, noon


def shown(inbox: InboxSystem, caller: Caller = KIM, **query: str) -> dict[str, Any]:
    """Owner and name of each view, with its count."""
    found = inbox.get(caller, "/inbox/views", **query).result
    owned = {
        f"{one['owner']} {view['name']}": view["count"]
        for one in found["owners"]
        for view in one["views"]
    }
    return {view["name"]: view["count"] for view in found["presets"]} | owned


def test_presets_and_views_of_the_caller_and_of_teams_have_counts(
    inbox: InboxSystem, listed: Listed
) -> None:
    listed.show("kims", 1, assignee="user:kim", labels={"vip"})
    listed.show("free", 2, unread_count=3, waiting_since=OVER)
    listed.show("late", 3, assignee="user:lee", at_risk_at=OVER, context=Context.EMAIL_THREADS)
    listed.show("done", 4, status="resolved", labels={"vip"})
    inbox.save_view("My VIPs", {"assignee": "user:kim", "label": "vip"}, KIM)
    inbox.save_view("All VIPs", {"label": "vip"}, LEE, team="sales")
    inbox.save_view("Mine", {"assignee": "user:lee"}, LEE)

    presets = {"unassigned": 1, "waiting": 1, "unread": 1, "at_risk": 1}
    assert shown(inbox, KIM, teams="sales,night") == presets | {
        "user:kim My VIPs": 1,
        "team:sales All VIPs": 2,
    }
    assert shown(inbox, LEE) == presets | {"user:lee Mine": 1}
    assert shown(inbox, GLOBEX, teams="sales") == dict.fromkeys(presets, 0)
    only_mail = replace(KIM, scopes=frozenset({"email_threads:read"}))
    assert shown(inbox, only_mail)["user:kim My VIPs"] == 0


def test_a_caller_who_only_reads_saves_no_view(inbox: InboxSystem) -> None:
    assert inbox.save_view("Late", {"due": "overdue"}, ACME).status == 403


def test_a_view_is_replaced_and_removed_by_its_name(inbox: InboxSystem, listed: Listed) -> None:
    listed.show("free", 1)
    inbox.save_view("Late", {"due": "overdue"}, KIM)
    inbox.save_view("Late", {"unassigned": "true"}, KIM)
    assert shown(inbox)["user:kim Late"] == 1

    for _ in range(2):
        assert inbox.save_view("Late", None, KIM).status == 200
    assert "user:kim Late" not in shown(inbox)


def test_two_changes_at_the_same_time_are_both_kept(
    inbox: InboxSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    put, others = Table.put, [("Theirs", {"label": "vip"})]

    def late(table: Table, item: dict[str, Any], **more: Any) -> Any:
        if others and item.get("views"):
            inbox.save_view(*others.pop(), LEE, team="sales")
        return put(table, item, **more)

    monkeypatch.setattr(Table, "put", late)
    assert inbox.save_view("Ours", {"label": "bikes"}, KIM, team="sales").status == 200

    names = [name for name in shown(inbox, teams="sales") if name.startswith("team:")]
    assert names == ["team:sales Ours", "team:sales Theirs"]


def test_a_change_that_always_loses_is_refused_as_repeatable(
    inbox: InboxSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    put = Table.put

    def refuse(table: Table, item: dict[str, Any], **more: Any) -> Any:
        if item.get("views"):
            raise ConditionFailed(None)
        return put(table, item, **more)

    monkeypatch.setattr(Table, "put", refuse)
    answer = inbox.save_view("Ours", {"label": "bikes"}, KIM)

    assert (answer.status, answer.body["error"]["retryable"]) == (503, True)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"name": " ", "filters": {}}, "name"),
        ({"name": "By words", "filters": {"q": "Ada"}}, "filters.q"),
        ({"name": "Late", "filters": {"due": "soon"}}, "filters.due"),
        ({"name": "Late", "filters": {}, "team": "Sales!"}, "team"),
    ],
)
def test_a_bad_view_is_refused_with_the_field(
    inbox: InboxSystem, body: dict[str, Any], field: str
) -> None:
    answer = inbox.save_view(**body, caller=KIM)

    assert (answer.status, answer.body["error"]["details"][0]["field"]) == (400, field)


def test_an_owner_has_a_bounded_number_of_views(inbox: InboxSystem) -> None:
    full = {f"View {n}": {"status": "open"} for n in range(api.MOST_VIEWS)}
    store.change(inbox.table, "acme", KIM.principal, lambda _: full)

    refused = inbox.save_view("One more", {"status": "open"}, KIM)

    assert (refused.status, refused.body["error"]["details"][0]["field"]) == (400, "name")
    assert inbox.save_view("View 3", {"status": "resolved"}, KIM).status == 200


def test_a_count_says_when_it_is_not_exact(
    inbox: InboxSystem, listed: Listed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("console.api.inbox.MOST_COUNTED", 2)
    for minute in range(3):
        listed.show(f"free-{minute}", minute)

    presets = {one["name"]: one for one in inbox.get(KIM, "/inbox/views").result["presets"]}

    assert (presets["unassigned"]["count"], presets["unassigned"]["isExact"]) == (2, False)
    assert (presets["unread"]["count"], presets["unread"]["isExact"]) == (0, True)
