"""Whether the network answers: the state machine of the console with a simulated clock and simulated wires."""

from __future__ import annotations

from typing import Any, Final

import pytest

from tests.unit.console.typescript import run

SECOND: Final = 1_000
SHOWN_WITHIN: Final = 5 * SECOND

# Plays *value* and returns what happened, as [time, event]. A step is at a time: the network has a round trip in ms
# (null: packets vanish), the connection opens, closes or is silent, the page is seen or not, a call has an answer or
# none, the machine sleeps so long.
SCENE: Final = """
(async () => {
  const { steps, until } = value, events = [], queue = [];
  let now = 0, slept = 0, trip = 100, isOpen = true, isSilent = false, isSeen = true, order = 0;
  const at = (time, action) => { const one = { time, order: order++, action }; queue.push(one); return one; };
  const cancel = (one) => { const place = queue.indexOf(one); if (place >= 0) queue.splice(place, 1); };
  const clock = () => now + slept;
  const beat = new m.Heartbeat({
    now: clock, cancel, isSeen: () => isSeen,
    after: (ms, action) => at(now + ms, action),
    changed: () => events.push([clock(), beat.isLost ? "lost" : "found"]),
    silent: () => events.push([clock(), "silent"]),
    ping() {
      if (!isOpen) return false;
      events.push([clock(), "ping"]);
      if (trip !== null && !isSilent) at(now + trip, () => trip !== null && beat.heard());
      return true;
    },
    probe: (within) => new Promise((resolve) => {
      events.push([clock(), "probe"]);
      const isAnswered = trip !== null && trip <= within;
      at(now + (isAnswered ? trip : within), () => resolve(isAnswered && trip !== null));
    }),
  });
  const does = {
    network: (ms) => { trip = ms; }, opens: (open) => { isOpen = open; }, silences: () => { isSilent = true; },
    seen: (seen) => { isSeen = seen; beat.turn(); }, frame: () => beat.heard(),
    call: (answered) => (answered ? beat.heard() : beat.failed()), sleeps: (ms) => { slept += ms; },
  };
  for (const [time, what, given] of steps) at(time, () => does[what](given));
  const stop = beat.run();
  while (queue.length) {
    queue.sort((one, other) => one.time - other.time || one.order - other.order);
    const next = queue.shift();
    if (next.time > until) break;
    now = next.time;
    next.action();
    for (let turn = 0; turn < 8; turn += 1) await null;
  }
  stop();
  return events;
})()
"""


def played(*steps: tuple[int, str, Any], until: int = 60 * SECOND) -> list[tuple[int, str]]:
    """Return the times (ms) and events of a page that shows from 0 on, over a network with a round trip of 0.1 s."""
    value = {"steps": steps, "until": until}
    return [(at, what) for at, what in run("live/heartbeat.ts", f"await {SCENE}", value)]


def times(events: list[tuple[int, str]], what: str) -> list[int]:
    return [at for at, event in events if event == what]


@pytest.mark.parametrize("lost_at", range(0, 12 * SECOND, 370))
def test_a_network_that_loses_packets_silently_is_shown_within_five_seconds_at_any_moment(
    lost_at: int,
) -> None:
    with_connection = played((lost_at, "network", None))
    without = played((0, "opens", False), (lost_at, "network", None))

    for events in (with_connection, without):
        (shown,) = times(events, "lost")
        assert lost_at <= shown < lost_at + SHOWN_WITHIN


@pytest.mark.parametrize("round_trip", [20, 400, 900, 2_000, 2_900])
def test_a_slow_network_is_not_a_lost_one(round_trip: int) -> None:
    events = played((0, "network", round_trip), until=300 * SECOND)

    assert times(events, "lost") == []
    assert len(times(events, "ping")) > 50


def test_a_network_that_becomes_slow_is_lost_once_at_most() -> None:
    events = played((20 * SECOND, "network", 2_000), until=300 * SECOND)

    assert len(times(events, "lost")) <= 1
    assert len(times(events, "found")) == len(times(events, "lost"))
    assert times(events, "silent") == []


def test_a_network_that_answers_again_is_shown_within_five_seconds() -> None:
    for back_at in range(20_000, 26_000, 410):
        events = played((5_000, "network", None), (back_at, "network", 100))

        (found,) = times(events, "found")
        assert back_at <= found < back_at + SHOWN_WITHIN


def test_a_connection_that_is_silent_over_a_network_that_answers_is_given_up() -> None:
    events = played((10_000, "silences", None), until=20 * SECOND)

    first = times(events, "silent")[0]
    assert 10_000 < first < 10_000 + SHOWN_WITHIN + 1_000
    assert times(events, "found")[0] == first


def test_a_page_in_the_background_asks_nothing_and_asks_at_once_when_it_is_seen() -> None:
    events = played((10_000, "seen", False), (40_000, "seen", True), until=41 * SECOND)

    assert [at for at, _ in events if 10_000 < at < 40_000] == []
    assert 40_000 in times(events, "ping")


def test_what_arrives_by_itself_is_an_answer_so_that_a_busy_page_asks_nothing() -> None:
    frames = [(at, "frame", None) for at in range(500, 60_000, 1_500)]

    assert times(played(*frames, until=60 * SECOND), "ping") == []


def test_a_quiet_page_asks_about_every_three_seconds() -> None:
    asked = times(played(until=600 * SECOND), "ping")

    assert 600 / 3.5 < len(asked) < 600 / 3


def test_a_call_without_an_answer_is_a_loss_at_once_until_something_answers() -> None:
    events = played((6_000, "network", None), (6_100, "call", False), (9_000, "network", 100))

    assert times(events, "lost") == [6_100]
    assert 9_000 < times(events, "found")[0] < 9_000 + SHOWN_WITHIN


def test_a_machine_that_slept_has_lost_nothing() -> None:
    asked = times(played(until=30 * SECOND), "ping")[2]
    events = played(
        (asked + 1, "network", None),
        (asked + 2, "sleeps", 3_600 * SECOND),
        (asked + 1_400, "network", 100),
        until=30 * SECOND,
    )

    assert times(events, "lost") == []


def test_a_call_that_fails_after_the_page_has_ended_starts_nothing() -> None:
    ended = run(
        "live/heartbeat.ts",
        "(() => { const seen = []; const note = (name) => () => seen.push(name);"
        " const beat = new m.Heartbeat({ changed: note('changed'), cancel() {}, now: () => 0, after: note('after'),"
        " probe: note('probe'), ping: note('ping'), isSeen: () => true, silent: note('silent') });"
        " beat.run()(); seen.length = 0; beat.failed(); beat.turn(); return seen; })()",
        None,
    )

    assert ended == []
