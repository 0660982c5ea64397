"""Starts the erasure of a reader who has confirmed it: out of all lists, then the job that removes what is stored."""

from __future__ import annotations

from typing import TYPE_CHECKING

from newsletters.issues.delivery.signups import people
from newsletters.issues.links import ERASE
from newsletters.privacy.requests import jobs_of, of_address
from newsletters.store.items import SignupState
from newsletters.store.readers import signups

if TYPE_CHECKING:
    from newsletters.configuration.resources import SendingResources
    from newsletters.inbound.events import ReaderRequested


def start(resources: SendingResources, event: ReaderRequested) -> bool:
    """
    Start the confirmed erasure of a reader; False if the event is about something else, or about another turn.

    Safe to repeat: the job is continued while it runs, and removes the request itself. Raises Transient.
    """
    if event.list_id != ERASE:
        return False
    table = resources.store.table
    asked = signups.get(table, event.company_id, event.recipient, ERASE)
    if asked is None or asked.turn != event.turn or asked.state is not SignupState.CONFIRMED:
        return False
    for one in signups.of_reader(table, asked.company_id, asked.recipient).values():
        if one.asks == "join" and one.state in {SignupState.CONFIRMED, SignupState.WELCOMING}:
            signups.finish(table, one, SignupState.REFUSED)  # makes no member any more
    people.leave_all(resources, asked)
    jobs_of(resources).start("erase", asked.company_id, of_address(asked.email), by=people.READER)
    signups.finish(table, asked, SignupState.JOINED)
    return True
