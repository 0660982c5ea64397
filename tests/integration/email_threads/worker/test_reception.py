"""A stored mail goes through ingest and worker into its thread."""

from __future__ import annotations

import json

import pytest

from shared.aws.sqs_fifo import Entry
from tests.integration import logs
from tests.simulation.email_threads.mails import bounce, verified, with_files
from tests.simulation.email_threads.system import ANN, BOB, COMPANY, MAILBOX, System, mail

LABEL = MAILBOX.replace("@", "+orders@")


def test_a_mail_in_the_bucket_becomes_a_thread_of_its_mailbox(system: System) -> None:
    key = system.deliver(mail("a@x", "Do you sell chairs?"), name="1")
    system.drain()

    (thread,) = system.threads()
    (stored,) = system.mails()
    assert thread["mailbox"] == MAILBOX
    assert thread["company_id"] == COMPANY
    assert thread["status"] == "active"
    assert thread["waiting_since"] == stored["received_at"]
    assert stored["body"] == "Do you sell chairs?"
    assert stored["raw_key"] == key
    assert stored["trust"] == "verified"


def test_files_bodies_and_html_are_in_the_bucket_at_the_keys_of_the_contract(
    system: System,
) -> None:
    system.deliver(verified(with_files()), name="1")
    system.drain()

    (stored,) = system.mails()
    thread, email_id = stored["conversation_id"].partition("#")[0], stored["email_id"]
    names = [file["filename"] for file in stored["attachments"]]
    assert names == ["logo.png", "order.pdf", "invoice.pdf.exe"]
    for file in stored["attachments"]:
        assert file["s3_key"] == f"attachments/{thread}/{email_id}/{file['filename']}"
        assert file["s3_key"] in system.objects()
    assert len(stored["body"]) == 2_000
    whole = (system.object(stored["body_key"]) or b"").strip()
    assert whole == ("A long letter. " * 600).strip().encode()
    document = system.object(stored["html_key"]) or b""
    assert b'src="cid:logo"' in document
    assert b"script" not in document


def test_no_file_of_a_mail_with_a_virus_is_stored(system: System) -> None:
    block = mail("-", virus="FAIL").split(b"From:")[0]
    system.deliver(block + with_files(), name="1")
    system.drain()

    (stored,) = system.mails()
    assert stored["kind"] == "held"
    assert [file.get("s3_key") for file in stored["attachments"]] == [None, None, None]
    assert not [key for key in system.objects() if key.startswith("attachments/")]


@pytest.mark.parametrize(
    "raw",
    [
        mail("a@x"),
        mail("a@x", to=f'"Support, Chairs" <{MAILBOX.upper()}>'),
        mail("a@x", to=LABEL),
        mail("a@x", to="other@elsewhere.example", is_checked=False, more=f"Cc: {MAILBOX}"),
    ],
    ids=["recipient", "display name", "label", "carbon copy"],
)
def test_a_mail_to_the_domain_finds_its_mailbox(system: System, raw: bytes) -> None:
    system.deliver(raw, name="1")
    system.drain()

    (thread,) = system.threads()
    assert thread["mailbox"] == MAILBOX


def test_the_recipient_that_ses_saw_counts_before_the_headers(system: System) -> None:
    system.register("sales@shop.example")
    raw = mail("a@x").replace(
        f"To: {MAILBOX}".encode(), b"To: undisclosed-recipients:;\nCc: sales@shop.example"
    )
    system.deliver(raw, name="1")
    system.drain()

    (thread,) = system.threads()
    assert thread["mailbox"] == MAILBOX


def test_a_key_with_an_address_names_the_mailbox(system: System) -> None:
    system.deliver(mail("a@x", to="other@elsewhere.example"), name="1 +a", address=MAILBOX)
    system.drain()

    (thread,) = system.threads()
    assert thread["mailbox"] == MAILBOX


@pytest.mark.parametrize("handler", ["ingest", "worker"])
def test_an_object_that_is_gone_is_acknowledged(system: System, handler: str) -> None:
    key = system.store(mail("a@x"), name="1")
    system.notify(key, sizes={key: 10})
    if handler == "worker":
        (record,) = [message for _, message in system.fifo_queues.receive()]
        system.run_worker(system.inbound, record)
    system.s3.delete_object(Bucket=system.bucket, Key=key)
    system.drain()

    assert not system.threads()
    assert not system.parked()
    assert system.fifo_queues.is_empty


