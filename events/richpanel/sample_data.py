"""
Acme's help desk: its staff, and the settings of Parley for it. All data is fictitious.

Mail addresses are of domains reserved for examples.
"""

BOT = "operator-parley"
"""The author of Parley's replies: a separate operator of the help desk."""

AGENT_DISPUTES = "operator-dana"
"""The operator to whom disputes are assigned."""

ACCOUNT = {
    "support_signature": "Acme Bicycles",
    "bot_author_id": BOT,
    # Replies in chats are comments; the help desk sets the key's operator as their author.
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
"""Order status and order number requests are answered; everything else is only routed."""

TAGS = (
    "mw-processed", "mw-routing-applied", "mw-auto-replied", "mw-order-status-answered", "mw-order-lookup-needed",
    "mw-escalated-human", "mw-needs-manual-triage", "mw-intent-order-status", "mw-intent-chargeback",
    "mw-intent-unknown", "route-email-support-team", "route-chargebacks-disputes",
)  # fmt: skip
"""Tags that exist in the help desk. The worker creates missing ones, which costs requests."""
