"""Who runs what with `-n`: one worker each file, and one worker all that needs the deployed stack."""

from __future__ import annotations

from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped] # it has no types

DEPLOYED = "tests/e2e/"


class ByFile(LoadFileScheduling):  # type: ignore[misc] # as above
    """
    As `--dist loadfile`, but the files of the end-to-end tests are one.

    They take turns on the one stack: while one runs, another could only keep its worker waiting.
    """

    def _split_scope(self, nodeid: str) -> str:
        return DEPLOYED if nodeid.startswith(DEPLOYED) else str(super()._split_scope(nodeid))
