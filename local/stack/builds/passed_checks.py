"""
Runs a check that takes a minute, unless it passed before for the same files: nothing else may decide its result.

`python3.13 -m local.stack.builds.passed_checks NAME FILE... -- COMMAND...`; a folder counts with all its files. Name
the pinned requirements of the check's program among the files. The exit code is the check's.
"""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

from local.stack.builds.build import digest_of
from local.stack.processes import LOCAL, ROOT, say

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

PASSED = LOCAL / "passed"


def check(name: str, paths: Sequence[Path], command: Sequence[str], passed: Path = PASSED) -> int:
    """Return the exit code of a check: 0, without a run, if it passed for these files. *passed* keeps for which."""
    stamp, wanted = passed / name, _state(paths, command)
    if stamp.is_file() and stamp.read_text() == wanted:
        say(f"{name}: passed before for the same files")
        return 0
    stamp.unlink(missing_ok=True)
    code = subprocess.run(command, cwd=ROOT, check=False).returncode
    # Of files that changed meanwhile it may have read either content.
    if code == 0 and _state(paths, command) == wanted:
        passed.mkdir(parents=True, exist_ok=True)
        stamp.write_text(wanted)
    return code


def _state(paths: Sequence[Path], command: Sequence[str]) -> str:
    return f"{digest_of(paths)} {'\0'.join(command)}"


def main() -> None:
    """Run the check of the command line."""
    name, *files = sys.argv[1 : sys.argv.index("--")]
    command = sys.argv[sys.argv.index("--") + 1 :]
    sys.exit(check(name, [ROOT / file for file in files], command))


if __name__ == "__main__":
    main()
