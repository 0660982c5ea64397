"""Limits of AWS clients that several functions use."""

from typing import Final

from botocore.config import Config

# Of workers, which are repeated by their queue. The default read timeout is as long as most functions may run.
PATIENT: Final = Config(connect_timeout=2, read_timeout=8, retries={"total_max_attempts": 3})
