"""
The grammar of expressions: texts with placeholders to trees.

A tree is a tuple of a kind and its parts. Operands are `("path", path)`, `("value", ":placeholder")` and
`("size", path)`; conditions are `("and", left, right)`, `("=", operand, operand)`, `("attribute_exists", path)` and the
like. Paths have the names of attributes: their placeholders are replaced.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from moto.dynamodb.parsing.reserved_keywords import ReservedKeywords

from tests.tables.errors import Invalid

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.tables.values import Path

type Tree = tuple[Any, ...]

COMPARISONS: Final = frozenset({"=", "<>", "<", "<=", ">", ">="})
# The conditions that are functions, and how many operands follow the path.
_FUNCTIONS: Final = {
    "attribute_exists": 0,
    "attribute_not_exists": 0,
    "attribute_type": 1,
    "begins_with": 1,
    "contains": 1,
}
_TOKEN: Final = re.compile(r"[#:][A-Za-z0-9_]+|[A-Za-z_][A-Za-z0-9_]*|[0-9]+|<>|<=|>=|\S")
_RESERVED: Final = frozenset(ReservedKeywords.get_reserved_keywords())
_MOST_IN_LIST: Final = 100


class Reader:
    """Reads one expression from its start to its end; notes the placeholders that it meets."""

    def __init__(self, kind: str, text: str, names: Mapping[str, str]) -> None:
        self.kind, self.names = kind, names
        self.tokens: list[str] = _TOKEN.findall(text)
        self.position = 0
        self.used_names: set[str] = set()
        self.used_values: set[str] = set()
        if not self.tokens:
            raise self.invalid("The expression can not be empty;")

    def invalid(self, message: str) -> Invalid:
        return Invalid(f"Invalid {self.kind}: {message}")

    @property
    def token(self) -> str:
        """The next token; empty at the end."""
        return self.tokens[self.position] if self.position < len(self.tokens) else ""

    def next(self) -> str:
        token = self.token
        self.position += 1
        return token

    def meets(self, *tokens: str) -> bool:
        """Whether the next token is one of these, in any case; it is passed then."""
        if self.token.upper() not in tokens:
            return False
        self.position += 1
        return True

    def expect(self, token: str) -> None:
        if self.token != token:
            raise self.syntax_error()
        self.position += 1

    def end(self) -> None:
        if self.token:
            raise self.syntax_error()

    def syntax_error(self) -> Invalid:
        near = " ".join(self.tokens[max(0, self.position - 1) : self.position + 2])
        return self.invalid(f'Syntax error; token: "{self.token or "<EOF>"}", near: "{near}"')

    # Conditions

    def condition(self) -> Tree:
        tree = self._conjunction()
        while self.meets("OR"):
            tree = ("or", tree, self._conjunction())
        return tree

    def _conjunction(self) -> Tree:
        tree = self._negation()
        while self.meets("AND"):
            tree = ("and", tree, self._negation())
        return tree

    def _negation(self) -> Tree:
        return ("not", self._negation()) if self.meets("NOT") else self._simple()

    def _simple(self) -> Tree:
        if self.meets("("):
            is_doubled, start = self.token == "(", self.position
            tree = self.condition()
            if is_doubled and self.token == ")" and self._closes(start) == self.position - 1:
                raise self.invalid("The expression has redundant parentheses;")
            self.expect(")")
            return tree
        if self.token in _FUNCTIONS:
            return self._function(self.next())
        left = self.operand()
        if self.token in COMPARISONS:
            return (self.next(), left, self.operand())
        if self.meets("BETWEEN"):
            low = self.operand()
            if not self.meets("AND"):
                raise self.syntax_error()
            return ("between", left, low, self.operand())
        if self.meets("IN"):
            return ("in", left, self._list())
        raise self.syntax_error()

    def _closes(self, start: int) -> int:
        """The position of the parenthesis that closes the one at *start*."""
        depth = 0
        for position in range(start, len(self.tokens)):
            depth += {"(": 1, ")": -1}.get(self.tokens[position], 0)
            if not depth:
                return position
        return -1

    def _function(self, name: str) -> Tree:
        self.expect("(")
        parts: list[Any] = [self.path()]
        for _ in range(_FUNCTIONS[name]):
            self.expect(",")
            parts.append(self.operand())
        self.expect(")")
        return (name, *parts)

    def _list(self) -> list[Tree]:
        self.expect("(")
        operands = [self.operand()]
        while self.meets(","):
            operands.append(self.operand())
        self.expect(")")
        if len(operands) > _MOST_IN_LIST:
            raise self.invalid("Invalid number of operands for operator or function IN;")
        return operands

    # Operands and paths

    def operand(self) -> Tree:
        if self.token.startswith(":"):
            return ("value", self.value())
        if self.token == "size" and self.tokens[self.position + 1 : self.position + 2] == ["("]:
            self.position += 2
            path = self.path()
            self.expect(")")
            return ("size", path)
        return ("path", self.path())

    def value(self) -> str:
        """The placeholder of a value."""
        if not self.token.startswith(":") or len(self.token) == 1:
            raise self.syntax_error()
        self.used_values.add(self.token)
        return self.next()

    def path(self) -> Path:
        steps: list[str | int] = [self._name()]
        while self.token in {".", "["}:
            if self.next() == ".":
                steps.append(self._name())
            else:
                if not self.token.isdecimal():
                    raise self.syntax_error()
                steps.append(int(self.next()))
                self.expect("]")
        return tuple(steps)

    def _name(self) -> str:
        token = self.token
        if token.startswith("#"):
            if token not in self.names:
                raise self.invalid(
                    f"An expression attribute name used in the document path is not defined; attribute name: {token}"
                )
            self.used_names.add(self.next())
            return self.names[token]
        if not token or not (token[0].isalpha() or token[0] == "_"):
            raise self.syntax_error()
        if token.upper() in _RESERVED:
            raise self.invalid(f"Attribute name is a reserved keyword; reserved keyword: {token}")
        return self.next()
