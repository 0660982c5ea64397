"""
Writes the sample events to their files, and the table of them to README.md.

`python -m events.whatsapp.make` writes what has changed and removes files of samples that are gone;
with `--check` it only says what it would do, and fails when that is anything.
"""

import sys
from pathlib import Path

from events import files as generated
from events.whatsapp.direct import Direct, direct_events
from events.whatsapp.samples import samples
from events.whatsapp.story import FOLDER, Sample

README = FOLDER / "README.md"

_PREFACE = """\
# WhatsApp sample events

One day at acme, a bicycle repair shop, as the webhooks that it causes. Made by
`python -m events.whatsapp.make`: change the scenes in `scenes/`, not the files.

- `<name>.json` is the event that Lambda gets: an API Gateway proxy event for `WhatsAppWebhook`, an
  SNS event (`sns_*.json`) for `WhatsAppSocial`. How to hand one to its function stands below.
- Posts are signed over their exact bytes with the sample app secret of `cast.py`. Secret, people,
  numbers and ids are made up.
- `events.whatsapp.samples.samples()` gives the same in Python, in this order, with what is expected
  of each. What is expected holds when the samples above it were taken. `samples(start=...)` tells
  the day at another date.
- *accepted* are events that go to the queue. Each of them is then stored (a new message), changed
  (a state, a reaction, an edit, a deletion), recorded (a notice that has no item of its own), a
  duplicate, or parked.

| # | file | `sam local invoke` | what it shows | expected |
|---|---|---|---|---|
"""
_DIRECT = """
For the functions behind the queue, the API and the schedules, outside of the day:

| file | `sam local invoke` | what it shows |
|---|---|---|
"""
_COMMANDS = """
## One event to one function

With a container engine (Docker, or what speaks its API):

```sh
.venvs/dev/bin/python -m local.invoke.sam_container <function> events/whatsapp/<file>
```

runs `sam local invoke` with the built function, in Lambda's container image, on the local stack. Without one:

```sh
.venvs/dev/bin/python -m local.invoke.rie <function> events/whatsapp/<file>
```

runs it under AWS's own runtime interface emulator, on the same stack: faster, without a bound on memory and a
read-only disk. Both need Linux, and bring the stack up where it does not run. For example
`python -m local.invoke.rie WhatsAppWorker events/whatsapp/queue_text.json`. The handshake is answered 403: each stack
has a verify token of its own.

SAM by itself, on the resources of a stage that is deployed, with your credentials:

```sh
make build ARCHITECTURE=x86_64    # or arm64: the processor of this machine
.venvs/sam/bin/sam local invoke <function> -e events/whatsapp/<file> \\
    --parameter-overrides Stage=dev Architecture=x86_64 --region us-east-1 --env-vars variables.json
```

`variables.json` is `{"<function>": {"WHATSAPP_QUEUE_URL": "...", ...}}` with what that stage's function has: names of
queues, tables and secrets are unknown to SAM.
"""


def files() -> dict[Path, str]:
    """Every generated file and what belongs in it."""
    told = samples()
    rows = [
        f"| {number} | [{s.name}]({s.path.name}) | {_invoked(s)} | {s.description} | {s.expects.in_words()} |\n"
        for number, s in enumerate(told, start=1)
    ]
    direct = direct_events()
    others = [f"| [{d.name}]({d.path.name}) | {_invoked(d)} | {d.description} |\n" for d in direct]
    readme = "".join([_PREFACE, *rows, _DIRECT, *others, _COMMANDS])
    events = {s.path: s.file_text for s in told} | {d.path: d.file_text for d in direct}
    return events | {README: readme}


def _invoked(event: Sample | Direct) -> str:
    return f"`{event.function} -e events/whatsapp/{event.path.name}`"


def outdated() -> list[Path]:
    """Files that are missing, differ, or belong to no sample, by name."""
    return generated.outdated(files(), FOLDER)


def write() -> list[Path]:
    """Bring all files up to date; the ones that were not."""
    return generated.write(files(), FOLDER)


def main() -> int:
    """Run the command; 1 when `--check` found something to do."""
    return generated.run("python -m events.whatsapp.make", __doc__, check=outdated, repair=write)


if __name__ == "__main__":
    sys.exit(main())
