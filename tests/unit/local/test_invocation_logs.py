"""The local stack gives each invocation the lines of its log up to the mark at its end."""

from __future__ import annotations

import queue
import sys
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tests.template import ROOT


@pytest.fixture
def logs(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The patch, which MiniStack's own Python loads: here its modules are names only."""
    runtime: Any = ModuleType("ministack.core.lambda_runtime")
    runtime.Worker = object
    core: Any = ModuleType("ministack.core")
    core.lambda_runtime = runtime
    for module in (ModuleType("ministack"), core, runtime):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    path = ROOT / "local/stack/emulator/ministack_logs.py"
    spec = spec_from_file_location("patch_of_logs", path)
    assert spec is not None
    assert spec.loader is not None
    found: Any = module_from_spec(spec)
    spec.loader.exec_module(found)
    monkeypatch.setattr(found, "_LOOK_SECONDS", 0.001)
    return found


class Process:
    """The process of a function, whose lines arrive when they are written here."""

    def __init__(self, *, is_alive: bool = True) -> None:
        self._stderr_queue: queue.Queue[str] = queue.Queue()
        self._stderr_thread = SimpleNamespace(is_alive=lambda: is_alive)

    def write(self, *lines: str) -> None:
        for line in lines:
            self._stderr_queue.put(line)


def test_the_lines_up_to_the_mark_are_of_the_invocation_also_without_a_line_end(logs: Any) -> None:
    process = Process()
    process.write("one", f"two{logs._MARK}", "of the next one", logs._MARK)

    assert logs.all_lines(process) == "one\ntwo"
    assert logs.all_lines(process) == "of the next one"


def test_a_process_that_has_ended_has_no_mark(logs: Any) -> None:
    process = Process(is_alive=False)
    process.write("one", "the last words")

    assert logs.all_lines(process) == "one\nthe last words"


def test_lines_that_come_too_late_shift_no_later_invocation(
    logs: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = Process()
    with monkeypatch.context() as impatient:
        impatient.setattr(logs, "_LONGEST_SECONDS", 0.0)
        assert logs.all_lines(late) == ""
    late.write("first", logs._MARK, "second", logs._MARK, "third", logs._MARK)

    assert logs.all_lines(late) == "first\nsecond"
    assert logs.all_lines(late) == "third"
