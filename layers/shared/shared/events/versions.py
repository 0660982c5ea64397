"""
The version of the events on Parley's queues, which every event carries in its field `v`.

During a deployment, old and new functions read the same queues. Readers therefore accept the previous version. An event
of a newer version is retried until the new code reads it; after the last attempt it is a dead letter with the reason
`newer_event_version`, which can be redriven after the upgrade.

Increase `VERSION` if the previous release would misread or refuse an event: for a new type, a new required field, or a
changed name or meaning. An additional optional field needs no new version, since readers ignore unknown fields.
"""

from collections.abc import Mapping

from shared.runtime.failures import Permanent, Transient

VERSION = 1
PREVIOUS = VERSION - 1
UNVERSIONED = 0  # events of the time before the field existed
FIELD = "v"
NEWER = "newer_event_version"
UNSUPPORTED = "unsupported_event_version"


class NewerVersion(Transient):
    """The event has been written by a newer release; retry it until that release reads it."""

    def __init__(self) -> None:
        super().__init__(NEWER)


def require_readable(event: Mapping[str, object]) -> None:
    """
    Check the version of a queued event before its other fields are read.

    Raises NewerVersion, and Permanent (`unsupported_event_version`) for a version older than the previous one.
    """
    version = event.get(FIELD, UNVERSIONED)
    if version in (VERSION, PREVIOUS):
        return
    if isinstance(version, int) and version > VERSION:
        raise NewerVersion
    raise Permanent(UNSUPPORTED)
