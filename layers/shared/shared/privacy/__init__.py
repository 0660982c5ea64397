"""Erasure and export of a person: the engine of all contexts, jobs, requests, receipts and folders of exports."""

from typing import Final

PART: Final = "privacy_part"  # in the event of a call of a part (`shared.privacy.part_calls`)
