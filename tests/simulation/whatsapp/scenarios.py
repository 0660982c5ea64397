"""Scenarios of the crash matrix: every sample, and orders and combinations that the samples lack."""

from __future__ import annotations

from events.whatsapp import payloads
from events.whatsapp.payloads import content, interactive, text
from events.whatsapp.sample_data import ADA, COUNTER, JUERGEN, PRIYA, Customer
from events.whatsapp.samples import samples
from events.whatsapp.scenarios.account_updates import APPROVED, REMINDER, STATUS
from local.sandbox.accounts.media import JPEG_IMAGE, MP4_VIDEO, OGG_VOICE
from tests.simulation.whatsapp.event_builders import (
    EVENT_MINUTE,
    TIMELINE,
    Event,
    account_webhook,
    ada_edit,
    ada_form,
    ada_message,
    ada_reaction,
    ada_revoke,
    addresses_webhook,
    call_file_webhook,
    call_webhook,
    echo_webhook,
    group_webhook,
    history_webhook,
    post,
    saved_contact_webhook,
    status_webhook,
    wamid,
    webhook_of,
)
from tests.simulation.whatsapp.scenario import Scenario
from tests.simulation.whatsapp.send_scenarios import (
    of_actions,
    of_automation,
    of_other_contexts,
    of_sequences,
)
from tests.simulation.whatsapp.voice_scenarios import of_voice_notes

# Samples that require another one before them without naming it.
_FOLLOWS = {
    "text_new_number": ["system_changed_number"],
    "user_id_and_phone": ["user_id_only"],
    "call_completed": ["call_connect"],
    "group_joined": ["group_created"],
    "group_renamed": ["group_created"],
}


def _beside_messages() -> list[Scenario]:
    bare = {"id": wamid("i"), "from": ADA.wa_id, "timestamp": str(TIMELINE.at(600))}
    photo = bare | content("image", {"id": "77", "mime_type": "image/jpeg", "sha256": "h"})
    old = [
        payloads.message(ADA, wamid("old"), TIMELINE.at(600), text("Are you open?")),
        {"id": wamid("oldest"), "from": COUNTER.display, "timestamp": str(TIMELINE.at(590))}
        | text("We are.") | {"history_context": {"status": "READ"}},
    ]  # fmt: skip
    files = post(payloads.change("history", COUNTER, messages=[photo]))
    placeholder = history_webhook(bare | {"type": "media_placeholder"})
    recording = call_file_webhook("call_recording", payloads.media("audio", OGG_VOICE))
    transcript = call_file_webhook(
        "call_transcript", {"document": payloads.media("audio", OGG_VOICE)["audio"]}
    )
    flow = webhook_of(ada_form("f", "flow", {"flow_token": "t", "day": "monday"}))
    return [
        Scenario("a call from its end", (call_webhook("terminate"), call_webhook("connect"))),
        Scenario("a call twice", (call_webhook("connect", "terminate"),), (call_webhook("connect", "terminate"),)),
        Scenario("a message older than a call", (
            webhook_of(ada_message("m", text("hi"), 760)),
        ), (call_webhook("connect"),)),
        Scenario("a recording of a call", (recording,), (call_webhook("connect", "terminate"),)),
        Scenario("a recording before its call", (recording, call_webhook("connect", "terminate"))),
        Scenario("a transcription twice", (transcript,), (call_webhook("connect"), transcript)),
        Scenario("history twice", (history_webhook(*old),), (history_webhook(*old),)),
        Scenario("history after live messages", (history_webhook(*old),), (
            webhook_of(ada_message("new", text("hello")), old[0]),
        )),
        Scenario("a live message after the history", (webhook_of(old[0]),), (history_webhook(*old),)),
        Scenario("files of the history", (placeholder, files)),
        Scenario("files of the history first", (files, placeholder)),
        Scenario("a flow twice", (flow,), (flow,)),
        Scenario("a long flow", (webhook_of(ada_form("f", "flow", {"story": "word " * 8_000})),)),
        Scenario("one address too many", (addresses_webhook(20),), tuple(
            addresses_webhook(*range(start, start + 5)) for start in range(0, 20, 5)
        )),
        Scenario("a contact saved and removed", (saved_contact_webhook("add", "remove"),), (
            saved_contact_webhook("add"), webhook_of(ada_message("after", text("hi"))),
        )),
        Scenario("a member joined and left", (
            group_webhook("removed_participants", 5), group_webhook("added_participants", 1),
        )),
    ]  # fmt: skip


