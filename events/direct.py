"""Events to invoke a single function that no provider calls: functions behind queues, the API and schedules."""

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import ClassVar

from events.proxy import Json, made_up_id, proxy_event


@dataclass(frozen=True)
class Direct:
    """A Lambda event for one function. A subclass sets the folder of its files."""

    folder: ClassVar[Path]

    name: str
    function: str  # logical id
    description: str
    event: Json = field(repr=False)

    @property
    def path(self) -> Path:
        """The file that holds the event."""
        return self.folder / f"{self.name}.json"

    @property
    def file_text(self) -> str:
        """The content of the file."""
        return json.dumps(self.event, indent=2) + "\n"


def api_call(name: str, at: int, route: str, scopes: str) -> Json:
    """Return a GET request with the context of the authorizer: a key of the company acme with these scopes."""
    headers = {"Accept": "application/json"}
    event = proxy_event(route, name, at, method="GET", headers=headers, agent="sample")
    authorizer_context = {
        "company": "acme",
        "scopes": scopes,
        "principal": "api-key:0123456789abcdef",
        "projects": "*",
        "principalId": "api-key:0123456789abcdef",
        "integrationLatency": 12,
    }
    context = event["requestContext"] | {"authorizer": authorizer_context}
    return event | {"requestContext": context, "body": None, "isBase64Encoded": False}


def schedule(name: str, at: int, rule: str) -> Json:
    """Return the scheduled event of an EventBridge rule; *rule* is its logical id."""
    return {
        "version": "0",
        "id": made_up_id(f"schedule {name} {at}"),
        "detail-type": "Scheduled Event",
        "source": "aws.events",
        "account": "000000000000",
        "time": f"{datetime.fromtimestamp(at, UTC):%Y-%m-%dT%H:%M:%SZ}",
        "region": "us-east-1",
        "resources": [f"arn:aws:events:us-east-1:000000000000:rule/parley-local-{rule}"],
        "detail": {},
    }
