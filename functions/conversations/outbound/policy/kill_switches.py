"""
The kill switches of this context, below `/parley/{stage}/conversations/`.

    safe_mode            `false` permits sending; any other text, or none, stops every send
    automation_enabled   `true` permits the models; any other text, or none, stops them
"""

from shared.policy.facts import Switches
from shared.policy.kill_switches import KillSwitches

SAFE_MODE = "safe_mode"
AUTOMATION = "automation_enabled"


def in_force(switches: KillSwitches) -> Switches:
    """Return the switches as of at most 30 seconds ago; off if they cannot be read."""
    texts = switches.texts() or {}
    return Switches(
        safe_mode=texts.get(SAFE_MODE) != "false", automation=texts.get(AUTOMATION) == "true"
    )