def of_samples() -> list[Scenario]:
    """One scenario for each accepted sample, preceded by the samples whose messages it names."""
    every = [sample for sample in samples() if sample.expects.accepted]
    found = []
    for position, sample in enumerate(every):
        named = [
            earlier
            for earlier in every[:position]
            if earlier.name in _FOLLOWS.get(sample.name, [])
            or any(
                item["id"] in str(sample.entries)
                for item in earlier.items("messages", "message_echoes")
            )
        ]
        found.append(
            Scenario(
                f"sample {sample.name}", (sample.event,), tuple(entry.event for entry in named)
            )
        )
    return found


def by_name(scenarios: list[Scenario], *names: str) -> list[Scenario]:
    """The scenarios with these names."""
    found = {scenario.name: scenario for scenario in scenarios}
    return [found[name] for name in names]


def by_juergen(kind: str, change: payloads.Json) -> Event:
    """Jürgen's change of a message."""
    made = payloads.message(JUERGEN, wamid(kind), TIMELINE.at(774), content(kind, change))
    return post(payloads.messages_change(COUNTER, [made], [JUERGEN]))


def of_our_own() -> list[Scenario]:
    """Orders and combinations."""
    image = next(sample for sample in samples() if sample.name == "image")
    eum_image = next(sample for sample in samples() if sample.name == "sns_image")
    hello = webhook_of(ada_message("hello", text("Hello")))
    reminded = echo_webhook("reminder")
    both = payloads.message(PRIYA, wamid("both"), TIMELINE.at(EVENT_MINUTE), text("Hi"))
    return [
        Scenario("two messages and an edit in one batch", (
            webhook_of(ada_message("one", text("one")), ada_message("two", text("two")), ada_edit("e", "one", "1")),
        )),
        Scenario("three customers in one batch", (
            post(
                payloads.messages_change(COUNTER, [
                    ada_message("a", text("a")),
                    payloads.message(JUERGEN, wamid("j"), TIMELINE.at(EVENT_MINUTE), text("j")),
                    both,
                ], [ADA, JUERGEN, PRIYA]),
            ),
        )),
        Scenario("the same message twice, later", (hello,), (hello,)),
        Scenario("older message after a newer one", (webhook_of(ada_message("old", text("old"), 700)),), (hello,)),
        Scenario("older message after an answer", (hello,), (echo_webhook("answer", 780),)),
        Scenario("edit before its message", (
            webhook_of(ada_edit("e", "late", "corrected", 772)), webhook_of(ada_message("late", text("wrong"), 771)),
        )),
        Scenario("edits of a message, newest first", (
            webhook_of(ada_edit("e2", "m", "third", 774)), webhook_of(ada_edit("e1", "m", "second", 773)),
        ), (webhook_of(ada_message("m", text("first"))),)),
        Scenario("revocation before its message", (
            webhook_of(ada_revoke("r", "late", 772)), webhook_of(ada_message("late", text("secret"), 771)),
        )),
        Scenario("edit and revocation", (
            webhook_of(ada_edit("e", "m", "better", 772)), webhook_of(ada_revoke("r", "m", 773)),
        ), (webhook_of(ada_message("m", text("secret"))),)),
        Scenario("revocation of a photo", (
            webhook_of(payloads.message(ADA, wamid("r"), TIMELINE.at(EVENT_MINUTE), content(
                "revoke", {"original_message_id": TIMELINE.inbound_id(ADA, "image")}
            ))),
        ), (image.event,)),
        Scenario("reaction before its message", (
            webhook_of(ada_reaction("r", "late", "👍", 772)), webhook_of(ada_message("late", text("nice"), 771)),
        )),
        Scenario("reactions, newest first", (
            webhook_of(ada_reaction("r2", "m", "", 774)), webhook_of(ada_reaction("r1", "m", "👍", 773)),
        ), (webhook_of(ada_message("m", text("first"))),)),
        Scenario("reactions of one second", (
            webhook_of(ada_reaction("r1", "m", "👍", 773)), webhook_of(ada_reaction("r2", "m", "🎉", 773)),
        ), (webhook_of(ada_message("m", text("first"))),)),
        Scenario("changes of another customer's message", (
            by_juergen("edit", {"original_message_id": wamid("m"), "message": text("mine")}),
            by_juergen("revoke", {"original_message_id": wamid("m")}),
        ), (webhook_of(ada_message("m", text("first"))),)),
        Scenario("another customer's edit before its message", (
            by_juergen("edit", {"original_message_id": wamid("late"), "message": text("mine")}),
            webhook_of(ada_message("late", text("first"), 775)),
        )),
        Scenario("statuses in order", (status_webhook(wamid("reminder"), "sent", "delivered", "read"),), (reminded,)),
        Scenario("statuses reversed", (status_webhook(wamid("reminder"), "read", "delivered", "sent"),), (reminded,)),
        Scenario("statuses repeated", (
            status_webhook(wamid("reminder"), "sent", "delivered"),
            status_webhook(wamid("reminder"), "delivered", "sent"),
        ), (reminded,)),
        Scenario("a voice message is played", (status_webhook(wamid("reminder"), "played"),), (reminded,)),
        Scenario("statuses before their echo", (reminded,), (status_webhook(wamid("reminder"), "delivered", "sent"),)),
        Scenario("an ad is answered", (echo_webhook("answer", 780),), (
            next(sample for sample in samples() if sample.name == "referral").event,
            webhook_of(
                ada_message("ad", text("about the ad"), 771, referral={"source_id": "120", "source_type": "ad"})
            ),
        )),
        Scenario("identity changed", (webhook_of(ada_message("i", content("system", {
            "body": "The security code changed", "type": "customer_identity_changed",
        }))),), (hello,)),
        Scenario("message to a group", (webhook_of(ada_message("g", text("all"), group_id="120363041234567890")),)),
        Scenario("call permission", (webhook_of(ada_message("c", interactive("call_permission_reply", {
            "response": "accept", "expiration_timestamp": TIMELINE.at(2_000),
        }))),)),
        Scenario("long text", (webhook_of(ada_message("long", text("word " * 4_000))),)),
        Scenario("a long text is deleted", (webhook_of(ada_revoke("r", "long", 771)),), (
            webhook_of(ada_message("long", text("word " * 4_000))),
        )),
        *_of_versions(),
        Scenario("the ring is trimmed", (webhook_of(ada_message("last", text("the 15th"), 769)),), tuple(
            webhook_of(*(ada_message(f"m{n}", text(str(n)), 700 + n) for n in range(start, start + 7)))
            for start in range(0, 14, 7)
        )),
        *_of_identities(),
        *_of_accounts(),
        Scenario("read receipt over Graph", (hello,), auto_mark_read=True),
        Scenario("read receipt over AWS, with a file", (eum_image.event,), auto_mark_read=True),
        *of_actions(),
        *of_automation(),
        *of_other_contexts(),
        *of_sequences(),
        *of_voice_notes(),
    ]  # fmt: skip


