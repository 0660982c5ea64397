"""
`make bench`: measures, prints the tables, and fails when a handler's import is over its limit.

    python -m local.bench [--write docs/performance.md]
"""

from __future__ import annotations

import argparse
import sys
import time
from functools import partial
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

from events.console import direct as console
from events.conversations import direct as recruiting
from events.conversations import samples as recruiting_samples
from events.email_threads import direct as email_threads
from events.newsletters import direct as newsletters
from events.richpanel import direct as help_desk
from events.richpanel import samples as help_desk_samples
from events.whatsapp.direct import action_calls, direct_events, queue_batch
from events.whatsapp.payloads import text
from events.whatsapp.sample_builder import Sample, SampleBuilder
from events.whatsapp.sample_data import Customer
from events.whatsapp.samples import sample
from local.bench import cold, renderings, throughput, waits, warm
from local.docs.readme_tables import replace_section
from local.stack.cli import Stack, running_stack
from local.stack.functions import Function, functions_of
from local.stack.processes import as_program, say
from local.stack.seed import seed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# Multiples of the bare handler, in processor time and in memory. Providers or API callers wait for the INGRESS
# functions; all others load Powertools' Batch, Parser or event handler, tables and models.
INGRESS_LIMIT, LIMIT = 1.3, 2.4
INGRESS = {
    "ApiAuthorizer",
    "WhatsAppWebhook",
    "WhatsAppSocial",
    "RichpanelWebhook",
    "ConversationsTwilio",
    "ConversationsAwsSms",
}
CPU_GOAL_MS = 1.0

IMPORTS = 9
STARTS, WARM = 3, 10
HANDLINGS, TIMES = 5, 200
RENDERINGS = 3
ROUNDS, POSTS = 3, 200
CUSTOMERS = 40


def main() -> int:
    """Measure everything; return 1 if an import is over its limit."""
    parser = argparse.ArgumentParser(prog="python -m local.bench", description=__doc__)
    parser.add_argument("--write", type=Path, help="also put the tables into this file")
    write = parser.parse_args().write
    with running_stack() as stack:
        seed(stack)
        functions = functions_of(stack)
        bare = cold.bare_functions(stack)
        say(f"imports, {IMPORTS} rounds ...")
        imports = cold.compared([*bare, *functions.values()], bare[0], IMPORTS)
        parts = []
        for part in (
            partial(_imports_table, imports, functions),
            partial(_starts_table, stack, [bare[0], *functions.values()]),
            partial(_handling_table, functions),
            partial(_renderings_table, functions["NewslettersExports"]),
            partial(_throughput_table, stack),
            _waits_table,
        ):
            parts.append(part())
            print(f"\n{parts[-1]}\n", flush=True)
    if write:
        replace_section(write, "bench", "\n\n".join(parts))
    over = [name for name in functions if _times_bare(imports[name]) > _limit(name)]
    if over:
        say(f"over their limit: {', '.join(over)}")
    return 1 if over else 0


def _times_bare(taken: cold.Compared) -> float:
    return max(taken.times_cpu, taken.times_memory)


def _limit(name: str) -> float:
    return INGRESS_LIMIT if name in INGRESS else LIMIT


def _imports_table(imports: dict[str, cold.Compared], functions: dict[str, Function]) -> str:
    rows = [
        [
            name,
            f"{taken.least_cpu_ms:.0f}",
            f"{taken.times_cpu:.2f}",
            f"{taken.peak_mb:.0f}",
            f"{taken.times_memory:.2f}",
            _verdict(_times_bare(taken), _limit(name)) if name in functions else "",
            str(len(taken.one.modules)),
            f"{taken.one.bytecode_bytes / 1e6:.1f}",
        ]
        for name, taken in imports.items()
    ]
    head = (
        "import",
        "CPU ms",
        "times bare",
        "peak MB",
        "times bare",
        "limit",
        "modules",
        "bytecode MB",
    )
    return _table(head, rows)


def _starts_table(stack: Stack, functions: Sequence[Function]) -> str:
    say(f"starts under the runtime interface emulator, {STARTS} rounds ...")
    key = seed(stack)
    told = [*direct_events(), *help_desk.direct_events(), *recruiting.direct_events()]
    told += [*email_threads.direct_events(), *newsletters.direct_events(), *console.direct_events()]
    events = {direct.function: direct.event for direct in told}
    events["RichpanelWebhook"] = help_desk_samples.sample("minimal").event
    events["WhatsAppActions"] = next(call.event for call in action_calls() if call.name == _ACTION)
    events["ApiAuthorizer"]["headers"] = {"x-api-key": key}
    events |= {name: sample(told).event for name, told in _SAMPLES.items()} | {cold.BARE: {}}
    events |= {name: recruiting_samples.sample(told).event for name, told in _RECRUITING.items()}
    starts = cold.starts_of(functions, events, STARTS, WARM)
    rows = [
        [
            name,
            f"{median(start.init_ms for start in taken):.0f}",
            f"{median(start.first_ms for start in taken):.1f}",
            f"{median(start.warm_ms for start in taken):.1f}",
        ]
        for name, taken in starts.items()
    ]
    head = ("under Lambda's runtime", "init ms", "first event ms", "warm event ms")
    return _table(head, rows)


