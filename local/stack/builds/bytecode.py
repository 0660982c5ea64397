"""Adds the bytecode that `sam build` leaves out: `python3.13 -m local.stack.builds.bytecode .aws-sam/build`."""

import compileall
import importlib.util
import os
import py_compile
import sys
from collections import defaultdict
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from hashlib import sha256
from pathlib import Path


def compile_all(built: Path) -> None:
    """
    Compile each function and layer in a folder; exits with an error if a Python file does not compile.

    Without bytecode a cold start takes more than twice as long. "Unchecked hash", because the file times in a deployed
    zip differ from the sources' times, and deployed files are never edited.

    Nearly all files are the same in each function: such are compiled once, and the functions share the bytecode by hard
    links.
    """
    folders = sorted(path for path in built.iterdir() if path.is_dir())
    equal = _equal_files(folders)
    firsts = [places[0] for places in equal]
    with ProcessPoolExecutor() as workers:
        for (folder, name), compiled in zip(
            firsts, workers.map(_compiles, firsts, chunksize=32), strict=True
        ):
            if not compiled:
                sys.exit(f"{folder / name} does not compile")
    for places in equal:
        _share(folder / name for folder, name in places)


def _equal_files(folders: Iterable[Path]) -> list[list[tuple[Path, Path]]]:
    """Group the Python files by path in their folder and by content: these two decide the bytecode."""
    equal: dict[tuple[Path, bytes], list[tuple[Path, Path]]] = defaultdict(list)
    for folder in folders:
        for file in sorted(folder.rglob("*.py")):
            name = file.relative_to(folder)
            equal[name, sha256(file.read_bytes()).digest()].append((folder, name))
    return list(equal.values())


def _compiles(place: tuple[Path, Path]) -> bool:
    folder, name = place
    return bool(
        compileall.compile_file(
            folder / name,
            quiet=1,
            stripdir=folder,  # keeps local paths out of the deployed files; equal functions stay equal
            invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
        )
    )


def _share(files: Iterable[Path]) -> None:
    first, *others = (Path(importlib.util.cache_from_source(str(file))) for file in files)
    for other in others:
        other.parent.mkdir(exist_ok=True)
        other.unlink(missing_ok=True)
        os.link(first, other)


# A separate program, because its worker processes import the main module.
if __name__ == "__main__":
    compile_all(Path(sys.argv[1]))
