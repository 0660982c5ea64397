"""Cold starts: what importing each handler takes in a fresh interpreter, and init under the emulator of the runtime."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from local import build, environments, rie
from local.bench.fresh import HERE, told_by
from local.functions import built
from local.processes import LOCAL, follow, marked

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from local.functions import Function
    from local.stack import Stack

BARE = "bare handler"
_BARE_MODULES = {
    BARE: "bare",
    "a worker's libraries": "worker_libraries",
    "an API's libraries": "api_libraries",
}
_VARIABLES = {"POWERTOOLS_METRICS_NAMESPACE": "Parley", "POWERTOOLS_SERVICE_NAME": "bench"}


@dataclass(frozen=True)
class Import:
    """One import of a handler; `modules` are those that were not there before it."""

    cpu_ms: float
    wall_ms: float
    peak_kib: int
    modules: tuple[str, ...]
    bytecode_bytes: int


def bare_functions(stack: Stack) -> list[Function]:
    """The bare handler first, then those with libraries only: compiled as the artifact is, with its layer."""
    home = LOCAL / "bench"
    shutil.rmtree(home, ignore_errors=True)
    shutil.copytree(HERE / "bare", home / "bare", ignore=shutil.ignore_patterns("__pycache__"))
    compiling = marked(environments.python_of("sam"), "-m", "local.bytecode", str(home))
    follow({"bytecode-bare": compiling}, build.sam_environment())
    return [
        built(stack, name, home / "bare", f"{module}.handler", _VARIABLES)
        for name, module in _BARE_MODULES.items()
    ]


def import_of(function: Function) -> Import:
    """Import the handler in a fresh interpreter."""
    told = told_by("import_once.py", function, function.module)
    return Import(**told | {"modules": tuple(told["modules"])})


def imports_of(functions: Sequence[Function], rounds: int) -> dict[str, list[Import]]:
    """Each handler's imports, taken in turns, so that a busy moment of the machine hits all alike."""
    for function in functions:
        import_of(function)  # the files come from the disk only once
    taken: dict[str, list[Import]] = {function.name: [] for function in functions}
    for _ in range(rounds):
        for function in functions:
            taken[function.name].append(import_of(function))
    return taken


@dataclass(frozen=True)
class Least:
    """The least that a function's imports took: whatever else the machine does can only add to it."""

    cpu_ms: float
    peak_mb: float

    def over(self, bare: Least) -> tuple[float, float]:
        """How many times the processor time and the memory of the bare handler."""
        return self.cpu_ms / bare.cpu_ms, self.peak_mb / bare.peak_mb


def least_of(taken: Sequence[Import]) -> Least:
    """The least of several imports of one handler."""
    peak_kib = min(one.peak_kib for one in taken)
    return Least(min(one.cpu_ms for one in taken), peak_kib / 1_024)


@dataclass(frozen=True)
class Start:
    """A start under the emulator: init, the first event, the ones after it; milliseconds."""

    init_ms: float
    first_ms: float
    warm_ms: float


def starts_of(
    functions: Sequence[Function], events: Mapping[str, object], rounds: int, warm: int
) -> dict[str, list[Start]]:
    """Each function started `rounds` times, in turns, with one event and `warm` repetitions of it."""
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
