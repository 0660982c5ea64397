"""All WhatsApp samples in order, used by the tests, the demo and the files."""

from events.whatsapp.sample_builder import START, Sample, SampleBuilder
from events.whatsapp.scenarios.account_updates import (
    account_updates,
    number_updates,
    template_updates,
)
from events.whatsapp.scenarios.answers import answers_of_customers
from events.whatsapp.scenarios.attachments import attachments, bad_files
from events.whatsapp.scenarios.calls_groups_payments import (
    calls,
    choices_and_payments,
    group,
    history,
)
from events.whatsapp.scenarios.changed_identifiers import changed_identifiers
from events.whatsapp.scenarios.edits_and_reactions import edits_and_reactions
from events.whatsapp.scenarios.first_contact import first_contact
from events.whatsapp.scenarios.shop import answers_of_the_shop
from events.whatsapp.scenarios.webhook_shapes import (
    refused_and_parked,
    regrouped,
    unhandled_changes,
)
from events.whatsapp.scenarios.workshop import workshop

__all__ = ["sample", "samples"]

_SCENARIOS = (
    first_contact,
    attachments,
    answers_of_the_shop,
    answers_of_customers,
    edits_and_reactions,
    changed_identifiers,
    regrouped,
    template_updates,
    unhandled_changes,
    number_updates,
    account_updates,
    refused_and_parked,
    bad_files,
    workshop,
    calls,
    history,
    group,
    choices_and_payments,
)


def samples(start: int = START) -> list[Sample]:
    """
    Return all samples in order; their expected results assume that the samples before were processed.

    *start* is the midnight of the day, in seconds since 1970; the files have START. Another start
    changes all timestamps, message ids and signatures, for a stack that has already processed the
    day of the files, or for media that has expired at the provider. Choose a past day: the ingress
    replaces times that are ahead of its clock.
    """
    builder = SampleBuilder(start)
    return [entry for scenario in _SCENARIOS for entry in scenario(builder)]


def sample(name: str, start: int = START) -> Sample:
    """Return the sample of this name. Raises KeyError."""
    return {entry.name: entry for entry in samples(start)}[name]
