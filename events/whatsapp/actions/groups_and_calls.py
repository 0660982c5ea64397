"""Groups of the counter, and calls with Ada."""

from events.whatsapp.actions.messages import TO_ADA
from events.whatsapp.payloads import Json
from events.whatsapp.sample_data import ADA, COUNTER, JUERGEN

COUNTERS: Json = {"phone": COUNTER.phone}
RIDERS: Json = {"groupId": "Y2FwaV9ncm91cDoxNzA1NTUwMTMwMg"}
REQUESTS: Json = RIDERS | {"joinRequestIds": ["request-1"]}
# The beginning of a session description; a real one has the media and candidates of the caller.
SDP = "v=0\r\no=- 3626166318745852955 2 IN IP4 203.0.113.7\r\ns=-\r\nt=0 0\r\n"
CALL = "wacid.HBgMNDQ3NzAwOTAwMTAxFQIAEhgg"

BODIES: dict[str, Json] = {
    "create_group": COUNTERS
    | {
        "groupName": "Sunday riders",
        "groupDescription": "Routes and weather",
        "participants": [f"+{ADA.wa_id}", f"+{JUERGEN.wa_id}"],
    },
    "add_group_participant": RIDERS | {"to": f"+{ADA.wa_id}"},
    "remove_group_participant": RIDERS | {"to": f"+{JUERGEN.wa_id}"},
    "get_group_info": RIDERS,
    "get_groups": COUNTERS,
    "get_group_messages": RIDERS | {"limit": 20},
    "update_group": RIDERS | {"subject": "Slow Sunday riders"},
    "delete_group": RIDERS,
    "get_group_invite_link": RIDERS,
    "reset_group_invite_link": RIDERS,
    "get_group_join_requests": RIDERS,
    "approve_group_join_requests": REQUESTS,
    "reject_group_join_requests": REQUESTS,
    "initiate_call": TO_ADA
    | {"session": {"sdpType": "offer", "sdp": SDP}, "callReason": "Your bike is ready"},
    "update_call_status": {"callId": CALL, "status": "ended"},
    "get_call_logs": COUNTERS | {"limit": 20},
    "update_call_settings": COUNTERS
    | {
        "settings": {
            "callEnabled": True,
            "callHours": {
                "enabled": True,
                "timezone": "Europe/London",
                "weeklyOperatingHours": [
                    {
                        "dayOfWeek": "MONDAY",
                        "openTime": {"hours": 9, "minutes": 0},
                        "closeTime": {"hours": 17, "minutes": 30},
                    }
                ],
            },
        }
    },
    "get_call_settings": COUNTERS,
    "create_call_deeplink": {"phone": "+12025550143"},
    "get_call_permission": TO_ADA,
    "request_call_permission": TO_ADA | {"body": "May we call you about your repair?"},
}
