"""Identifiers have one normal form, in `shared.identity`: no other module has a rule of its own."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import pytest

from operations.command_line.arguments import display_phone
from shared.identity import addresses

ROOT = Path(__file__).parents[3]
FOLDERS = ("functions", "layers/shared/shared", "operations")
SOURCES = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py")]
IDENTITY = ROOT / "layers/shared/shared/identity/addresses.py"
# Time zones are of a number that has its normal form.
READS_REGIONS = ROOT / "layers/shared/shared/policy/zones.py"
RULES = {
    "a library for numbers": re.compile(r"^\s*(import|from) phonenumbers", re.MULTILINE),
    "a library for e-mail addresses": re.compile(
        r"^\s*(import|from) email_validator", re.MULTILINE
    ),
    "a prefix of Mexico, Argentina or Brazil": re.compile(
        r"""["'](\\?\+)?(52|521|54|549|55)["'(\[\\]"""
    ),
}


@pytest.mark.parametrize("rule", RULES.values(), ids=list(RULES))
def test_only_the_module_of_addresses_knows_spellings(rule: re.Pattern[str]) -> None:
    found = [
        path.relative_to(ROOT)
        for path in SOURCES
        if path not in {IDENTITY, READS_REGIONS} and rule.search(path.read_text())
    ]

    assert len(SOURCES) > 500
    assert found == []


@pytest.mark.parametrize(
    ("normal", "other"),
    [
        ("5531987654321", "553187654321"),
        ("525512345678", "5215512345678"),
        ("5491123456789", "541123456789"),
    ],
)
def test_all_spellings_of_a_line_have_one_normal_form(normal: str, other: str) -> None:
    assert [addresses.normal_digits(each) for each in (normal, other)] == [normal, normal]
    assert addresses.spellings_of(normal) == addresses.spellings_of(other) == [normal, other]


@pytest.mark.parametrize(
    "digits",
    [
        "447700900101",
        "553132345678",
        "12025550143",
        "120363041234567890",
        "",
        "52551234567",
        "GB.1",
    ],
)
def test_any_other_text_is_its_own_normal_form(digits: str) -> None:
    assert addresses.normal_digits(digits) == digits


@pytest.mark.parametrize(
    ("digits", "spellings"),
    [
        ("525512345678", ["+52 1 55 1234 5678", "5215512345678", "+52 55 1234 5678"]),
        ("447700900101", ["+44 7700 900101", "447700900101", " +44 (0) 7700 900101"]),
    ],
)
def test_a_command_reads_a_number_of_the_company_as_the_api_does(
    digits: str, spellings: list[str]
) -> None:
    assert {display_phone(each) for each in spellings} == {digits}


@pytest.mark.parametrize("text", ["", "+", "44 call me", "7", "+44 7700 900101 ext. 5"])
def test_a_command_refuses_other_text_as_a_number(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="must be a possible phone number"):
        display_phone(text)