_ACTION = "get_conversations"
_SAMPLES = {"WhatsAppWebhook": "text", "WhatsAppSocial": "sns_text"}
_RECRUITING = {
    "ConversationsRouter": "initiate_sms",
    "ConversationsTwilio": "twilio_text",
    "ConversationsAwsSms": "sms_text",
}


def _handling_table(functions: dict[str, Function]) -> str:
    say(f"processor time per event, {HANDLINGS} rounds of {TIMES} ...")
    webhooks = [post.event for post in _posts("cpu", 2)]
    batches = [queue_batch(post, int(time.time())) for post in _posts("cpu", 2)]
    cases = {"WhatsAppWebhook": webhooks, "WhatsAppWorker": batches}
    taken: dict[str, list[warm.Handling]] = {name: [] for name in cases}
    for _ in range(HANDLINGS):
        for name, (first, event) in cases.items():
            taken[name].append(warm.handling_of(functions[name], first, event, TIMES))
    rows = []
    for name, handlings in taken.items():
        own = median(handling.own_ms for handling in handlings)
        row = [
            name,
            str(handlings[0].calls),
            f"{median(handling.cpu_ms for handling in handlings):.2f}",
            f"{median(handling.sdk_ms for handling in handlings):.2f}",
            f"{own:.2f}",
            _verdict(own, CPU_GOAL_MS),
        ]
        rows.append(row)
    head = ("CPU per warm event", "AWS calls", "all ms", "boto3 ms", "without it ms", "goal")
    return _table(head, rows)


def _renderings_table(function: Function) -> str:
    say(f"exports of the sample issue, {RENDERINGS} rounds ...")
    rows = []
    for name in renderings.FORMATS:
        taken = [renderings.rendering_of(function, name) for _ in range(RENDERINGS)]
        row = [
            name,
            f"{median(one.import_ms for one in taken):.0f}",
            f"{median(one.first_ms for one in taken):.0f}",
            f"{median(one.next_ms for one in taken):.0f}",
            f"{min(one.peak_kib for one in taken) / 1_024:.0f}",
            f"{taken[0].file_bytes / 1_000:.0f}",
        ]
        rows.append(row)
    head = ("export of a newsletter", "import ms", "first ms", "next ms", "peak MB", "file kB")
    return _table(head, rows)


def _throughput_table(stack: Stack) -> str:
    say(f"HTTP to durable item, {ROUNDS} rounds of {POSTS} ...")
    parley = f"{stack.api_url}/webhooks/whatsapp"
    own_table = throughput.counter(stack, stack.tables["whatsapp"], "MSG#")
    taken: dict[str, list[throughput.Rate]] = {"Parley": [], "plain handler": []}
    with throughput.plain_handler(stack) as (plain, table):
        plain_table = throughput.counter(stack, table, "")
        throughput.rate_of(parley, _posts("warm", CUSTOMERS), own_table)
        throughput.rate_of(plain, _posts("warm", CUSTOMERS), plain_table)
        for number in range(ROUNDS):
            posts = _posts(f"round {number}", POSTS)
            taken["Parley"].append(throughput.rate_of(parley, posts, own_table))
            taken["plain handler"].append(throughput.rate_of(plain, posts, plain_table))
    rows = [
        [
            name,
            f"{median(rate.answered for rate in rates):.0f}",
            f"{median(rate.durable for rate in rates):.0f}",
        ]
        for name, rates in taken.items()
    ]
    return _table(("local stack", "answered/s", "durable/s"), rows)


def _waits_table() -> str:
    say("waits of customers for answers, in simulated time ...")
    measured = waits.measure()
    rows = [
        [
            kind,
            f"{median(one.seconds):.1f}",
            f"{max(one.seconds):.1f}",
            f"{median(one.answers):g}",
            "",
        ]
        for kind, one in measured.items()
    ]
    overall = waits.overall(measured)
    limit = _verdict(overall, waits.MEDIAN_LIMIT_SECONDS)
    rows.append(["all messages", f"{overall:.1f}", "", "", limit])
    head = (
        "webhook to provider, model at 0 s, simulated",
        "median s",
        "longest s",
        "answers",
        "limit",
    )
    return _table(head, rows)


def _posts(label: str, count: int) -> list[Sample]:
    """Build signed messages of forty new customers to the counter's number, so that no message group is busy."""
    now = int(time.time())
    people = [
        Customer(f"Bench {n}", wa_id=f"4477{now % 1_000_000:06}{n:02}") for n in range(CUSTOMERS)
    ]
    builder = SampleBuilder(now - 60)
    return [
        builder.customer_message(
            f"{label} {now} {n}", "", people[n % CUSTOMERS], 0, text(f"Message {n}")
        )
        for n in range(count)
    ]


def _verdict(measured: float, goal: float) -> str:
    return f"<= {goal}: {'met' if measured <= goal else 'missed'}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


if __name__ == "__main__":
    as_program(lambda: sys.exit(main()))