def _of_versions() -> list[Scenario]:
    """Edits of long texts and files, and what a deletion leaves of them; long statuses and reactions."""
    long_text, longer_text = "word " * 4_000, "words " * 4_000
    written = webhook_of(ada_message("m", text(long_text)))
    edited = webhook_of(ada_edit("e", "m", longer_text, 771))
    photo = ada_message("m", payloads.media("image", JPEG_IMAGE, caption="the left one"))
    video = content(
        "edit",
        {
            "original_message_id": wamid("m"),
            "message": payloads.media("video", MP4_VIDEO, caption="the right one"),
        },
    )
    new_file = webhook_of(ada_message("e", video, 771))
    edits = tuple(
        webhook_of(
            *(ada_edit(f"e{n}", "m", f"version {n}", 700 + n) for n in range(start, start + 5))
        )
        for start in (0, 5)
    )
    last = webhook_of(ada_edit("last", "m", "the last", 771))
    unknown = {"new_field": long_text}
    reminded = echo_webhook("reminder")
    long_status = status_webhook(wamid("reminder"), "sent", **unknown)
    reaction = content("reaction", {"message_id": wamid("m"), "emoji": "👍"})
    return [
        Scenario("a long text is edited", (edited,), (written,)),
        Scenario("a long edit before its long message", (edited, written)),
        Scenario("an edited long text is deleted", (webhook_of(ada_revoke("r", "m", 772)),), (written, edited)),
        Scenario("a photo becomes a video", (new_file,), (webhook_of(photo),)),
        Scenario("a video instead of a photo that is not there yet", (new_file, webhook_of(photo))),
        Scenario("a photo that became a video is deleted", (webhook_of(ada_revoke("r", "m", 772)),), (
            webhook_of(photo), new_file,
        )),
        Scenario("the eleventh edit", (last,), (
            webhook_of(ada_message("m", text("first"), 690)), *edits,
        )),
        Scenario("a message with eleven edits is deleted", (webhook_of(ada_revoke("r", "m", 772)),), (
            webhook_of(ada_message("m", text("first"), 690)), *edits, last,
        )),
        Scenario("a long status", (long_status,), (reminded,)),
        Scenario("a long status before its echo", (long_status, reminded)),
        Scenario("a long reaction", (webhook_of(ada_message("r", reaction, 771, **unknown)),), (written,)),
    ]  # fmt: skip


