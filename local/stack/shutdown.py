"""Stops all processes of this checkout's local stack: `python3.13 -m local.stack.shutdown`; needs no environment."""

import shutil

from local.stack.processes import LOCAL, TEMPORARY, as_program, say, stop_ours

# Files that describe the running stack to `make up` and the other commands.
DESCRIPTION = LOCAL / "stack.json"
DEPLOYED_FROM = LOCAL / "deployed-from"
# Exists while the stack must keep running after its starter ends.
KEPT = LOCAL / "kept"


def shut_down() -> int:
    """
    Stop all processes of the stack, delete its state files; return the number of processes. StackError if one does not
    end.
    """
    for trace in (KEPT, DESCRIPTION, DEPLOYED_FROM):
        trace.unlink(missing_ok=True)
    stopped = stop_ours()
    shutil.rmtree(TEMPORARY, ignore_errors=True)
    return stopped


def main() -> None:
    """Stop the stack and print the result."""
    stopped = shut_down()
    say(f"stopped {stopped} processes" if stopped else "nothing was running")


if __name__ == "__main__":
    as_program(main)
