"""The catalog of the counter, and its commerce settings."""

from events.whatsapp.payloads import Json
from events.whatsapp.sample_data import COUNTER

CATALOG = "800000000000000"

BODIES: dict[str, Json] = {
    "upload_catalog": {
        "metaWabaId": COUNTER.waba,
        "catalogName": "Bikes",
        "businessId": "1122334455",
        "products": [
            {
                "retailerId": "bike-7",
                "name": "Town bike",
                "description": "A bike with seven gears.",
                "price": 49_900,
                "currency": "GBP",
                "imageUrl": "https://shop.example.com/bike-7.jpg",
                "url": "https://shop.example.com/bike-7",
                "category": "Bikes",
            }
        ],
    },
    "get_catalog_products": {"catalogId": CATALOG, "limit": 10},
    "get_connected_catalogs": {"metaWabaId": COUNTER.waba},
    "connect_catalog": {"metaWabaId": COUNTER.waba, "catalogId": CATALOG},
    "disconnect_catalog": {"metaWabaId": COUNTER.waba, "catalogId": CATALOG},
    "get_commerce_settings": {"phone": COUNTER.phone},
    "update_commerce_settings": {"phone": COUNTER.phone, "isCartEnabled": True},
}
