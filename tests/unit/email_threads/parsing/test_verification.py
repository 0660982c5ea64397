"""Verification mails are recognised, and ordinary mails with numbers are not taken for them."""

from __future__ import annotations

import re

import pytest

from email_threads.parsing.verification import verification, words
from email_threads.parsing.verification.verification import is_verification, normal
from tests.cases import each
from tests.unit.email_threads.parsing.verification_samples import ORDINARY, VERIFICATION, Sample
from tests.unit.email_threads.samples import MAILS, mail, sample

TEXT = {"content_type": "text/plain; charset=utf-8"}
NEWSLETTERS = ["newsletter", "mailing-list"]


def named(samples: list[Sample]) -> list[object]:
    return [pytest.param(one, id=f"{one[0]}-{number}") for number, one in enumerate(samples)]


def recognised(one: Sample) -> bool:
    _, fields, body = one
    return is_verification(mail(body, **{**TEXT, **fields}))


def test_the_labelled_mails_are_many_and_of_many_languages() -> None:
    for samples in (VERIFICATION, ORDINARY):
        assert len(samples) >= 40
        assert len({language for language, _, _ in samples}) >= 8


@each("one", named(VERIFICATION))
def test_a_verification_mail_is_recognised(one: Sample) -> None:
    assert recognised(one)


@each("one", named(ORDINARY))
def test_an_ordinary_mail_is_not_taken_for_one(one: Sample) -> None:
    assert not recognised(one)


@each("name", sorted(path.stem for path in MAILS.glob("*.eml")))
def test_no_sample_mail_is_one(name: str) -> None:
    assert not is_verification(sample(name))


def test_a_code_that_only_the_html_shows_is_found() -> None:
    body = (
        "--b\nContent-Type: text/plain\n\nYour mail program shows no HTML. Please use another one.\n"
        "--b\nContent-Type: text/html\n\n<p>Your verification code</p><h1>123456</h1>\n--b--\n"
    )
    fields = {"content_type": 'multipart/alternative; boundary="b"', "from": "hi@service.example"}

    assert is_verification(mail(body, **fields))


def test_a_code_in_the_subject_is_found() -> None:
    assert is_verification(mail("See the subject.", subject="Your verification code is 123456"))


def test_a_code_in_the_name_of_a_file_is_found() -> None:
    body = (
        "--b\nContent-Type: text/plain\n\nSee the file.\n"
        "--b\nContent-Type: application/pdf\n"
        'Content-Disposition: attachment; filename="login-code-123456.pdf"\n\nx\n--b--\n'
    )
    fields = {"content_type": 'multipart/mixed; boundary="b"', "from": "no-reply@service.example"}

    assert is_verification(mail(body, **fields))


@pytest.mark.parametrize(
    "digits",
    [
        "\uff11\uff12\uff13\uff14\uff15\uff16",
        "\u0661\u0662\u0663\u0664\u0665\u0666",
        "\U0001d7cf\U0001d7d0\U0001d7d1\U0001d7d2\U0001d7d3\U0001d7d4",
        "1\u200b2\u200b3\u200b4\u200b5\u200b6",
        "1 2 3 4 5 6",
        "123\u00a0456",
    ],
)
def test_digits_of_any_script_and_with_gaps_are_digits(digits: str) -> None:
    assert is_verification(mail(f"Your verification code is:\n\n{digits}\n", **TEXT))


def test_a_bounce_of_a_verification_mail_is_a_bounce() -> None:
    body = "--r\nContent-Type: text/plain\n\nYour verification code is 123456\n--r--\n"
    report = 'multipart/report; report-type=delivery-status; boundary="r"'

    assert not is_verification(mail(body, content_type=report))


def test_normal_form_of_a_text_has_ascii_digits() -> None:
    assert normal("\uff11\u0662\u200b3") == "123"


class Counted:
    """An expression that counts the characters it is asked to search."""

    def __init__(self, expression: re.Pattern[str]) -> None:
        self.expression = expression
        self.characters = 0

    def search(self, text: str) -> re.Match[str] | None:
        self.characters += len(text)
        return self.expression.search(text)


def test_the_work_on_a_mail_does_not_grow_with_the_square_of_its_codes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counted = Counted(words.VERIFICATION)
    monkeypatch.setattr(verification, "VERIFICATION", counted)
    is_verification(mail("Your code 123456 a-b-c-d 1 2 3 " * 4_000 + "\n" + "x" * 20_000, **TEXT))

    codes = verification.MOST_TEXT // len("Your code 123456")
    assert 0 < counted.characters < codes * 3 * verification.MOST_CONTEXT
