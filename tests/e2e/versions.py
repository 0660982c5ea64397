"""Versions of a deployed function with other variables."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from local.stack.cli import Stack


@contextmanager
def another_version(stack: Stack, name: str) -> Iterator[Callable[[Mapping[str, str]], None]]:
    """
    Yield what publishes a version of a function with further variables: it runs in new processes, with empty caches.
    At the end the function is as before.
    """
    functions = stack.client("lambda")
    before = functions.get_function_configuration(FunctionName=name)["Environment"]
    (alias, *_) = functions.list_aliases(FunctionName=name)["Aliases"]

    def publish(more: Mapping[str, str]) -> None:
        changed = {"Variables": {**before["Variables"], **more}}
        functions.update_function_configuration(FunctionName=name, Environment=changed)
        # The queue invokes the alias, whose version keeps the environment with which it was published.
        version = functions.publish_version(FunctionName=name)["Version"]
        functions.update_alias(FunctionName=name, Name=alias["Name"], FunctionVersion=version)

    try:
        yield publish
    finally:
        functions.update_function_configuration(FunctionName=name, Environment=before)
        functions.update_alias(
            FunctionName=name, Name=alias["Name"], FunctionVersion=alias["FunctionVersion"]
        )
