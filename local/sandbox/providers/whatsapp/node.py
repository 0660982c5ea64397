"""An operation of Graph on an object by its id alone."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from local.sandbox.providers.interface import Answer, Call


@dataclass(frozen=True)
class Node:
    """
    One operation on objects by id (`GET /{version}/{id}`), for the ids that *owns* accepts.

    The id is `call.request.path_params["node"]`.
    """

    method: str
    operation: str
    owns: Callable[[Call, str], bool]
    act: Callable[[Call], Awaitable[Answer]]
