"""
Plays dialogues with the real handlers and checks what the customer would have received.

    python -m conversations.dialogues FILE [FILE ...] [--json] [--all] [--only NAME]
                                      [--model-url URL --model NAME]

Run it in a checkout with the development environment (`make` creates it). Nothing leaves the machine: AWS is emulated
in this process, `local/sandbox` stands for providers and the language model, and time is simulated. A file has
dialogues as YAML documents, or as JSON lines. docs/projects.md describes them.

--model-url asks a real model with the API of OpenAI instead of the stand-in: the address without /v1, and the key in
OPENAI_API_KEY. `answers` in the file are ignored then; expectations stay.

Exit code: 0 all dialogues went as expected, 1 some did not, 2 wrong arguments or an unreadable file.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from conversations.configuration.projects import ConfigurationInvalid
from conversations.dialogues import report
from conversations.dialogues.performance import play
from conversations.dialogues.scenarios.files import DialogueInvalid, read
from conversations.dialogues.world import RealModel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from conversations.dialogues.scenarios.files import Written
    from conversations.dialogues.turn import Performance

    type Show = Callable[[Performance], str]

AS_EXPECTED, NOT_AS_EXPECTED, WRONG_USE = 0, 1, 2
_OF_EVALUATIONS = ("documents", "language", "first_name")


def main(arguments: Sequence[str] | None = None) -> int:
    """Play all dialogues of the files and return the exit code."""
    options = _parser().parse_args(arguments)
    try:
        written = _selected(options)
    except (DialogueInvalid, OSError) as error:
        print(error, file=sys.stderr)
        return WRONG_USE
    try:
        # By its name: no function imports it, and it is not deployed.
        emulated = importlib.import_module("local.dialogues").emulated
    except ModuleNotFoundError as error:
        print(f"{error}: run it in a checkout, with the development environment", file=sys.stderr)
        return WRONG_USE
    model = None
    if options.model_url:
        key = os.environ.get("OPENAI_API_KEY", "")
        if not (key and options.model):
            print("--model-url needs --model and OPENAI_API_KEY", file=sys.stderr)
            return WRONG_USE
        model = RealModel(options.model_url.rstrip("/"), options.model, key)
    performances = []
    shown = report.as_json if options.json else _as_text(options)
    with emulated(model) as world:
        for one in written:
            try:
                performances.append(play(world, one))
            except ConfigurationInvalid as error:
                place = f"{one.dialogue.name}: project.{error.attribute}"
                print(f"{place}: missing or invalid", file=sys.stderr)
                return WRONG_USE
            print(shown(performances[-1]), flush=True)
    if not options.json:
        print(report.summary(performances))
    is_good = all(one.is_as_expected for one in performances)
    return AS_EXPECTED if is_good else NOT_AS_EXPECTED


def _as_text(options: argparse.Namespace) -> Show:
    return lambda performance: report.as_text(performance, shows_all=options.all)


def _selected(options: argparse.Namespace) -> list[Written]:
    written = [one for name in options.files for one in _playable(Path(name))]
    selected = [one for one in written if options.only in {None, one.dialogue.name}]
    if not selected:
        raise DialogueInvalid(f"no dialogue has the name {options.only}")
    return selected


def _playable(path: Path) -> list[Written]:
    """Return the dialogues of a file. Raises DialogueInvalid for one that only evaluations play."""
    written = read(path)
    for one in written:
        for field in _OF_EVALUATIONS:
            if getattr(one.dialogue, field):
                rule = "only `python -m operations ai evaluate` plays it"
                raise DialogueInvalid(f"{path}: {one.dialogue.name}: {field}: {rule}")
    return written


def _parser() -> argparse.ArgumentParser:
    summary, _, details = (__doc__ or "").partition("\n\n")
    parser = argparse.ArgumentParser(
        prog="python -m conversations.dialogues",
        description=summary.strip(),
        epilog=details,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="files of dialogues")
    parser.add_argument("--json", action="store_true", help="print a line of JSON per dialogue")
    parser.add_argument("--all", action="store_true", help="show all turns of all dialogues")
    parser.add_argument("--only", metavar="NAME", help="play only the dialogue with this name")
    parser.add_argument("--model-url", metavar="URL", help="ask a real model at this address")
    parser.add_argument("--model", metavar="NAME", help="the name of the real model")
    return parser


if __name__ == "__main__":
    sys.exit(main())
