"""The state of a thread."""

from enum import StrEnum


class Status(StrEnum):
    """The state of a thread."""

    ACTIVE = "active"
    PENDING_INFO = "pending_info"
    COMPLETED = "completed"
    ARCHIVED = "archived"
