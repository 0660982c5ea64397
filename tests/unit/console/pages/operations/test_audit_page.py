"""The audit log in a browser: what each change has changed, the filters, and the file with the same filters."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect

from local.console import browser as browsers
from tests.unit.console.pages.company import Company, at
from tests.unit.console.pages.network import Answer

if TYPE_CHECKING:
    from tests.unit.console.pages.conftest import Opened
    from tests.unit.console.pages.network import Call

WORDS = {
    "en-GB": ("text of 12 characters", "set (secret)", "Kind of object", "Object (ID)", "CSV"),
    "de-DE": ("Text mit 12 Zeichen", "gesetzt (geheim)", "Art des Objekts", "Objekt (ID)", "CSV"),
    "ar-EG": ("نص من", "مضبوط (سري)", "نوع العنصر", "العنصر (المعرّف)", "CSV"),
}


def row(second: int, change: str, kind: str, *changes: tuple[str, Any, Any]) -> dict[str, Any]:
    return {
        "at": at(second),
        "company": "acme",
        "principal": "user:ada",
        "context": "console",
        "change": change,
        "kind": kind,
        "object": f"{kind}-1",
        "changes": [dict(zip(("field", "before", "after"), one, strict=True)) for one in changes],
        "more": 2,
        "basis": "stored",
        "outcome": "made",
        "status": 200,
        "correlationId": f"request-{second}",
    }


ROWS = [
    row(2, "change_webhook", "webhooks", ("state", "active", "paused"), ("signing", "set", "set")),
    row(1, "put_mailbox", "email-mailboxes", ("facts", "=1+1", "12 characters"), ("ai", None, "?")),
]


@pytest.mark.parametrize("locale", [pytest.param(one, id=one) for one in WORDS])
def test_an_administrator_reads_what_changed_filters_it_and_saves_the_same_rows(
    opened: Opened, pages: Path, locale: str
) -> None:
    counted, secret, kind, objects, file = WORDS[locale]
    asked: list[Any] = []

    def listed(call: Call) -> Answer:
        asked.append(call.input)
        wanted = call.input.get("kind")
        return Answer({"actions": [one for one in ROWS if wanted in {None, one["kind"]}]})

    network = Company().network(pages, "acme:admin", **{"GET /operations/actions": listed})
    page = opened(network, "operations/audit")
    rows = page.get_by_role("row").filter(has=page.get_by_role("cell"))
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("active → paused")
    expect(rows.first).to_contain_text(f"{secret} → {secret}")
    expect(rows.last).to_contain_text(counted)

    page.get_by_label(kind).select_option("email-mailboxes")
    expect(rows).to_have_count(1)
    page.get_by_label(objects).fill("email-mailboxes-1")
    expect(rows).to_have_count(1)
    with page.expect_download() as download:
        page.get_by_role("button", name=file).click()

    text = Path(download.value.path()).read_text(encoding="utf-8")
    (_, saved) = csv.reader(io.StringIO(text, newline=""))
    assert "put_mailbox" in saved
    assert "facts: =1+1 -> 12 characters; ai:  -> ?" in saved
    assert (asked[-1]["kind"], asked[-1]["object"]) == ("email-mailboxes", "email-mailboxes-1")
    page.set_viewport_size({"width": 320, "height": 700})
    page.evaluate(browsers.axe())
    assert browsers.barriers(page) == []
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 320
