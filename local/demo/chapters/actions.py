"""The demo of the WhatsApp Business API: a shop's software runs a day by named actions, over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from events.whatsapp.payloads import text
from local.demo.scenarios import action_scenarios as day
from local.demo.scenarios.shop_software import SCOPES, Shop, key_of

if TYPE_CHECKING:
    from local.demo.chapter import Chapter
    from local.stack.cli import Stack


def play(stack: Stack, chapter: Chapter) -> bool:
    """Run the day of the shop; return whether every answer was as expected and all sums match."""
    shop = Shop(stack, key_of(stack, *SCOPES), chapter)
    day.discovery(shop)
    asked = shop.customer_writes("a question", text("Is my bike ready? I ride at five."))
    day.window(shop)
    day.conversation(shop, asked)
    day.picture(shop)
    day.payment(shop)
    day.form(shop)
    day.template_and_campaign(shop)
    day.search_and_export(shop)
    day.refusals(shop)
    chapter.summary = f"{shop.calls} calls, {len(shop.faults)} not as expected"
    chapter.line(chapter.summary)
    for fault in shop.faults:
        chapter.line(f"Not as expected: {fault}", "fault")
    return not shop.faults
