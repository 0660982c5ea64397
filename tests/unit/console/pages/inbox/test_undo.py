"""Each action that can be taken back is followed by an undo, which never takes back what a colleague did."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from playwright.sync_api import expect

from tests.unit.console.pages.answers.assistant import REF, Assisted
from tests.unit.console.pages.answers.thread import CUSTOMER, MAILBOX, THREAD, Threaded
from tests.unit.console.pages.company import Company, at
from tests.unit.console.pages.network import Answer, Refusal

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Locator, Page

    from tests.unit.console.pages.conftest import Opened
    from tests.unit.console.pages.network import Call, Network

OTHERS = ["user:kim", "team:shop"]
DRAFT = {
    "reply_id": "r1", "conversation_id": THREAD, "mailbox": MAILBOX, "kind": "reply",
    "origin": "user:ada", "draft_status": "pending", "in_reply_to_n": 1, "subject": "My parcel",
    "body_text": "It is on its way.", "version": 1, "attempt": 1, "to": [CUSTOMER], "cc": [],
    "bcc": [], "attachments": [], "questions": [], "updated_at": at(2),
}  # fmt: skip


class Shared(Company):
    """Its conversation k0 is changed by colleagues, too."""

    def change(self, call: Call) -> Answer | Refusal:  # type: ignore[override]  # the API refuses
        known = self.changed.setdefault(call.path["key"], {"revision": 1})
        if call.input.get("revision") not in {None, known["revision"]}:
            return Refusal(409, "state_conflict")
        self.versions[call.path["key"]] = self.versions.get(call.path["key"], 1) + 1
        return super().change(call)

    def by_colleague(self, network: Network, **change: Any) -> None:
        """A colleague changes the conversation, and the page learns it."""
        known = self.changed["k0"]
        known |= change | {"revision": known["revision"] + 1}
        self.versions["k0"] += 1
        network.hint("whatsapp", "k0", self.versions["k0"])


def facts(page: Page) -> Locator:
    return page.get_by_role("complementary", name="Details")


def undo(page: Page) -> None:
    page.locator(".toast").last.get_by_role("button", name="Undo").click()


def test_the_undo_of_a_label_keeps_the_label_that_a_colleague_added_meanwhile(
    opened: Opened, pages: Path
) -> None:
    company = Shared()
    network = company.network(pages)
    page = opened(network, "all/whatsapp/k0")
    page.get_by_text("Live", exact=True).wait_for()
    field = facts(page).get_by_role("textbox", name="Add a label")
    field.fill("mine")
    field.press("Enter")
    page.get_by_text("Label mine added").wait_for()

    company.by_colleague(network, labels=["mine", "theirs"])
    expect(facts(page).locator(".labels")).to_contain_text("theirs")
    undo(page)
    page.get_by_text("Undone", exact=True).wait_for()
    assert company.changed["k0"]["labels"] == ["theirs"]


def test_a_label_is_added_beside_a_change_that_the_page_has_not_read_yet(
    opened: Opened, pages: Path
) -> None:
    company = Shared()
    page = opened(company.network(pages), "all/whatsapp/k0")
    field = facts(page).get_by_role("textbox", name="Add a label")
    field.wait_for()
    company.changed["k0"] = {"revision": 5, "labels": ["theirs"]}
    field.fill("mine")
    field.press("Enter")
    page.get_by_text("Label mine added").wait_for()
    assert company.changed["k0"]["labels"] == ["theirs", "mine"]


@pytest.mark.parametrize("action", ["assign", "snooze"])
def test_an_undo_is_refused_once_a_colleague_has_changed_the_same(
    opened: Opened, pages: Path, action: str
) -> None:
    company = Shared()
    network = company.network(pages)
    page = opened(network, "all/whatsapp/k0")
    page.get_by_text("Live", exact=True).wait_for()
    of = facts(page) if action == "assign" else page.locator(".pane-actions")
    of.locator(f"[data-command={action}] > button").click()
    of.locator(".choice").first.click()
    page.locator(".toast").wait_for()

    theirs: dict[str, Any] = {"assignee": "team:shop"}
    if action == "snooze":
        theirs = {"snoozedUntil": "2100-01-01T09:00:00.000Z"}
    company.by_colleague(network, **theirs)
    expect(facts(page)).to_contain_text("shop" if action == "assign" else "2100")
    undo(page)
    page.locator(".toast", has_text="Not undone: Someone has changed this meanwhile").wait_for()
    assert theirs.items() <= company.changed["k0"].items()


def of_mail(pages: Path, *roles: str) -> tuple[Network, list[Call]]:
    """A thread with a draft, and the changes that the page makes of it."""
    made: list[Call] = []
    threaded = Threaded(drafts=[DRAFT])
    network = threaded.network(pages, *roles)

    def changed(call: Call) -> Answer:
        made.append(call)
        threaded.assigned_to = call.input.get("assigned_to", threaded.assigned_to)
        state = {"conversation_id": THREAD, "last_seq": 10 + len(made), "status": "active"}
        of_draft = {"reply_id": "r1", "draft_status": "rejected", "version": 7, "attempt": 1}
        return Answer(state | of_draft if "reply_id" in call.path else state)

    thread = "/email-threads/{conversation_id}"
    for step in ("reject", "withdraw", "restore"):
        network.answers[f"POST {thread}/replies/{{reply_id}}/{step}"] = changed
    for step in ("spam", "not-spam"):
        network.answers[f"POST {thread}/{step}"] = changed
    network.answers[f"PATCH {thread}"] = changed
    return network, made


def given(call: Call) -> dict[str, Any]:
    """What a call names; the models of the routes add empty lists and leave out null."""
    return {name: value for name, value in call.input.items() if value != []}


@pytest.mark.parametrize(
    ("click", "done", "back"),
    [
        ("Assign to me", {"assigned_to": "user:ada"}, {"expected_seq": 1}),
        ("More/Spam", {}, {}),
        ("More/One day", {"remind_at": ...}, {"expected_seq": 11}),
        ("Discard", {"version": 1}, {"version": 7}),
        ("Resolve", {"status": "completed"}, {"status": "active", "expected_seq": 11}),
    ],
)
def test_each_change_of_a_mail_thread_has_an_undo(
    opened: Opened, pages: Path, click: str, done: dict[str, Any], back: dict[str, Any]
) -> None:
    network, made = of_mail(pages)
    page = opened(network, f"all/email_threads/{THREAD}")
    for name in click.split("/"):
        page.locator(".pane").get_by_role("button", name=name, exact=True).first.click()
    page.locator(".toast").get_by_role("button", name="Undo").wait_for()
    assert [given(call).keys() for call in made] == [done.keys()]
    undo(page)
    page.get_by_text("Undone", exact=True).wait_for()
    assert given(made[1]) == back
    pairs = {"spam": "not-spam", "reject": "restore", "{conversation_id}": "{conversation_id}"}
    first, second = (call.route.rpartition("/")[2] for call in made)
    assert pairs[first] == second


def test_an_undo_from_another_page_keeps_the_assignment_that_a_colleague_made_of_a_mail_thread(
    opened: Opened, pages: Path
) -> None:
    threaded = Threaded()
    network = threaded.network(pages)

    def changed(call: Call) -> Answer | Refusal:
        seq = len(threaded.texts)
        if call.input.get("expected_seq") not in {None, seq}:
            return Refusal(409, "state_conflict")
        threaded.assigned_to = call.input["assigned_to"]
        return Answer({"conversation_id": THREAD, "last_seq": seq, "status": "active"})

    network.answers["PATCH /email-threads/{conversation_id}"] = changed
    page = opened(network, f"all/email_threads/{THREAD}")
    page.get_by_role("button", name="Assign to me").click()
    page.locator(".toast").wait_for()

    page.evaluate("location.hash = '#/all/whatsapp/k0'")
    facts(page).get_by_role("textbox", name="Add a label").wait_for()
    threaded.assigned_to = "user:kim"
    threaded.texts.append("Hello?")  # the sequence of the thread goes on
    undo(page)
    page.locator(".toast", has_text="Not undone: Someone has changed this meanwhile").wait_for()
    assert threaded.assigned_to == "user:kim"


def test_an_undo_from_another_page_takes_no_conversation_of_the_assistant_from_a_colleague(
    opened: Opened, pages: Path
) -> None:
    assisted = Assisted()
    network = assisted.network(pages)
    held: dict[str, str] = {"mode": "human", "owner": "user:ada"}

    def shown(call: Call) -> Answer:
        return Answer({**assisted.opened(call).result, **held})

    def taken(call: Call) -> Answer | Refusal:
        if call.input.get("held_by", held["owner"]) != held["owner"]:
            return Refusal(409, "state_conflict")
        held["owner"] = call.input["assignee"]
        return Answer({"ref": REF, "conversation_status": "handoff_active", **held})

    network.answers["GET /conversations/{ref}"] = shown
    network.answers["POST /conversations/{ref}/take-over"] = taken
    page = opened(network, f"all/conversations/{quote(REF, safe='')}")
    page.locator("[data-command=assign] > button").click()
    page.locator(".choice", has_text="Kim").click()
    page.locator(".toast").wait_for()

    page.evaluate("location.hash = '#/all/whatsapp/k0'")
    facts(page).get_by_role("textbox", name="Add a label").wait_for()
    held["owner"] = "team:shop"
    undo(page)
    page.locator(".toast", has_text="Not undone: Someone has changed this meanwhile").wait_for()
    assert held["owner"] == "team:shop"


def test_an_agent_who_withdraws_a_draft_may_restore_it(opened: Opened, pages: Path) -> None:
    network, made = of_mail(pages, "acme:agent")
    page = opened(network, f"all/email_threads/{THREAD}")
    page.get_by_role("button", name="Withdraw").click()
    undo(page)
    page.get_by_text("Undone", exact=True).wait_for()
    assert [call.route.rpartition("/")[2] for call in made] == ["withdraw", "restore"]


def test_a_take_over_is_undone_where_the_model_led(opened: Opened, pages: Path) -> None:
    made: list[Call] = []
    network = Assisted().network(pages)

    def acted(call: Call) -> Answer:
        made.append(call)
        return Answer(
            {"ref": REF, "mode": "human", "conversation_status": "reply_sent", "owner": None}
        )

    for step in ("take-over", "hand-back"):
        network.answers[f"POST /conversations/{{ref}}/{step}"] = acted
    page = opened(network, f"all/conversations/{quote(REF, safe='')}")
    page.get_by_role("button", name="Take over").click()
    undo(page)
    page.get_by_text("Undone", exact=True).wait_for()
    assert [call.route.rpartition("/")[2] for call in made] == ["take-over", "hand-back"]


@pytest.mark.parametrize("colleague", [None, "user:kim"])
def test_a_take_over_from_a_team_is_undone_to_the_team_unless_a_colleague_has_it_by_now(
    opened: Opened, pages: Path, colleague: str | None
) -> None:
    assisted = Assisted()
    network = assisted.network(pages)
    held: dict[str, str] = {"mode": "human", "owner": "team:shop"}

    def taken(call: Call) -> Answer | Refusal:
        if call.input.get("held_by") not in {None, held["owner"]}:
            return Refusal(409, "state_conflict")
        held["owner"] = call.input.get("assignee") or "user:ada"
        return Answer({"ref": REF, "conversation_status": "handoff_active", **held})

    network.answers["GET /conversations/{ref}"] = lambda call: Answer(
        {**assisted.opened(call).result, **held}
    )
    network.answers["POST /conversations/{ref}/take-over"] = taken
    page = opened(network, f"all/conversations/{quote(REF, safe='')}")
    page.get_by_role("button", name="Take over").click()
    page.locator(".toast").wait_for()
    assert held["owner"] == "user:ada"
    held["owner"] = colleague or held["owner"]
    undo(page)

    said = "Not undone: Someone has changed this meanwhile" if colleague else "Undone"
    page.locator(".toast", has_text=said).wait_for()
    assert held["owner"] == (colleague or "team:shop")
