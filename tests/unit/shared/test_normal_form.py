"""Numbers have one normal form, in `shared.identity`: no other module has a rule of its own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from shared.identity import addresses

ROOT = Path(__file__).parents[3]
SOURCES = [*(ROOT / "functions").rglob("*.py"), *(ROOT / "layers/shared/shared").rglob("*.py")]
IDENTITY = ROOT / "layers/shared/shared/identity/addresses.py"
# Time zones are of a number that has its normal form.
READS_REGIONS = ROOT / "layers/shared/shared/policy/zones.py"
RULES = {
    "a library for numbers": re.compile(r"^\s*(import|from) phonenumbers", re.MULTILINE),
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
