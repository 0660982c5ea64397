"""The alarms of the deployment and their states."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from console.operations.measurements import Unavailable
from console.operations.views import AlarmsView, AlarmView
from shared.runtime import clock

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_STATES = {"ALARM": 0, "INSUFFICIENT_DATA": 1, "OK": 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Alarms:
    """
    The alarms whose names begin with *prefix*, the prefix of the nested stack of alarms.

    CloudFormation names an alarm `{stack}-Monitoring-{id}-{logical id}-{id}`.
    """

    client: Callable[[], Any]  # the development environment has no stubs of CloudWatch
    prefix: str

    def shown(self) -> AlarmsView:
        """Return all alarms, alarms in ALARM first. Raises Unavailable."""
        try:
            pages = (
                self.client()
                .get_paginator("describe_alarms")
                .paginate(AlarmNamePrefix=self.prefix, AlarmTypes=["MetricAlarm"])
            )
            found = [alarm for page in pages for alarm in page["MetricAlarms"]]
        except (ClientError, BotoCoreError) as failure:
            raise Unavailable.of("CloudWatch", failure) from None
        views = [self._view(alarm) for alarm in found]
        return AlarmsView(
            alarms=sorted(views, key=lambda one: (_STATES.get(one.state, 1), one.name))
        )

    def _view(self, alarm: Mapping[str, Any]) -> AlarmView:
        changed = alarm.get("StateUpdatedTimestamp")
        return AlarmView(
            name=_logical_id(alarm["AlarmName"], self.prefix),
            description=alarm.get("AlarmDescription", ""),
            state=alarm["StateValue"],
            reason=alarm.get("StateReason", ""),
            changed_at=clock.to_text(int(changed.timestamp() * clock.SECOND_MS))
            if changed
            else None,
            notifies=bool(alarm.get("ActionsEnabled")) and bool(alarm.get("AlarmActions")),
        )


def _logical_id(name: str, prefix: str) -> str:
    """Return the name of an alarm in the template: the part between the ids of its stack and of itself."""
    parts = name.removeprefix(prefix).strip("-").split("-")
    return parts[-2] if len(parts) > 1 else name
