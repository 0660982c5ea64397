"""What a mail is by its headers."""

import pytest

from email_threads.parsing.mail import parse
from tests.cases import each
from tests.unit.email_threads.samples import mail, sample


@each(
    ("name", "kind"),
    [
        ("question", "mail"),
        ("bounce", "bounce"),
        ("delivery-notice-of-qmail", "bounce"),
        ("complaint", "complaint"),
        ("read-receipt", "receipt"),
        ("out-of-office", "auto_reply"),
        ("mailing-list", "list"),
        ("newsletter", "list"),
        ("calendar-acceptance", "calendar_reply"),
        ("calendar-invitation", "mail"),
    ],
)
def test_a_sample_has_its_kind(name: str, kind: str) -> None:
    assert sample(name).kind == kind


def test_an_answer_to_an_invitation_is_known_by_its_text_too() -> None:
    answer = (
        b"Content-Type: text/calendar\r\n\r\nBEGIN:VCALENDAR\r\nMETHOD:REPLY\r\nEND:VCALENDAR\r\n"
    )

    assert parse(b"From: ann@x.example\r\n" + answer).kind == "calendar_reply"
    asked = answer.replace(b"REPLY", b"REQUEST")
    assert parse(b"From: ann@x.example\r\n" + asked).kind == "mail"


@each(
    ("field", "value", "kind"),
    [
        ("auto_submitted", "auto-generated (nightly)", "auto_reply"),
        ("auto_submitted", "no", "mail"),
        ("x_autoreply", "yes", "auto_reply"),
        ("precedence", "auto_reply", "auto_reply"),
        ("precedence", "Bulk", "list"),
        ("precedence", "first-class", "mail"),
        ("list_id", "<a.b>", "list"),
        ("feedback_id", "1:2", "list"),
        ("x_failed_recipients", "a@b.example", "bounce"),
        ("x_auto_response_suppress", "All", "mail"),
        ("return_path", "<>", "mail"),
    ],
)
def test_a_field_decides_the_kind(field: str, value: str, kind: str) -> None:
    assert mail(**{field: value}).kind == kind


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"from": "MAILER-DAEMON@a.example"}, "bounce"),
        ({"from": "MAILER-DAEMON@a.example", "return_path": "<a@b.example>"}, "mail"),
        ({"from": "postmaster@a.example", "return_path": "<>"}, "bounce"),
        ({"from": "postmaster@a.example"}, "mail"),
    ],
)
def test_a_mail_server_reports_with_an_empty_return_path_or_as_mailer_daemon(
    fields: dict[str, str], kind: str
) -> None:
    assert mail(**fields).kind == kind


def test_words_of_the_body_or_the_subject_decide_nothing() -> None:
    assert (
        mail("Out of office: vacation bounce undeliverable", subject="Automatic reply").kind
        == "mail"
    )
