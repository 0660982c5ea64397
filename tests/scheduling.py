"""Scheduling with `-n`: a file runs in one worker; all end-to-end tests in the same one; simulations by function."""

from __future__ import annotations

from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped] # it is untyped

DEPLOYED = "tests/e2e/"
SIMULATED = "tests/simulation/"


class ByFile(LoadFileScheduling):  # type: ignore[misc] # as above
    """
    As `--dist loadfile`, but the files of the end-to-end tests are one, and functions of simulations are apart.

    End-to-end tests share one stack: a second worker would only wait for the first. One file of a crash matrix may
    take longer than all others together.
    """

    def _split_scope(self, nodeid: str) -> str:
        if nodeid.startswith(DEPLOYED):
            return DEPLOYED
        if nodeid.startswith(SIMULATED):
            return nodeid.partition("[")[0]
        return str(super()._split_scope(nodeid))
