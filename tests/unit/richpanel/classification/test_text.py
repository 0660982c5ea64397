"""Extraction of the customer's own text from a mail."""

from richpanel.classification.text import plain
from tests.cases import each


@each(
    ("raw", "written"),
    [
        ("<p>Where is <b>my</b> order?</p><style>p{color:red}</style>", "Where is my order?"),
        ("Where&#39;s my order &amp; refund", "Where's my order & refund"),
        ("wh\u200bere is it", "where is it"),
        ("\uff37here", "Where"),
        ("ch\u0430rgeback", "chargeback"),
        (
            "Please cancel.\n\nOn Mon, Mar 3, 2025 Support <a@example.com> wrote:\n> You could sue us",
            "Please cancel.",
        ),
        (
            "On Mon, Mar 3, 2025 Support <a@example.com> wrote:\n> I will sue you\n\nWhere is it?",
            "Where is it?",
        ),
        ("Where is it?\n-----Original Message-----\nFrom: us\ncancel my order", "Where is it?"),
        (
            "Refund me\n\nFrom: Shop <a@example.com>\nSent: Monday\nTo: Ann\nSubject: legal\n\nold text",
            "Refund me",
        ),
        ("Any news?\n\nBest regards,\nSue Attorney\nACME", "Any news?\n\nBest regards,"),
        ("Any news?\nSent from my iPhone", "Any news?"),
        (
            "Any news?\nThis e-mail is confidential. Unauthorised use may lead to legal action.",
            "Any news?",
        ),
    ],
)
def test_markup_quotes_and_signatures_are_removed(raw: str, written: str) -> None:
    assert plain(raw).strip() == written


def test_a_forwarded_text_without_own_text_is_the_message() -> None:
    forwarded = "---------- Forwarded message ---------\nFrom: Ann\nMy mug came broken"

    assert "My mug came broken" in plain(forwarded)


def test_text_after_a_sign_off_is_kept_if_it_has_content() -> None:
    assert "Please cancel my order 1234" in plain("Thanks,\nAnn\nPS: Please cancel my order 1234")
