"""
`make mutants`: the share of changes to a rule (mutants) that its tests find, compared with the recorded one.

Cosmic Ray makes the mutants. Of each module in `modules.toml` a fixed sample is tested, in copies of this tree. The
diffs of the mutants that survived are in `.local/mutants`.
"""

from __future__ import annotations

import argparse
import difflib
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from cosmic_ray.commands import init
from cosmic_ray.mutating import use_mutation
from cosmic_ray.plugins import get_operator
from cosmic_ray.work_db import WorkDB
from cosmic_ray.work_item import MutationSpec

from local.stack.environments import python_of
from local.stack.processes import LOCAL, ROOT

WORKERS = 2
MUTANTS = 30  # of a module, at most
HERE = Path(__file__).parent
SCORES = HERE / "scores.json"
SURVIVORS = LOCAL / "mutants"
# Mutants that mostly change no behaviour: of unions, which are types; equality in place of identity; of decorators.
_OPERATORS = re.compile(r"BitOr_|_Is(Not)?_(?!Is)|(?<!Is)(?<!IsNot)_Is(Not)?$")
# Cosmic Ray fails on tuples of exceptions with a dotted name.
_LINES = re.compile(r"@|if TYPE_CHECKING:|except \(.*\.")


def main() -> None:
    """Print one line for each module; exit code 1 if a score is lower than the recorded one."""
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__)
    parser.add_argument("--module", default="", help="only modules with this in context or path")
    parser.add_argument("--record", action="store_true", help="write the scores")
    options = parser.parse_args()
    chosen = {
        name: tests
        for context, modules in tomllib.loads((HERE / "modules.toml").read_text()).items()
        for name, tests in modules.items()
        if options.module in f"{context} {name}"
    }
    if not chosen:
        sys.exit(f"modules.toml has no module {options.module}")
    scores = _scores(chosen)
    recorded: dict[str, int] = json.loads(SCORES.read_text())
    if options.record:
        SCORES.write_text(json.dumps(recorded | scores, indent=2, sort_keys=True) + "\n")
    elif lower := [name for name, score in scores.items() if score < recorded.get(name, 0)]:
        sys.exit(f"lower than the recorded score: {', '.join(lower)}; see {SURVIVORS}")


def _scores(modules: dict[str, list[str]]) -> dict[str, int]:
    scores: dict[str, int] = {}
    SURVIVORS.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as home,
        ProcessPoolExecutor(min(WORKERS, len(modules)), None, _enter_copy, (home,)) as pool,
    ):
        results = pool.map(_tested, modules, modules.values())
        for name, (mutants, survivors) in zip(modules, results, strict=True):
            killed = mutants - len(survivors)
            scores[name] = 100 * killed // mutants
            print(
                f"{name}: {mutants} mutants, {killed} killed, {len(survivors)} survived, "
                f"score {scores[name]} %",
                flush=True,
            )
            diff = SURVIVORS / f"{name.replace('/', '.')}.diff"
            diff.write_text("\n".join(survivors))
    return scores


def _enter_copy(home: str) -> None:
    """Work in a copy of this tree: Cosmic Ray changes the files of modules in place."""
    copy = Path(tempfile.mkdtemp(dir=home)) / "parley"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".*", "node_modules"))
    os.chdir(copy)


def _tested(module: str, tests: list[str]) -> tuple[int, list[str]]:
    """Return the number of mutants of a module, and the diffs of those that no test found."""
    python = str(python_of("dev"))
    # Without a mutant the tests must pass. Also writes the bytecode of all modules, which the server does not.
    plain = [python, "-m", "pytest", "-qx", "-p", "no:cacheprovider", *tests]
    subprocess.run(plain, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - our own files
    mutants = _sample(Path(module))
    with subprocess.Popen(  # noqa: S603 - our own module
        [python, "-m", "tests.mutants.server"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    ) as server:
        survivors = [diff for mutant in mutants if (diff := _survivor(mutant, tests, server))]
    return len(mutants), survivors


def _survivor(mutant: MutationSpec, tests: list[str], server: subprocess.Popen[str]) -> str | None:
    """Return the diff of a mutant that the tests do not find."""
    operator = get_operator(mutant.operator_name)()
    assert server.stdin
    assert server.stdout
    with use_mutation(mutant.module_path, operator, mutant.occurrence) as (before, after):
        server.stdin.write(json.dumps(tests) + "\n")
        if int(server.stdout.readline()):
            return None
    changes = difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="")
    return "\n".join((str(mutant.module_path), *changes, ""))


def _sample(module: Path) -> list[MutationSpec]:
    """Return one mutant of each place, chosen by a digest: lines that do not change keep their mutants."""
    database = WorkDB(":memory:", WorkDB.Mode.create)
    init([module], database, {})
    lines = module.read_text().splitlines()

    def line_of(mutant: MutationSpec) -> str:
        row: int = mutant.start_pos[0]
        return lines[row - 1].strip()

    def digest(mutant: MutationSpec) -> str:
        key = f"{mutant.operator_name} {mutant.start_pos[1]} {line_of(mutant)}"
        return hashlib.sha256(key.encode()).hexdigest()

    found = [item.mutations[0] for item in database.work_items]
    of_places = {
        mutant.start_pos: mutant
        for mutant in sorted(found, key=digest)
        if not _OPERATORS.search(mutant.operator_name) and not _LINES.match(line_of(mutant))
    }
    return list(of_places.values())[:MUTANTS]


if __name__ == "__main__":
    main()
