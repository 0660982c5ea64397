"""
Every route, topic, queue and type of event is attacked: what template.yaml and the code declare is compared with what
the modules of this folder attack. A new one fails here until it has an attack.
"""

from __future__ import annotations

import re
from typing import Any

from newsletters.worker import dispatcher as newsletter_steps
from richpanel.inbound import event as richpanel_event
from shared.api.auth import Scope
from tests import template
from tests.integration.isolation import surfaces
from tests.integration.isolation.attacks.events_under_attack import EventAttack
from tests.integration.isolation.changes import changes_sent_back
from tests.integration.isolation.changes.sent_back import changes_of
from tests.integration.isolation.conversations import (
    conversations_events,
    conversations_webhooks,
    test_conversations_routes,
)
from tests.integration.isolation.email_threads import test_email_threads
from tests.integration.isolation.inbox import test_inbox, test_operations
from tests.integration.isolation.newsletters import test_newsletters
from tests.integration.isolation.richpanel import test_richpanel
from tests.integration.isolation.whatsapp import (
    test_whatsapp_actions,
    test_whatsapp_routes,
    whatsapp_events,
    whatsapp_webhooks,
)
from tests.simulation.permissions.role_checks import granted_for_lambda, grants_of

BY_EVENTS: list[EventAttack[Any]] = [
    *conversations_events.ON_QUEUES,
    *conversations_webhooks.FROM_PROVIDERS,
    *whatsapp_events.ON_QUEUE,
    *whatsapp_webhooks.FROM_PROVIDERS,
    *test_richpanel.EVENTS,
    *test_email_threads.EVENTS,
    *test_newsletters.EVENTS,
]
APIS = [
    test_conversations_routes.API,
    test_whatsapp_routes.API,
    test_richpanel.API,
    test_email_threads.API,
    test_inbox.API,
    test_newsletters.API,
    test_operations.API,
]


# Issues a ticket, and changes nothing that others see.
BY_READERS = frozenset(
    {
        "POST /live/tickets",
        "POST /inbox/notifications/settings",  # how one is notified
    }
)


# Operators of the help desk may also read it.
READS_TOO = frozenset({"richpanel:operate"})


def types_at(surface: str) -> set[str]:
    """The types of events that are attacked at a surface."""
    return {attack.type for attack in BY_EVENTS if attack.surface == surface}


def attacked(*, is_route: bool) -> set[str]:
    """The surfaces of events: a route is named `METHOD /path`, a topic or queue `function <- source`."""
    return {attack.surface for attack in BY_EVENTS if ("<-" in attack.surface) != is_route}


def test_every_route_is_attacked_and_every_attacked_route_exists() -> None:
    lines = {line for api in APIS for line in api.lines}
    lines |= {attack.line for attack in test_whatsapp_actions.ATTACKS}

    assert {*map(surfaces.shape, lines)} | attacked(is_route=True) == surfaces.routes(), (
        "an attack is missing: see `Add a route` in CONTRIBUTING.md"
    )


def test_every_put_and_patch_is_sent_back_after_a_read() -> None:
    functions = [function for api in APIS for function in api.functions]

    assert changes_of(functions).keys() == changes_sent_back.ROUTES.keys()


def test_the_function_of_the_pages_can_read_nothing_of_a_company() -> None:
    granted = grants_of(surfaces.FILES) - granted_for_lambda(surfaces.FILES)

    assert {grant.action for grant in granted} == {"ssm:GetParameter"}
    assert all(grant.resource.endswith("/logins") for grant in granted)


def test_every_queue_and_topic_is_attacked_and_every_attacked_one_exists() -> None:
    assert attacked(is_route=False) == surfaces.queues() | surfaces.topics()


def test_every_function_has_only_event_sources_of_types_that_this_suite_covers() -> None:
    kinds = {kind for _, kind, _ in surfaces.sources()}

    assert kinds <= surfaces.REACHED | surfaces.STARTED | surfaces.STREAMED


def test_every_event_between_contexts_is_attacked() -> None:
    types = {attack.type for attack in BY_EVENTS}

    assert surfaces.shared_events() <= types


def test_every_type_of_record_is_attacked_on_every_channels_queue() -> None:
    for surface in conversations_events.CHANNELS.values():
        assert types_at(surface) == surfaces.channel_records(), surface


def test_every_type_of_event_that_a_queue_of_conversations_accepts_is_attacked_there() -> None:
    for surface, (function, adapter) in conversations_events.TAKEN.items():
        assert types_at(surface) == surfaces.taken_by(function, adapter), surface


def test_every_kind_of_event_of_whatsapp_is_attacked() -> None:
    types = types_at(whatsapp_events.QUEUE)

    assert whatsapp_events.kinds() == {type_.partition("/")[0] for type_ in types}
    assert {f"message/{type_}" for type_ in whatsapp_events.message_types()} <= types


def test_every_kind_of_event_of_jobs_and_campaigns_is_attacked_if_it_names_anything() -> None:
    named = whatsapp_events.kinds_of_jobs() - whatsapp_events.WITHOUT_NAMES

    assert types_at(whatsapp_events.FILES) == named
    assert types_at(whatsapp_events.CAMPAIGNS) == whatsapp_events.KINDS_OF_CAMPAIGNS


def test_every_source_of_events_of_the_help_desk_is_attacked_on_both_queues() -> None:
    for surface in test_richpanel.QUEUES.values():
        assert types_at(surface) == richpanel_event.SOURCES, surface


def test_every_type_of_event_that_a_queue_of_newsletters_accepts_is_attacked_there() -> None:
    steps = surfaces.words_of(newsletter_steps.EVENTS._type)
    exports = surfaces.taken_by("NewslettersExports", "EVENTS")

    assert types_at(test_newsletters.STEPS) == steps
    assert types_at(test_newsletters.EXPORTS) == exports


def documented_scopes() -> dict[str, set[str]]:
    """The scopes of each route of docs/api.md whose row has no other words."""
    text = (template.ROOT / "docs/api.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([A-Z]+ /[^`]*)` \| ([^|]*) \|", text, re.MULTILINE)
    scopes = "|".join(Scope)
    return {
        surfaces.shape(line): set(re.findall(scopes, cell))
        for line, cell in rows
        if re.fullmatch(rf"(?:`(?:{scopes})`(?:, | or )?)+", cell.strip())
    }


def test_a_route_needs_the_scopes_that_are_documented_and_a_change_more_than_one_to_read() -> None:
    documented = documented_scopes()
    declared = {
        surfaces.shape(f"{one.method} {one.path}"): one
        for api in APIS
        for function in api.functions
        for one in surfaces.declared(function).operations
    }
    assert len(documented.keys() & declared.keys()) > 100

    differing = {
        line: (documented[line], one.scopes)
        for line, one in declared.items()
        if line in documented and documented[line] != {*one.scopes} - (READS_TOO - documented[line])
    }
    changed_by_readers = [
        line
        for line, one in declared.items()
        if one.key
        and line not in BY_READERS
        and any(scope.endswith(":read") for scope in one.scopes)
    ]

    assert differing == {}
    assert changed_by_readers == []
