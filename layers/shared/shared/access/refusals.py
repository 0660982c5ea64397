"""The refusal of a change of logins or secrets, by commands and by the API."""

from shared.api.errors import InvalidInput


class ChangeRefused(InvalidInput):
    """The change was refused: *field* is what the caller named, *problem* the rule."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__([{"field": field, "problem": problem}])
