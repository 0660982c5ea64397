"""Customers, their consent and their addresses."""

from events.whatsapp.payloads import Json

BODIES: dict[str, Json] = {
    "block_users": {"phone": "106540352242922", "users": ["+447700900101"]},
    "delete_saved_address": {
        "addressId": "address-of-ada",
        "to": "+447700900101",
        "metaWabaId": "102290129340398",
    },
    "erase_contact": {"confirm": True, "to": "+447700900101"},
    "export_contact": {"to": "+447700900101"},
    "get_blocked_users": {"phone": "106540352242922"},
    "get_consent": {"to": "+447700900101"},
    "get_contact": {"to": "+447700900101", "phone": "106540352242922"},
    "get_customer_addresses": {"to": "+447700900101", "metaWabaId": "102290129340398"},
    "get_saved_addresses": {"to": "+447700900101", "metaWabaId": "102290129340398"},
    "link_contact_identity": {
        "alias": "+447700900177",
        "to": "+447700900101",
        "phone": "106540352242922",
    },
    "process_address_response": {"messageId": "wamid.SGVsbG8=", "metaWabaId": "102290129340398"},
    "save_address": {
        "address": {
            "address": "1 Harbour Street",
            "city": "Pune",
            "name": "Ada",
            "phone_number": "+447700900101",
        },
        "addressId": "address-of-ada",
        "to": "+447700900101",
        "metaWabaId": "102290129340398",
    },
    "set_consent": {
        "to": "+447700900101",
        "evidence": "the form of the shop",
        "purpose": "marketing",
        "state": "opted_in",
    },
    "unblock_users": {"phone": "106540352242922", "users": ["+447700900101"]},
    "unlink_contact_identity": {
        "alias": "+447700900177",
        "to": "+447700900101",
        "phone": "106540352242922",
    },
    "validate_address": {
        "address": {
            "address": "1 Harbour Street",
            "city": "Pune",
            "name": "Ada",
            "phone_number": "+447700900101",
        }
    },
}
