"""Routing of a ticket to a team, with its tags. Every decision has exactly one route tag."""

from dataclasses import dataclass

from richpanel.classification import Classification
from richpanel.classification.taxonomy import (
    ControlTag,
    Intent,
    Level,
    RiskFlag,
    Team,
    available,
    intents,
    modifiers,
    teams,
    thresholds,
)
from richpanel.decisions.facts import Memory, Shop, Turn
from richpanel.decisions.readings import Reading

ROUTE_TAGS = frozenset(facts.route_tag for facts in teams.values())
# The team that owns a ticket as long as it has the flag, in the order of the taxonomy's rows.
_TIER0_TEAMS = tuple(
    (facts.risk_flag, facts.team)
    for facts in intents.values()
    if facts.level is Level.P0 and facts.risk_flag
)


@dataclass(frozen=True, slots=True)
class Route:
    """A team available in the account, and the tags added by routing, without the route tag."""

    team: Team
    tags: tuple[str, ...]


def risk_flags_of(turn: Turn) -> frozenset[RiskFlag]:
    """Return the flags that this turn adds to its conversation."""
    answer = turn.classification
    present = (intents[scored.intent].risk_flag for scored in answer.present)
    modified = (modifiers[modifier].risk_flag for modifier in answer.modifiers)
    return answer.risk_flags | {flag for flag in (*present, *modified) if flag}


def tier0_flags_of(answer: Classification, *, of_strong_patterns: bool) -> frozenset[RiskFlag]:
    """
    Return the P0 flags of a classification by rules, which restrict a conversation to human agents.

    *of_strong_patterns*: a model classifies the conversation, so that weaker results of the rules do not count.
    """
    found = (scored.intent for scored in answer.present)
    flags = {
        intents[intent].risk_flag
        for intent in (answer.strong_tier0 if of_strong_patterns else found)
    }
    return frozenset(flag for flag, _ in _TIER0_TEAMS if flag in flags)


def is_tier0(flags: frozenset[RiskFlag]) -> bool:
    """Return whether *flags* has a P0 flag, which restricts the ticket to human agents."""
    return any(flag in flags for flag, _ in _TIER0_TEAMS)


def route(turn: Turn, reading: Reading, memory: Memory, shop: Shop, *, takes_over: bool) -> Route:
    """
    Select the team. *takes_over*: route to Email Support, because no further automatic reply is possible.

    Tier 0 and privacy have fixed teams, regardless of the confidence.
    """
    tags: list[str] = []
    team = _fixed_team(turn, memory)
    if team is None:
        team, tags = _by_confidence(reading, shop)
        team = Team.EMAIL if takes_over else team
        team = shop.channel_teams.get(turn.channel, team) if team is Team.EMAIL else team
    team, fallback_tags = available(team, shop.available_teams)
    return Route(team, (*tags, *fallback_tags))


def _fixed_team(turn: Turn, memory: Memory) -> Team | None:
    answer = turn.classification
    if intents[answer.primary].level is Level.P0:
        return intents[answer.primary].team
    flags = memory.risk_flags | risk_flags_of(turn)
    for flag, team in _TIER0_TEAMS:
        if flag in flags:
            return team
    return next((t for m in sorted(answer.modifiers) if (t := modifiers[m].team)), None)


def _by_confidence(reading: Reading, shop: Shop) -> tuple[Team, list[str]]:
    confidence = reading.routing_confidence
    if not reading.by_channel:
        if confidence < thresholds.manual_triage_below:
            return Team.EMAIL, [ControlTag.NEEDS_MANUAL_TRIAGE]
        if confidence < thresholds.uncertain_below:
            return Team.EMAIL, [ControlTag.UNCERTAIN]
    return shop.intent_teams.get(reading.intent, intents[reading.intent].team), []


def intent_tags(intent: Intent) -> tuple[str, ...]:
    """Return the tags of an intent, without the route tag."""
    return (intents[intent].tag, *intents[intent].extra_tags)
