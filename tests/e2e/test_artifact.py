"""
Built and deployed code: bytecode for every module, and handlers that import no more than they need.

`make bench` measures times; these tests check their causes, which are the same on every machine.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from local.bench import cold
from local.stack.builds.build import BUILT
from local.stack.functions import Function, functions_of

if TYPE_CHECKING:
    from tests.e2e.conftest import Deployed

pytestmark = [pytest.mark.e2e, pytest.mark.long]
LAYERS = (BUILT / "SharedLayer", BUILT / "ExportsLayer")
LIMIT = 262_144_000  # of a function with its layers, unzipped
MOST_OF_IT = 0.75
INGRESS = ["WhatsAppSocial", "WhatsAppWebhook"]
MOST_TIMES_BARE = 2.6  # modules, for all others
# Flags of a .pyc with a hash that Python does not compare with the source (PEP 552).
UNCHECKED_HASH = 0b01
# No models, parsers, routes or batches: the provider waits for these functions.
HEAVY = {
    "pydantic",
    "cryptography",
    "asyncio",
    "aws_lambda_powertools.event_handler",
    "aws_lambda_powertools.utilities.batch",
    "aws_lambda_powertools.utilities.data_classes",
    "aws_lambda_powertools.utilities.idempotency",
    "aws_lambda_powertools.utilities.parser",
    "aws_lambda_powertools.utilities.parameters",
}
# Imported at the first event that needs them.
RARE = {
    "whatsapp.worker.updates",
    "whatsapp.store.items.accounts",
    "whatsapp.store.items.campaigns",
    "whatsapp.store.items.counts",
    "whatsapp.store.items.groups",
    "whatsapp.store.items.register",
    "whatsapp.store.items.catalogs",
    "whatsapp.store.items.templates",
    "whatsapp.store.items.tenants",
}


@pytest.fixture(scope="module")
def functions(deployed: Deployed) -> dict[str, Function]:
    return functions_of(deployed.stack)


@pytest.fixture(scope="module")
def bare(deployed: Deployed) -> cold.Import:
    return cold.import_of(cold.bare_functions(deployed.stack)[0])


@pytest.fixture(scope="module")
def imports(functions: dict[str, Function]) -> dict[str, cold.Import]:
    return {name: cold.import_of(function) for name, function in functions.items()}


def test_each_module_of_functions_and_layer_has_bytecode_that_python_does_not_recompile(
    functions: dict[str, Function],
) -> None:
    folders = [*LAYERS, *(function.folder for function in functions.values())]
    modules = [path for folder in folders for path in folder.rglob("*.py")]
    compiled = {path: importlib.util.cache_from_source(str(path)) for path in modules}

    assert len(modules) > 1_000
    assert [path for path, cached in compiled.items() if _flags(cached) != UNCHECKED_HASH] == []


def test_a_function_with_both_layers_has_at_most_three_quarters_of_the_size_that_lambda_allows(
    functions: dict[str, Function],
) -> None:
    largest = max(_bytes(function.folder) for function in functions.values())

    assert sum(map(_bytes, LAYERS)) + largest < MOST_OF_IT * LIMIT


def _bytes(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _flags(cached: str) -> int | None:
    path = Path(cached)
    return int.from_bytes(path.read_bytes()[4:8], "little") if path.is_file() else None


@pytest.mark.parametrize("name", INGRESS)
def test_the_inbound_handlers_import_no_slow_modules(
    imports: dict[str, cold.Import], name: str
) -> None:
    loaded = set(imports[name].modules)

    assert "boto3" in loaded
    assert loaded & HEAVY == set()


def test_the_inbox_worker_imports_no_items_of_rare_events_and_nothing_that_runs_concurrently(
    imports: dict[str, cold.Import],
) -> None:
    loaded = set(imports["WhatsAppWorker"].modules)

    assert "whatsapp.store.items.messages" in loaded
    assert loaded & RARE == set()


def test_no_handler_imports_much_more_than_an_empty_one(
    imports: dict[str, cold.Import], bare: cold.Import
) -> None:
    times = {name: len(taken.modules) / len(bare.modules) for name, taken in imports.items()}

    assert {name: ratio for name, ratio in times.items() if name in INGRESS and ratio > 1.3} == {}
    # The help desk's worker and admin API also import a lease by Powertools, a classifier and decisions.
    assert {name: ratio for name, ratio in times.items() if ratio > MOST_TIMES_BARE} == {}
