"""Files of contacts that are imported and exported, over the API and the runs of its jobs."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import boto3
import pytest

from tests.integration.console.contacts.test_contact_changes import EDITOR, send
from tests.integration.console.runs import Runs

if TYPE_CHECKING:
    from shared.api.auth import Caller
    from tests.integration.answers import Answer
    from tests.integration.console.system import InboxSystem

ADMIN = replace(
    EDITOR, scopes=EDITOR.scopes | {"contacts:admin", "consent:write"}, principal="user:kim"
)


class Files:
    """The bucket of the files, and the requests of an administrator about them. *runs* are another test world's."""

    def __init__(self, inbox: InboxSystem, runs: Any = None) -> None:
        self.inbox, self.runs = inbox, runs or Runs(inbox)
        self.bucket = inbox.module.exports
        s3 = boto3.client("s3", region_name="us-east-1")  # needs no location
        if self.bucket.name not in [one["Name"] for one in s3.list_buckets()["Buckets"]]:
            s3.create_bucket(Bucket=self.bucket.name)

    def ask(self, line: str, body: dict[str, Any] | None = None, **more: Any) -> Answer:
        caller: Caller = more.pop("caller", ADMIN)
        return send(self.inbox, line, body or {}, caller, more.get("key", ""))

    def uploaded(self, content: str | bytes) -> str:
        """The path of a new import whose file is uploaded."""
        form = self.ask("POST /contacts/imports").result
        body = content if isinstance(content, bytes) else content.encode()
        self.bucket.put(form["fields"]["key"], body, "text/csv")
        return f"/contacts/imports/{form['importId']}"

    def started(self, content: str | bytes, *columns: str | None, **more: Any) -> str:
        """The path of an import that is started."""
        path = self.uploaded(content)
        answer = self.ask(f"POST {path}/start", {"columns": [*columns], **more})
        assert answer.status == 202, answer.body
        return path

    def imported(self, content: str | bytes, *columns: str | None, **more: Any) -> str:
        """The path of an import that is done."""
        path = self.started(content, *columns, **more)
        self.runs.drain()
        return path

    def counts(self, path: str) -> tuple[Any, ...]:
        """Outcome, then how many rows have created, updated, left or refused a contact."""
        shown = self.inbox.get(ADMIN, path).result
        names = ("outcome", "created", "updated", "unchanged", "refused")
        return tuple(shown.get(name) for name in names)

    def rows(self, path: str, **query: Any) -> list[tuple[Any, ...]]:
        """What the rows have done, page by page."""
        found: list[dict[str, Any]] = []
        cursor: dict[str, str] = {}
        while True:
            answer = self.inbox.get(ADMIN, f"{path}/rows", **query, **cursor)
            found += answer.result["rows"]
            if not answer.body.get("cursor"):
                names = ("line", "outcome", "column", "rule")
                return [tuple(one[name] for name in names if name in one) for one in found]
            cursor = {"cursor": answer.body["cursor"]}

    def exported(self, caller: Caller = ADMIN, **asked: Any) -> str:
        """The text of an export's file."""
        asked_id = self.ask("POST /contacts/exports", asked, caller=caller).result["exportId"]
        self.runs.drain()
        shown = self.inbox.get(ADMIN, f"/contacts/exports/{asked_id}").result
        assert "X-Amz-Expires=900" in shown["link"]
        name = f"contacts.{asked.get('format', 'csv')}"
        content: bytes = self.bucket.get(f"contacts/acme/exports/{asked_id}/{name}")
        return content.decode()


@pytest.fixture
def files(inbox: InboxSystem) -> Files:
    made = Files(inbox)
    tier = {"kind": "choice", "title": "Stufe", "choices": ["gold", "silver"], "filterable": True}
    assert made.ask("PUT /attributes/tier", tier).status == 200
    return made
