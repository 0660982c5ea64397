"""Text of a mail: chosen part, charset, HTML converted to text."""

import pytest

from email_threads.parsing.body.html import to_text
from tests.cases import each
from tests.unit.email_threads.samples import mail, sample


def test_of_alternatives_the_plain_text_is_read_and_the_html_is_kept() -> None:
    read = sample("gmail-reply")

    assert read.text.startswith(
        "The oak ones, please. Jonas will open the back door … call him first."
    )
    assert read.html is not None
    assert "<blockquote>" in read.html


def test_a_plain_alternative_of_few_characters_gives_way_to_the_html() -> None:
    read = mail(
        "--b\nContent-Type: text/plain\n\nUse HTML\n"
        "--b\nContent-Type: text/html\n\n<p>Please send ten more chairs.</p>\n--b--\n",
        content_type="multipart/alternative; boundary=b",
    )

    assert read.text == "Please send ten more chairs."


def test_an_empty_plain_alternative_gives_way_to_any_html() -> None:
    read = mail(
        "--b\nContent-Type: text/plain\n\n\n--b\nContent-Type: text/html\n\n<p>Yes</p>\n--b--\n",
        content_type="multipart/alternative; boundary=b",
    )

    assert read.text == "Yes"


def test_renderings_for_special_clients_are_neither_text_nor_files() -> None:
    read = mail(
        "--b\nContent-Type: text/plain\n\nPlain text of the mail\n"
        "--b\nContent-Type: text/x-amp-html\n\n<html amp4email></html>\n"
        "--b\nContent-Type: text/html\n\n<p>x</p>\n--b--\n",
        content_type="multipart/alternative; boundary=b",
    )

    assert (read.text, read.attachments) == ("Plain text of the mail", ())
    assert mail("<bold>hi</bold>", content_type="text/enriched").text == "<bold>hi</bold>"
    assert mail("a,b", content_type="text/csv; name=a.csv").attachments[0].filename == "a.csv"


@pytest.mark.parametrize("encoding", ["base64;", " BASE64 (binary)", '"base64"'])
def test_an_encoding_with_an_addition_is_known(encoding: str) -> None:
    assert mail("aGVsbG8=", content_transfer_encoding=encoding).text == "hello"


def test_all_inline_text_is_read_in_order() -> None:
    assert (
        sample("damaged-base64").text == "The first half arrived.\n\nThe end boundary is missing."
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("japanese", "椅子の在庫はありますか。\n"),
        ("chinese", "请问镕椅多少钱?\n"),
        ("russian", "Сколько стоят стулья?\n"),
        ("eight-bit-headers", "Wie groß sind die Stühle?\n"),
        ("unknown-charset", "Café … ouvert?\n"),
    ],
)
def test_a_body_is_read_in_its_charset_or_in_the_likely_one(name: str, text: str) -> None:
    assert sample(name).text == text


def test_a_damaged_character_does_not_change_the_charset_of_the_others() -> None:
    body = "Schöne Grüße aus Köln und Düsseldorf, völlig überfüllt".encode() + b"\xff"

    assert mail(body, content_type="text/plain; charset=utf-8").text.startswith(
        "Schöne Grüße aus Köln"
    )


@pytest.mark.parametrize("charset", ["idna", "unicode_escape", "rot13", "base64", "\0", "../etc"])
def test_a_codec_of_python_that_is_no_charset_is_not_used(charset: str) -> None:
    assert mail(b"a\\x41", content_type=f'text/plain; charset="{charset}"').text == "a\\x41"


def test_line_ends_are_unified_and_characters_composed_and_null_removed() -> None:
    assert mail("a\r\nb\rc\0 e\u0301").text == "a\nb\nc é"


def test_rich_text_only_and_encrypted_mail_say_so() -> None:
    assert sample("rich-text-only").text == "[rich text only]"
    assert "tnef" in sample("rich-text-only").flags
    assert sample("encrypted").text == "[encrypted]"
    assert "encrypted" in sample("encrypted").flags


def test_a_signed_mail_has_its_text_and_its_signature_as_a_file() -> None:
    read = sample("signed")

    assert read.text == "I order two chairs."
    assert [file.filename for file in read.attachments] == ["signature.asc"]


def test_tables_lists_and_links_are_readable_as_text() -> None:
    assert sample("html-only-order").text == (
        "Order\n\nItem | Pieces\nStool | 4\nTable | 1\n\n1. Deliver on Monday\n"
        "2. Ring the bell (https://bistro.example/map)\n\n- no plastic\n\nPrice: 5 < 6 €"
    )


def test_hidden_elements_and_comments_are_not_text() -> None:
    assert sample("hidden-instructions").text == "Where is my parcel?"


@each(
    ("document", "text"),
    [
        ("<p>a</p><p>b</p>", "a\n\nb"),
        ("a<br>b<br><br>c", "a\nb\n\nc"),
        ("<div>a</div><div>b</div>", "a\nb"),
        ("<pre>a\n  b</pre>", "a\n  b"),
        ("<blockquote>a<blockquote>b</blockquote></blockquote>", "> a\n>\n> > b"),
        ("<ul><li>a<ul><li>b</li></ul></li></ul>", "- a\n  - b"),
        ('<a href="https://a.example/">https://a.example</a>', "https://a.example"),
        ('<a href="https://a.example/x"><img alt="Logo"></a>', "Logo (https://a.example/x)"),
        ('<a href="javascript:alert(1)">x</a>', "x"),
        ("<b>a</b> <i>b</i>&nbsp;c &amp; d", "a b c & d"),
        ("<p>a<p>b<table><tr><td>c<td>d", "a\n\nb\n\nc | d"),
        ("<p style='font-size:0.5em'>small</p>", "small"),
    ],
)
def test_html_becomes_text(document: str, text: str) -> None:
    assert to_text(document).text == text


def test_displayed_html_has_no_scripts_styles_or_remote_images() -> None:
    document = sample("html-with-inline-image").html

    assert document is not None
    assert '<img src="cid:photo1@studio" alt="lamp.png">' in document
    assert "tracker" not in document
    cleaned = mail(
        "<style>x</style><p style='color:red' onclick='x()'>a <a href='javascript:x'>b</a>"
        "<a href='https://c.example'>c</a><script>x</script><iframe src=//x></iframe></p>",
        content_type="text/html",
    ).html
    assert cleaned == (
        '<p>a <a rel="noopener noreferrer nofollow">b</a>'
        '<a href="https://c.example" rel="noopener noreferrer nofollow">c</a></p>'
    )


@pytest.mark.parametrize(
    ("document", "kept"),
    [
        ("<p>x" * 20_010, 20_000),
        ("<div>x" * 1_010, 1_000),
        ("<div>x</div>" * 5_000, 5_000),
        ("&lt;x" * 50_010, 50_000),
        ("x" * 600_000, 512 * 1024),
    ],
    ids=["tags", "open elements", "closed elements", "references", "characters"],
)
def test_html_is_read_up_to_its_caps(document: str, kept: int) -> None:
    read = mail(document, content_type="text/html")

    assert read.text.count("x") == kept
    assert ("html_truncated" in read.flags) == (document.count("x") > kept)
