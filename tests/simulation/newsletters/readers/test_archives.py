"""The public archive of a list: its issues, an issue as it was sent, and a feed; tests of an issue reach no archive."""

from __future__ import annotations

from collections import Counter
from email.utils import parsedate_to_datetime
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any, Final
from xml.etree import ElementTree as ET

import pytest

from newsletters.issues.readers import archive
from newsletters.store.items import TestMail
from shared.aws.dynamodb import Table
from shared.policy.consent import unreachable
from shared.policy.consent.subscriptions import EMAIL
from tests import keyring
from tests.simulation.newsletters.scenarios import EXPORTED, settled
from tests.simulation.newsletters.steps.issues import (
    ALL,
    KEYS,
    ONE,
    addressed,
    approved,
    consents_of,
    drafted,
    granted,
    headers,
    issue_of,
    made_list,
    mails,
    newest_issue,
    opened,
    reported,
    stats,
    unsubscribe_url,
    with_readers,
)
from tests.simulation.newsletters.steps.readers import link_in, published, visited
from tests.simulation.newsletters.system import COMPANY

if TYPE_CHECKING:
    from tests.simulation.newsletters.system import System

DAY: Final = 24 * 3_600_000


def base_of(list_id: str) -> str:
    return f"/n/{COMPANY}/{list_id}"


def archived(system: System, *subjects: str, **fields: Any) -> str:
    """Issues of a published list, the last subject's last."""
    settled(EXPORTED, with_readers())(system)
    list_id = published(system, **fields)
    for number, subject in enumerate(subjects):
        key = f"issue {number}"
        drafted(system, key=key, subject=subject, preheader=f"About {subject}")
        approved(system, key)
        version = system.read(ONE)["version"]
        system.act("POST", f"{ONE}/send", {"version": version}, key=key)
        system.settle()
        system.clock.ms += DAY
    return list_id


@pytest.mark.long
def test_an_archive_has_the_sent_issues_newest_first_without_links_of_readers(
    system: System,
) -> None:
    list_id = archived(system, "First & <last>", "Second")
    page = visited(system, f"{base_of(list_id)}/archive")

    assert page.status == 200
    assert page.text.index("Second") < page.text.index("First &amp; &lt;last&gt;")
    assert 'href="feed.xml"' in page.text
    assert "X-Robots-Tag" not in page.headers
    issue = visited(system, f"{base_of(list_id)}/archive/{system.issue_id}")
    assert issue.status == 200
    for trace in ("/u/", "/n/", "{{", "<script"):
        assert trace not in issue.text
    assert "default-src 'none'" in issue.headers["Content-Security-Policy"]


def test_a_feed_is_rss_with_stable_ids(system: System) -> None:
    list_id = archived(system, "First & <last>", "Second", language="ar", title="أخبار")
    answer = visited(system, f"{base_of(list_id)}/feed.xml")
    channel = ET.fromstring(answer.text).find("channel")  # noqa: S314 - our own document
    assert channel is not None
    items = channel.findall("item")

    assert answer.headers["Content-Type"].startswith("application/rss+xml")
    assert (channel.findtext("title"), channel.findtext("language")) == ("أخبار", "ar")
    assert [one.findtext("title") for one in items] == ["Second", "First & <last>"]
    assert items[0].findtext("guid") == system.issue_id
    link = str(items[0].findtext("link"))
    assert link == f"https://api.example.org/prod{base_of(list_id)}/archive/{system.issue_id}"
    assert parsedate_to_datetime(str(items[0].findtext("pubDate"))).year == 2026


@pytest.mark.long
def test_an_archive_is_read_page_by_page(system: System, monkeypatch: pytest.MonkeyPatch) -> None:
    list_id = archived(system, "One", "Two", "Three")
    monkeypatch.setattr(archive, "PAGE", 2)
    first = visited(system, f"{base_of(list_id)}/archive")
    assert ("Three" in first.text, "One" in first.text) == (True, False)
    before = first.text.partition("?before=")[2].partition("&")[0]
    second = visited(system, f"{base_of(list_id)}/archive", query={"before": before})

    assert ("Three" in second.text, "One" in second.text) == (False, True)
    assert "?before=" not in second.text
    for wrong in ("", "x", "2026-01-01'"):
        found = visited(system, f"{base_of(list_id)}/archive", query={"before": wrong})
        assert found.status == 404