def _of_identities() -> list[Scenario]:
    """Customers who change their number, whose number has a new owner, or who are first seen as two contacts."""
    hidden = Customer("Kim", user_id="GB.1")
    bare = Customer("Kim", "447700900155")
    both = Customer("Kim", bare.wa_id, hidden.user_id)
    moved = Customer("Kim", "447700900156", "GB.2")
    stranger = Customer("Lee", bare.wa_id, "GB.9")

    def says(customer: Customer, label: str, minute: int) -> Event:
        message = payloads.message(customer, wamid(label), TIMELINE.at(minute), text(label))
        return post(payloads.messages_change(COUNTER, [message], [customer]))

    def changes(previous: Customer, label: str, minute: int) -> Event:
        system = {
            "type": "user_changed_number", "body": "changed", "wa_id": moved.wa_id, "user_id": moved.user_id,
            "previous_user_id": previous.user_id,
        }  # fmt: skip
        sender = Customer("Kim", previous.wa_id)
        body = content("system", {name: value for name, value in system.items() if value})
        message = payloads.message(sender, wamid(label), TIMELINE.at(minute), body)
        return post(payloads.messages_change(COUNTER, [message], []))

    by_id, by_number = says(hidden, "by id", 750), says(bare, "by number", 751)
    return [
        Scenario("a user seen by id and by number, then with both", (says(both, "both", 752),), (by_id, by_number)),
        Scenario("both ids again", (says(both, "both", 752),), (by_id, by_number, says(both, "both", 752))),
        Scenario("a link, then a message by number", (
            says(both, "both", 752), says(bare, "later", 753),
        ), (by_number, by_id)),
        Scenario("a number has a new owner", (
            changes(both, "notice", 752), says(moved, "moved", 753), says(stranger, "next", 754),
        ), (says(both, "old", 750),)),
        Scenario("a number has a new owner before the notice", (
            says(stranger, "next", 754), changes(both, "notice", 752),
        ), (says(both, "old", 750),)),
        Scenario("the new number is known before the notice", (
            changes(both, "notice", 752),
        ), (says(both, "old", 750), says(moved, "moved", 753))),
        Scenario("a notice twice", (changes(bare, "notice", 752), says(bare, "next", 754)), (
            by_number, changes(bare, "notice", 752),
        )),
    ]  # fmt: skip


def _of_accounts() -> list[Scenario]:
    """Reports about the account: newest first, twice, at once."""
    french = APPROVED | {"message_template_id": 3, "message_template_language": "fr"}
    paused, disabled = (APPROVED | {"event": word} for word in ("PAUSED", "DISABLED"))
    rated = REMINDER | {"new_quality_score": "RED"}
    flagged, unflagged = (
        {"display_phone_number": COUNTER.display, "event": word}
        for word in ("FLAGGED", "UNFLAGGED")
    )
    banned, reinstated = (
        {"event": "DISABLED_UPDATE", "ban_info": {"waba_ban_state": word}}
        for word in ("DISABLE", "REINSTATE")
    )
    rating = "phone_number_quality_update"
    return [
        Scenario("template statuses, newest first, one twice", (
            account_webhook(STATUS, paused, 2),
            account_webhook(STATUS, APPROVED, 1), account_webhook(STATUS, APPROVED, 1),
        )),
        Scenario("template statuses of one second", (
            account_webhook(STATUS, disabled, 1), account_webhook(STATUS, paused, 1),
        ), (account_webhook(STATUS, APPROVED),)),
        Scenario("a template's rating before its status, and another language", (
            account_webhook("message_template_quality_update", rated, 2), account_webhook(STATUS, french, 1),
            account_webhook(STATUS, APPROVED, 1),
        )),
        Scenario("three ratings of a number, newest first", (
            account_webhook(rating, flagged, 3), account_webhook(rating, unflagged, 2),
            account_webhook(rating, flagged, 1),
        )),
        Scenario("a rating of a number, again", (
            account_webhook(rating, flagged),
        ), (account_webhook(rating, flagged),)),
        Scenario("a ban and its end, reversed", (
            account_webhook("account_update", reinstated, 2), account_webhook("account_update", banned, 1),
        )),
    ]  # fmt: skip


EVERY = of_samples() + of_our_own() + _beside_messages()
