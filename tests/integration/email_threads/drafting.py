"""Drafts of a simulated system, as people work with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.integration.email_threads.api.thread_calls import THREADS, result, thread_of
from tests.simulation.email_threads.system import ANN, MAILBOX, mail

if TYPE_CHECKING:
    from tests.simulation.email_threads.system import System

QUESTION = "question@x"


def asked(system: System) -> str:
    """A customer asks a question; return the path of the thread."""
    return thread_of(system, mail(QUESTION, "Is it red?"))


def again(system: System, body: str = "And blue?", message_id: str = "again@x") -> None:
    """The customer writes again in the same thread."""
    thread_of(system, mail(message_id, body, in_reply_to=QUESTION))


def composed(system: System, path: str, **given: Any) -> str:
    """Draft an answer, or with `kind` a forward; return the path of the draft."""
    state = result(system.call("POST", f"{path}/replies", {"body_text": "Yes, it is.", **given}))
    return draft_path(state)


def drafted(system: System) -> str:
    """A draft of an answer."""
    return composed(system, asked(system))


def begun(system: System, **given: Any) -> str:
    """Draft a mail that begins a thread; return the path of the draft."""
    new = {"mailbox": MAILBOX, "to": [ANN], "subject": "Our offer", "body_text": "A red chair."}
    return draft_path(result(system.call("POST", THREADS, new | given)))


def draft_path(state: dict[str, Any]) -> str:
    """The path of a draft, from the answer of a step."""
    return f"{THREADS}/{state['conversation_id']}/replies/{state['reply_id']}"


def approve(system: System, draft: str, version: int = 1, **more: Any) -> dict[str, Any]:
    """Approve a draft, without running the worker; return its state."""
    return result(system.call("POST", f"{draft}/approve", {"version": version, **more}))


def send(system: System, draft: str, version: int = 1, **more: Any) -> None:
    """Approve a draft, and run the worker until nothing is left to do."""
    approve(system, draft, version, **more)
    system.drain()


def answered(system: System, **given: Any) -> str:
    """A customer's question is answered, SES has accepted the answer; return the path of the draft."""
    draft = composed(system, asked(system), **given)
    system.clock.ms += 60_000
    send(system, draft)
    return draft


def shown(system: System, draft: str) -> dict[str, Any]:
    """A draft as the API shows it."""
    return result(system.call("GET", draft))


def status_of(system: System, draft: str) -> tuple[str, str | None]:
    """The status of a draft, and its reason."""
    found = shown(system, draft)
    return found["draft_status"], found.get("reason")


def waiting(system: System, **query: str) -> list[str]:
    """The paths of the drafts that wait for a person."""
    found = result(system.call("GET", f"{THREADS}/drafts", query=query or None))
    return [draft_path(one) for one in found["drafts"]]


def thread_path(draft: str) -> str:
    """The path of the thread of a draft."""
    return draft.partition("/replies/")[0]


def changes_of(system: System, path: str) -> list[tuple[str, str, str | None]]:
    """Actor, action and detail of the changes of a thread, oldest first."""
    found = result(system.call("GET", f"{path}/changes"))["changes"]
    return [(one["actor"], one["action"], one.get("detail")) for one in reversed(found)]


def headers_of(request: dict[str, Any]) -> dict[str, str]:
    """The header fields of a request that SES accepted."""
    return {one["Name"]: one["Value"] for one in request["Content"]["Simple"]["Headers"]}


def text_of(request: dict[str, Any]) -> str:
    """The text of a request that SES accepted."""
    text: str = request["Content"]["Simple"]["Body"]["Text"]["Data"]
    return text


def put_file(system: System, path: str, name: str, content: bytes, content_type: str) -> str:
    """Upload a file as the form of the API does, without its checks; return the id of the upload."""
    form = result(
        system.call("POST", f"{path}/uploads", {"filename": name, "content_type": content_type})
    )
    system.s3.put_object(
        Bucket=system.bucket, Key=form["fields"]["key"], Body=content, ContentType=content_type
    )
    upload: str = form["upload"]
    return upload
