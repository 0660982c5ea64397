"""Cold starts: the cost of importing each handler in a fresh interpreter, and of init under the runtime emulator."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from local.bench.fresh import HERE, told_by
from local.invoke import rie
from local.stack import environments
from local.stack.builds import build
from local.stack.functions import built
from local.stack.processes import LOCAL, follow, marked

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from local.stack.cli import Stack
    from local.stack.functions import Function

BARE = "bare handler"
_BARE_MODULES = {
    BARE: "bare",
    "a worker's libraries": "worker_libraries",
    "an API's libraries": "api_libraries",
}
_VARIABLES = {"POWERTOOLS_METRICS_NAMESPACE": "Parley", "POWERTOOLS_SERVICE_NAME": "bench"}


@dataclass(frozen=True)
class Import:
    """One import of a handler; `modules` are the newly imported ones."""

    cpu_ms: float
    peak_kib: int
    modules: tuple[str, ...]
    bytecode_bytes: int


def bare_functions(stack: Stack) -> list[Function]:
    """Return the bare handler, then handlers with libraries only; compiled like the artifact, with its layer."""
    home = LOCAL / "bench"
    shutil.rmtree(home, ignore_errors=True)
    shutil.copytree(HERE / "bare", home / "bare", ignore=shutil.ignore_patterns("__pycache__"))
    compiling = marked(
        environments.python_of("sam"), "-m", "local.stack.builds.bytecode", str(home)
    )
    follow({"bytecode-bare": compiling}, build.sam_environment())
    return [
        built(stack, name, home / "bare", f"{module}.handler", _VARIABLES)
        for name, module in _BARE_MODULES.items()
    ]


def import_of(function: Function) -> Import:
    """Import the handler in a fresh interpreter."""
    told = told_by("import_once.py", function, function.module)
    return Import(**told | {"modules": tuple(told["modules"])})


@dataclass(frozen=True)
class Compared:
    """A handler's imports, each paired with a bare import just before it, so that both see the same machine load."""

    pairs: tuple[tuple[Import, Import], ...]  # (the handler's, the bare one's)

    @property
    def least_cpu_ms(self) -> float:
        """The least processor time: other load on the machine can only add to it."""
        return min(own.cpu_ms for own, _ in self.pairs)

    @property
    def times_cpu(self) -> float:
        """The multiple of the bare handler's processor time: the median over the pairs, in hundredths."""
        return round(median(own.cpu_ms / bare.cpu_ms for own, bare in self.pairs), 2)

    @property
    def peak_mb(self) -> float:
        """The peak memory of the whole process, in MiB."""
        return min(own.peak_kib for own, _ in self.pairs) / 1_024

    @property
    def times_memory(self) -> float:
        """The multiple of the bare handler's memory, computed in the same way."""
        return round(median(own.peak_kib / bare.peak_kib for own, bare in self.pairs), 2)

    @property
    def one(self) -> Import:
        """The first import, for values that are the same in all."""
        return self.pairs[0][0]


def compared(functions: Sequence[Function], bare: Function, rounds: int) -> dict[str, Compared]:
    """Return the paired imports of each handler by name; handlers alternate, so that load peaks affect all."""
    for function in functions:
        import_of(function)  # fills the file cache
    pairs: dict[str, list[tuple[Import, Import]]] = {function.name: [] for function in functions}
    for _ in range(rounds):
        for function in functions:
            beside = import_of(bare)
            pairs[function.name].append((import_of(function), beside))
    return {name: Compared(tuple(taken)) for name, taken in pairs.items()}


@dataclass(frozen=True)
class Start:
    """One start under the emulator: init, the first event, the median of later events; milliseconds."""

    init_ms: float
    first_ms: float
    warm_ms: float


def starts_of(
    functions: Sequence[Function], events: Mapping[str, object], rounds: int, warm: int
) -> dict[str, list[Start]]:
    """Start each function `rounds` times, alternately, with one event and `warm` repetitions of it."""
    taken: dict[str, list[Start]] = {function.name: [] for function in functions}
    for _ in range(rounds):
        for function in functions:
            taken[function.name].append(_start_of(function, events[function.name], warm))
    return taken


def _start_of(function: Function, event: object, warm: int) -> Start:
    with rie.running(function) as runtime:
        for _ in range(warm + 1):
            runtime.invoke(event)
    first, *others = runtime.invocations_ms()
    if len(others) != warm:
        raise RuntimeError(f"{function.name} failed at {warm - len(others)} of {warm + 1} events")
    return Start(runtime.init_ms(), first, median(others))
