"""Scheduling with `-n`: a file runs in one worker, and the end-to-end tests in two, long ones in one."""

from __future__ import annotations

from typing import Final

from xdist.scheduler import LoadFileScheduling  # type: ignore[import-untyped] # it is untyped

DEPLOYED: Final = "tests/e2e/"
# They do not wait for the queues of WhatsApp to become empty, and kill no functions but their own.
BESIDE: Final = tuple(
    f"{DEPLOYED}{context}/"
    for context in ("conversations", "email_threads", "newsletters", "richpanel")
)


class ByFile(LoadFileScheduling):  # type: ignore[misc] # as above
    """
    As `--dist loadfile`, but the files of the end-to-end tests are two.

    They share one stack, whose queues some tests wait for: further workers would wait for each other. Long ones put so
    much load on it that functions of other tests would reach their time limits.
    """

    def _split_scope(self, nodeid: str) -> str:
        if not nodeid.startswith(DEPLOYED):
            return str(super()._split_scope(nodeid))
        is_beside = nodeid.startswith(BESIDE) and self.config.option.markexpr != "long"
        return f"{DEPLOYED}beside" if is_beside else DEPLOYED
