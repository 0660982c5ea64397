"""The subject and the body of a mail."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.providers.email.mime import ContentUnusable, body_of, subject_line
from tests.cases import each

FALLBACK = "Your application"


@pytest.mark.parametrize(
    ("wanted", "line"),
    [
        ("Your interview on Monday", "Your interview on Monday"),
        ("  Trimmed\n", "Trimmed"),
        ("\u00c4nderung \U0001f469\u200d\U0001f4bb", "\u00c4nderung \U0001f469\u200d\U0001f4bb"),
        ("x" * 120, "x" * 120),
    ],
)
def test_a_subject_of_one_line_is_used(wanted: str, line: str) -> None:
    assert subject_line(wanted, FALLBACK) == line


@each(
    "wanted",
    [
        None,
        "",
        "  \n",
        "x" * 121,
        "Hello\r\nBcc: everybody@example.com",
        "Hello\nthere",
        "Hello\tthere",
        "Hello\x00",
        "Hello\x85there",
        "Hello\u2028there",
        "Invoice\u202egpj.exe",
        "broken \ud83d",
    ],
)
def test_an_invalid_subject_is_replaced_by_the_fallback(wanted: str | None) -> None:
    assert subject_line(wanted, FALLBACK) == FALLBACK


def test_an_invalid_fallback_is_an_error_without_its_text() -> None:
    with pytest.raises(ContentUnusable, match=r"\Ano_subject\Z"):
        subject_line("a\nb", "Our\nsubject")


def test_the_text_is_the_markdown_and_the_html_is_made_of_it() -> None:
    body = body_of("Hello **Ann**,\r\nplease bring\r\n\r\n- your *licence*\r\n- a pen\r\n")

    assert body.text == "Hello **Ann**,\nplease bring\n\n- your *licence*\n- a pen"
    assert body.html == (
        '<!doctype html>\n<html><body dir="auto">\n'
        "<p>Hello <strong>Ann</strong>,<br>\nplease bring</p>\n"
        "<ul>\n<li>your <em>licence</em></li>\n<li>a pen</li>\n</ul>\n"
        "</body></html>\n"
    )


@each(
    "markdown",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "<iframe src='https://evil.example'></iframe>",
        "<a href='javascript:alert(1)'>x</a>",
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](data:text/html;base64,PHNjcmlwdD4=)",
        "[x](vbscript:msgbox)",
        "[x](//evil.example)",
        "<javascript:alert(1)>",
        "![x](https://evil.example/pixel.png)",
        "```\n</code><script>alert(1)</script>\n```",
        "&lt;script&gt;alert(1)&lt;/script&gt;",
        '[x](https://example.com "onmouseover=alert(1)")',
    ],
)
def test_the_html_has_no_script_and_no_remote_content(markdown: str) -> None:
    html = body_of(markdown).html.lower()

    for markup in ("<script", "<img", "<iframe", "javascript:alert(1)\"", "href=\"javascript",
                   "href=\"data", "href=\"vbscript", "href=\"//", "onmouseover=\"", "src=\"", "title="):  # fmt: skip
        assert markup not in html


def test_links_are_kept_without_opener_and_referrer() -> None:
    html = body_of("[Details](https://example.com/?a=1&b=2), <mailto:jobs@example.com>").html

    assert (
        '<a href="https://example.com/?a=1&amp;b=2" rel="noopener noreferrer">Details</a>' in html
    )
    assert 'href="mailto:jobs@example.com"' in html


def test_markup_of_html_is_shown_as_it_was_written() -> None:
    assert "<p>1 &lt; 2 &amp; &lt;b&gt;bold&lt;/b&gt;</p>" in body_of("1 < 2 & <b>bold</b>").html


@pytest.mark.parametrize("markdown", ["", " \n\t ", "\x00\x0b"])
def test_an_empty_mail_is_refused(markdown: str) -> None:
    with pytest.raises(ContentUnusable, match=r"\Ano_body\Z"):
        body_of(markdown)


def test_the_repr_of_a_body_hides_its_text() -> None:
    assert "secret" not in repr(body_of("secret"))


@given(markdown=st.text(min_size=1, max_size=200))
def test_any_text_gives_a_mail_or_content_unusable(markdown: str) -> None:
    try:
        body = body_of(markdown)
    except ContentUnusable:
        return
    assert body.text.encode()
    assert body.html.encode().startswith(b"<!doctype html>")
