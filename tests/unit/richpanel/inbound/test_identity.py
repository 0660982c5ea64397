"""The sender of a message: equality of addresses, and the author of a comment."""

from typing import Any

import pytest

from richpanel.clients.tickets import Comment, Ticket
from richpanel.guards.identity import normal_address, reached_by, sender_of
from tests.cases import each

JANE = "jane.doe@shop-mail.example"


@pytest.mark.parametrize(
    "text",
    [
        "jane.doe@shop-mail.example",
        "Jane.Doe@Shop-Mail.Example",
        "JANE.DOE@SHOP-MAIL.EXAMPLE",
        "  jane.doe@shop-mail.example\n",
    ],
)
def test_letter_case_and_surrounding_spaces_are_ignored(text: str) -> None:
    assert normal_address(text) == JANE


@each(
    "text",
    [
        "janedoe@shop-mail.example",
        "jane.d.oe@shop-mail.example",
        "jane.doe+shop@shop-mail.example",
        "jane-doe@shop-mail.example",
        "jane.doe@shopmail.example",
        "jane.doe@mail.shop-mail.example",
        "jane.doe@shop-mail.example.evil.example",
        "jane.d\u043ee@shop-mail.example",  # Cyrillic o
        "j\uff41ne.doe@shop-mail.example",  # a of full width
        "jane.doe\u0301@shop-mail.example",  # with a combining accent
        "ja\u200bne.doe@shop-mail.example",
        "jane.doe@sh\u043ep-mail.example",
        "jane.doe@shop\u2010mail.example",  # another hyphen
        '"jane.doe"@shop-mail.example',
        "jane.doe@[192.0.2.1]",
    ],
)
def test_a_lookalike_address_is_a_different_address(text: str) -> None:
    assert normal_address(text) != JANE


def test_a_character_whose_lower_case_is_an_ascii_letter_is_not_that_letter() -> None:
    assert normal_address("\u212aate@shop-mail.example") != normal_address("kate@shop-mail.example")
    assert normal_address("\u0130da@shop-mail.example") != normal_address("ida@shop-mail.example")


def test_a_domain_is_the_same_in_its_two_forms() -> None:
    assert normal_address("jane@b\u00fccher-mail.com") == "jane@xn--bcher-mail-9db.com"
    assert normal_address("jane@XN--BCHER-MAIL-9DB.com") == "jane@xn--bcher-mail-9db.com"


@each(
    "text",
    [
        None, "", " ", "jane", "@shop-mail.example", "jane@", "jane@@shop-mail.example", "jane@shop-mail..example",
        "Jane <jane@shop-mail.example>", "jane@shop-mail.example, joe@shop-mail.example",
        "jane@shop-mail.example;joe@shop-mail.example", "jane@shop-mail.example joe@shop-mail.example",
        "jane@shop-mail.example\nBcc: joe@shop-mail.example", "mailto:jane@", "jane@shop-mail.example>",
    ],
)  # fmt: skip
def test_a_text_that_is_not_exactly_one_address_is_rejected(text: str | None) -> None:
    assert normal_address(text) is None


def comment(author: str | None = "customer-1", **change: Any) -> dict[str, Any]:
    facts = {"id": "m-1", "author_id": author, "is_operator": False, "created_at": "2026-03-02T12:00:00Z"}  # fmt: skip
    return facts | change


def sent_by(address: str | None) -> dict[str, Any]:
    return {"source": {"from": {"address": address}}}


def sender(ticket: dict[str, Any], number: int = -1) -> str | None:
    read = Ticket.model_validate({"id": "t-1"} | ticket)
    return sender_of(read, read.in_order[number])


LATER = {"id": "m-2", "created_at": "2026-03-02T12:05:00Z"}


def test_the_first_message_of_a_ticket_is_by_its_sender() -> None:
    assert sender({"via": sent_by("Jane.Doe@shop-mail.example"), "comments": [comment()]}) == JANE


