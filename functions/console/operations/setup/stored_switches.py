"""The switches that hold for all companies, with their changes as the parameter store keeps them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from console.operations.deployment import SWITCHES
from console.operations.measurements import Unavailable
from console.operations.views import DeploymentSwitch, DeploymentSwitches, SwitchChange
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Callable

CHANGES_SHOWN = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredSwitches:
    """
    The parameters `/parley/{stage}/{context}/{name}`. The store keeps the newest 100 versions of each.

    `by` is an ARN of AWS: of the caller, or of this function's role for changes over the API (`switches.py`). The
    audit log has their author. The switches of the help desk are set over its API, which names the person.
    """

    client: Callable[[], Any]  # the development environment has no stubs of SSM
    stage: str

    def shown(self) -> DeploymentSwitches:
        """Return all switches; one that cannot be read has the problem instead of a text."""
        return DeploymentSwitches(
            switches=[
                self._switch(context, name, f"/parley/{self.stage}/{path}/{name}")
                for context, (path, names) in SWITCHES.items()
                for name in names
            ]
        )

    def _switch(self, context: str, name: str, parameter: str) -> DeploymentSwitch:
        changes, problem = [], None
        try:
            changes = self._changes(parameter)
        except Unavailable as unavailable:
            problem = str(unavailable)
        return DeploymentSwitch(
            context=context,
            name=name,
            parameter=parameter,
            text=changes[0].text if changes else None,
            changes=changes[:CHANGES_SHOWN],
            problem=problem,
        )

    def _changes(self, parameter: str) -> list[SwitchChange]:
        """Return the stored versions, newest first. Raises Unavailable."""
        try:
            pages = self.client().get_paginator("get_parameter_history").paginate(Name=parameter)
            versions = [version for page in pages for version in page["Parameters"]]
        except (ClientError, BotoCoreError) as failure:
            raise Unavailable.of("Parameter Store", failure) from None
        versions.sort(key=lambda version: version["Version"], reverse=True)
        return [
            SwitchChange(
                text=version["Value"],
                at=clock.to_text(int(version["LastModifiedDate"].timestamp() * clock.SECOND_MS)),
                by=version["LastModifiedUser"],
            )
            for version in versions
        ]
