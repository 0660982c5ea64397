"""
Writes the sample events of all contexts to their files, and the tables of them to the README.md beside them.

`python -m events` writes changed files and removes files without a sample; with `--check` it only lists them, and fails
if there are any. `--write DIR` writes every event below another folder, with the calls of all actions.
"""

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

from events import generated_files
from events.console.generated_files import files as files_of_the_console
from events.conversations.generated_files import files as files_of_conversations
from events.email_threads.generated_files import files as files_of_email_threads
from events.newsletters.generated_files import files as files_of_newsletters
from events.richpanel.generated_files import files as files_of_the_help_desk
from events.whatsapp.generated_files import calls_of_all_actions
from events.whatsapp.generated_files import files as files_of_the_inbox

FOLDER = Path(__file__).parent


def expected() -> Mapping[Path, str]:
    """Return the content of every generated file, by path."""
    return (
        files_of_the_console()
        | files_of_conversations()
        | files_of_email_threads()
        | files_of_newsletters()
        | files_of_the_help_desk()
        | files_of_the_inbox()
    )


def every_event() -> Mapping[Path, str]:
    """Return the content of every sample event, by path relative to the folder of events."""
    files = {**expected(), **calls_of_all_actions()}
    return {
        path.relative_to(FOLDER): text for path, text in files.items() if path.suffix == ".json"
    }


def main() -> int:
    """Run the command; return 1 if `--check` found outdated files."""
    parser = argparse.ArgumentParser(prog="python -m events", description=__doc__)
    options = parser.add_mutually_exclusive_group()
    options.add_argument("--check", action="store_true", help="only list the outdated files")
    options.add_argument("--write", type=Path, metavar="DIR", help="write every event below DIR")
    arguments = parser.parse_args()
    if arguments.write:
        events = every_event()
        for path, text in events.items():
            target = arguments.write / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        sys.stdout.write(f"{len(events)} events: {arguments.write}\n")
        return 0
    only_checks = arguments.check
    act = generated_files.outdated if only_checks else generated_files.write
    stale = act(expected())
    for path in stale:
        word = "outdated" if only_checks else "written"
        sys.stdout.write(f"{word}: {path.parent.name}/{path.name}\n")
    return 1 if only_checks and stale else 0


if __name__ == "__main__":
    sys.exit(main())
