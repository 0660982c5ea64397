"""The catalogues of the console: every text exists in each language, and takes the same values."""

from __future__ import annotations

import json
import re

import pytest

from tests.template import ROOT

SOURCES = ROOT / "console" / "src"
LANGUAGES = {
    file.stem: json.loads(file.read_text("utf-8"))
    for file in sorted((SOURCES / "texts").glob("*.json"))
}
CODE = "\n".join(file.read_text("utf-8") for file in sorted(SOURCES.rglob("*.ts*")))
# Their last words are values of the API.
BY_VALUE = {
    *("nav", "inbox.status", "channel", "media", "type", "delivery", "draft", "status", "error"),
    *("change.status", "reason", "call.state", "unknown.decision", "unknown.outcome", "verdict"),
    *("author", "review"),
    *("ops.part", "ops.period", "ops.actors", "context", "alarm", "parked", "outcome", "variant"),
}


def test_the_console_speaks_english_and_german() -> None:
    assert set(LANGUAGES) == {"en", "de"}


def test_both_languages_have_the_same_texts_in_the_same_order() -> None:
    assert list(LANGUAGES["en"]) == list(LANGUAGES["de"])


@pytest.mark.parametrize("key", LANGUAGES["en"])
def test_a_text_takes_the_same_values_in_both_languages(key: str) -> None:
    english, german = (LANGUAGES[name][key] for name in ("en", "de"))

    assert english.strip()
    assert german.strip()
    assert sorted(re.findall(r"{\w+}", english)) == sorted(re.findall(r"{\w+}", german))


@pytest.mark.parametrize("key", LANGUAGES["en"])
def test_no_text_is_unused(key: str) -> None:
    stem = re.sub(r"\.(one|other)$", "", key)

    assert f'"{key}"' in CODE or f'"{stem}"' in CODE or key.rpartition(".")[0] in BY_VALUE


def test_no_page_builds_markup_from_text() -> None:
    """A customer's text is shown as text: the pages have no way to turn it into elements, styles or code."""
    assert not re.findall(
        r"innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|\beval\(|new Function"
        r"|srcdoc|javascript:",
        CODE,
    )
