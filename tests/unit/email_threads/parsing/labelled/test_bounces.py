"""Bounces of many mail servers: recognition, class and diagnostic code; ordinary mail about bounces."""

import pytest

from email_threads.parsing.mail import ParsedMail, parse
from tests.cases import each
from tests.unit.email_threads.parsing.labelled.bounce_samples import ID as ID_OF_SAMPLES
from tests.unit.email_threads.parsing.labelled.bounce_samples import ORDINARY, REPORTS

ID = "out-1@eu-central-1.amazonses.com"
HEADERS = (
    f"Message-ID: <{ID}>\nFrom: support@shop.example\nTo: ann@gone.example\nSubject: Your order"
)


def bounce(text: str = "", **fields: str) -> ParsedMail:
    """Parse a report in one plain text part."""
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in fields.items()]
    return parse("\n".join(["Message-ID: <b@x.example>", *lines, "", text]).encode())


def report(
    status: str,
    *,
    author: str = "MAILER-DAEMON@x.example",
    declared: str = "report; report-type=delivery-status",
) -> ParsedMail:
    """Parse a report with a delivery status part."""
    return parse(
        f"From: {author}\nMessage-ID: <b@x.example>\nSubject: Report\nContent-Type: multipart/{declared}; boundary=b\n\n"
        f"--b\nContent-Type: text/plain\n\nIt did not arrive.\n--b\nContent-Type: message/delivery-status\n\n"
        f"Reporting-MTA: dns; mx.x.example\n\nFinal-Recipient: rfc822; ann@gone.example\n{status}\n"
        f"--b\nContent-Type: text/rfc822-headers\n\n{HEADERS}\n--b--\n".encode()
    )