@pytest.mark.parametrize(
    "notification",
    [
        {"Event": "s3:TestEvent", "Bucket": "b"},
        {"Records": []},
    ],
)
def test_a_notification_without_mails_is_acknowledged(
    system: System, notification: dict[str, object]
) -> None:
    system.fifo_queues.put(system.inbound, Entry(json.dumps(notification), "", ""))
    system.drain()

    assert system.fifo_queues.is_empty
    assert not system.fifo_queues.dead_letters


def test_objects_that_are_no_mails_of_this_bucket_are_left_out(system: System) -> None:
    system.deliver(b"-", name="AMAZON_SES_SETUP_NOTIFICATION")
    system.notify("attachments/x")
    system.notify("raw/_/1", bucket="another-bucket")
    system.drain()

    assert not system.threads()
    assert not system.fifo_queues.dead_letters


def test_a_notification_that_cannot_be_read_becomes_a_dead_letter_and_delays_no_other(
    system: System,
) -> None:
    system.fifo_queues.put(system.inbound, Entry('{"Records": [{}]}', "", ""))
    system.deliver(mail("a@x"), name="1")
    system.drain()

    assert len(system.threads()) == 1
    assert system.fifo_queues.dead_letters == ['{"Records": [{}]}']


def test_a_repeated_notification_changes_nothing(system: System) -> None:
    key = system.deliver(verified(with_files()), name="1")
    system.drain()
    before, objects = system.rows(), system.objects()

    system.clock.ms += 600_000  # beyond the deduplication of the queue
    system.notify(key)
    system.drain()

    assert system.rows() == before
    assert system.objects() == objects


def test_another_mail_with_a_stored_message_id_is_parked_and_accepted_by_a_person(
    system: System,
) -> None:
    system.deliver(mail("a@x", "The first."), name="1")
    system.drain()
    system.deliver(mail("a@x", "Another one."), name="2", address=MAILBOX)
    system.drain()
    (parked,) = system.parked()
    assert parked["reason"] == "message_id_reused"

    for _ in range(2):
        status, _ = system.call("POST", f"/email-threads/parked/{parked['event_id']}/replay", {})
        assert status == 202
        system.drain()

    bodies = [stored["body"] for stored in system.mails()]
    assert sorted(bodies) == ["Another one.", "The first."]


def test_a_mail_in_the_name_of_the_mailbox_is_held_unless_ses_proves_it(system: System) -> None:
    system.deliver(mail("a@x", sender=MAILBOX, to=ANN, is_checked=False), name="1", address=MAILBOX)
    system.drain()

    (stored,) = system.mails()
    assert (stored["kind"], stored["hold_reason"]) == ("held", "forged_sender")
    assert stored["direction"] == "inbound"


def test_a_colleagues_answer_from_a_mail_client_is_outbound_and_ends_the_wait(
    system: System,
) -> None:
    system.deliver(mail("a@x"), name="1")
    system.drain()
    system.clock.ms += 120_000
    answer = mail("b@shop", "Yes.", sender=MAILBOX, to=ANN, in_reply_to="a@x")
    system.deliver(answer, name="2", address=MAILBOX)
    system.drain()

    (thread,) = system.threads()
    assert [stored["direction"] for stored in system.mails()] == ["inbound", "outbound"]
    assert thread["response_time_avg"] == 120
    assert "waiting_since" not in thread
    assert thread["last_inbound_n"] == 1


@pytest.mark.parametrize(
    ("more", "kind"),
    [
        ("Auto-Submitted: auto-replied", "auto_reply"),
        ("List-Id: <news.example>", "list"),
        ('Content-Type: text/calendar; method="REPLY"', "calendar_reply"),
    ],
)
def test_mail_that_no_person_wrote_opens_an_archived_thread_with_its_kind_as_tag(
    system: System, more: str, kind: str
) -> None:
    system.deliver(mail("a@x", more=more), name="1")
    system.drain()

    (thread,) = system.threads()
    assert (thread["status"], thread["metadata"]["tags"]) == ("archived", {kind})
    assert "waiting_since" not in thread


def test_a_bounce_marks_the_mail_that_came_back_and_changes_no_status(system: System) -> None:
    system.deliver(mail("a@x"), name="1")
    system.deliver(
        mail("b@shop", sender=MAILBOX, to=ANN, in_reply_to="a@x"), name="2", address=MAILBOX
    )
    system.drain()
    system.call("PATCH", f"/email-threads/{system.threads()[0]['conversation_id']}",
                {"status": "completed"})  # fmt: skip
    system.deliver(bounce("b@shop"), name="3", address=MAILBOX)
    system.drain()

    (thread,) = system.threads()
    assert thread["status"] == "completed"
    assert [stored.get("returned_as") for stored in system.mails()] == [None, "bounce", None]
    assert "mailer-daemon@mill.example" not in thread["participants"]


