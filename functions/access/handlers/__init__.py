"""The Lambda authorizer."""

from shared import cold_start

cold_start.begin()