@each(
    ("fields", "text"),
    [
        ({"From": "<>", "Subject": "Undelivered Mail Returned to Sender"}, HEADERS),
        ({"Return-Path": "<>", "Subject": "failure notice"}, f"550 no such user\n\n{HEADERS}"),
        ({"Return-Path": "<>"}, f"<ann@gone.example>:\n550 5.1.1 unknown\n\n{HEADERS}"),
        ({"From": "Mail Delivery System <Mailer-Daemon@mx.example>", "Subject": "Warning: message delayed 24 hours"}, HEADERS),
        ({"From": "postmaster@x.example", "Subject": "Undeliverable: Your order"}, f"Remote server returned '550 5.1.10'\n{HEADERS}"),
        ({"From": "postmaster@x.example", "Return-Path": "<>", "Subject": "x"}, HEADERS),
        ({"From": "MDaemon@x.example", "Subject": "Delivery failed"}, f"550 unknown\n{HEADERS}"),
        ({"From": "mail-delivery-subsystem@x.example", "Subject": "Delivery Status Notification (Failure)"}, HEADERS),
        ({"From": "info@x.example", "Return-Path": "<>", "Subject": "Unzustellbar: Ihre Bestellung"}, HEADERS),
        ({"From": "robot@x.example", "Return-Path": "<>", "Subject": "Mancata consegna"}, HEADERS),
        ({"From": "robot@x.example", "Return-Path": "<>", "Subject": "Недоставленное сообщение"}, HEADERS),
        ({"From": "robot@x.example", "Return-Path": "<>", "Subject": "退信通知"}, HEADERS),
        ({"From": "it@x.example", "Auto-Submitted": "auto-generated", "Subject": "Mail delivery failed"}, f"550 5.1.1 unknown\n{HEADERS}"),
        ({"From": "a@x.example", "X-Failed-Recipients": "ann@gone.example"}, HEADERS),
        ({"From": "", "Subject": "Delivery failure"}, f"> {HEADERS}"),
        ({"From": "Mail.Delivery.System@x.example", "Return-Path": "<MAILER-DAEMON@x.example>", "Subject": "Delivery status notification"}, HEADERS),
        ({"From": "post_master@x.example", "Subject": "Re: Your order"}, f"Error: no such user here\n{HEADERS}"),
        ({"From": "no-reply@x.example", "Return-Path": "<>", "Subject": "Mail"}, f"Could not be delivered to: <ann@gone.example>\nAs their mailbox is full.\n\n{HEADERS}"),
        ({"From": "no-reply@x.example", "Subject": "メールエラー通知"}, f"送信先のメールボックスが一杯のため、送信できませんでした。\n{HEADERS}"),
        ({"From": "robot@x.example", "Return-Path": "<>", "Subject": "Delivery status notification: error"}, f"ann@gone.example: Envelope expired\n\nMessage-ID: <{ID}>"),
        ({"From": "admin@x.example", "Return-Path": "<>", "Subject": "Undeliverable Message", "In-Reply-To": f"<{ID}>"}, "Error: No valid recipients"),
        ({"From": "MAILER-DAEMON@x.example", "Return-Path": "<>", "Subject": "x"}, f"550 no such user\nThe mail with the Message ID <{ID}> did not arrive."),
        ({"From": "MAILER-DAEMON@x.example", "Subject": "x"}, f"550 gone\nX-Original-Message-ID: {ID}"),
        ({"From": "MAILER-DAEMON@x.example", "Subject": "x", "Content-Type": 'multipart/report; boundary="first"'}, f"--first\n\n550 no such user\n--other\nContent-Type: message/rfc822\n\n{HEADERS}\n--other--"),
    ],
)  # fmt: skip
def test_a_report_of_an_old_mail_server_is_a_bounce_of_the_mail_in_its_text(
    fields: dict[str, str], text: str
) -> None:
    read = bounce(text, **fields)

    assert read.kind == "bounce"
    assert read.returned_ids == (ID,)


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"From": "ann@x.example", "Subject": "Delivery failed!"}, "My parcel of 550 5.1.1 Street did not come."),
        ({"From": "ann@x.example", "Subject": "Fwd: Undelivered Mail Returned to Sender"}, f"See below: 550 5.1.1 unknown\n\n{HEADERS}"),
        ({"From": "ann@x.example", "Subject": "Returned mail?"}, HEADERS),
        ({"From": "ann@x.example", "Return-Path": "<ann@x.example>", "Subject": "Bounce"}, "Code 550 again"),
        ({"From": "daemon.smith@x.example", "Subject": "Status"}, "Hello"),
        ({"From": "postmaster@x.example", "Subject": "Our new domain"}, "Hello, I run the mail here."),
        ({"From": "no-reply@shop.example", "Subject": "Delivery failed"}, "Your parcel could not be delivered: the door was closed."),
    ],
)  # fmt: skip
def test_a_mail_of_a_person_about_a_bounce_is_an_ordinary_mail(
    fields: dict[str, str], text: str
) -> None:
    read = bounce(text, **fields)

    assert read.kind == "mail"
    assert read.bounce is None


@each(
    "subject",
    [
        "Out of office: Your order",
        "Automatic reply: Delivery delayed",
        "Abwesenheit: Ihre Sendung wurde nicht zugestellt",
        "Re: Delivery status of your order",
    ],
)
@each("submitted", ["auto-replied", "no"])
def test_an_automatic_reply_without_envelope_sender_is_no_bounce_whatever_our_subject_was(
    subject: str, submitted: str
) -> None:
    fields = {"From": "ann@x.example", "Return-Path": "<>", "Subject": subject}

    read = bounce("I am back on Monday.", **fields, Auto_Submitted=submitted)

    assert read.kind in {"auto_reply", "mail"}
    assert (read.kind == "auto_reply") is (submitted == "auto-replied")


@each("declared", ["report", "mixed", "report; report-type=delivery-status"])
@each("author", ["", "<>", "robot@x.example", "MAILER-DAEMON@x.example"])
def test_a_delivery_status_part_makes_a_bounce_of_any_author_and_declared_type(
    declared: str, author: str
) -> None:
    read = report("Action: failed\nStatus: 5.1.1", author=author, declared=declared)

    assert read.kind == "bounce"
    assert read.returned_ids == (ID,)


