"""The keywords stop, start and help match whole messages only."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shared.events.exchange import Button, InboundMessage
from shared.policy.consent.keywords import ConsentKeyword, vocabulary
from tests.cases import each

OURS = vocabulary()
STOP_WORDS = [
    "STOP", "STOPALL", "STOP ALL", "UNSUBSCRIBE", "CANCEL", "END", "QUIT", "REVOKE", "REMOVE",
    "OPTOUT", "OPT OUT", "OPT-OUT", "TD", "ARRET", "ARR\u00caT",
]  # fmt: skip
PRESET_WORDS = ["STOPP", "ABMELDEN", "BAJA", "PARAR", "SAIR", "ANNULLA"]


def message(text: str | None = None, button: Button | None = None) -> InboundMessage:
    return InboundMessage(
        provider="twilio",
        provider_message_id="SM1",
        account="AC1",
        channel_method="sms",
        business_address="+12025550142",
        received_at="2026-03-01T09:30:00.000Z",
        kind="button" if button else "text",
        text=text,
        button=button,
    )


@each("word", [*STOP_WORDS, *PRESET_WORDS])
def test_each_stop_keyword_is_recognised(word: str) -> None:
    assert OURS.keyword_of(word) is OURS.keyword_of(word.lower()) is ConsentKeyword.STOP


@pytest.mark.parametrize("word", ["START", "UNSTOP"])
def test_each_start_keyword_is_recognised(word: str) -> None:
    assert OURS.keyword_of(word) is OURS.keyword_of(word.title()) is ConsentKeyword.START


@pytest.mark.parametrize("word", ["HELP", "INFO"])
def test_each_help_keyword_is_recognised(word: str) -> None:
    assert OURS.keyword_of(word) is OURS.keyword_of(word.lower()) is ConsentKeyword.HELP


@each(
    "text",
    [
        " stop. ",
        "Stop!!!",
        "\u00abStop\u00bb",
        "*STOP*",
        "(stop)",
        "stop\n",
        "\ufeffstop\u200b",
        "stop \U0001f6d1",
        "stop \u2764\ufe0f",
        "\uff33\uff34\uff2f\uff30",  # full width
        "\u00a0stop\u2003all ",
        "arre\u0302t",  # a combining accent
        "stop" + " " * 40,
    ],
)
def test_characters_around_the_keyword_are_ignored(text: str) -> None:
    assert OURS.keyword_of(text) is ConsentKeyword.STOP


@each(
    "text",
    [
        "please stop by",
        "stop by",
        "don't stop",
        "Stop, please",
        "stop stop",
        "I want to cancel my order",
        "the end",
        "bus stop",
        "s t o p",
        "nonstop",
        "",
        " ",
        "!!!",
        "\U0001f6d1",
        None,
        "stop " * 100,
    ],
)
def test_a_stop_keyword_inside_a_sentence_is_not_an_opt_out(text: str | None) -> None:
    assert OURS.keyword_of(text) is None


def test_yes_means_start_only_after_an_opt_out_by_keyword_in_that_channel() -> None:
    assert OURS.keyword_of("Yes.") is None
    assert OURS.keyword_of("Yes.", yes_is_start=True) is ConsentKeyword.START
    assert OURS.keyword_of("yes please", yes_is_start=True) is None
    assert OURS.keyword_of("stop", yes_is_start=True) is ConsentKeyword.STOP


def test_a_companys_keywords_replace_the_preset_of_that_language() -> None:
    theirs = vocabulary({"es": ["No m\u00e1s", "salir"], "pl": ["koniec"]})

    assert theirs.keyword_of("no  M\u00c1S!") is theirs.keyword_of("Koniec") is ConsentKeyword.STOP
    assert theirs.keyword_of("baja") is None
    assert theirs.keyword_of("abmelden") is theirs.keyword_of("STOP") is ConsentKeyword.STOP


@each(
    ("ours", "written"),
    [
        ("No m\u00e1s", "NO MAS"),
        ("D\u00e9sabonner", "desabonner"),
        ("desabonner", "D\u00c9SABONNER"),
        ("\u00c7IKI\u015e", "\u00e7\u0131k\u0131\u015f"),  # Turkish, in capitals and not
        ("\u0130PTAL", "iptal"),
        ("iptal", "\u0130ptal"),
        ("\u0441\u0442\u043e\u0439", "\u0421\u0422\u041e\u0419"),
        ("\u0441\u0442\u043e\u0439", "\u0441\u0442\u043e\u0438\u0306"),
    ],
)
def test_a_keyword_without_its_accents_is_recognised(ours: str, written: str) -> None:
    assert vocabulary({"xx": [ours]}).keyword_of(written) is ConsentKeyword.STOP


@pytest.mark.parametrize(
    "text", ["Opt\u2011out", "opt\u2013out", "OPT\u2014OUT", "st\u00adop", "un\u200bsubscribe"]
)
def test_characters_that_phones_and_programs_insert_are_ignored(text: str) -> None:
    assert OURS.keyword_of(text) is ConsentKeyword.STOP


def test_a_company_cannot_turn_help_or_start_into_stop() -> None:
    theirs = vocabulary({"en": ["help", "START", "  ", "!"]})

    assert theirs.keyword_of("help") is ConsentKeyword.HELP
    assert theirs.keyword_of("start") is ConsentKeyword.START
    assert theirs.keyword_of("") is None
    assert theirs.keyword_of("...") is None


@pytest.mark.parametrize(
    ("button", "wish"),
    [
        (Button(payload="STOP", label="No thanks"), ConsentKeyword.STOP),
        (Button(payload="bus_line_7", label="STOP"), None),
        (Button(payload=None, label="STOP"), None),
        (Button(payload="help", label="Call me"), ConsentKeyword.HELP),
    ],
)
def test_a_buttons_payload_is_matched(button: Button, wish: ConsentKeyword | None) -> None:
    assert OURS.keyword_in(message(button=button)) is wish
    assert OURS.keyword_in(message("STOP", button)) is wish


def test_the_text_of_a_message_without_a_button_is_matched() -> None:
    assert OURS.keyword_in(message("Stop")) is ConsentKeyword.STOP
    assert OURS.keyword_in(message("yes"), yes_is_start=True) is ConsentKeyword.START


@given(text=st.text(max_size=300))
def test_every_text_can_be_checked_for_keywords(text: str) -> None:
    assert OURS.keyword_of(text) in {None, *ConsentKeyword}
