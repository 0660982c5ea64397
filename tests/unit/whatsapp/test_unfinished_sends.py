"""When an unfinished send is checked."""

from shared.runtime.clock import to_text
from whatsapp.jobs.unfinished_sends import MINUTE_MS, is_due

AT = 1_767_268_800_000  # 2026-01-01T12:00:00Z


def test_a_send_is_checked_after_3_6_12_and_24_minutes_and_so_on() -> None:
    for second in (0, 1, 59):
        sent_at = to_text(AT + second * 1_000)
        due = [minute for minute in range(200) if is_due(sent_at, AT + minute * MINUTE_MS)]
        assert due == [3, 6, 12, 24, 48, 96, 192]


def test_a_send_in_the_future_is_not_checked() -> None:
    assert not is_due(to_text(AT), AT - 3 * MINUTE_MS)
