"""Bounds of bounces, complaints and delays: above them an issue pauses, and a new domain sends less the next day."""

from typing import Final

BOUNCES: Final = 0.05  # of sent mails
FEWEST_COMPLAINTS: Final = 2
COMPLAINTS: Final = 0.001  # of delivered mails; mailbox providers act at 0.003
FEWEST_BOUNCES: Final = 5  # of a day of a new domain, which may have few mails
FEWEST_DELAYS: Final = 10
DELAYS: Final = 0.1
