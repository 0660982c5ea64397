"""The jobs of a minute: their time, their order, their failures and their lags."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from whatsapp.jobs import minute_jobs
from whatsapp.jobs.minute_jobs import Job

if TYPE_CHECKING:
    from collections.abc import Callable

TWO_MINUTES_MS = 2 * minute_jobs.MINUTE_MS


class Time:
    """The remaining time of an invocation; work uses it up."""

    def __init__(self, ms: int = 60_000) -> None:
        self.ms = ms

    def __call__(self) -> int:
        return self.ms


def endless(time: Time, done: list[str], name: str, lag_ms: int = 0) -> Callable[..., int]:
    """Work in steps of a second that never ends by itself."""

    def work(remaining_ms: Callable[[], int]) -> int:
        while remaining_ms() > 0:
            time.ms -= 1_000
            done.append(name)
        return lag_ms

    return work


def fail(_: Callable[[], int]) -> int:
    raise LookupError("a job's own failure")


def test_each_job_has_its_slice_even_if_those_before_it_never_end() -> None:
    time, done = Time(), list[str]()
    jobs = [Job(name, 10_000, endless(time, done, name)) for name in "abcd"]

    minute_jobs.run(jobs, [], 0, time)

    assert done == [*"a" * 10, *"b" * 10, *"c" * 10, *"d" * 10]


def test_a_slice_ends_with_the_invocation() -> None:
    time, done = Time(3_000), list[str]()

    minute_jobs.run([Job("a", 10_000, endless(time, done, "a"))], [], 0, time)

    assert done == ["a"] * 3


def test_a_failing_job_does_not_stop_the_others_and_fails_the_run() -> None:
    time, done = Time(), list[str]()
    jobs = [Job("a", 1_000, fail), Job("b", 1_000, endless(time, done, "b"))]

    with pytest.raises(LookupError):
        minute_jobs.run(jobs, [], 0, time)

    assert done == ["b"]


def test_each_job_but_the_last_is_the_first_in_its_turn_in_odd_and_in_even_minutes() -> None:
    time = Time()
    for start in (0, minute_jobs.MINUTE_MS):
        first = []
        for turn in range(4):
            done = list[str]()
            jobs = [Job(name, 1_000, endless(time, done, name)) for name in "abcd"]
            time.ms = 60_000
            minute_jobs.run(
                jobs,
                [Job("z", 1_000, endless(time, done, "z"))],
                start + turn * TWO_MINUTES_MS,
                time,
            )
            first.append(done[0])
            assert done[-1] == "z"

        assert first == [*"abcd"]


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, object]]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines() if "_aws" in line]


def test_the_largest_lag_is_one_metric_with_the_jobs_in_its_line(
    capsys: pytest.CaptureFixture[str],
) -> None:
    minute_jobs.report({"sends": 90_000, "steps": 0, "campaigns": 61_500})

    (line,) = lines(capsys)
    assert line["ScheduleLag"] == [90.0]
    assert line["jobs"] == {"sends": 90, "campaigns": 61}


def test_no_lag_writes_no_metric(capsys: pytest.CaptureFixture[str]) -> None:
    minute_jobs.report({"sends": 0, "steps": 0})

    assert lines(capsys) == []


@pytest.mark.parametrize(("seconds", "is_late"), [(900, False), (901, True)])
def test_a_lag_of_more_than_15_minutes_counts_for_the_alarm(
    capsys: pytest.CaptureFixture[str],
    seconds: int,
    is_late: bool,
) -> None:
    minute_jobs.report({"counts": seconds * 1_000})

    conditions = [line["condition"] for line in lines(capsys) if "condition" in line]
    assert conditions == ["ScheduleLate"] * is_late
