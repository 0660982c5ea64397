"""Show what outsiders have caused for a company today, and change the bounds of its costs."""

import argparse
import re
from collections.abc import Sequence

from operations.command_line import arguments
from operations.command_line.arguments import Refused
from shared.ai.spending import ceilings, usage
from shared.ai.spending.bounds import MICROS, Kind
from shared.aws.dynamodb import Table
from shared.runtime import clock

# Outputs of template.yaml. A stack of an earlier release does not have the second one.
TABLE_OF_SPENDING, MAXIMUM = "SpendingTableName", "SpendingMaximumPercent"
MOST_PERCENT = 10_000
WARNING = "warn_at_percent"
CEILINGS = {
    "dollars_per_day": "day_micros",
    "dollars_per_month": "month_micros",
    WARNING: "warn_percent",
}
_DOLLARS = re.compile(r"[0-9]{1,7}(\.[0-9]{1,6})?", re.ASCII)
_SETTING = re.compile(r"([a-z_]+)=([0-9]{1,5})")
_DATE = len("2026-03-01")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    return arguments.run(parser(), argv, _act)


def _act(options: argparse.Namespace) -> int:
    options.run(arguments.table_of(options, TABLE_OF_SPENDING), options)
    return 0


def _show(table: Table, options: argparse.Namespace) -> None:
    today = clock.to_text(clock.now_ms())[:_DATE]
    percents = usage.percents_of(table, options.company)
    settings = usage.settings_of(table, options.company)
    day, month = ceilings.spent(table, options.company, today)
    for name, micros in (("dollars_per_day", day), ("dollars_per_month", month)):
        most = getattr(settings, CEILINGS[name]) if settings else None
        if most is not None:
            print(name, f"${micros / MICROS:.2f}", f"of ${most / MICROS:.2f}", sep="\t")
    for used in usage.of_day(table, options.company, today, percent=100, most_percent=MOST_PERCENT):
        percent = f"{percents[used.kind]} %" if used.kind in percents else "deployment"
        print(used.kind, used.units, f"${used.micros / MICROS:.2f}", percent, sep="\t")


def _set(table: Table, options: argparse.Namespace) -> None:
    most = _most_percent(options)
    percents = {Kind(name): one for name, one in usage.percents_of(table, options.company).items()}
    limits: dict[str, int | None] = {}
    for text in options.settings:
        if text.partition("=")[0] in CEILINGS:
            limits |= _ceiling(*text.split("=", 1))
            continue
        matched = _SETTING.fullmatch(text)
        if matched is None or matched[1] not in set(Kind):
            kinds = ", ".join(Kind)
            raise Refused(
                f"settings: must be <kind>=<0 to {most}> or a limit of {', '.join(CEILINGS)}; kinds: {kinds}"
            )
        if int(matched[2]) > most:
            raise Refused(f"{matched[1]}: must be at most {most}, {MAXIMUM} of the deployment")
        percents[Kind(matched[1])] = int(matched[2])
    if limits:
        usage.set_ceilings(table, options.company, limits, by="operator")
    if percents or not limits:
        usage.set_percents(table, options.company, percents, by="operator")


def _ceiling(name: str, text: str) -> dict[str, int | None]:
    """Return a limit as the settings store it; `none` removes it. Raises Refused."""
    field = CEILINGS[name]
    if text == "none":
        return {field: None}
    if name == WARNING:
        if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 100):  # noqa: PLR2004 - a percentage
            raise Refused(f"{name}: must be 1 to 100, or none for 80")
        return {field: int(text)}
    if not _DOLLARS.fullmatch(text) or round(float(text) * MICROS) > ceilings.MOST_MICROS:
        raise Refused(f"{name}: must be dollars up to 1000000, or none")
    return {field: round(float(text) * MICROS)}


def _most_percent(options: argparse.Namespace) -> int:
    """Return the maximum of the deployment; without its stack (`--table`), the parameter's default."""
    if options.table:
        return MOST_PERCENT
    return int(arguments.outputs_of(options.stack).get(MAXIMUM, MOST_PERCENT))


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = argparse.ArgumentParser(prog="python -m operations spending", description=__doc__)
    actions = made.add_subparsers(required=True, metavar="command")
    for name, run, text in (
        ("show", _show, "units and dollars of each kind today"),
        ("set", _set, "percentages of the default bounds by kind, and limits in dollars"),
    ):
        one = actions.add_parser(name, help=text, description=text)
        if name == "set":
            one.add_argument("settings", nargs="+", metavar="<kind>=<percent> or <limit>=<dollars>")
        one.add_argument("--company", required=True, type=arguments.word)
        arguments.add_table(one)
        one.set_defaults(run=run)
    return made
