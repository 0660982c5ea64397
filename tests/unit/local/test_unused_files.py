"""Layers without unused files: what is removed, what stays, and the size of the largest function."""

import ast
import re
from collections.abc import Iterator
from importlib.metadata import distribution
from pathlib import Path

import botocore
import pytest

from local.stack.builds import unused_files
from local.stack.processes import ROOT

LIMIT = 262_144_000  # of a function with its layers, unzipped
MOST_OF_IT = 0.8
BYTECODE = 1.6  # bytes for each byte of source, at most, over all packages and our code
SHARED, EXPORTS = Path("SharedLayer/python"), Path("ExportsLayer/python")


def locked(layer: str) -> list[str]:
    """The packages of a layer."""
    lines = (ROOT / "layers" / layer / "requirements.txt").read_text().splitlines()
    return [found[1] for line in lines if (found := re.match(r"([\w.-]+)==", line))]


def linked(packages: list[str], layer: Path) -> None:
    """Put the files of installed packages into a layer, as links."""
    for package in packages:
        for file in distribution(package).files or []:
            if ".." in file.parts or "__pycache__" in file.parts:
                continue
            (layer / file).parent.mkdir(parents=True, exist_ok=True)
            (layer / file).symlink_to(Path(str(file.locate())).resolve())


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The layers with the versions of the lock files, before anything is removed from a copy."""
    folder = tmp_path_factory.mktemp("built")
    linked(locked("shared"), folder / SHARED)
    linked(locked("exports"), folder / EXPORTS)
    unused_files.remove(folder)
    return folder


def unzipped(folder: Path) -> float:
    """The size of a folder with the bytecode that it gets."""
    files = [
        path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts
    ]
    return sum(
        file.stat().st_size * (1 + BYTECODE if file.suffix == ".py" else 1) for file in files
    )


@pytest.mark.long
def test_the_function_that_renders_has_at_most_four_fifths_of_the_size_that_lambda_allows(
    built: Path,
) -> None:
    own = [ROOT / "functions", ROOT / "layers" / "shared", ROOT / "layers" / "exports"]

    assert sum(map(unzipped, [*own, built])) < MOST_OF_IT * LIMIT


def test_names_of_places_and_networks_are_removed_and_no_code_imports_them(built: Path) -> None:
    left = {path.name for path in (built / SHARED / "phonenumbers").iterdir()}
    removed = {*unused_files.UNUSED_DATA, *unused_files.UNUSED_MODULES}

    assert {"phonenumberutil.py", "data", "timezone.py", "tzdata"} <= left
    assert not {name.partition(".")[0] for name in left} & removed
    imported = {name for file in sources() for name in imports(file)}
    assert "phonenumbers" in imported
    assert {
        name for name in imported if re.match(rf"phonenumbers\.({'|'.join(removed)})", name)
    } == set()


def sources() -> Iterator[Path]:
    installed = [
        ROOT / "functions",
        ROOT / "layers",
        Path(botocore.__file__).parent.parent / "phonenumbers",
    ]
    skipped = {*unused_files.UNUSED_DATA, *unused_files.UNUSED_MODULES}
    for folder in installed:
        for file in folder.rglob("*.py"):
            if (
                b"phonenumbers" in file.read_bytes()
                and not {part.removesuffix(".py") for part in file.relative_to(folder).parts}
                & skipped
            ):
                yield file


def imports(file: Path) -> Iterator[str]:
    """The modules that a file imports, modules of its own package by their whole name."""
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            package = file.parent.name if node.level else ""
            module = ".".join(filter(None, [package, node.module]))
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def clients() -> Iterator[tuple[str, Path]]:
    """The services in calls of our code that create a client."""
    for folder in unused_files.CODE:
        for file in (file for file in folder.rglob("*.py") if b"client(" in file.read_bytes()):
            for node in ast.walk(ast.parse(file.read_bytes())):
                if (
                    isinstance(node, ast.Call)
                    and re.search(r"client$", ast.unparse(node.func))
                    and node.args
                    and isinstance(node.args[0], ast.Constant)
                ):
                    yield str(node.args[0].value), file


def test_the_models_of_all_services_that_functions_call_stay_and_most_others_are_removed(
    built: Path,
) -> None:
    data = built / SHARED / "botocore" / "data"
    left = {path.name for path in data.iterdir() if path.is_dir()}
    used = {service for service, _ in clients()}

    assert {"dynamodb", "sqs", "socialmessaging", "pinpoint-sms-voice-v2"} <= used
    assert used <= left
    assert left < {path.name for path in (Path(botocore.__file__).parent / "data").iterdir()}
    assert len(left) < 40
    assert (data / "endpoints.json").is_file()
    assert (data / "partitions.json").is_file()


def test_a_file_that_both_layers_have_stays_once_and_a_different_one_twice(tmp_path: Path) -> None:
    files = {
        SHARED / "same.py": "1", EXPORTS / "same.py": "1",
        SHARED / "other.py": "1", EXPORTS / "other.py": "2",
        EXPORTS / "own.py": "1", SHARED / "botocore/data/endpoints.json": "{}",
    }  # fmt: skip
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content)

    for _ in range(2):
        unused_files.remove(tmp_path)

        left = {path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()}
        assert left == files.keys() - {EXPORTS / "same.py"}


def test_both_layers_together_have_each_file_once(built: Path) -> None:
    shared, exports = (
        {path.relative_to(built / layer) for path in (built / layer).rglob("*") if path.is_file()}
        for layer in (SHARED, EXPORTS)
    )

    assert Path("typing_extensions.py") in shared
    twice = {path for path in shared & exports if path.parent.suffix != ".dist-info"}
    assert twice == set()
