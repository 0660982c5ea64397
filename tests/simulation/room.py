"""
Saves a quarter of the simulation's CPU time: a frame so large that those above it need no more room.

CPython keeps frames in chunks of 16 KB and gives an empty one back to the system at once. Where a hot loop of the SDK
or of moto happens to begin at the end of a chunk, each call in it maps and unmaps memory, a million times a run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

_LOCALS = 8_000  # 64 KB: more than all frames of a test together


def _roomy() -> Callable[[Callable[[], object]], object]:
    """A function that calls what it is given, with room for thousands of local variables that it never sets."""
    unset = " = ".join(f"v{number}" for number in range(_LOCALS))
    made: dict[str, Any] = {}
    source = (
        f"def with_room(call):\n    if call is None:\n        {unset} = None\n    return call()"
    )
    exec(source, made)  # noqa: S102 - nobody can write it by hand
    with_room: Callable[[Callable[[], object]], object] = made["with_room"]
    return with_room


with_room = _roomy()
