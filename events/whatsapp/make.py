"""
Writes the sample events to their files, and the table of them to README.md.

`python -m events.whatsapp.make` writes what has changed and removes files of samples that are gone;
with `--check` it only says what it would do, and fails when that is anything.
"""

import argparse
import sys
from pathlib import Path

from events.whatsapp.samples import samples
from events.whatsapp.story import FOLDER

README = FOLDER / "README.md"

_PREFACE = """\
# WhatsApp sample events

One day at acme, a bicycle repair shop, as the webhooks that it causes. Made by
`python -m events.whatsapp.make`: change the scenes in `scenes/`, not the files.

- `<name>.json` is the event that Lambda gets: an API Gateway proxy event for `WhatsAppWebhook`, an
  SNS event (`sns_*.json`) for `WhatsAppSocial`. For example
  `sam local invoke WhatsAppWebhook -e events/whatsapp/text.json`.
- Posts are signed over their exact bytes with the sample app secret of `cast.py`. Secret, people,
  numbers and ids are made up.
- `events.whatsapp.samples.samples()` gives the same in Python, in this order, with what is expected
  of each. What is expected holds when the samples above it were taken. `samples(start=...)` tells
  the day at another date.
- *accepted* are events that go to the queue. Each of them is then stored (a new message), changed
  (a state, a reaction, an edit, a deletion), recorded (a notice that has no item of its own), a
  duplicate, or parked.

| # | file | what it shows | expected |
|---|---|---|---|
"""


def files() -> dict[Path, str]:
    """Every generated file and what belongs in it."""
    told = samples()
    rows = [
        f"| {number} | [{s.name}]({s.path.name}) | {s.description} | {s.expects.in_words()} |\n"
        for number, s in enumerate(told, start=1)
    ]
    return {s.path: s.file_text for s in told} | {README: _PREFACE + "".join(rows)}


def outdated() -> list[Path]:
    """Files that are missing, differ, or belong to no sample, by name."""
    wanted = files()
    differing = {path for path, text in wanted.items() if _text_of(path) != text}
    left_over = set(FOLDER.glob("*.json")) - wanted.keys()
    return sorted(differing | left_over)


def write() -> list[Path]:
    """Bring all files up to date; the ones that were not."""
    wanted = files()
    stale = outdated()
    for path in stale:
        if path in wanted:
            path.write_text(wanted[path], encoding="utf-8")
        else:
            path.unlink()
    return stale


def main() -> int:
    """Run the command; 1 when `--check` found something to do."""
    parser = argparse.ArgumentParser(prog="python -m events.whatsapp.make", description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing, say what is outdated")
    check = parser.parse_args().check
    stale = outdated() if check else write()
    for path in stale:
        sys.stdout.write(f"{'outdated' if check else 'written'}: {path.name}\n")
    return 1 if check and stale else 0


def _text_of(path: Path) -> str | None:
    return path.read_text(encoding="utf-8") if path.exists() else None


if __name__ == "__main__":
    sys.exit(main())
