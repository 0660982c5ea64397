"""The demo of the WhatsApp Business API: a shop's software runs a day by named actions, over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.markup import escape

from events.whatsapp.payloads import text
from local.demo import action_scenarios as day
from local.demo.screen import console
from local.demo.shop_software import SCOPES, Shop, key_of

if TYPE_CHECKING:
    from local.stack.cli import Stack


def play(stack: Stack) -> bool:
    """Run the day of the shop; return whether every answer was as expected and all sums match."""
    console.rule("The WhatsApp Business API by actions")
    shop = Shop(stack, key_of(stack, *SCOPES))
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
    console.print(f"{shop.calls} calls, {len(shop.faults)} not as expected")
    for fault in shop.faults:
        console.print(f"[red]Not as expected:[/] {escape(fault)}")
    return not shop.faults
