"""A deployment that the doctor examines."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from moto import mock_aws

from operations.__main__ import main
from tests.integration.operations.doctor import deployed
from tests.integration.operations.doctor.connections import use
from tests.integration.operations.doctor.deployed import STACK, Webhooks
from whatsapp import store

type Row = tuple[str, str, str]


@pytest.fixture
def webhooks(monkeypatch: pytest.MonkeyPatch) -> Iterator[Webhooks]:
    """A deployment without connections and without errors."""
    found = Webhooks()
    with mock_aws(config={"lambda": {"use_docker": False}}), deployed.serving(found):
        use(monkeypatch, deployed.create_stack(found))
        yield found


@pytest.fixture
def examine(webhooks: Webhooks, capsys: pytest.CaptureFixture[str]) -> Callable[[], Any]:
    """Run the doctor; returns its exit code, the rows that are not ok as (status, check, rest), and the steps."""

    def run() -> tuple[int, list[Row], str]:
        store.phones.forget()
        code = main(["doctor", "--stack", STACK])
        shown, _, steps = capsys.readouterr().out.partition("\nNext steps:\n")
        header, *lines = shown.splitlines()
        columns = [header.index(name) for name in ("CHECK", "SUBJECT")]
        rows = [
            (line[: columns[0]].strip(), line[columns[0] : columns[1]].strip(), line[columns[1] :])
            for line in lines
            if line
        ]
        return code, [row for row in rows if row[0] != "ok"], steps

    return run
