"""Creates the virtual environments `.venvs/<name>` from their pinned requirements, unless they are up to date."""

import fcntl
import hashlib
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from local.stack.processes import ROOT, StackError, as_program, follow

# Separate environments, because their pins conflict: ours, the SAM CLI's, the emulator's, the scanners';
# Node.js, which builds the console; and the mutation check's.
NAMES = ("dev", "sam", "ministack", "console", "checkov", "audit", "mutants")
HOME = ROOT / ".venvs"
# In our own, so that `python -m email_threads.parsing` needs no PYTHONPATH.
SOURCES = {"dev": (ROOT / "functions", ROOT / "layers" / "shared")}


def python_of(name: str) -> Path:
    """Return the interpreter of an environment."""
    return HOME / name / "bin" / "python3.13"


def ensure(names: Sequence[str]) -> None:
    """
    Create, in parallel, the environments that are missing or whose requirements or interpreter changed.

    StackError if there is no usable Python 3.13, or pip fails.
    """
    python = _interpreter()
    HOME.mkdir(exist_ok=True)
    with (HOME / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another make in this checkout may be creating them
        stale = [name for name in names if _stamp(name) != _wanted(name, python)]
        if not stale:
            return
        for name in stale:
            shutil.rmtree(HOME / name, ignore_errors=True)
        environment = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1"}
        follow({f"venv-{name}": _make(name, python) for name in stale}, environment)
        follow({f"pip-{name}": _install(name) for name in stale}, environment)
        for name in stale:
            _add_sources(name)
            # Written last, so that an environment without it is recognised as incomplete.
            (HOME / name / "made-from").write_text(_wanted(name, python))


def _interpreter() -> Path:
    """Return the base Python 3.13 of this process, not its virtual environment or a version manager's shim."""
    python = Path(sys.base_prefix, "bin", "python3.13")
    if sys.version_info[:2] != (3, 13) or not python.is_file():
        raise StackError(
            f"Parley needs Python 3.13 (python3.13 on the PATH); this is {sys.version}"
        )
    return python


def _wanted(name: str, python: Path) -> str:
    requirements = (ROOT / "requirements" / f"{name}.txt").read_bytes()
    sources = "".join(f"{source}\n" for source in SOURCES.get(name, ()))
    # Includes the path: an environment that was moved or copied does not work.
    return f"{hashlib.sha256(requirements).hexdigest()}\n{HOME}\n{python}\n{sys.version}\n{sources}"


def _stamp(name: str) -> str:
    stamp = HOME / name / "made-from"
    return stamp.read_text() if stamp.is_file() else ""


def _make(name: str, python: Path) -> list[str]:
    return [str(python), "-m", "venv", str(HOME / name)]


def _install(name: str) -> list[str]:
    requirements = ROOT / "requirements" / f"{name}.txt"
    return [
        # Bytecode is written at the first import: most modules are never imported, and compiling all takes minutes.
        *(str(python_of(name)), "-m", "pip", "install", "--quiet", "--no-compile"),
        *("--require-hashes", "-r", str(requirements)),
    ]


def _add_sources(name: str) -> None:
    if sources := SOURCES.get(name):
        packages = HOME / name / "lib" / "python3.13" / "site-packages"
        (packages / "parley.pth").write_text("".join(f"{source}\n" for source in sources))


def main() -> None:
    """`python3.13 -m local.stack.environments [name ...]`: create the named environments, or all."""
    names = sys.argv[1:] or NAMES
    if unknown := set(names) - set(NAMES):
        sys.exit(f"no such environment: {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    ensure(names)


if __name__ == "__main__":
    as_program(main)
