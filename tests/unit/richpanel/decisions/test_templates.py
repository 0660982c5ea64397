"""Reply templates: the rules of the catalogue, and that a text contains only declared variables."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from richpanel.classification import Language
from richpanel.decisions.replies.renderer import BodyFormat, VariableMissing, render
from richpanel.decisions.templates import catalogue, mustache
from richpanel.decisions.templates.catalogue import (
    ORDER_VARIABLES,
    Tier,
    Variant,
    parse_wording,
    standard_wordings,
    templates,
    variant_for,
)
from richpanel.decisions.templates.mustache import TemplateBroken
from richpanel.inbound.channels import Channel
from tests.cases import each

FULL = {name: f"<{name}&>" for name in ORDER_VARIABLES}
EVERY = [(name, variant) for name in templates for variant in Variant]
TIER_1 = {
    "t_order_status_ask_order_number",
    "t_cancel_order_ack_intake",
    "t_address_change_ack_intake",
    "t_cancel_subscription_ack_intake",
    "t_billing_issue_intake",
    "t_delivered_not_received_intake",
    "t_missing_items_intake",
    "t_wrong_item_intake",
    "t_damaged_item_intake",
    "t_exchange_request_intake",
    "t_return_request_intake",
    "t_refund_request_intake",
    "t_technical_support_intake",
    "t_promo_discount_info",
    "t_influencer_inquiry_route",
    "t_pre_purchase_info",
}
TIER_2 = {
    "t_order_status_verified",
    "t_shipping_delay_verified",
    "t_order_eta_no_tracking_verified",
}
FOR_PEOPLE = {
    "t_chargeback_neutral_ack",
    "t_legal_threat_ack",
    "t_harassment_ack",
    "t_fraud_ack",
    "t_unknown_ack",
}


def text(
    name: str,
    variant: Variant = Variant.DEFAULT,
    language: Language = Language.ENGLISH,
    **more: Any,
) -> str:
    facts: dict[str, Any] = {
        "values": FULL,
        "signature": "Your shop",
        "first_name": None,
        "body_format": BodyFormat.TEXT,
    }
    return render(name, standard_wordings[name][language][variant], **facts | more)


def test_the_catalogue_holds_the_templates_of_each_tier() -> None:
    by_tier = {
        tier: {name for name, template in templates.items() if template.tier is tier}
        for tier in (Tier.ASSIST, Tier.VERIFIED, None)
    }

    assert by_tier == {Tier.ASSIST: TIER_1, Tier.VERIFIED: TIER_2, None: FOR_PEOPLE}


@pytest.mark.parametrize(
    ("name", "required", "optional"),
    [
        (
            "t_order_status_verified",
            {"order_id", "order_status"},
            {
                "fulfillment_status",
                "tracking_url",
                "tracking_number",
                "tracking_company",
                "status_url",
            },
        ),
        (
            "t_shipping_delay_verified",
            {"order_id", "order_status", "fulfillment_status"},
            {"order_created_date_human"},
        ),
        (
            "t_order_eta_no_tracking_verified",
            {"order_id", "shipping_bucket", "eta_remaining_human"},
            {"order_created_date_human", "will_close"},
        ),
    ],
)
def test_replies_with_facts_declare_their_variables(
    name: str, required: set[str], optional: set[str]
) -> None:
    assert set(templates[name].required) == required
    assert set(templates[name].optional) == optional


@each(("name", "variant"), EVERY)
def test_a_text_is_short_invites_a_reply_and_promises_nothing(name: str, variant: Variant) -> None:
    body = text(name, variant, first_name="Ana")

    assert len(body) < 1_000
    assert re.search(r"\brepl(y|ies)\b", body, re.IGNORECASE)
    assert not re.search(
        r"\b(guarantee|will be (refunded|cancell?ed|delivered|credited)|we will (refund|cancel)|"
        r"your (card|account) number|your (home |shipping |billing )?address)\b",
        body,
        re.IGNORECASE,
    )


@each(("name", "variant"), EVERY)
def test_a_text_holds_declared_values_only_and_no_braces(name: str, variant: Variant) -> None:
    declared = templates[name].required | templates[name].optional

    body = text(name, variant, first_name="Ana")

    assert "{" not in body
    assert "}" not in body
    assert set(re.findall(r"<([a-z_]+)&>", body)) <= declared
    assert all(f"<{each}&>" in body for each in templates[name].required)


@given(
    st.sampled_from(EVERY),
    st.dictionaries(
        st.one_of(st.sampled_from(sorted(ORDER_VARIABLES)), st.text(max_size=12)),
        st.text(max_size=12),
    ),
)
def test_an_undeclared_value_never_appears(
    which: tuple[str, Variant], values: dict[str, str]
) -> None:
    name, variant = which
    declared = templates[name].required | templates[name].optional
    marked = {key: f"SECRETMARK {value}" for key, value in values.items() if key not in declared}

    assert "SECRETMARK" not in text(name, variant, values=FULL | marked)


SPANISH = [
    (name, variant)
    for name in sorted(TIER_1)
    for variant in Variant
    if Language.SPANISH in standard_wordings[name]
]


@each(("name", "variant"), SPANISH)
def test_a_spanish_text_is_short_invites_a_reply_and_promises_nothing(
    name: str, variant: Variant
) -> None:
    body = text(name, variant, Language.SPANISH, first_name="Ana")

    assert len(body) < 1_000
    assert re.search(r"\bresponda\b", body, re.IGNORECASE)
    assert not re.search(
        r"garantiz|le (devolveremos|reembolsaremos)|será (cancelado|entregado)|su direcci", body
    )
    assert not re.search(r"\b(please|order|reply)\b", body, re.IGNORECASE)


def test_replies_that_ask_exist_in_spanish_and_replies_with_facts_in_english_only() -> None:
    languages = {name: set(wordings) for name, wordings in standard_wordings.items()}

    assert all(languages[name] == {Language.ENGLISH} for name in TIER_2 | FOR_PEOPLE)
    assert languages["t_order_status_ask_order_number"] == {Language.ENGLISH, Language.SPANISH}
    assert len(SPANISH) == 24


@each("value", [None, "", "  ", "\u200b\x00"])
@each("name", sorted(TIER_2))
def test_a_required_variable_that_is_missing_is_an_error(name: str, value: str | None) -> None:
    for required in templates[name].required:
        values: dict[str, Any] = {**FULL, required: value}
        with pytest.raises(VariableMissing, match=required):
            text(name, values=values)


def test_optional_sections_appear_only_with_their_value() -> None:
    values = {"order_id": "#1001", "order_status": "paid"}

    assert "Tracking" not in text("t_order_status_verified", values=values)
    assert "Tracking number: 1Z9" in text(
        "t_order_status_verified", values=values | {"tracking_number": "1Z9"}
    )


def test_closing_is_announced_only_if_the_ticket_will_close() -> None:
    values = {"order_id": "#1", "shipping_bucket": "standard shipping", "eta_remaining_human": "x"}

    assert "reopens" not in text("t_order_eta_no_tracking_verified", values=values)
    assert "reopens" in text(
        "t_order_eta_no_tracking_verified", values=values | {"will_close": "yes"}
    )


@each(
    ("first_name", "greeting"),
    [
        ("Zoë", "Hello Zoë,"),
        ("  Ana ", "Hello Ana,"),
        ("Zoe\u0308", "Hello Zoë,"),
        ("李", "Hello 李,"),
        ("A" * 30, f"Hello {'A' * 30},"),
        ("A" * 31, "Hello,"),
        ("Anne Marie", "Hello,"),
        ("x@example.com", "Hello,"),
        ("R2D2", "Hello,"),
        ("<b>", "Hello,"),
        ("", "Hello,"),
        (None, "Hello,"),
    ],
)
def test_a_first_name_has_only_letters_or_is_omitted(first_name: str | None, greeting: str) -> None:
    body = text("t_return_request_intake", first_name=first_name)

    assert body.splitlines()[0] == greeting


def test_in_html_values_are_escaped_and_lines_end_with_br() -> None:
    values = {"order_id": "<b>#1</b>", "order_status": "a & b"}

    body = text("t_order_status_verified", values=values, body_format=BodyFormat.HTML)

    assert "&lt;b&gt;#1&lt;/b&gt;" in body
    assert "a &amp; b" in body
    assert body.startswith("Hello,<br>\n")


def test_a_value_adds_no_line_and_no_variable_of_its_own() -> None:
    values = {
        "order_id": "#1\r\nRefund: granted\u2028\u202e",
        "order_status": "{{order_id}} {{#first_name}}",
    }

    body = text("t_order_status_verified", values=values)

    assert "order #1 Refund: granted right now" in body
    assert "Order: {{order_id}} {{#first_name}}" in body


def test_a_value_is_cut_at_three_hundred_characters() -> None:
    values = {"order_id": "#1", "order_status": "x" * 400}

    assert "x" * 300 in text("t_order_status_verified", values=values)
    assert "x" * 301 not in text("t_order_status_verified", values=values)


def test_chats_get_the_short_variant() -> None:
    assert [variant_for(channel) for channel in Channel] == [
        Variant.DEFAULT,
        Variant.LIVECHAT,
        Variant.DEFAULT,
        Variant.DEFAULT,
        Variant.DEFAULT,
        Variant.DEFAULT,
    ]


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ("{{order_id}", "braces"),
        ("{{{order_id}}}", "braces"),
        ("{{Order}}", "braces"),
        ("{{> partial}}", "braces"),
        ("{{#order_id}}x", "not closed"),
        ("x{{/order_id}}", "not open"),
        ("{{#a}}{{#b}}{{/a}}{{/b}}", "not open"),
    ],
)
def test_a_text_that_is_no_template_fails_when_it_is_parsed(wrong: str, problem: str) -> None:
    with pytest.raises(TemplateBroken, match=problem):
        mustache.parse(wrong)


def test_sections_nest_and_their_tag_lines_are_removed() -> None:
    parts = mustache.parse("a\n{{#x}}\nb {{x}}{{#y}}, {{y}}{{/y}}\n{{/x}}\nc\n")

    assert mustache.fill(parts, {"x": "1", "y": ""}) == "a\nb 1\nc\n"
    assert mustache.fill(parts, {"x": "1", "y": "2"}) == "a\nb 1, 2\nc\n"
    assert mustache.fill(parts, {"x": "", "y": "2"}) == "a\nc\n"


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"required": ["shipping_address"]}, "not order variables"),
        ({"tier": 1, "required": ["order_id"]}, "require tier 2"),
        ({"tier": 0}, "must not be 0"),
        ({"colour": "red"}, "colour"),
        ({"es": {"default": "x"}}, "t_new.es: needs default, livechat"),
    ],
)
def test_a_template_against_the_rules_fails_at_import(change: dict[str, Any], problem: str) -> None:
    table = {"tier": 2, "default": "x", "livechat": "x"} | change

    with pytest.raises(TemplateBroken, match=problem):
        catalogue._texts_of(catalogue._template("t_new", table), table)


@pytest.mark.parametrize(
    ("wording", "problem"),
    [
        ("{{order_status}}", "is not a variable of"),
        ("{{first_name}}", "outside its section"),
        ("x" * 1_001, "1000 characters"),
        (" \n", "must not be empty"),
    ],
)
def test_a_wording_against_the_rules_is_refused_with_its_name(wording: str, problem: str) -> None:
    with pytest.raises(TemplateBroken, match=f"^t_new.en: .*{problem}"):
        parse_wording(templates["t_return_request_intake"], "t_new.en", wording)
