"""
Every read that could grow with what is stored has a bound, or is listed here with the reason why it needs none.

Found by the source: loops that go on from page to page, paginators of AWS, and queries without a limit. SECURITY.md
has the bounds of the calls that people and programs make.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from tests.template import ROOT

# Names that a loop over pages assigns in each round.
POSITIONS = {
    "start",
    "last",
    "position",
    "after",
    "key",
    "page",
    "listing",
    "letters",
    "number",
    "positions",
}
# The words of all reads that are looked for: a file without one is not parsed.
WORDS = re.compile(r"while|get_paginator|query|scan")
# A bound is in the loop, or in the code that takes from it. The numbers are those in SECURITY.md.
BOUNDED = {
    "shared.ai.evaluation.sets.stored.gates_before": "MOST_SETS of an owner, and those of calls at once",
    "richpanel.api.dry_runs.forecast._rows": "MOST_READ decisions",
    "console.store.webhooks.of_company": "MOST webhooks of a company",
    "console.api.people._all": "MOST_CALLS of Cognito, and the answer is kept for five minutes",
    "console.contacts.segments.routes._counted": "COMPARED_AT_ONCE contacts, and a cursor",
    "console.contacts.segments.routes.list_people": "COMPARED_AT_ONCE contacts, and a cursor",
    "console.operations.alarms.shown": "the alarms of the template",
    "console.operations.setup.findings._executions": "the event sources of the deployments of an account",
    "shared.access.user_pool.groups": "a pool has at most 10,000 groups",
    "shared.access.user_pool.groups_of": "a person is in at most 100 groups",
    "shared.access.user_pool.members_of": "read lazily; MOST_MEMBERS of a group",
    "console.operations.measurements._totals": "metrics of the template, by days; LIMITS of metric_reads",
    "console.operations.setup.stored_switches._changes": "the parameter store keeps 100 versions",
    "conversations.api.open_conversations._chunk": "CHUNK entries, CHUNKS_PER_CALL times",
    "conversations.store.erasures.read_item": "a whole key",
    "conversations.store.states._exists": "a whole key",
    "conversations.store.messages.early_files": "one page, of one message's files",
    "conversations.store.messages.forget_early_files": "one page, of one message's files",
    "email_threads.store.deadlines.service_levels.due": "read lazily; the caller stops before its timeout",
    "email_threads.store.deadlines.scheduled_sends.due": "read lazily; the caller stops before its timeout",
    "email_threads.store.privacy.retention.head": "a whole key",
    "email_threads.store.lists.thread_lists.entries": "read lazily; MOST_PAGES and MOST_COMPARED heads a call",
    "newsletters.store.jobs.due": "one page",
    "newsletters.issues.api.queries.list_recipients": "one page",
    "newsletters.issues.checklist._people": "PAGES of all lists of an issue",
    "newsletters.store.jobs.work_keys": "one page",
    "shared.aws.dead_letters.each": "at most *most* letters",
    "shared.inbox.live.connections.of_principal": "connections of one caller, whose tickets have the API's rate limit",
    "shared.inbox.live.subscriptions.of_company": "one page: about 2,000 browsers",
    "shared.inbox.live.subscriptions.of_principal": "one page: MOST_OF_PERSON in each company",
    "shared.ai.spending.usage.of_day": "one page, with an item of each kind of cost",
    "shared.aws.tables.merged_lists._of_partition": "read lazily; ENTRIES_PER_CALL a call",
    "whatsapp.actions.campaigns.queries._of_account": "MOST_CAMPAIGNS",
    "whatsapp.actions.campaigns.queries._without_messages": "MOST_PAGES, and a cursor",
    "shared.runtime.csv_files.records": "read lazily; the rows of a page, up to LONGEST_ROW each",
    "whatsapp.api.entry_search.search": "*most* entries, and a cursor",
    "whatsapp.worker.message_exports._entries_of": "a part of PART_BYTES",
    "whatsapp.store.accounts.numbers.recent_messages.messages": "MOST_ENTRIES",
    "whatsapp.store.inbox.call_logs.page": "MOST_ENTRIES, and a cursor",
    "whatsapp.jobs.sequence_steps.queue_due": "the time of its slice",
}
# Grows with one object. Each entry is read once, but for unanswered messages: the calls before it paid for the work.
ONCE = {
    "conversations.store.messages.after": "the unanswered messages of a conversation",
    "richpanel.store.audits.forget": "the actions of one ticket, deleted with it",
    "whatsapp.actions.campaigns.progress.counters._refreshed": "a page of a campaign is summed up once",
    "whatsapp.store.conversations.read_marks.inbound_keys": "the messages that become read",
}
# On a request path, and grows with what the company, or an operator, has set up. In SECURITY.md.
GROWING = {
    "conversations.configuration.projects.projects": "projects of a company",
    "conversations.store.limits.active_recount._read_part": "a 32nd of the open conversations of a project",
    "conversations.store.routes.owners": "projects that use an address",
    "newsletters.store.content.newsletters.get_newsletter_stored": "the steps of one newsletter",
    "whatsapp.store.accounts.cached_templates.every_of_aws_account": "templates of an account",
    "whatsapp.store.accounts.cached_templates.every_of_meta_account": "templates of an account",
    "whatsapp.store.accounts.cached_templates.of_name": "accounts with a template of that name",
    "whatsapp.store.accounts.catalogs._retailer_ids": "products of a catalog",
    "whatsapp.store.accounts.orders.tenants.all_configs_of": "payment configurations of tenants of one id",
}
# Runs in a worker, a timer or a command of operators, never in a request.
NOT_A_REQUEST = {
    "shared.access.user_pool.all",
    "console.privacy.profiles._remove_profile",
    "console.privacy.person.conversations",
    "conversations.store.conversations._with_recipient",
    "conversations.store.conversations.of_pair",
    "conversations.store.erasures._all",
    "conversations.store.messages.lifetimes",
    "conversations.store.recovery.due.list_due",
    "conversations.store.recovery.unhandled.indexed",
    "conversations.store.routes._placements_under",
    "email_threads.store.privacy.retention.expired",
    "newsletters.handlers.scheduled._due",
    "newsletters.store.jobs.units",
    "newsletters.issues.delivery.settlement.plan_again",
    "newsletters.issues.delivery.settlement.settle_shard",
    "newsletters.store.issues.forget_author",
    "newsletters.store.sets.forget_author",
    "newsletters.worker.purge.purge",
    "richpanel.api.dry_runs.report.ticket_ids",
    "richpanel.recovery.backfill._decisions_of",
    "shared.aws.s3.all_keys_under",
    "shared.aws.s3.objects_under",
    "shared.inbox.entries.parked",
    "shared.policy.consent.evidence.records_of",
    "console.store.contacts.work.opened",
    "console.store.person_requests.due",
    "whatsapp.actions.campaigns.pages.audiences._cut",
    "console.store.retention.all_set",
    "console.store.webhooks.due",
    "whatsapp.jobs.delayed_checks.queue_due",
    "whatsapp.store.accounts.orders.payments.only_order",
    "whatsapp.jobs.rollup._count",
}
# Loops over a text.
TEXTS = {
    "email_threads.parsing.body.quotes._header_block",
    "email_threads.parsing.body.quotes._next_text",
    "email_threads.parsing.body.reply_text._quoted_runs",
    "newsletters.drafting.checks.ratios.ratios",
    "shared.ai.texts.links._links",
    "shared.policy.consent.keywords.folded",
    "shared.api.routing.routes._request",
}


@dataclass(frozen=True)
class Function:
    """A function of the product: what it calls, and its loops that end by a condition."""

    name: str
    calls: list[ast.Call]
    loops: list[ast.While]


@cache
def _functions() -> list[Function]:
    return list(_parsed())


def _parsed() -> Iterator[Function]:
    for root in (ROOT / "functions", ROOT / "layers" / "shared"):
        for path in sorted(root.rglob("*.py")):
            module = ".".join(path.relative_to(root).with_suffix("").parts)
            text = path.read_text()
            if not WORDS.search(text):
                continue
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.FunctionDef):
                    nodes = list(ast.walk(node))
                    yield Function(
                        f"{module}.{node.name}",
                        [one for one in nodes if isinstance(one, ast.Call)],
                        [one for one in nodes if isinstance(one, ast.While)],
                    )


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _assigned(node: ast.AST) -> set[str]:
    return {
        one.id
        for one in ast.walk(node)
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
    }


def _reads_pages(loop: ast.While) -> bool:
    calls = [_name(one) for one in ast.walk(loop) if isinstance(one, ast.Call)]
    return "query" in calls or bool(calls and _assigned(loop) & POSITIONS)


def _reads_without_bound(function: Function) -> bool:
    if any(map(_reads_pages, function.loops)):
        return True
    return any(
        _name(call) == "get_paginator"
        # A query of a table: index and condition.
        or (
            _name(call) == "query"
            and len(call.args) > 1
            and all(given.arg != "limit" for given in call.keywords)
        )
        for call in function.calls
    )


def test_every_read_over_pages_is_listed_with_its_bound() -> None:
    found = {one.name for one in _functions() if _reads_without_bound(one)}

    listed = [*BOUNDED, *ONCE, *GROWING, *NOT_A_REQUEST, *TEXTS]
    assert found == set(listed)
    assert len(listed) == len(set(listed))


def test_security_names_what_grows_on_a_request_path() -> None:
    text = " ".join((ROOT / "SECURITY.md").read_text().lower().split())

    assert [what for what in (*GROWING.values(), *ONCE.values()) if what.lower() not in text] == []


def test_no_function_scans_a_table() -> None:
    assert [one.name for one in _functions() if "scan" in map(_name, one.calls)] == []


if __name__ == "__main__":
    print("\n".join(sorted({one.name for one in _functions() if _reads_without_bound(one)})))
