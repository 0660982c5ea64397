"""Stops whatever runs of this checkout's local stack: `python3.13 -m local.stack.shutdown`; needs no environment."""

import shutil

from local.stack.processes import LOCAL, TEMPORARY, as_program, say, stop_ours

# What `make up` and the others know the running stack by.
DESCRIPTION = LOCAL / "stack.json"
DEPLOYED_FROM = LOCAL / "deployed-from"
# There while the stack shall outlive who started it.
KEPT = LOCAL / "kept"


def shut_down() -> int:
    """Stop every process of the stack and forget it; how many there were. StackError if one does not end."""
    for trace in (KEPT, DESCRIPTION, DEPLOYED_FROM):
        trace.unlink(missing_ok=True)
    stopped = stop_ours()
    shutil.rmtree(TEMPORARY, ignore_errors=True)
    return stopped


def main() -> None:
    """Stop, and say so."""
    stopped = shut_down()
    say(f"stopped {stopped} processes" if stopped else "nothing was running")


if __name__ == "__main__":
    as_program(main)
