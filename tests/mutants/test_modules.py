"""The lists of `make mutants`: modules with their tests, and the recorded scores."""

import json
import tomllib
from pathlib import Path

from local.stack.processes import ROOT

HERE = Path(__file__).parent
CONTEXTS: dict[str, dict[str, list[str]]] = tomllib.loads((HERE / "modules.toml").read_text())


def test_each_context_has_five_modules_with_scores() -> None:
    names = [name for modules in CONTEXTS.values() for name in modules]

    assert {context: len(modules) for context, modules in CONTEXTS.items()} == dict.fromkeys(
        ("conversations", "email_threads", "newsletters", "richpanel", "whatsapp"), 5
    )
    assert set(json.loads((HERE / "scores.json").read_text())) == set(names)


def test_each_module_and_each_file_of_its_tests_exists() -> None:
    files = [
        file
        for modules in CONTEXTS.values()
        for name, tests in modules.items()
        for file in (name, *tests)
    ]

    assert [file for file in files if not (ROOT / file).is_file()] == []
