"""Changes the switches that hold for all companies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from console.operations.deployment import SWITCHES
from console.operations.measurements import Unavailable
from console.operations.setup.people import require_person
from console.operations.setup.views import SwitchState
from shared.access.refusals import ChangeRefused
from shared.aws import observation

if TYPE_CHECKING:
    from collections.abc import Callable

    from console.operations.setup.inputs import SwitchInput
    from shared.api.auth import Caller

_TEXTS = {True: "true", False: "false"}


@dataclass(frozen=True, slots=True)
class SwitchChanges:
    """The switches of a deployment in the parameter store, which keeps their versions."""

    client: Callable[[], Any]  # the development environment has no stubs of SSM
    stage: str

    def set(self, caller: Caller, given: SwitchInput) -> Callable[[], SwitchState]:
        """
        Return the change of a switch, which functions see within 30 seconds. Safe to repeat.

        Raises Forbidden for software, and ChangeRefused for a switch that the context does not have.
        """
        require_person(caller)
        path, names = SWITCHES[given.context]
        if given.name not in names:
            raise ChangeRefused("name", f"must be a switch of the context: {', '.join(names)}")
        parameter = f"/parley/{self.stage}/{path}/{given.name}"

        def change() -> SwitchState:
            try:
                before = self._read(parameter)
                self.client().put_parameter(
                    Name=parameter, Value=_TEXTS[given.on], Type="String", Overwrite=True
                )
            except (ClientError, BotoCoreError) as failure:
                raise Unavailable.of("Parameter Store", failure) from None
            switch = f"{given.context}.{given.name}"
            observation.note({switch: _state(before)}, {switch: given.on})
            return SwitchState(
                context=given.context, name=given.name, on=given.on, was_on=_state(before)
            )

        return change

    def _read(self, parameter: str) -> str | None:
        client = self.client()
        try:
            return str(client.get_parameter(Name=parameter)["Parameter"]["Value"])
        except client.exceptions.ParameterNotFound:
            return None


def _state(text: str | None) -> bool | None:
    return {value: state for state, value in _TEXTS.items()}.get(text or "")
