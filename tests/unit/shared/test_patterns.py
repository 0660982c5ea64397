"""The rule of every pattern of every model is in words."""

from __future__ import annotations

import importlib
import pkgutil
import re
from typing import TYPE_CHECKING, Annotated

import pytest
from pydantic import BaseModel, Field, TypeAdapter, ValidationError

import console
import conversations
import email_threads
import newsletters
import richpanel
import shared
import whatsapp
from shared.runtime.validation import patterns
from shared.runtime.validation.validation_errors import errors_of, rule_of
from tests.cases import each

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

PACKAGES = (console, conversations, email_threads, newsletters, richpanel, shared, whatsapp)
OF_ALL_SCRIPTS = ("\\d", "\\w")
# Names that a project's settings may write in any script.
IN_ANY_SCRIPT = r"^\w{1,64}$"


def models(package: ModuleType) -> None:
    """Import all modules of a package that need no environment: handlers declare no models."""
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if ".handlers." not in module.name and not module.name.endswith(".__main__"):
            importlib.import_module(module.name)


def subclasses(model: type[BaseModel]) -> Iterator[type[BaseModel]]:
    for one in model.__subclasses__():
        yield one
        yield from subclasses(one)


def found_in(schema: object) -> Iterator[str]:
    if isinstance(schema, dict):
        if isinstance(pattern := schema.get("pattern"), str):
            yield pattern
        for part in (*schema.values(), *schema.get("patternProperties", ())):
            yield from found_in(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from found_in(part)
    elif isinstance(schema, str) and schema.startswith("^"):
        yield schema  # of the names in a dict


@pytest.fixture(scope="module")
def declared() -> set[str]:
    for package in PACKAGES:
        models(package)
    ours = tuple(f"{one.__name__}." for one in PACKAGES)
    return {
        pattern
        for model in subclasses(BaseModel)
        if model.__module__.startswith(ours)
        for pattern in found_in(model.model_json_schema())
    }


@pytest.mark.long
def test_every_pattern_of_every_model_has_a_rule_in_words(declared: set[str]) -> None:
    rules = {pattern: patterns.rule_of(pattern) for pattern in declared}
    without = {one for one, rule in rules.items() if rule == patterns.NO_WORDS or one in rule}

    assert len(rules) > 90
    assert without == set()
    assert not any(re.search(r"[\^$\\{}]", rule) for rule in rules.values())


@pytest.mark.long
def test_the_example_of_a_rule_fits_its_pattern(declared: set[str]) -> None:
    examples = {
        pattern: rule.rpartition(" such as ")[2]
        for pattern in declared
        if " such as " in (rule := patterns.rule_of(pattern))
    }

    assert len(examples) > 20
    for pattern, example in examples.items():
        TypeAdapter(Annotated[str, Field(pattern=pattern)]).validate_python(example)


@pytest.mark.long
def test_digits_of_other_scripts_fit_no_pattern(declared: set[str]) -> None:
    assert {one for one in declared if any(sign in one for sign in OF_ALL_SCRIPTS)} == {
        IN_ANY_SCRIPT
    }


@each(
    "pattern,rule",
    [
        (r"^[A-Z]{2}$", "must have 2 characters of A-Z"),
        (r"^[A-Za-z0-9._:/-]{1,64}$", "must have 1 to 64 characters of A-Z a-z 0-9 . _ : / -"),
        (r"^[a-z0-9]+$", "must have 1 or more characters of a-z 0-9"),
        (r"^[a-z][a-z0-9_]{0,39}$", "must have 1 to 40 characters of a-z 0-9 _, the first of a-z"),
        (r"^[!-~]{1,128}$", "must have 1 to 128 characters of printable ASCII without blanks"),
        (r"^a|b$", patterns.NO_WORDS),
    ],
)
def test_a_pattern_of_classes_says_its_rule(pattern: str, rule: str) -> None:
    assert patterns.rule_of(pattern) == rule


def test_an_error_has_the_rule_and_neither_the_pattern_nor_the_value() -> None:
    try:
        TypeAdapter(Annotated[str, Field(pattern=patterns.TIME)]).validate_python("٠٨:٣٠")
    except ValidationError as refusal:
        (error,) = errors_of(refusal)

    assert rule_of(error) == "must be a time such as 08:30"
