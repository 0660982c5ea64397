"""The teams and tags that the rules require in the help desk's account."""

from richpanel.classification.taxonomy import ControlTag, Intent, Team
from richpanel.decisions.facts import Shop
from richpanel.inbound.channels import Channel
from richpanel.recovery.drift import expected


def shop(**facts: object) -> Shop:
    return Shop(support_signature="The Acme team", bot_author_id=None, **facts)  # type: ignore[arg-type] # fields of it


def test_every_team_that_can_receive_a_message_and_no_other_is_required() -> None:
    """Backend and LiveChat get tickets by setting only."""
    assert expected(shop()).teams == (
        "Chargebacks / Disputes Team", "Email Support Team", "Leadership Team",
        "Phone Support Team", "Returns Admin", "Sales Team", "Social Media Team",
        "Technical Support Team", "TikTok Support",
    )  # fmt: skip


def test_a_setting_that_routes_tickets_to_a_team_makes_it_required() -> None:
    wanted = expected(shop(channel_teams={Channel.LIVECHAT: Team.LIVECHAT}))

    assert "LiveChat Support" in wanted.teams
    assert "route-livechat-support" in wanted.tags


def test_a_replaced_team_is_not_required_but_its_replacement_and_tag_are() -> None:
    wanted = expected(shop(available_teams=frozenset(Team) - {Team.CHARGEBACKS}))

    assert "Chargebacks / Disputes Team" not in wanted.teams
    assert "route-chargebacks-disputes" not in wanted.tags
    assert "Leadership Team" in wanted.teams
    assert "mw-needs-chargebacks-queue" in wanted.tags


def test_required_tags_are_those_of_routes_intents_control_and_modifiers() -> None:
    tags = expected(shop()).tags

    assert set(ControlTag) <= set(tags)
    assert len([tag for tag in tags if tag.startswith("mw-intent-")]) == len(Intent)
    assert len([tag for tag in tags if tag.startswith("route-")]) == 9
    assert {"mw-needs-sales", "mw-needs-tech-support", "mw-security-sensitive"} <= set(tags)
    assert list(tags) == sorted(tags)
