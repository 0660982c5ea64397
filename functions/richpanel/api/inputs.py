"""Input models of the admin API and their limits."""

from typing import Literal

from pydantic import ConfigDict, Field

from shared.api.inputs import Input


class SwitchesInput(Input):
    """Switches by name, as JSON or as stored texts. `richpanel.api.switches` checks the names."""

    model_config = ConfigDict(extra="allow")


class DecisionsQuery(Input):
    """Which page of a conversation's audit."""

    limit: int = Field(default=50, ge=1, le=50)
    cursor: str | None = None


class ReplayInput(Input):
    """How to replay a conversation: decide only (`dry_run`), or continue unfinished work (`repair`)."""

    mode: Literal["dry_run", "repair"]