def test_a_report_that_the_mail_was_delivered_is_a_receipt() -> None:
    assert report("Action: delivered\nStatus: 2.0.0").kind == "receipt"
    assert report("Action: relayed\nStatus: 2.0.0").kind == "receipt"


@each(
    ("status", "bounce_class"),
    [
        ("Action: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 5.1.1 User unknown", "hard"),
        ("Action: failed\nStatus: 5.1.2", "hard"),
        ("Action: failed\nStatus: 5.0.0\nDiagnostic-Code: smtp; 550 no such user", "hard"),
        ("Action: failed\nStatus: 5.2.2\nDiagnostic-Code: smtp; 552 5.2.2 mailbox", "full"),
        ("Action: failed\nStatus: 5.0.0\nDiagnostic-Code: smtp; 552 over quota", "full"),
        ("Action: failed\nStatus: 4.2.2", "full"),
        ("Action: failed\nStatus: 5.7.1\nDiagnostic-Code: smtp; 554 5.7.1 rejected as spam", "blocked"),
        ("Action: failed\nStatus: 5.0.0\nDiagnostic-Code: smtp; 554 see spamhaus.org", "blocked"),
        ("Action: failed\nStatus: 5.7.26\nDiagnostic-Code: smtp; 550 5.7.26 DMARC policy", "blocked"),
        ("Action: failed\nStatus: 5.7.1\nDiagnostic-Code: smtp; 550 5.1.1 user unknown", "hard"),
        ("Action: delayed\nStatus: 4.4.1\nDiagnostic-Code: smtp; timed out", "soft"),
        ("Action: failed\nStatus: 4.4.7", "soft"),
        ("Action: failed\nStatus: 4.3.0\nDiagnostic-Code: smtp; 451 4.3.0\n try again later", "soft"),
        ("Action: failed", "hard"),
        ("Action: failed\nStatus: 5.1.8\nDiagnostic-Code: smtp; 553 Domain of sender address does not exist", "blocked"),
        ("Action: failed\nStatus: 5.7.25\nDiagnostic-Code: smtp; 550 5.7.25 Recipient address rejected: no PTR record", "blocked"),
        ("Action: failed\nStatus: 5.0.0\nDiagnostic-Code: smtp; 554 Reverse DNS required", "blocked"),
        ("Action: failed\nStatus: 5.7.13\nDiagnostic-Code: smtp; 525 5.7.13 Disabled recipient address", "hard"),
        ("Action: failed\nStatus: 5.4.1\nDiagnostic-Code: smtp; 550 5.4.1 Recipient address rejected: Access denied", "hard"),
        ("Action: failed\nStatus: 5.4.4\nDiagnostic-Code: smtp; 550 5.4.4 Invalid domain", "hard"),
        ("Action: failed\nStatus: 5.3.4\nDiagnostic-Code: smtp; 552 5.3.4 Message too large", "soft"),
        ("Action: failed\nStatus: 5.2.3\nDiagnostic-Code: smtp; 552 5.2.3 Message exceeds the maximum", "soft"),
        ("Action: failed\nStatus: 5.4.6\nDiagnostic-Code: smtp; 554 5.4.6 Too many hops", "soft"),
        ("Action: failed\nStatus: 5.0.0\nDiagnostic-Code: smtp; 552 Too many recipients", "soft"),
        ("Action: failed\nStatus: 4.1.1\nDiagnostic-Code: smtp; 450 4.1.1 User unknown", "soft"),
        ("Action: failed\nStatus: 5.0.0\nDiagnostic-Code: smtp; 554 You reached your daily relay quota", "blocked"),
        ("Action: delivered\nStatus: 2.0.0\n\nFinal-Recipient: rfc822; bob@gone.example\nAction: failed\nStatus: 5.2.2", "full"),
        ("Action: delayed\nStatus: 4.4.1\n\nFinal-Recipient: rfc822; bob@gone.example\nAction: failed\nStatus: 5.1.1", "hard"),
    ],
)  # fmt: skip
def test_a_bounce_has_its_class_by_codes_and_words_of_the_server(
    status: str, bounce_class: str
) -> None:
    read = report(status)

    assert read.bounce is not None
    assert read.bounce.bounce_class == bounce_class


