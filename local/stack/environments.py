"""Makes the virtual environments `.venvs/<name>` from their pinned requirements; knows what is up to date."""

import fcntl
import hashlib
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from local.stack.processes import ROOT, StackError, as_program, follow

# Environments of their own, because their pins exclude each other: ours, the SAM CLI's, the emulator's, the scanners'.
NAMES = ("dev", "sam", "ministack", "checkov", "audit")
HOME = ROOT / ".venvs"


def python_of(name: str) -> Path:
    """The interpreter of an environment."""
    return HOME / name / "bin" / "python3.13"


def ensure(names: Sequence[str]) -> None:
    """
    Make those environments that are missing or whose requirements or interpreter changed, side by side.

    StackError when there is no usable Python 3.13, or pip fails.
    """
    python = _interpreter()
    HOME.mkdir(exist_ok=True)
    with (HOME / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another make in this checkout may be at it
        stale = [name for name in names if _stamp(name) != _wanted(name, python)]
        if not stale:
            return
        for name in stale:
            shutil.rmtree(HOME / name, ignore_errors=True)
        environment = {**os.environ, "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1"}
        follow({f"venv-{name}": _make(name, python) for name in stale}, environment)
        follow({f"pip-{name}": _install(name) for name in stale}, environment)
        for name in stale:
            # Last of all, so that an environment without it is known to be incomplete.
            (HOME / name / "made-from").write_text(_wanted(name, python))


def _interpreter() -> Path:
    """The Python 3.13 that runs us: itself, neither the environment we may be in nor a version manager's shim."""
    python = Path(sys.base_prefix, "bin", "python3.13")
    if sys.version_info[:2] != (3, 13) or not python.is_file():
        raise StackError(
            f"Parley needs Python 3.13 (python3.13 on the PATH); this is {sys.version}"
        )
    return python


def _wanted(name: str, python: Path) -> str:
    requirements = (ROOT / "requirements" / f"{name}.txt").read_bytes()
    # The place too: an environment that was moved or copied does not work.
    return f"{hashlib.sha256(requirements).hexdigest()}\n{HOME}\n{python}\n{sys.version}\n"


def _stamp(name: str) -> str:
    stamp = HOME / name / "made-from"
    return stamp.read_text() if stamp.is_file() else ""


def _make(name: str, python: Path) -> list[str]:
    return [str(python), "-m", "venv", str(HOME / name)]


def _install(name: str) -> list[str]:
    requirements = ROOT / "requirements" / f"{name}.txt"
    return [
        *(str(python_of(name)), "-m", "pip", "install", "--quiet"),
        *("--require-hashes", "-r", str(requirements)),
    ]


def main() -> None:
    """`python3.13 -m local.stack.environments [name ...]`: make those environments, or all."""
    names = sys.argv[1:] or NAMES
    if unknown := set(names) - set(NAMES):
        sys.exit(f"no such environment: {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    ensure(names)


if __name__ == "__main__":
    as_program(main)
