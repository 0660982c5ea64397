"""Records the stored items, queued events and responses of this version: see `recordings`."""

import sys

from tests import conftest  # noqa: F401 - as in all tests: moto before any client, and false credentials
from tests.upgrade import recordings

if __name__ == "__main__":
    try:
        sys.stdout.write(f"written: {recordings.record()}\n")
    except recordings.Released as refusal:
        sys.exit(str(refusal))
