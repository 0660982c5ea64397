"""Meta's rules for interactive messages (Meta, "Interactive messages", "Address messages", "Carousel messages")."""

from collections.abc import Callable

from local.sandbox.providers.whatsapp.parts import Part

_HEADERS = ("text", "image", "video", "document")
_LONG_BODIES = frozenset({"list"})
_WITHOUT_HEADER = frozenset({"product", "catalog_message", "carousel", "location_request_message"})
_WITHOUT_FOOTER = frozenset({"carousel"})
_WITHOUT_BODY = frozenset({"product", "call_permission_request"})
# Messages of payments, whose `action` is not checked.
_UNCHECKED = ("order_details", "order_status")
_MOST_ROWS = 10
_MOST_PRODUCTS = 30
_FEWEST_CARDS = 2


def check(interactive: Part) -> None:
    """Check the object of an interactive message. Raises BrokenRule."""
    kind = interactive.choice("type", [*_ACTIONS, *_UNCHECKED])
    if "header" in interactive.fields or kind == "product_list":
        _header(interactive, kind)
    if "body" in interactive.fields or kind not in {*_WITHOUT_BODY, *_UNCHECKED}:
        interactive.part("body").text("text", 4096 if kind in _LONG_BODIES else 1024)
    if "footer" in interactive.fields:
        if kind in _WITHOUT_FOOTER:
            raise interactive.broken("footer", f"is not for {kind}")
        interactive.part("footer").text("text", 60)
    if kind in _ACTIONS:
        _ACTIONS[kind](interactive.part("action"))


def _header(interactive: Part, kind: str) -> None:
    if kind in _WITHOUT_HEADER:
        raise interactive.broken("header", f"is not for {kind}")
    header = interactive.part("header")
    is_text = kind in {"list", "product_list"}
    if header.choice("type", ["text"] if is_text else _HEADERS) == "text":
        header.text("text", 60)
    else:
        _file(header.part(str(header.fields["type"])))


def _file(file: Part) -> None:
    media_id = file.optional_text("id", 256)
    link = file.optional_text("link", 2048, pattern=r"https?://\S+")
    if (media_id is None) == (link is None):
        raise file.broken("id", "exactly one of id and link is required")


def _buttons(action: Part) -> None:
    replies = [button.part("reply") for button in action.parts("buttons", 3)]
    for reply in replies:
        reply.text("title", 20)
    if len({reply.text("id", 256) for reply in replies}) < len(replies):
        raise action.broken("buttons", "ids must differ")


def _list(action: Part) -> None:
    action.text("button", 20)
    sections = _titled(action)
    rows = [row for section in sections for row in section.parts("rows", _MOST_ROWS)]
    for row in rows:
        row.text("title", 24)
        row.optional_text("description", 72)
    if len({row.text("id", 200) for row in rows}) < len(rows):
        raise action.broken("sections", "ids of rows must differ")
    if len(rows) > _MOST_ROWS:
        raise action.broken("sections", f"must hold at most {_MOST_ROWS} rows in all")


def _titled(action: Part) -> list[Part]:
    """Return one to ten sections, with titles if there are several."""
    sections = action.parts("sections", 10)
    for section in sections:
        if len(sections) > 1 or "title" in section.fields:
            section.text("title", 24)
    return sections


def _link_button(action: Part) -> None:
    action.choice("name", ["cta_url"])
    parameters = action.part("parameters")
    parameters.text("display_text", 20)
    parameters.text("url", 2000, pattern=r"https?://\S+")


def _product(action: Part) -> None:
    action.text("catalog_id", 25, pattern=r"\d+")
    action.text("product_retailer_id", 100)


def _product_list(action: Part) -> None:
    action.text("catalog_id", 25, pattern=r"\d+")
    products = [
        item.text("product_retailer_id", 100)
        for section in _titled(action)
        for item in section.parts("product_items", _MOST_PRODUCTS)
    ]
    if len(products) > _MOST_PRODUCTS:
        raise action.broken("sections", f"must hold at most {_MOST_PRODUCTS} products in all")
    if len(set(products)) < len(products):
        raise action.broken("sections", "products must differ")


def _catalog(action: Part) -> None:
    action.choice("name", ["catalog_message"])
    if "parameters" in action.fields:
        action.part("parameters").optional_text("thumbnail_product_retailer_id", 100)


def _flow(action: Part) -> None:
    action.choice("name", ["flow"])
    parameters = action.part("parameters")
    parameters.choice("flow_message_version", ["3"])
    parameters.text("flow_cta", 30)
    named = [name for name in ("flow_id", "flow_name") if name in parameters.fields]
    if len(named) != 1:
        raise parameters.broken("flow_id", "exactly one of flow_id and flow_name is required")
    parameters.text(named[0], 200)
    if "flow_action" in parameters.fields:
        parameters.choice("flow_action", ["navigate", "data_exchange"])


def _named(name: str) -> Callable[[Part], None]:
    def check_name(action: Part) -> None:
        action.choice("name", [name])

    return check_name


def _address(action: Part) -> None:
    action.choice("name", ["address_message"])
    parameters = action.part("parameters")
    parameters.choice("country", ["IN"])
    if "values" in parameters.fields:
        _address_values(parameters.part("values"))
    if "saved_addresses" in parameters.fields:
        for saved in parameters.parts("saved_addresses", 20):
            saved.text("id", 128)
            _address_values(saved.part("value"))


def _address_values(values: Part) -> None:
    values.optional_text("in_pin_code", 6, pattern=r"\d{6}")
    values.optional_text("phone_number", 20, pattern=r"\+?[\d ().-]{7,20}")


def _carousel(action: Part) -> None:
    cards = action.parts("cards", 10)
    if len(cards) < _FEWEST_CARDS:
        raise action.broken("cards", f"must hold at least {_FEWEST_CARDS} cards")
    shapes = set()
    for index, card in enumerate(cards):
        if card.fields.get("card_index") != index:
            raise card.broken("card_index", "must count the cards from 0")
        shapes.add(_shape_of(card))
    if len(shapes) > 1:
        raise action.broken("cards", "must have the same components")


def _shape_of(card: Part) -> tuple[object, ...]:
    action = card.part("action")
    if card.fields.get("type") == "product":
        _product(action)
        return ("product", action.fields["catalog_id"])
    header = card.part("header")
    kind = header.choice("type", ["image", "video"])
    _file(header.part(kind))
    if "body" in card.fields:
        card.part("body").text("text", 160)
    if "buttons" not in action.fields:
        _link_button(action)
        return (kind, "cta_url")
    buttons = action.parts("buttons", 3)
    for button in buttons:
        button.choice("type", ["quick_reply"])
        button.part("quick_reply").text("id", 256)
        button.part("quick_reply").text("title", 20)
    return (kind, len(buttons))


def _call(action: Part) -> None:
    action.choice("name", ["voice_call"])
    if "parameters" in action.fields:
        action.part("parameters").optional_text("display_text", 20)


_ACTIONS: dict[str, Callable[[Part], None]] = {
    "button": _buttons,
    "list": _list,
    "cta_url": _link_button,
    "product": _product,
    "product_list": _product_list,
    "catalog_message": _catalog,
    "flow": _flow,
    "location_request_message": _named("send_location"),
    "address_message": _address,
    "carousel": _carousel,
    "voice_call": _call,
    "call_permission_request": _named("call_permission_request"),
}
