"""Reads JSON of WhatsApp messages field by field, and Meta's errors about them."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

INVALID_PARAMETER = 100
MISSING_PARAMETER = 131008
INVALID_VALUE = 131009


class BrokenRule(Exception):
    """A message breaks a rule. `details` name the parameter and the rule, never the content."""

    def __init__(self, code: int, path: str, rule: str) -> None:
        self.code = code
        self.details = f"Param {path}: {rule}"
        super().__init__(self.details)


@dataclass(frozen=True)
class Part:
    """A JSON object inside a message. Its methods read one field each, or raise `BrokenRule`."""

    fields: dict[str, object]
    path: str = ""

    def text(self, key: str, most: int, *, pattern: str = r"(?s).+") -> str:
        """Return a string of at most *most* characters."""
        value = self._required(key)
        if not isinstance(value, str):
            raise self.broken(key, "must be a string")
        if len(value) > most:
            raise self.broken(key, f"must be at most {most} characters long")
        if not re.fullmatch(pattern, value):
            raise self.broken(key, f"must match {pattern}" if value else "must not be empty")
        return value

    def optional_text(self, key: str, most: int, *, pattern: str = r"(?s).+") -> str | None:
        """As `text`, or None if the field is absent."""
        return self.text(key, most, pattern=pattern) if key in self.fields else None

    def choice(self, key: str, allowed: Iterable[str]) -> str:
        """Return one of the *allowed* values."""
        value = self._required(key)
        if value not in (allowed := list(allowed)):
            raise self.broken(key, f"must be one of {', '.join(allowed)}")
        return str(value)

    def number(self, key: str, most: float) -> None:
        """Check a number between -most and most; numeric strings are allowed."""
        value = self._required(key)
        try:
            fits = not isinstance(value, bool) and abs(float(str(value))) <= most
        except ValueError:
            fits = False
        if not fits:
            raise self.broken(key, f"must be a number between -{most:g} and {most:g}")

    def part(self, key: str) -> "Part":
        """Return an object."""
        return self._part(self._required(key), self._at(key))

    def parts(self, key: str, most: int) -> list["Part"]:
        """Return a list of 1 to *most* objects."""
        value = self._required(key)
        if not isinstance(value, list) or not 1 <= len(value) <= most:
            raise self.broken(key, f"must be a list of 1 to {most} objects")
        return [self._part(item, f"{self._at(key)}[{n}]") for n, item in enumerate(value)]

    def broken(self, key: str, rule: str, code: int | None = None) -> BrokenRule:
        """Return the error of a field."""
        usual = INVALID_VALUE if key == "message_id" else INVALID_PARAMETER
        return BrokenRule(code or usual, self._at(key), rule)

    def _required(self, key: str) -> object:
        if key not in self.fields:
            raise self.broken(key, "is required", MISSING_PARAMETER)
        return self.fields[key]

    def _at(self, key: str) -> str:
        return f"{self.path}[{key!r}]" if self.path else key

    @staticmethod
    def _part(value: object, path: str) -> "Part":
        if not isinstance(value, dict):
            raise BrokenRule(INVALID_PARAMETER, path or "(body)", "must be an object")
        return Part(value, path)

    @classmethod
    def whole(cls, message: object) -> "Part":
        """Return the whole message as a part."""
        return cls._part(message, "")
