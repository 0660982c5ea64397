"""Text of a model as Markdown without links."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from newsletters.drafting.text.inline_text import escaped, inline_text
from tests.cases import each
from tests.unit.newsletters.drafting.hostile import HOSTILE

BAD = "https://bad.example/x"
PARSER = MarkdownIt("commonmark", {"html": True, "linkify": False}).enable(
    ["table", "strikethrough"]
)


# Fragments of Markdown syntax, blocks and addresses.
def shown_in(markdown: str) -> str:
    """Return the text of a paragraph, and fail for any other block, for links, images and HTML."""
    tokens = PARSER.parse(markdown)
    if not tokens:
        return ""
    assert [token.type for token in tokens] == ["paragraph_open", "inline", "paragraph_close"]
    children = tokens[1].children or []
    kinds = {child.type for child in children}
    assert not kinds & {"link_open", "image", "html_inline", "code_inline", "hardbreak"}
    return "".join(child.content for child in children if child.type == "text")


@each(
    ("text", "plain"),
    [
        (f"Read [the report]({BAD}).", "Read the report."),
        (f'Read [the report](<{BAD}> "title").', "Read the report."),
        (f"Read [the *report*]({BAD}) now.", "Read the report now."),
        (f"Read <{BAD}> now.", "Read now."),
        ("Write to <ann@bad.example>.", "Write to ."),
        (f"Read {BAD}.", "Read ."),
        (f"Read (see {BAD}), now.", "Read (see ), now."),
        (f"Read `{BAD}` now.", "Read now."),
        ("Read www.bad.example/x now.", "Read now."),
        ("Read HTTPS://bad.example now.", "Read now."),
        ("Read xhttps://bad.example now.", "Read now."),
        ("Read https&#58;//bad.example now.", "Read now."),
        ("Read https\\://bad.example now.", "Read now."),
        ("Read ht**tps://bad**.example/x now.", "Read now."),
        (f"Look: ![a chart]({BAD})", "Look: a chart"),
        (f"Look: ![{BAD}]({BAD})", "Look:"),
        (f"Look: ![a [chart]({BAD})]({BAD})", "Look: a chart"),
        (f"[![a chart]({BAD})]({BAD})", "a chart"),
        ("[click](javascript:alert(1))", "click"),
        ("[click](data:text/html,x)", "click"),
        (f"**{BAD}**", ""),
        (f"*__{BAD}__*", ""),
        (f"**See {BAD}** now", "See now"),
        ("\u8bf7\u770bhttps://bad.example\u3002\u7136\u540e", "\u8bf7\u770b\u3002\u7136\u540e"),
    ],
)
def test_a_link_is_removed_and_its_text_is_kept(text: str, plain: str) -> None:
    written = inline_text(text)

    assert written.is_unlinked
    assert (written.plain, shown_in(written.markdown)) == (plain, plain)


@each(
    ("text", "plain"),
    [
        (f"[a][1]\n\n[1]: {BAD}", "[a][1] [1]:"),
        ("[a][1] and [b][] and [c]", "[a][1] and [b][] and [c]"),
        ("<script>alert(1)</script> <!-- x -->", "<script>alert(1)</script> <!-- x -->"),
        ("AT&amp;T &lt;b&gt;", "AT&T <b>"),
        ("Escaped \\*stars\\* and \\[x\\](y)", "Escaped *stars* and [x](y)"),
        ("# No heading", "# No heading"),
        ("- no list", "- no list"),
        ("+ no list", "+ no list"),
        ("* no list", "* no list"),
        ("1. no list", "1. no list"),
        ("12) no list", "12) no list"),
        ("> no quote", "> no quote"),
        ("--- no rule", "--- no rule"),
        ("===", "==="),
        ("```code", "```code"),
        ("~~~", "~~~"),
        ("| a | b |\n|---|---|", "| a | b | |---|---|"),
        ("Learn C #", "Learn C #"),
        ("a\nb\tc\r\nd\u2028e", "a b c d e"),
        ("a\x00b\x1bc", "abc"),
        ("ends with \\", "ends with \\"),
    ],
)
def test_other_syntax_is_shown_as_text(text: str, plain: str) -> None:
    written = inline_text(text)

    assert shown_in(written.markdown) == written.plain == plain


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("It is **very** *good* ~~bad~~", "It is **very** *good* ~~bad~~"),
        ("__very__ _good_", "**very** *good*"),
        ("3.5 million", "3.5 million"),
        ("2026. The year", "2026\\. The year"),
        ("1\u202f200 \u00e0 12\u00a0%", "1\u202f200 \u00e0 12\u00a0%"),
        ("`code` stays", "code stays"),
        ("snake_case 2*3*4", "snake\\_case 2*3*4"),
    ],
)
def test_emphasis_and_numbers_stay(text: str, markdown: str) -> None:
    written = inline_text(text)

    assert written.markdown == markdown
    assert not written.is_unlinked


@each("prefix", ["", "- ", "> ", "### "])
@each("text", ["# x", "- x", "1. x", "C #", "x #", "--- ", "> x", "* * *"])
def test_text_stays_within_the_block_that_it_is_put_into(prefix: str, text: str) -> None:
    tokens = PARSER.parse(prefix + inline_text(text).markdown)

    inline = [token for token in tokens if token.type == "inline"]
    assert len(inline) == 1
    shown = "".join(child.content for child in inline[0].children or [])
    assert shown == text.strip()


@given(HOSTILE)
def test_no_link_survives_in_any_text(text: str) -> None:
    written = inline_text(text)

    assert shown_in(written.markdown) == written.plain
    assert not re.search(r"(?i)https?://\w|\bwww\.\w", written.plain)
    assert "\n" not in written.markdown


@given(st.text(max_size=40))
def test_escaped_text_is_shown_as_it_is(text: str) -> None:
    shown = shown_in(escaped(text))

    assert escaped(text).splitlines() in ([], [escaped(text)])
    assert "".join(shown.split()) == "".join(inline_free(text).split())


def inline_free(text: str) -> str:
    """Return a text without the control characters that are removed."""
    kept = [sign for sign in text if sign.isspace() or not ("\x00" <= sign <= "\x1f")]
    return "".join(sign for sign in kept if not ("\x7f" <= sign <= "\x9f" and sign != "\x85"))


@given(st.text(alphabet="abc .,\u00e9\u0628\u4e00", max_size=40))
def test_text_without_syntax_stays_as_it_is(text: str) -> None:
    written = inline_text(text)

    assert written.markdown == written.plain == " ".join(text.split())
    assert not written.is_unlinked
