"""Subjects without prefixes."""

from email_threads.threading.evidence.subjects import cleaned, is_reply
from tests.cases import each


@each(
    ("subject", "wanted"),
    [
        ("Chairs", "Chairs"),
        ("Re: RE[2]: fwd: Chairs", "Chairs"),
        ("AW: WG: Antw:  Zwölf   Stühle", "Zwölf Stühle"),
        ("回复\uff1aChairs", "Chairs"),
        ("Re:", "(no subject)"),
        ("", "(no subject)"),
        ("Request: chairs", "Request: chairs"),
        ("Return: chairs", "Return: chairs"),
    ],
)
def test_prefixes_of_replies_and_forwards_are_removed(subject: str, wanted: str) -> None:
    assert cleaned(subject) == wanted


def test_a_forward_is_no_reply() -> None:
    assert is_reply("SV: x")
    assert not is_reply("Fwd: Re: x")
