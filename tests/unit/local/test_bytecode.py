"""Bytecode of a build: of each function and layer what compiling it alone gives."""

import compileall
import py_compile
from importlib.util import cache_from_source
from pathlib import Path

import pytest

from local.stack.builds import bytecode

FILES = {
    "First/app.py": "def name():\n    return 'first'\n",
    "First/shared/dates.py": "TODAY = 1\n",
    "Second/app.py": "def name():\n    return 'second'\n",
    "Second/shared/dates.py": "TODAY = 1\n",
    "Second/dates.py": "TODAY = 1\n",  # the same content at another path
}


def written(built: Path, files: dict[str, str]) -> list[Path]:
    for name, content in files.items():
        (built / name).parent.mkdir(parents=True, exist_ok=True)
        (built / name).write_text(content)
    return [built / name for name in files]


def compiled(file: Path) -> Path:
    return Path(cache_from_source(str(file)))


def test_each_file_has_the_bytecode_that_its_function_alone_would_have(tmp_path: Path) -> None:
    files = written(tmp_path, FILES)
    bytecode.compile_all(tmp_path)
    found = {file: compiled(file).read_bytes() for file in files}
    for folder in ("First", "Second"):
        assert compileall.compile_dir(
            tmp_path / folder,
            quiet=1,
            stripdir=tmp_path / folder,
            invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
        )

    assert found == {file: compiled(file).read_bytes() for file in files}


def test_a_second_run_replaces_what_has_changed_in_one_function(tmp_path: Path) -> None:
    written(tmp_path, FILES)
    bytecode.compile_all(tmp_path)
    (changed,) = written(tmp_path, {"Second/shared/dates.py": "TOMORROW = 2\n"})
    bytecode.compile_all(tmp_path)

    assert b"TOMORROW" in compiled(changed).read_bytes()
    assert b"TODAY" in compiled(tmp_path / "First/shared/dates.py").read_bytes()


def test_a_file_that_does_not_compile_ends_the_build_and_is_named(tmp_path: Path) -> None:
    (broken,) = written(tmp_path, {"First/broken.py": "def"})

    with pytest.raises(SystemExit, match=r"broken\.py does not compile") as exit_:
        bytecode.compile_all(tmp_path)
    assert str(broken) in str(exit_.value)
