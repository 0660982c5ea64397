"""The rules of the shop's stored settings. An error names the field and the rule."""

import json
from dataclasses import replace
from typing import Any

import pytest

from richpanel.classification import Language
from richpanel.classification.taxonomy import Team
from richpanel.configuration import account, shop_settings
from richpanel.configuration.account_settings import Account
from richpanel.configuration.shop_settings import MOST_BYTES, SettingsInvalid
from richpanel.decisions.templates.catalogue import Variant, standard_wordings
from richpanel.decisions.templates.wordings import has_wording
from richpanel.recovery import drift
from shared.aws.sqs_fifo import to_json
from tests.cases import each

RETURN = "t_return_request_intake"
OWN = {"default": "Bring it back.\n\n{{support_signature}}", "livechat": "Bring it back."}
GERMAN = {"default": "Bitte antworten Sie.", "livechat": "Bitte antworten Sie."}


def applied(**fields: Any) -> Account:
    settings = shop_settings.parse(fields)
    return shop_settings.applied(
        account.read('{"support_signature": "The shop"}', {}),
        shop_settings.read(to_json(settings.as_fields())),
        7,
    )


def test_without_settings_all_values_are_the_standard_ones() -> None:
    standard = account.read('{"support_signature": "The shop"}', {})
    shop = replace(standard.shop, settings_version=7)
    assert applied() == replace(standard, shop=shop)


def test_an_own_wording_replaces_that_of_its_template_and_language_only() -> None:
    wordings = applied(templates={RETURN: {"en": OWN}}).shop.wordings

    standard = standard_wordings[RETURN]
    assert wordings[RETURN][Language.ENGLISH][Variant.LIVECHAT] == ("Bring it back.",)
    assert wordings[RETURN][Language.SPANISH] == standard[Language.SPANISH]
    assert {**wordings, RETURN: standard} == standard_wordings


def test_the_lines_of_an_own_wording_stay_as_they_are() -> None:
    lines = {"default": "We need,\nplease:\nits number", "livechat": "a\nb"}

    wordings = applied(templates={RETURN: {"en": lines}}).shop.wordings

    assert wordings[RETURN][Language.ENGLISH][Variant.DEFAULT] == (lines["default"],)


def test_a_language_is_added_by_its_wordings_and_removed_by_the_list_of_languages() -> None:
    added = applied(templates={RETURN: {"de": GERMAN}}).shop.wordings
    removed = applied(languages=["en"]).shop.wordings

    assert has_wording(added, RETURN, Language.GERMAN)
    assert not has_wording(added, "t_refund_request_intake", Language.GERMAN)
    assert {language for by_language in removed.values() for language in by_language} == {"en"}


def test_a_reply_has_the_signature_of_the_brand_that_the_customer_wrote_to() -> None:
    brand = {"signature": "Acme Bikes", "addresses": ["Bikes@Acme.example"]}
    changed = applied(brands={"bikes": brand})

    assert changed.signature_for("bikes@acme.example") == "Acme Bikes"
    assert changed.signature_for("other@acme.example") == "The shop"
    assert changed.signature_for(None) == "The shop"


def test_the_help_desk_is_searched_for_a_team_by_its_own_name() -> None:
    names = drift.expected(applied(team_names={"returns": "Retouren"}).shop)

    assert "Retouren" in names.teams
    assert drift.expected(applied().shop).tags == names.tags


@each(
    ("fields", "field", "problem"),
    [
        ({"colour": "red"}, "colour", "Extra inputs are not permitted"),
        ({"languages": []}, "languages", "at least one language"),
        ({"languages": ["xx"]}, "languages.0", "Input should be 'en'"),
        ({"languages": ["unknown"]}, "languages", "is not a language of replies"),
        ({"team_names": {"sales": ""}}, "team_names.sales", "at least 1 character"),
        ({"team_names": {"sales": "a\nb"}}, "team_names.sales", "must be one line"),
        ({"team_names": {"warehouse": "a"}}, "team_names.warehouse", "Input should be 'sales'"),
        ({"brands": {"a": {"signature": "A"}}}, "brands.a.addresses", "Field required"),
        (
            {"brands": {"a": {"signature": "A", "addresses": ["no address"]}}},
            "brands.a.addresses.0",
            "must be one e-mail address",
        ),
        (
            {"brands": {"a": {"signature": "A", "addresses": ["a@b.example", "A@b.example"]}}},
            "brands.a.addresses.1",
            "is given twice",
        ),
        ({"templates": {"t_x": {"en": OWN}}}, "templates.t_x", "not a template of the catalogue"),
        (
            {"templates": {RETURN: {"en": {"default": "x"}}}},
            f"templates.{RETURN}.en.livechat",
            "required",
        ),
        (
            {"templates": {RETURN: {"en": OWN | {"livechat": "{{#first_name}}x"}}}},
            f"templates.{RETURN}.en.livechat",
            "section first_name is not closed",
        ),
        (
            {"templates": {RETURN: {"en": OWN | {"default": "{{order_id}}"}}}},
            f"templates.{RETURN}.en.default",
            f"order_id is not a variable of {RETURN}",
        ),
        (
            {"templates": {RETURN: {"en": OWN | {"default": "x" * 1_001}}}},
            f"templates.{RETURN}.en.default",
            "over 1000 characters",
        ),
        (
            {"templates": {"t_order_status_verified": {"es": GERMAN}}},
            "templates.t_order_status_verified.es",
            "in English only",
        ),
        (
            {"languages": ["en"], "templates": {RETURN: {"de": GERMAN}}},
            f"templates.{RETURN}.de",
            "is not in languages",
        ),
        ([], "settings", "valid dictionary"),
    ],
)
def test_each_rule_is_named_with_its_field(fields: Any, field: str, problem: str) -> None:
    with pytest.raises(SettingsInvalid) as refusal:
        shop_settings.parse(fields)

    (only,) = refusal.value.problems
    assert only["field"] == field
    assert problem in only["problem"]


def test_every_broken_rule_is_reported_at_once() -> None:
    fields = {"templates": {"t_x": {"en": OWN}, RETURN: {"en": OWN | {"default": "{"}}}}

    with pytest.raises(SettingsInvalid) as refusal:
        shop_settings.parse(fields)

    assert [p["field"] for p in refusal.value.problems] == [
        "templates.t_x",
        f"templates.{RETURN}.en.default",
    ]


def test_settings_are_at_most_a_hundred_kilobytes() -> None:
    brands = {
        f"{number:02}{'n' * 90}": {
            "signature": "s" * 100,
            "addresses": [f"{'a' * 60}{number}.{each}@{'b' * 60}.example" for each in range(20)],
        }
        for number in range(50)
    }
    assert len(json.dumps(brands)) > MOST_BYTES

    with pytest.raises(SettingsInvalid, match="settings: over 100000 bytes"):
        shop_settings.parse({"brands": brands})


def test_the_largest_team_name_is_stored_as_given() -> None:
    assert applied(team_names={"sales": "é" * 100}).shop.team_names == {Team.SALES: "é" * 100}
