"""Delete a stage: stop it, remove its data, secrets and mail rules in the right order, then its stack."""

import argparse
from collections.abc import Sequence

from operations.command_line import arguments
from operations.command_line.arguments import Refused
from operations.stages import inventory
from operations.stages.removal import Removal, problems

_DELETE, _KEEP = "delete", "keep"
# As Secrets Manager allows; 0: at once.
_RECOVERY_DAYS = (0, *range(7, 31))
_stage = arguments.matching(
    r"[a-z][a-z0-9-]{1,12}", "a stage: 2 to 13 lower-case letters, digits and hyphens"
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a sub-command; returns the exit code."""
    return arguments.run(parser(), argv, lambda options: options.run(options))


def _delete(options: argparse.Namespace) -> int:
    found = inventory.read(options.stack)
    if found is None:
        print(f"There is no stack {options.stack}: it is deleted, or never existed.")
        return 0
    if found.stage != options.stage:
        raise Refused(
            f"stage: {options.stack} is the stack of {found.stage}, not of {options.stage}"
        )
    data = options.data or (_KEEP if found.keeps_data else _DELETE)
    removal = Removal(found, deletes_data=data == _DELETE, recovery_days=options.recovery_days)
    refused = problems(
        removal, confirmed=options.confirm or "", lifts_protection=options.lift_protection
    )
    if refused and not options.dry_run:
        raise Refused("\n".join(refused))
    for step in removal.steps():
        print(f"{step.title}: {step.left() or 'nothing to do'}", flush=True)
        if not options.dry_run:
            step.run()
    if options.dry_run:
        print("Dry run: nothing was changed.")
        for problem in refused:
            print(f"Would be refused: {problem}")
        return 0
    print(f"{options.stack} is deleted.")
    if not removal.deletes_data:
        print("Kept: tables, buckets, secrets, parameters that functions made, and the user pool.")
    return 0


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    own = argparse.ArgumentParser(prog="python -m operations stage", description=__doc__)
    commands = own.add_subparsers(required=True, metavar="command")
    delete = arguments.sub_command(
        commands, "delete", _delete, "delete a stage and its stack; may be repeated after an error"
    )
    delete.add_argument("stage", type=_stage, help="name of the stage, as in the parameter Stage")
    arguments.add_stack(delete)
    delete.add_argument(
        "--dry-run",
        action="store_true",
        help="print the steps with their counts and change nothing",
    )
    delete.add_argument(
        "--confirm", metavar="STAGE", help="the name again, for prod and protected stages"
    )
    delete.add_argument(
        "--data",
        choices=(_DELETE, _KEEP),
        help="tables, buckets, secrets and people; the default is keep for prod, which alone can keep them",
    )
    delete.add_argument(
        "--lift-protection", action="store_true", help="remove the protection from deletion"
    )
    delete.add_argument(
        "--recovery-days",
        type=int,
        choices=_RECOVERY_DAYS,
        default=30,
        metavar="DAYS",
        help="days in which deleted secrets can be restored, 7 to 30 (default), or 0",
    )
    return own
