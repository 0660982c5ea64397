"""
`python -m operations <command> ...`: the commands for operators of a deployment. `--help` of each explains its options.

    api-keys        create, list and revoke API keys
    erase-person    erase a person's data from a company's conversations
    phones          register, list and disable business numbers
    projects        check and store the settings of projects
    recovery        list parked events and dead letters; replay and redrive them
"""

import sys
from collections.abc import Callable, Mapping, Sequence

from operations import api_keys, erase_person, phones, projects
from operations.recovery import cli as recovery

COMMANDS: Mapping[str, Callable[[Sequence[str]], int]] = {
    "api-keys": api_keys.main,
    "erase-person": erase_person.main,
    "phones": phones.main,
    "projects": projects.main,
    "recovery": recovery.main,
}
USAGE_ERROR = 2


def main(argv: Sequence[str]) -> int:
    """Run a command by its name; returns its exit code, 2 for an unknown name."""
    name, *arguments = argv or [""]
    if name in {"-h", "--help"}:
        print(__doc__)
        return 0
    if name not in COMMANDS:
        names = ", ".join(sorted(COMMANDS))
        print(f"error: command: must be one of {names}", file=sys.stderr)
        return USAGE_ERROR
    return COMMANDS[name](arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
