"""The outcome of one event, as used by logs, metrics and the run's accounts."""

from enum import StrEnum


class Outcome(StrEnum):
    """Every accepted event has exactly one outcome."""

    PERSISTED = "persisted"  # something new is stored
    DUPLICATE = "duplicate"  # already stored; steps missed by a crash are completed
    PARKED = "parked"  # stored for a later replay, with a reason
