"""Scheduling with `-n`: a file runs in one worker, and all end-to-end tests in the same one."""

from __future__ import annotations

from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped] # it is untyped

DEPLOYED = "tests/e2e/"


class ByFile(LoadFileScheduling):  # type: ignore[misc] # as above
    """
    As `--dist loadfile`, but the files of the end-to-end tests are one.

    They share one stack: a second worker would only wait for the first.
    """

    def _split_scope(self, nodeid: str) -> str:
        return DEPLOYED if nodeid.startswith(DEPLOYED) else str(super()._split_scope(nodeid))