def test_a_bounce_of_a_mail_that_is_not_stored_is_parked(system: System) -> None:
    system.deliver(bounce("unknown@shop"), name="1", address=MAILBOX)
    system.drain()

    (parked,) = system.parked()
    assert parked["reason"] == "unknown_reference"


def test_one_mail_to_two_companies_makes_a_thread_for_each(system: System) -> None:
    system.grant("@other.example", "globex")
    system.register("info@other.example", company="globex")
    raw = mail("a@x")
    system.deliver(raw, name="1", address=MAILBOX)
    system.deliver(raw, name="2", address="info@other.example")
    system.drain()

    assert {thread["company_id"] for thread in system.threads()} == {COMPANY, "globex"}
    assert len({thread["conversation_id"] for thread in system.threads()}) == 2


def test_two_threads_that_turn_out_to_be_one_are_merged(system: System) -> None:
    for name in ("a", "b"):
        system.deliver(mail(f"{name}@x", subject=name), name=name)
    system.drain()
    system.deliver(mail("c@x", in_reply_to="a@x", references="a@x b@x"), name="c")
    system.drain()

    merged = {thread["conversation_id"]: "merged_into" in thread for thread in system.threads()}
    assert sorted(merged.values()) == [False, True]
    (winner,) = [name for name, is_merged in merged.items() if not is_merged]
    assert len(system.mails(winner)) == 3


def test_an_expired_thread_is_removed_with_its_mails_and_files(system: System) -> None:
    system.register(MAILBOX, retention_days=5)
    system.deliver(verified(with_files()), name="1")
    system.deliver(mail("b@x", sender=BOB), name="2")
    system.drain()
    for thread in system.threads():
        system.call("POST", f"/email-threads/{thread['conversation_id']}/notes", {"text": "Hm."})
    kept = {key for key in system.rows() if key.startswith(("mid#", "mailbox#", "company#"))}

    system.clock.ms += 5 * 86_400_000 + 1_000
    system.run_schedule()
    system.drain()

    left = {key for key in system.rows() if "#" not in key or key.split("#")[1][:4].isalpha()}
    assert not system.mails()
    assert not system.threads()
    assert not [key for key in left if "#participant#" in key or "#note#" in key]
    assert not [key for key in system.objects() if not key.startswith("raw/")]
    assert kept <= system.rows().keys()


def test_a_thread_that_lives_again_is_not_removed(system: System) -> None:
    system.deliver(mail("a@x"), name="1")
    system.drain()
    system.clock.ms += 29 * 86_400_000
    system.deliver(mail("b@x", in_reply_to="a@x"), name="2")
    system.drain()
    system.clock.ms += 2 * 86_400_000
    system.run_schedule()
    system.drain()

    assert len(system.mails()) == 2


def test_no_log_line_holds_an_address_a_subject_or_a_text(
    system: System, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stream = logs.recorded(monkeypatch)
    canaries = ("canary-text", "canary-subject", "canary-id", "canary.example")
    raw = mail("canary-id@x", "canary-text", subject="canary-subject", sender="ann@canary.example")
    system.deliver(raw, name="1")
    system.deliver(mail("canary-id@x", "canary-text again"), name="2")
    system.deliver(raw, name="canary-id", address="none@canary.example")
    system.drain()

    assert len(system.parked()) == 2
    written = stream.getvalue() + capsys.readouterr().out
    assert written.count("event handled") == 3
    assert not [canary for canary in canaries if canary in written]


def test_a_failing_table_makes_a_dead_letter_that_names_its_error_and_can_be_redriven(
    system: System,
) -> None:
    system.deliver(mail("a@x"), name="1")
    system.interceptor.fails_if = lambda call: call.startswith("dynamodb.TransactWriteItems")
    system.drain()
    assert len(system.fifo_queues.dead_letters) == 1

    system.interceptor.rewind()
    operator = "operator"
    _, shown = system.call("GET", "/email-threads/dead-letters", scopes=operator)
    (letter,) = shown["result"]["letters"]
    assert letter["kind"] == "email.received"
    assert letter["reason"] == "TransactWriteItems: InternalServerError"
    status, _ = system.call(
        "POST", "/email-threads/dead-letters/redrive", {"ids": [letter["id"]]}, scopes=operator
    )
    assert status == 202
    system.drain()

    assert len(system.threads()) == 1
