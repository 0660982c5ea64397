"""
Writes the sample events of conversations to their files, and the table of them to README.md.

`python -m events.conversations.make` writes what has changed and removes files of samples that are gone;
with `--check` it only says what it would do, and fails when that is anything.
"""

import sys
from pathlib import Path

from events import files as generated
from events.conversations.direct import direct_events
from events.conversations.samples import FOLDER, samples

README = FOLDER / "README.md"

_PREFACE = """\
# Sample events of conversations

Requests of a company's software, what Twilio and AWS tell of text messages, and work on the queues.
Made by `python -m events.conversations.make`: change `samples.py` and `direct.py`, not the files.

- `<name>.json` is the event that Lambda gets: the command beside each runs it in a container
  (`sam build` first, and `--env-vars` with the URLs, tables and secrets of a stack). On the local
  one `python -m local.invoke.rie <function> <file>` does it all, without Docker.
- Those of Twilio are signed for `https://parley.example` with the sample token of `twilio.py`. They
  stay good: Twilio's signature has no time in it. Ids, people and secrets are made up.
- *first message*, *message* and *status* go to the queue of a channel, to
  `conversations-inbound.fifo` and to `conversations-statuses.fifo`.

| file | what it shows | expected | command |
|---|---|---|---|
"""
_OTHERS = """
For the functions that nobody outside calls. Where there is no conversation yet they park what they get, or
keep it for people; `queue_first_sms`, `queue_message` and `queue_trigger`, in this order, are one:

| file | what it shows | command |
|---|---|---|
"""


def files() -> dict[Path, str]:
    """Every generated file and what belongs in it."""
    told, direct = samples(), direct_events()
    rows = [
        f"| [{s.name}]({s.path.name}) | {s.description} | {s.in_words()} | "
        f"`sam local invoke {s.function} -e events/conversations/{s.path.name}` |\n"
        for s in told
    ]
    others = [
        f"| [{d.name}]({d.path.name}) | {d.description} | "
        f"`sam local invoke {d.function} -e events/conversations/{d.path.name}` |\n"
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
    return generated.run(
        "python -m events.conversations.make", __doc__, check=outdated, repair=write
    )


if __name__ == "__main__":
    sys.exit(main())
