"""Evaluate the settings of an AI conversation with a set of scenarios, before customers meet them."""

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from conversations.configuration import versions
from conversations.dialogues import report
from conversations.dialogues.evaluation import Evaluation, Outcome, is_bound_reached
from conversations.dialogues.rehearsal.rehearsal import NotPlayable
from conversations.dialogues.scenarios import promptfoo
from conversations.dialogues.scenarios.files import DialogueInvalid, Written, documents_in, read
from conversations.dialogues.scenarios.settings import SettingsBroken
from operations.ai.evaluation import models, single_answers
from operations.command_line import arguments
from operations.command_line.arguments import Refused, WrongUse
from shared.ai.evaluation.answers import Outcome as AnswerOutcome
from shared.ai.evaluation.bounds import REACHED, Bounds
from shared.runtime.observability import logger

SETS = Path(__file__).parent / "sets"
SINGLE = SETS / "single_answers"  # drafts by mail, decisions on tickets, texts of newsletters
PASSED, NOT_PASSED = 0, 1
DEFAULT_CALLS, DEFAULT_DOLLARS = 2_000, 5.0
_A_MILLION = 1_000_000
_OWN = "scenarios"  # the name of the settings that the scenarios have


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; 0: all scenarios of each version have passed, 1: not, 2: wrong arguments."""
    level = logger.log_level
    logger.setLevel("CRITICAL")  # of the code of functions
    try:
        return arguments.run(parser(), argv, lambda options: int(options.run(options)))
    finally:
        logger.setLevel(level)


@dataclass(frozen=True, slots=True)
class _Version:
    """A version to try; *settings* None: the scenarios' own."""

    name: str
    settings: dict[str, Any] | None


def _evaluate(options: argparse.Namespace) -> int:
    single = {name for name in options.set if all(map(_has_single_answers, _files(name)))}
    others = [name for name in options.set if name not in single]
    code = _dialogues(options, others) if others else PASSED
    paths = [path for name in sorted(single) for path in _files(name)]
    return max(code, _single_answers(options, paths) if paths else PASSED)


def _has_single_answers(path: Path) -> bool:
    try:
        return single_answers.is_single([*documents_in(path)])
    except (OSError, DialogueInvalid):
        return False  # reported when it is read as a set of dialogues


def _single_answers(options: argparse.Namespace, paths: Sequence[Path]) -> int:
    """Play scenarios of one answer, with the recorded answers or with the model at an address."""
    if options.stack:
        raise WrongUse("--set: sets of mailboxes and of the help desk are run over the API")
    bounds = Bounds(options.most_calls, round(options.most_dollars * _A_MILLION))
    asked = None
    if options.model_url:
        model = models.model_at_address(options, bounds)
        judge = models.asked(options, None).judge(bounds)
        asked = single_answers.Asked(model=model, judge=judge, bounds=bounds)
    names = [one for one in (options.version, options.against) if one] or [_OWN]
    code = PASSED
    try:
        scenarios = [
            one for path in paths for one in single_answers.parsed(documents_in(path), path)
        ]
        chosen = [one for one in scenarios if options.only in {None, one.name}]
        if not chosen:
            raise Refused(f"--only: no scenario has the name {options.only}")
        for name in names:
            settings = None if name == _OWN else _object_in(Path(name))
            results = [(one.name, single_answers.played(one, settings, asked)) for one in chosen]
            code = max(code, _reported(options, name, results))
    except single_answers.ScenarioInvalid as fault:
        raise Refused(str(fault)) from None
    return code


def _reported(
    options: argparse.Namespace, version: str, results: Sequence[tuple[str, AnswerOutcome]]
) -> int:
    for name, one in results:
        if options.json:
            print(json.dumps({"version": version} | _as_json(name, one), ensure_ascii=False))
        elif one.failures or options.all:
            word = "FAILED" if one.failures else "ok"
            print("\n".join([f"{word:8}{name}", *(f"        - {line}" for line in one.failures)]))
    failed = sum(not one.is_passed for _, one in results)
    if not options.json:
        print(f"{version}: {len(results) - failed} passed, {failed} failed")
    return NOT_PASSED if failed else PASSED


def _as_json(name: str, outcome: AnswerOutcome) -> dict[str, Any]:
    judged = [{"question": one, **judgement.model_dump()} for one, judgement in outcome.judged]
    plain = asdict(replace(outcome, judged=()))
    return {"name": name, **plain, "judged": judged, "is_passed": outcome.is_passed}


def _dialogues(options: argparse.Namespace, sets: Sequence[str]) -> int:
    written = _selected(options, sets)
    stored = models.stored_project(options) if options.stack else None
    asked = models.asked(options, stored)
    bounds = Bounds(options.most_calls, round(options.most_dollars * _A_MILLION))
    found: dict[str, list[Outcome]] = {}
    for version in _versions(options, stored):
        evaluation = Evaluation(
            bounds=bounds,
            settings=version.settings,
            item=stored.item if stored else None,
            models=asked.models,
            searches=asked.searches,
            judge=asked.judge(bounds),
        )
        found[version.name] = _outcomes(evaluation, written, version.name, options)
    if not options.json:
        if len(found) > 1:
            print(report.side_by_side(found))
        for name, outcomes in found.items():
            print(f"{name}: {report.totals(outcomes)}")
    passed = all(one.is_passed for outcomes in found.values() for one in outcomes)
    return PASSED if passed else NOT_PASSED


