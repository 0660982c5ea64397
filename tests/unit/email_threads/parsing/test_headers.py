"""Ids, addresses, dates and decoded text of header fields."""

from email.message import EmailMessage

import pytest

from email_threads.parsing.headers.fields import Headers
from email_threads.parsing.mail import parse
from tests.cases import each
from tests.unit.email_threads.samples import mail, sample


def test_encoded_words_that_split_a_character_are_joined() -> None:
    assert sample("split-encoded-words").subject.startswith("注文番号について 4711")


def test_a_broken_encoded_word_stays_as_it_is() -> None:
    assert (
        mail(subject="=?utf-8?B?a?= and =?utf-8?Q?caf=C3=A9?=").subject == "=?utf-8?B?a?= and café"
    )


@pytest.mark.parametrize(
    ("charset", "word", "subject"),
    [
        ("iso-8859-1", "Gr=FC=DFe", "Grüße"),
        ("koi8-r", "=D3=D4=D5=CC", "стул"),
        ("utf-8*en", "caf=C3=A9", "café"),
        ("x-unknown", "caf=E9", "café"),
    ],
)
def test_an_encoded_word_is_read_in_its_charset(charset: str, word: str, subject: str) -> None:
    assert mail(subject=f"=?{charset}?Q?{word}?=").subject == subject


def test_bytes_beyond_ascii_in_a_header_are_utf_8_or_windows_1252() -> None:
    assert mail(subject="Größe".encode()).subject == "Größe"
    assert mail(subject="Größe".encode("cp1252")).subject == "Größe"


def test_japanese_bytes_without_an_encoded_word_are_read() -> None:
    assert mail(subject="椅子の在庫".encode("iso-2022-jp")).subject == "椅子の在庫"


def test_empty_lines_and_a_byte_order_mark_before_the_header_are_skipped() -> None:
    assert parse(b"\xef\xbb\xbf\r\n\nSubject: Chairs\n\nHello").subject == "Chairs"


def test_line_breaks_and_direction_marks_in_encoded_words_are_removed() -> None:
    read = sample("header-injection")

    assert read.subject == "Hello Bcc: victim@else.example Injecteddetrever"
    assert read.sender == "m@mallory.example"
    assert "\n" not in read.sender_name
    assert read.cc == ()


def test_a_subject_has_at_most_300_characters() -> None:
    assert len(mail(subject="a" * 900).subject) == 300


def test_ids_are_read_from_brackets_in_their_order_and_each_once() -> None:
    read = sample("odd-message-ids")

    assert read.message_id == "[99]-case.no-domain"
    assert read.in_reply_to == ("UPPER.case+id=1@Tickets.example",)
    assert read.references == ("a@b", "c@d", "e@f")


def test_without_brackets_words_with_one_at_sign_are_ids() -> None:
    assert mail(references="see a@b and c@d@e, or f@g;").references == ("a@b", "f@g")


def test_a_mail_without_an_id_gets_one_from_its_content_the_same_at_every_delivery() -> None:
    first, again = sample("no-message-id"), sample("no-message-id")

    assert not first.has_own_id
    assert first.message_id == again.message_id
    assert first.message_id.endswith("@missing.invalid")
    assert first.message_id != mail(message_id="").message_id


def test_an_id_of_more_than_900_bytes_counts_as_none() -> None:
    assert not mail(message_id=f"<{'a' * 900}@b>").has_own_id


@pytest.mark.parametrize(
    ("value", "date"),
    [
        ("Tue, 5 Mar 2024 10:00:00 +0100", "2024-03-05T09:00:00+00:00"),
        ("5 Mar 24 10:00 EST", "2024-03-05T15:00:00+00:00"),
        ("Tue, 5 Mar 2024 10:00:00 -0000", "2024-03-05T10:00:00+00:00"),
        ("Tue Mar  5 10:00:00 2024", "2024-03-05T10:00:00+00:00"),
        ("2024-03-05 10:00:00 +0100", "2024-03-05T09:00:00+00:00"),
    ],
)
def test_a_date_is_in_utc(value: str, date: str) -> None:
    found = mail(date=value).date

    assert found is not None
    assert found.isoformat() == date


@pytest.mark.parametrize(
    "value",
    ["", "yesterday", "Mon, 99 Foo 99999 99:99:99 +99999999", "Mon, 1 Feb 2026 10:00 +9999"],
)
def test_a_date_that_cannot_be_read_is_none(value: str) -> None:
    assert mail(date=value).date is None


@each(
    ("value", "found"),
    [
        ("Ann <Ann@Example.COM>", ("ann@example.com",)),
        ("ann@example.com (Ann)", ("ann@example.com",)),
        (
            '"Smith, Ann" <ann@example.com>, bob+label@example.com',
            ("ann@example.com", "bob+label@example.com"),
        ),
        ("Smith, Ann <ann@example.com>", ("ann@example.com",)),
        ("=?utf-8?Q?Gr=C3=BCn=2C_a=40b?= <gruen@example.com>", ("gruen@example.com",)),
        ("<ann@example.com", ("ann@example.com",)),
        ("ann@example.com, ANN@example.com", ("ann@example.com",)),
        ("undisclosed-recipients:;", ()),
        ("Team: ann@example.com, bob@example.com;", ()),
        ("no address", ()),
        ("<>", ()),
    ],
)
def test_addresses_are_casefolded_and_groups_give_none(value: str, found: tuple[str, ...]) -> None:
    assert mail(to=value).to == found


def test_of_several_senders_the_first_counts_and_the_mail_is_flagged() -> None:
    read = sample("two-senders")

    assert read.sender == "one@pair.example"
    assert "multiple_from" in read.flags


def test_a_mail_without_sender_has_none() -> None:
    assert mail(**{"from": "Support"}).sender is None


def test_an_id_that_pythons_generator_wrote_as_an_encoded_word_is_read() -> None:
    message = EmailMessage()
    long_id = "<0100018a2b3c4d5e-79c439b6-de2e-44af-9fba-5a51d3bfbfb5-000000@email.amazonses.com>"
    message["In-Reply-To"] = long_id
    raw = bytes(message)

    assert long_id.encode() not in raw
    assert Headers.read(raw).ids("in-reply-to") == (long_id.strip("<>"),)