@pytest.mark.parametrize(
    ("text", "bounce_class", "diagnostic"),
    [
        ("<ann@gone.example>:\n550 5.1.1 unknown user\n", "hard", "550 5.1.1 unknown user"),
        ("host mx said: 452 4.2.2 The mailbox is full\n", "full", "host mx said: 452 4.2.2 The mailbox is full"),
        ("554 Blocked by our policy\n", "blocked", "554 Blocked by our policy"),
        ("421 try later\n", "soft", "421 try later"),
        ("451 4.7.1 Greylisted, try later", "soft", "451 4.7.1 Greylisted, try later"),
        *((line, "full", line) for line in ("Das Postfach des Empfängers ist voll.", "La boîte aux lettres du destinataire est pleine.", "Skrzynka odbiorcy jest pełna.")),
        *((line, "hard", line) for line in ("ann@gone.example: Empfänger unbekannt", "Utilisateur inconnu.", "Adres nie istnieje.")),
        ("The mail has not yet been delivered. We will keep trying.", "soft", None),
        ("Hello,\n\nThe user does not exist.", "hard", "The user does not exist."),
        ("550 5.2.0 <s@shop.example> From:\nThe mail is refused\n\nBye", "hard", "550 5.2.0 <s@shop.example> From: The mail is refused"),
        ("retry timeout exceeded\n\n--- Copy of the message ---\nReceived: by x\n\nThis is no spam: 550 5.1.1", "soft", "retry timeout exceeded"),
        ("Message-ID: <a@x.example>\nReceived: by x\n\n452 4.2.2 full", "full", "452 4.2.2 full"),
    ],
)  # fmt: skip
def test_a_bounce_in_plain_text_has_its_class_and_the_answer_of_the_server(
    text: str, bounce_class: str, diagnostic: str | None
) -> None:
    read = bounce(text, From="MAILER-DAEMON@x.example", Subject="Report")

    assert read.bounce is not None
    assert (read.bounce.bounce_class, read.bounce.diagnostic) == (bounce_class, diagnostic)


def test_the_diagnostic_code_is_one_line_and_bounded() -> None:
    read = report(f"Action: failed\nDiagnostic-Code: smtp; 550 5.1.1 gone\n {'x' * 800}")

    assert read.bounce is not None
    assert read.bounce.diagnostic is not None
    assert read.bounce.diagnostic.startswith("smtp; 550 5.1.1 gone xxx")
    assert len(read.bounce.diagnostic) == 500


def test_reports_in_the_formats_that_exist_are_bounces_of_the_right_mail_and_class() -> None:
    """79 of 80 were right at the first measurement: that SMTPUTF8 is not offered had been a soft bounce."""
    wrong = []
    for one in REPORTS:
        read = parse(one.raw)
        found = read.bounce.bounce_class if read.bounce else None
        if (read.kind, read.returned_ids[:1], found) != (
            "bounce",
            (ID_OF_SAMPLES,),
            one.bounce_class,
        ):
            wrong.append((one.name, read.kind, read.returned_ids, found, one.bounce_class))

    assert len(REPORTS) >= 80
    assert len(wrong) <= 0.05 * len(REPORTS), wrong


def test_no_ordinary_mail_is_taken_for_a_bounce() -> None:
    wrong = [raw for raw in ORDINARY if parse(raw).kind == "bounce"]

    assert len(ORDINARY) == 200
    assert wrong == []
