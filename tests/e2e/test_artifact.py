"""
Built and deployed code: bytecode for every module, and its size.

`make bench` measures cold starts; these tests check their causes, which are the same on every machine.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from local.stack.builds.build import BUILT
from local.stack.functions import Function, functions_of

if TYPE_CHECKING:
    from tests.e2e.conftest import Deployed

pytestmark = [pytest.mark.e2e, pytest.mark.long]
LAYERS = (BUILT / "SharedLayer", BUILT / "ExportsLayer")
LIMIT = 262_144_000  # of a function with its layers, unzipped
MOST_OF_IT = 0.8
# Flags of a .pyc with a hash that Python does not compare with the source (PEP 552).
UNCHECKED_HASH = 0b01


@pytest.fixture(scope="module")
def functions(deployed: Deployed) -> dict[str, Function]:
    return functions_of(deployed.stack)


def test_each_module_of_functions_and_layer_has_bytecode_that_python_does_not_recompile(
    functions: dict[str, Function],
) -> None:
    folders = [*LAYERS, *(function.folder for function in functions.values())]
    modules = [path for folder in folders for path in folder.rglob("*.py")]
    compiled = {path: importlib.util.cache_from_source(str(path)) for path in modules}

    assert len(modules) > 1_000
    assert [path for path, cached in compiled.items() if _flags(cached) != UNCHECKED_HASH] == []


def test_a_function_with_both_layers_has_at_most_four_fifths_of_the_size_that_lambda_allows(
    functions: dict[str, Function],
) -> None:
    largest = max(_bytes(function.folder) for function in functions.values())

    assert sum(map(_bytes, LAYERS)) + largest < MOST_OF_IT * LIMIT


def _bytes(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _flags(cached: str) -> int | None:
    path = Path(cached)
    return int.from_bytes(path.read_bytes()[4:8], "little") if path.is_file() else None
