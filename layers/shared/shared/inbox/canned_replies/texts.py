"""Names and texts of canned replies: their rules, their variables, and a text with the values of a send. Pure."""

import re
from collections.abc import Mapping
from typing import Final

from shared.api.errors import InvalidInput

LONGEST_NAME: Final = 64
LONGEST_TEXT: Final = 4_096  # also with its values: a text message of WhatsApp has at most as many
MOST_VARIABLES: Final = 20
NAME_RULE: Final = "must have 1 to 64 of a-z, 0-9, _ and -, and begin with a letter or digit"
_NAME: Final = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_VARIABLE: Final = re.compile(r"{{([a-z][a-z0-9_]{0,31})}}")


def variables_of(text: str) -> list[str]:
    """Return the names of a text's variables, each once, in order."""
    return list(dict.fromkeys(_VARIABLE.findall(text)))


def check_name(name: str, field: str = "name") -> None:
    """Raise InvalidInput unless *name* is a name of a canned reply."""
    if not _NAME.fullmatch(name):
        raise _invalid(field, NAME_RULE)


def check_text(text: str) -> None:
    """Raise InvalidInput unless all double braces of a text are variables, of which there are at most 20."""
    if any(brace in _VARIABLE.sub("", text) for brace in ("{{", "}}")):
        raise _invalid("text", "a variable is a name of a-z, 0-9 and _ in double braces: {{name}}")
    if len(variables_of(text)) > MOST_VARIABLES:
        raise _invalid("text", f"must have at most {MOST_VARIABLES} variables")


def filled(text: str | None, values: Mapping[str, str], *, field: str) -> str:
    """
    Return the text of the canned reply that *field* of a request names, with the values of its variables.

    Raises InvalidInput, also for a *text* of None: there is no such reply.
    """
    if text is None:
        raise _invalid(f"{field}.name", "there is no such canned reply")
    wanted, given = variables_of(text), values.keys()
    missing, unknown = [name for name in wanted if name not in given], sorted(given - set(wanted))
    if missing:
        raise _invalid(f"{field}.variables", f"values are missing: {', '.join(missing)}")
    if unknown:
        raise _invalid(f"{field}.variables", f"the reply has only: {', '.join(wanted)}")
    # One pass: a value that looks like a variable stays as it is.
    written = _VARIABLE.sub(lambda match: values[match[1]], text)
    if len(written) > LONGEST_TEXT:
        raise _invalid(f"{field}.variables", f"the text has more than {LONGEST_TEXT} characters")
    return written


def _invalid(field: str, problem: str) -> InvalidInput:
    return InvalidInput([{"field": field, "problem": problem}])
