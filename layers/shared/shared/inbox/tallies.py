"""Further counts of the outcomes of a conversation, in an item of its context."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Tally:
    """
    An item by the name of its *table* and its key. Outcomes are added to its counts of an *arm*, such as
    `trial_handed_off`; neither version nor cause is a part of these names.
    """

    table: str
    pk: str
    sk: str
    arm: str