def _outcomes(
    evaluation: Evaluation, written: Sequence[Written], name: str, options: argparse.Namespace
) -> list[Outcome]:
    """Return the outcome of each scenario; after the bound is reached none is played."""
    try:
        for one in written:
            evaluation.check(one)
    except (NotPlayable, SettingsBroken) as fault:
        raise Refused(str(fault)) from None
    outcomes: list[Outcome] = []
    for one in written:
        is_over = bool(outcomes) and is_bound_reached(outcomes[-1])
        outcome = (
            Outcome(name=one.dialogue.name, stopped=REACHED) if is_over else evaluation.run(one)
        )
        outcomes.append(outcome)
        if options.json:
            print(report.outcome_as_json(name, outcome), flush=True)
        elif options.all or not outcome.is_passed:
            print(report.of_outcome(outcome, shows_all=options.all), flush=True)
    return outcomes


def _versions(
    options: argparse.Namespace, stored: models.StoredProject | None
) -> Iterator[_Version]:
    names = [one for one in (options.version, options.against) if one]
    if len(set(names)) < len(names):
        raise WrongUse("--against: must be another version than --version")
    if not names:
        yield _Version("live" if stored else _OWN, None)
    for name in names:
        if stored and (name == "live" or name.isdigit()):
            yield _Version(name, stored.settings_of(name))
        elif name == _OWN:
            yield _Version(name, None)
        else:
            yield _Version(name, _settings_in(Path(name)))


def _settings_in(path: Path) -> dict[str, Any]:
    """Return the settings in a file: a version as the API shows it, or a project as `projects show` prints it."""
    found = versions.settings_of(_object_in(path))
    if not found:
        raise Refused(f"version: {path} has none of {', '.join(versions.VERSIONED)}")
    return found


def _object_in(path: Path) -> dict[str, Any]:
    """Return the object in a file, or its `settings`."""
    try:
        whole = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise Refused(f"version: {path} cannot be read ({type(error).__name__})") from None
    except ValueError:
        raise Refused(f"version: {path} must contain one JSON object") from None
    inner = whole.get("settings", whole) if isinstance(whole, dict) else {}
    if not isinstance(inner, dict):
        raise Refused(f"version: {path} must contain one JSON object")
    return inner


def _selected(options: argparse.Namespace, sets: Sequence[str]) -> list[Written]:
    """Return the scenarios of all sets. Raises Refused."""
    try:
        written = [one for name in sets for path in _files(name) for one in read(path)]
    except OSError as error:
        raise Refused(f"--set: {error.filename} cannot be read ({type(error).__name__})") from None
    except DialogueInvalid as fault:
        raise Refused(str(fault)) from None
    selected = [one for one in written if options.only in {None, one.dialogue.name}]
    if not selected:
        raise Refused(f"--only: no scenario has the name {options.only}")
    if not options.stack:
        return selected
    own = next((one for one in selected if one.dialogue.project), None)
    if own is not None:
        rule = "must not be set: the version of the project has the settings"
        raise Refused(f"{own.dialogue.name}: project: {rule}")
    return selected


def _files(name: str) -> list[Path]:
    """Return the files of a set. Parley's: `shipped` (dialogues), `shipped-mails`, `-newsletters`, `-tickets`."""
    own = {
        "shipped": shipped(),
        **{f"shipped-{path.stem}": [path] for path in SINGLE.glob("*.yaml")},
    }
    return own.get(name) or [Path(name)]


def shipped() -> list[Path]:
    """Return the files of the sets that Parley ships."""
    return sorted(SETS.glob("*.yaml"))


def _import(options: argparse.Namespace) -> int:
    try:
        found = promptfoo.converted(options.file, options.says)
    except OSError as error:
        raise Refused(f"file: cannot be read ({type(error).__name__})") from None
    except DialogueInvalid as fault:
        raise Refused(str(fault)) from None
    for one in found:
        print(json.dumps(one, ensure_ascii=False))
    print(
        f"{len(found)} scenarios; add recorded answers to run them without a model", file=sys.stderr
    )
    return PASSED


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command."""
    own = argparse.ArgumentParser(prog="python -m operations ai", description=__doc__)
    commands = own.add_subparsers(required=True, metavar="command")
    evaluate = arguments.sub_command(
        commands,
        "evaluate",
        _evaluate,
        "play the scenarios of a set and check the answers; exit code 1 if one fails",
    )
    evaluate.add_argument(
        "--set",
        action="append",
        required=True,
        metavar="FILE",
        help="YAML or JSON lines, or `shipped`, `shipped-mails`, `shipped-newsletters`, `shipped-tickets`",
    )
    evaluate.add_argument(
        "--version", help="JSON file of settings; with a stack a number, or `live`"
    )
    evaluate.add_argument("--against", help="a second version, shown beside the first")
    evaluate.add_argument("--only", metavar="NAME", help="only the scenario with this name")
    evaluate.add_argument("--all", action="store_true", help="show the turns of all scenarios")
    evaluate.add_argument("--json", action="store_true", help="a line of JSON per result")
    evaluate.add_argument("--most-calls", type=int, default=DEFAULT_CALLS, help="of models")
    evaluate.add_argument("--most-dollars", type=float, default=DEFAULT_DOLLARS, help="list prices")
    models.add_options(evaluate)

    convert = arguments.sub_command(
        commands, "import", _import, "print the tests of promptfoo as scenarios, in JSON lines"
    )
    convert.add_argument("file", type=Path, help="a configuration of promptfoo, or its tests")
    convert.add_argument("--says", metavar="VARIABLE", help="what the customer says")
    return own
