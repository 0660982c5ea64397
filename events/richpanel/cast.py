"""
Who takes part: acme's help desk, its staff and customers, and how Parley is set up for it. All of it is made up.

Mail addresses lie in the domains kept for examples.
"""

BOT = "operator-parley"
"""The author of our replies: an operator of its own."""

AGENT_DISPUTES = "operator-dana"
"""The person that disputes are given to."""

ACCOUNT = {
    "support_signature": "Acme Bicycles",
    "bot_author_id": BOT,
    # A chat's replies are comments, and the help desk signs those with the operator whose key it is.
    "automation_author_ids": ["operator-of-the-key"],
    "team_assignees": {"chargebacks": AGENT_DISPUTES},
}
"""The parameter `RichpanelAccount`."""

KEYS = {"richpanel": "a key of the sandbox", "shopify": "a token of the sandbox"}

SWITCHES = {
    "dry_run": "false",
    "safe_mode": "false",
    "automation_enabled": "true",
    "automation_enabled_channels": "email,livechat",
    "template_enabled": '{"t_order_status_verified": true, "t_order_status_ask_order_number": true}',
    "tier2_channels": "email",
    "tier2_paths": "linked,number",
    "auto_close_enabled": "false",
    "outbound_scope": "all",
}
"""Answers where an order is, and asks for its number; everything else is routed."""

TAGS = (
    "mw-processed", "mw-routing-applied", "mw-auto-replied", "mw-order-status-answered", "mw-order-lookup-needed",
    "mw-escalated-human", "mw-needs-manual-triage", "mw-intent-order-status", "mw-intent-chargeback",
    "mw-intent-unknown", "route-email-support-team", "route-chargebacks-disputes",
)  # fmt: skip
"""What people made in the help desk; a tag that is missing is made by the worker, which costs requests."""
