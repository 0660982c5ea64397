"""What became of one event: the word that logs, metrics and the accounts of a run use."""

from enum import StrEnum


class Outcome(StrEnum):
    """Every accepted event ends as exactly one of these."""

    PERSISTED = "persisted"  # something new is stored
    DUPLICATE = "duplicate"  # it was stored before; what a crash had left undone is done now
    PARKED = "parked"  # kept aside with a reason
