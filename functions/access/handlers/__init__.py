"""The Lambda authorizer."""

from shared.runtime import gc_at_start

gc_at_start.begin()
