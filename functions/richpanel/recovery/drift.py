"""
Checks that the help desk's account still has the teams and tags that decisions name.

Its assignment rules act on our tags: a tag deleted or renamed there stops routing without any error.
"""

from dataclasses import dataclass

from richpanel.classification.taxonomy import ControlTag, Team, available, intents, modifiers, teams
from richpanel.clients.helpdesk import HelpDesk
from richpanel.configuration.account_settings import Account
from richpanel.decisions.facts import Shop


@dataclass(frozen=True, slots=True)
class Names:
    """Names of teams and tags, sorted."""

    teams: tuple[str, ...]
    tags: tuple[str, ...]

    @property
    def count(self) -> int:
        """Number of names."""
        return len(self.teams) + len(self.tags)


def expected(shop: Shop) -> Names:
    """Return every team and tag that a decision can name in an account with these settings."""
    meant: set[Team] = set(shop.channel_teams.values())
    meant |= {shop.intent_teams.get(intent, facts.team) for intent, facts in intents.items()}
    meant |= {facts.team for facts in modifiers.values() if facts.team}
    routed = [available(team, shop.available_teams) for team in meant]
    tags = {str(tag) for tag in ControlTag}
    tags |= {teams[team].route_tag for team, _ in routed}
    for more in (
        *(instead for _, instead in routed),
        *((facts.tag, *facts.extra_tags) for facts in intents.values()),
        *(facts.tags for facts in modifiers.values()),
    ):
        tags.update(more)
    return Names(
        teams=tuple(sorted({shop.team_names.get(team, teams[team].name) for team, _ in routed})),
        tags=tuple(sorted(tags)),
    )


def missing(help_desk: HelpDesk, account: Account) -> Names:
    """Return the expected names that the account lacks. Raises Permanent and Transient if it cannot be read."""
    names = expected(account.shop)
    present_teams = {team.name.strip() for team in help_desk.teams()}
    tags = help_desk.tags()
    if account.tag_ids is None:
        present_tags = {tag.name for tag in tags}
    else:
        ids = {tag.id for tag in tags}
        present_tags = {name for name, tag_id in account.tag_ids.items() if tag_id in ids}
    return Names(
        teams=tuple(name for name in names.teams if name not in present_teams),
        tags=tuple(name for name in names.tags if name not in present_tags),
    )