def test_a_later_message_of_the_same_author_is_by_the_sender() -> None:
    ticket = {"via": sent_by(JANE), "comments": [comment(), comment(**LATER)]}

    assert sender(ticket) == JANE


def test_the_profiles_address_replaces_a_missing_one() -> None:
    profile = {"customer_profile": {"email": "JANE.DOE@shop-mail.example"}}

    assert sender({**profile, "comments": [comment()]}) == JANE
    assert sender({**profile, "via": sent_by("joe@x.example"), "comments": [comment()]}) == "joe@x.example"  # fmt: skip


def test_another_author_in_the_ticket_is_not_its_sender() -> None:
    ticket = {"via": sent_by(JANE), "comments": [comment(), comment("customer-2", **LATER)]}

    assert sender(ticket) is None
    assert sender(ticket, 0) == JANE


@pytest.mark.parametrize("authors", [(None, "customer-1"), ("customer-1", None), (None, None)])
def test_a_later_message_of_an_unknown_author_does_not_identify_the_sender(
    authors: tuple[str | None, str | None],
) -> None:
    comments = [comment(authors[0]), comment(authors[1], **LATER)]

    assert sender({"via": sent_by(JANE), "comments": comments}) is None


def test_a_message_with_its_own_address_must_match_the_sender() -> None:
    other = comment(**LATER, via=sent_by("joe@shop-mail.example"))
    own = comment(**LATER, via=sent_by("JANE.doe@shop-mail.example"))
    broken = comment(**LATER, via=sent_by("jane"))

    assert sender({"via": sent_by(JANE), "comments": [comment(), other]}) is None
    assert sender({"via": sent_by(JANE), "comments": [comment(), broken]}) is None
    assert sender({"via": sent_by(JANE), "comments": [comment(), own]}) == JANE


@pytest.mark.parametrize("flag", [True, None, "perhaps"])
def test_only_a_customers_message_has_a_sender(flag: object) -> None:
    assert sender({"via": sent_by(JANE), "comments": [comment(is_operator=flag)]}) is None


def test_a_ticket_opened_by_an_agent_belongs_to_its_first_customer() -> None:
    opened = comment("agent-7", is_operator=True, id="m-0", created_at="2026-03-02T11:00:00Z")

    assert sender({"via": sent_by(JANE), "comments": [opened, comment()]}) == JANE


def test_an_address_in_the_text_does_not_identify_the_sender() -> None:
    said = comment(body=f"I am {JANE}, call 555 0100")

    assert sender({"via": {"channel": "email"}, "comments": [said]}) is None


def test_a_comment_that_is_not_on_the_ticket_has_no_sender() -> None:
    ticket = Ticket.model_validate({"id": "t-1", "via": sent_by(JANE), "comments": [comment()]})
    stranger = Comment.model_validate(comment("customer-2", id="m-9"))

    assert sender_of(ticket, stranger) is None


# Recipients of a reply


def test_recipients_of_a_reply_are_the_addresses_of_ticket_profile_and_message() -> None:
    ticket = Ticket.model_validate(
        {
            "id": "t-1",
            "via": {"source": {"from": {"address": "Jane.Doe@shop-mail.example"}}},
            "customer_profile": {"email": "jane@work.example"},
        }
    )
    target = Comment.model_validate(
        {"id": "m-1", "via": {"source": {"from": {"address": "john@shop-mail.example"}}}}
    )

    reached = (JANE, "jane@work.example", "john@shop-mail.example")
    assert reached_by(ticket, target) == reached
    assert reached_by(ticket, None) == reached[:2]


def test_invalid_and_repeated_addresses_add_no_recipient() -> None:
    ticket = Ticket.model_validate(
        {
            "id": "t-1",
            "via": {"source": {"from": {"address": "+15550100"}}},
            "customer_profile": {"email": JANE},
        }
    )
    target = Comment.model_validate(
        {"id": "m-1", "via": {"source": {"from": {"address": JANE.upper()}}}}
    )

    assert reached_by(ticket, target) == (JANE,)
    assert reached_by(Ticket.model_validate({"id": "t-2"}), None) == ()
