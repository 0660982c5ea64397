"""
Writes the help desk's sample events to their files, and the table of them to README.md.

`python -m events.richpanel.make` writes what has changed and removes files of samples that are gone;
with `--check` it only says what it would do, and fails when that is anything.
"""

import sys
from pathlib import Path

from events import files as generated
from events.richpanel.direct import direct_events
from events.richpanel.samples import FOLDER, samples

README = FOLDER / "README.md"

_PREFACE = """\
# Help-desk sample events

Calls of the help desk's rules and of relays, as the webhook gets them. Made by
`python -m events.richpanel.make`: change `samples.py`, not the files.

- `<name>.json` is the event that Lambda gets, an API Gateway proxy event for `RichpanelWebhook`:
  the command beside each runs it in a container (`sam build` first, and `--env-vars` with the URLs
  and the secret of a stack).
- They carry the sample token, or are signed with the sample key, of `samples.py`. Ids, people and
  secrets are made up.
- *mail* and *live* are the lanes (`richpanel.fifo`, `richpanel-live.fifo`); behind them stands the
  id of the first event. *no id*: the worker makes it of the newest customer comment.

| file | what it shows | expected | command |
|---|---|---|---|
"""
_OTHERS = """
For the functions that the help desk does not call itself:

| file | what it shows | command |
|---|---|---|
"""


def files() -> dict[Path, str]:
    """Every generated file and what belongs in it."""
    told = samples()
    rows = [
        f"| [{s.name}]({s.path.name}) | {s.description} | {s.in_words()} | "
        f"`sam local invoke RichpanelWebhook -e events/richpanel/{s.path.name}` |\n"
        for s in told
    ]
    direct = direct_events()
    others = [
        f"| [{d.name}]({d.path.name}) | {d.description} | "
        f"`sam local invoke {d.function} -e events/richpanel/{d.path.name}` |\n"
        for d in direct
    ]
    readme = _PREFACE + "".join(rows) + _OTHERS + "".join(others)
    events = {s.path: s.file_text for s in told} | {d.path: d.file_text for d in direct}
    return events | {README: readme}


def outdated() -> list[Path]:
    """Files that are missing, differ, or belong to no sample, by name."""
    return generated.outdated(files(), FOLDER)


def write() -> list[Path]:
    """Bring all files up to date; the ones that were not."""
    return generated.write(files(), FOLDER)


def main() -> int:
    """Run the command; 1 when `--check` found something to do."""
    return generated.run("python -m events.richpanel.make", __doc__, check=outdated, repair=write)


if __name__ == "__main__":
    sys.exit(main())
