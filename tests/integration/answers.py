"""The response of an admin API, as the tests read it."""

from dataclasses import dataclass
from typing import Any


@dataclass
class Answer:
    """*result* exists for successful calls only."""

    status: int
    body: dict[str, Any]

    @property
    def result(self) -> dict[str, Any]:
        assert self.status < 300, self.body
        found: dict[str, Any] = self.body["result"]
        return found

    @property
    def error(self) -> str:
        return str(self.body["error"]["code"])

    @property
    def problems(self) -> dict[str, str]:
        return {entry["field"]: entry["problem"] for entry in self.body["error"]["details"]}