def test_what_is_not_public_is_not_found(system: System) -> None:
    list_id = archived(system, "One")
    other = published(system, "Others", title="Others")
    issue_id = system.issue_id
    for path in (
        f"{base_of(other)}/archive/{issue_id}",  # of another list
        f"/n/globex/{list_id}/archive/{issue_id}",
        f"{base_of(list_id)}/archive/IS-20260101-AAAAAAAA",
        f"{base_of(list_id)}/archive/x",
        f"{base_of(list_id)}/archive/{issue_id}/more",
        f"{base_of(list_id)}/other",
    ):
        assert visited(system, path).status == 404
    assert "One" not in visited(system, f"{base_of(other)}/archive").text
    drafted(system, key="draft", subject="Secret")
    unsent = newest_issue(system)
    assert visited(system, f"{base_of(list_id)}/archive/{unsent}").status == 404
    assert visited(system, f"{base_of(list_id)}/archive", {"x": "y"}).status == 404
    published(system, has_archive=False)
    for part in ("archive", f"archive/{issue_id}", "feed.xml"):
        assert visited(system, f"{base_of(list_id)}/{part}").status == 404


class Structure(HTMLParser):
    """What a screen reader and a strict content policy need of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.counts: Counter[str] = Counter()
        self.unlabelled: list[str] = []
        self.refused: list[str] = []
        self.root: dict[str, str | None] = {}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.counts[tag] += 1
        if tag == "html":
            self.root = found
        if tag in {"input", "select", "textarea"} and found.get("type") != "hidden":
            self.unlabelled += [str(found.get("name"))] if "label" not in self.open else []
        handlers = [name for name in found if name == "style" or name.startswith("on")]
        self.refused += [*handlers, *([tag] if tag in {"script", "iframe", "object"} else [])]
        if tag not in {"meta", "input", "link", "br"}:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_pages_have_labels_one_heading_and_nothing_that_a_strict_policy_refuses(
    system: System,
) -> None:
    list_id = archived(system, "One", topics=["Bees"])
    choices = link_in(mails(system)[-1], "preferences")
    form = f"{base_of(list_id)}/subscribe"
    pages = [
        visited(system, form),
        visited(system, form, query={"language": "ar"}),
        visited(system, form, {"email": "x"}),
        visited(system, form, {"email": "dora@field.example"}),
        visited(system, choices),
        visited(system, choices, {"act": "save", "version": "9"}),
        visited(system, f"{base_of(list_id)}/archive"),
        visited(system, "/n/confirm/x"),
    ]

    for page in pages:
        found = Structure(page.text)
        assert (found.counts["h1"], found.counts["main"], found.counts["title"]) == (1, 1, 1)
        assert found.root.keys() == {"lang", "dir"}
        assert (found.unlabelled, found.refused, found.open) == ([], [], [])
        policy = page.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "form-action 'self'" in policy
        assert "unsafe" not in policy


def test_a_test_reaches_people_of_the_company_and_changes_nothing(system: System) -> None:
    settled(EXPORTED, with_readers())(system)
    drafted(system)
    people = ["ann@shop.example", "ben@shop.example"]
    made = system.act("POST", f"{ONE}/test", {"addresses": people}, key="test")
    system.settle()

    assert made["subject"] == "[TEST] News of the week"
    assert addressed(system) == people
    mail = mails(system)[0]
    assert mail["Content"]["Simple"]["Subject"]["Data"] == "[TEST] News of the week"
    assert mail["ConfigurationSetName"]
    body = mail["Content"]["Simple"]["Body"]
    assert "{{" not in body["Html"]["Data"] + body["Text"]["Data"]
    assert headers(mail)["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    before = system.rows()
    for method in ("GET", "POST"):
        page = opened(system, unsubscribe_url(mail), method)
        assert (page.status, "test mail" in page.text) == (200, True)
    assert system.rows() == before
    assert stats(system) == {}
    assert issue_of(system).state == "draft"
    found = system.read(f"{ONE}/tests/{made['test_id']}")["mails"]
    assert [one["state"] for one in found] == ["sent", "sent"]
    system.act("POST", f"{ONE}/test", {"addresses": people}, key="test")  # repeated
    system.settle()
    assert len(addressed(system)) == 2


def test_a_test_shows_what_the_provider_reports_of_its_mails_and_counts_it_nowhere(
    system: System,
) -> None:
    settled(EXPORTED, with_readers())(system)
    drafted(system)
    people = ["ann@shop.example", "ben@shop.example", "cleo@shop.example"]
    made = system.act("POST", f"{ONE}/test", {"addresses": people}, key="test")
    system.settle()
    first, second, _ = sorted(mails(system), key=lambda one: one["Destination"]["ToAddresses"])

    for _ in range(2):
        reported(system, first, "Delivery")
        reported(system, first, "DeliveryDelay")
        reported(system, second, "Bounce", bounceType="Permanent", bounceSubType="General")
        reported(system, second, "Delivery")
        system.settle()

    found = system.read(f"{ONE}/tests/{made['test_id']}")["mails"]
    assert [one.get("outcome") for one in found] == ["delivered", "bounced", None]
    assert stats(system) == {}
    with keyring.held(KEYS):
        log = consents_of(system).table
        assert unreachable.of_address(log, COMPANY, people[1], EMAIL) is None
    system.clock.ms += 2 * DAY
    table = Table(system.dynamodb, system.table)
    for one in range(3):
        table.delete(TestMail.key(system.issue_id, made["test_id"], f"{one}"))
    reported(system, first, "Complaint")
    system.settle()
    assert not system.fifo_queues.dead_letters


@pytest.mark.long
def test_a_test_that_cannot_be_sent_says_why(system: System) -> None:
    settled(EXPORTED, with_readers())(system)
    drafted(system)
    for addresses, field in (
        (["ann@elsewhere.example"], "addresses.0"),
        ([], "addresses"),
        ([f"a{n}@shop.example" for n in range(11)], "addresses"),
        (["ann@shop.example", "Ann@Shop.example"], "addresses"),
        (["ann"], "addresses.0"),
    ):
        status, answer = system.call("POST", f"{ONE}/test", {"addresses": addresses})
        assert (status, answer["error"]["details"][0]["field"]) == (400, field)
    for number in range(20):
        body = {"addresses": ["ann@shop.example"]}
        assert system.call("POST", f"{ONE}/test", body, key=f"test-number-{number}")[0] == 202
    status, answer = system.call("POST", f"{ONE}/test", {"addresses": ["ann@shop.example"]})
    assert (status, answer["error"]["code"]) == (429, "too_many_tests")
    system.clock.ms += DAY
    system.switch(safe_mode="true")
    made = system.act("POST", f"{ONE}/test", {"addresses": ["ann@shop.example"]}, key="held")
    system.drain()
    (mail,) = system.read(f"{ONE}/tests/{made['test_id']}")["mails"]
    assert (mail["state"], mail["reason"]) == ("skipped", "safe_mode")


def test_a_list_is_published_with_a_sender_of_the_company(system: System) -> None:
    list_id = made_list(system)
    path = f"/newsletters/lists/{list_id}"
    new = {"title": "T", "sender": "news@shop.example", "sender_name": "S", "postal_address": "P"}
    status, answer = system.call("PUT", path, {"version": 0, **new})
    assert (status, answer["error"]["details"][0]["field"]) == (400, "sender")
    granted(system)
    assert system.call("PUT", path, {"version": 0, "title": "T"})[0] == 400
    assert system.call("PUT", f"/newsletters/lists/{'0' * 16}", {"version": 0, **new})[0] == 404
    made = system.call("PUT", path, {"version": 0, **new})[1]["result"]
    assert (made["version"], made.get("subscribe_path")) == (1, None)
    stale = system.call("PUT", path, {"version": 0, **new, "title": "Other"})[1]
    assert stale["error"]["code"] == "stale_version"
    back = system.call("PUT", path, made | {"is_open": True})[1]["result"]
    assert back["subscribe_path"] == f"{base_of(list_id)}/subscribe"
    assert back["title"] == "T"
    assert [one["list_id"] for one in system.read("/newsletters/lists")["lists"]] == [list_id]
    assert system.call("GET", path, company="globex")[0] == 404
    assert system.call("PUT", path, {"version": 0, **new}, company="globex")[0] == 404
    assert system.call("DELETE", path, company="globex")[0] == 404


def test_the_issue_of_a_draft_names_topics_of_its_lists_only(system: System) -> None:
    settled(EXPORTED, with_readers())(system)
    list_id = published(system, topics=["Bees"])
    body: dict[str, Any] = {
        "newsletter_code": system.code,
        "list_ids": [list_id],
        "sender": "news@shop.example",
        "sender_name": "S",
        "subject": "S",
        "postal_address": "P",
        "permission_line": "L",
    }
    status, answer = system.call("POST", ALL, body | {"topics": ["Bees", "Goats"]})
    assert (status, answer["error"]["details"][0]["field"]) == (400, "topics.1")
    assert system.call("POST", ALL, body | {"topics": ["Bees"]})[0] == 201
