"""Show, store, roll back and preview the shop's settings of the help desk."""

import argparse
import json
import sys
import uuid
from pathlib import Path
from typing import Any

from operations.command_line.arguments import Refused
from operations.contexts.richpanel import deployment
from richpanel.api import inputs
from richpanel.api.access import ApiDependencies
from richpanel.api.configuration import settings
from richpanel.api.configuration.settings import Change
from richpanel.api.views import SettingsView
from richpanel.configuration.shop_settings import ShopSettings
from richpanel.store.settings import Outdated
from shared.ai.versions.stored import NoVersion
from shared.api.models.inputs import body


def show(deps: ApiDependencies, options: argparse.Namespace) -> None:
    """Print the settings in force or of a version as JSON; the version goes to standard error."""
    try:
        shown = settings.shown(deps.state, options.number)
    except NoVersion as refusal:
        raise Refused(f"--{refusal}") from None
    _print(shown)


def versions(deps: ApiDependencies, _options: argparse.Namespace) -> None:
    """Print the newest versions: number, time, author."""
    for version in settings.versions(
        deps.state, before=None, limit=settings.MOST_VERSIONS
    ).versions:
        print(version.number, version.changed_at, version.changed_by, sep="\t")


def templates(_deps: ApiDependencies, _options: argparse.Namespace) -> None:
    """Print the templates with their variables and standard texts, as JSON."""
    shown = settings.standard().model_dump(mode="json")
    print(json.dumps(shown["templates"], ensure_ascii=False, indent=2))


def put(deps: ApiDependencies, options: argparse.Namespace) -> None:
    """Store the settings of a file as the next version."""
    _store(deps, options, settings.checked(_read(options.file)))


def roll_back(deps: ApiDependencies, options: argparse.Namespace) -> None:
    """Put an older version in force again, as the next version."""
    try:
        old = settings.of_version(deps.state, options.number)
    except NoVersion as refusal:
        raise Refused(str(refusal)) from None
    _store(deps, options, old, rolled_back_to=options.number)


def preview(deps: ApiDependencies, options: argparse.Namespace) -> None:
    """Print a reply as it would be sent, with the settings in force or from a file."""
    fields = {
        "template": options.template,
        "language": options.language,
        "channel": options.channel,
        "brand": options.brand,
        "settings": _read(options.file) if options.file else None,
    }
    request = body(json.dumps(fields), inputs.PreviewInput)
    print(settings.preview(deps.account, deps.state, request).text)


def _store(
    deps: ApiDependencies, options: argparse.Namespace, new: ShopSettings, **more: int
) -> None:
    based_on = settings.shown(deps.state).number if options.based_on is None else options.based_on
    change = Change(by=deployment.caller(), based_on=based_on, cause=uuid.uuid4().hex)
    try:
        _print(settings.store(deps.state, deps.audit, change, new, **more))
    except Outdated as refusal:
        raise Refused(f"--{refusal}") from None


def _print(shown: SettingsView) -> None:
    print(json.dumps(shown.settings, ensure_ascii=False, indent=2))
    author = f", {shown.changed_at} by {shown.changed_by}" if shown.changed_by else ""
    print(f"version {shown.number}{author}", file=sys.stderr)


def _read(path: Path) -> dict[str, Any]:
    """Return the JSON object of a file. Raises Refused."""
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as fault:
        raise Refused(
            f"file: {path}: {type(fault).__name__}: must be a readable JSON file"
        ) from None
    if not isinstance(fields, dict):
        raise Refused(f"file: {path}: must hold a JSON object")
    return fields
