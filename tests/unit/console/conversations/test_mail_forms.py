"""Forms of mails in the console: the business hours of a mailbox, and the look before a split."""

from __future__ import annotations

from email_threads.api.inputs import BusinessHoursInput
from email_threads.threading.links.separation import MOST_MAILS
from tests.unit.console.typescript import run

OFFICE = {
    "time_zone": "Europe/Berlin",
    "periods": [{"days": ["monday", "friday"], "start": "09:00", "end": "17:00"}],
    "holidays": ["2026-12-25", "2026-12-26"],
}


def test_the_form_of_business_hours_sends_what_the_api_takes_and_none_without_periods() -> None:
    expression = (
        "[m.hoursOf(m.formOf(value, 'UTC')),"
        " m.hoursOf({...m.formOf(value, 'UTC'), holidays: ' 2026-12-26\\n2026-12-25, 2026-12-26;\\n\\n'}),"
        " m.hoursOf({...m.formOf(null, 'Asia/Tokyo'),"
        " periods: [{...m.USUAL, days: m.toggled(m.USUAL.days, 'friday')}]}),"
        " m.hoursOf(m.formOf(null, 'UTC')), m.toggled(['friday'], 'monday')]"
    )

    same, listed, usual, none, days = run(
        "operations/channels/mailboxes/hours.ts", expression, OFFICE
    )

    assert (same, listed, none, days) == (OFFICE, OFFICE, None, ["monday", "friday"])
    assert usual["periods"][0]["days"] == ["monday", "tuesday", "wednesday", "thursday"]
    for hours in (same, usual):
        assert BusinessHoursInput.model_validate(hours).model_dump() == hours


def test_a_look_before_a_split_counts_files_and_shows_the_beginning_of_each_mail() -> None:
    mails = [
        {"new_text": " Hello,\n\nAnn ", "body": "Hello", "attachments": [1, 2]},
        {"new_text": "", "body": "\U0001f44d" * 90, "attachments": []},
        {"erased": True, "new_text": "x", "body": "x", "attachments": [1]},
    ]
    expression = "[m.MOST_MOVED, m.filesOf(value), value.map(m.snippetOf)]"

    most, files, snippets = run("conversations/email/moves/shown.ts", expression, mails)

    assert (most, files) == (MOST_MAILS, 2)
    assert snippets == ["Hello, Ann", "\U0001f44d" * 79 + "\u2026", ""]
