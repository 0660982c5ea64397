"""Files of customers: copied, downloaded, as text, refused, late, and of an earlier release."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unittest import mock

from conversations.lifecycle.records.file_download import FileDownload
from events.conversations import sample_data
from shared.aws.workers.fair_shares import GRACE_MS, ROUND_MS, share
from shared.events.exchange import File, FileStored
from shared.providers import http
from shared.runtime import clock
from tests.simulation.conversations.permissions.steps import META, TWILIO, channel_of, says, start
from tests.simulation.conversations.scenarios import sends_pictures

if TYPE_CHECKING:
    from tests.simulation.conversations.system import System


def stored_file(system: System) -> None:
    """A picture that the inbox has fetched, and an agent who opens it."""
    ref = start(system, META, "whatsapp")
    picture = File(provider_id="77", mime_type="image/jpeg")
    says(system, ref, "My licence", kind="media", media=[picture])
    system.run_intake()
    stored = FileStored(
        provider="meta",
        provider_message_id=f"in-{system.clock.ms}",
        account=channel_of(system, ref).get("account", "simulated"),
        channel_method="whatsapp",
        business_address=sample_data.WHATSAPP_SENDER,
        file=File(
            url=f"s3://{system.bucket}/media/{sample_data.COMPANY}/1/77/file.jpg", provider_id="77"
        ),
    )
    system.forward(stored)
    system.drain()
    system.call_admin_api("GET /conversations/{ref}/messages", ref=ref)


def downloaded_files(system: System) -> None:
    """A picture; one so large that it is uploaded in parts, of which one fails; a download of an unknown file."""
    ref = start(system, TWILIO, "sms")
    sends_pictures(system, "small", 1)
    system.drain()
    sends_pictures(system, "large", 1)
    system.run_intake()
    with mock.patch.object(http, "pieces", return_value=[bytes(9 << 20)]):
        system.interceptor.fails_if = lambda call: call.startswith("s3.UploadPart")
        system.run_downloads()
        system.interceptor.rewind()
        system.drain()
    (sk, *_) = (row["sk"] for row in system.log(ref) if row.get("media"))
    unknown = FileDownload(ref=ref, message_sk=sk, position=9)
    system.fifo_queues.put(media_queue(system), unknown.entry())
    system.drain()


def voice_notes(system: System) -> None:
    """Two voice notes as text: one that the inbox has copied, and a downloaded one."""
    spoken = {"transcription": {"provider": "scripted"}}
    ref = start(system, META | {"ai_config": META["ai_config"] | spoken}, "whatsapp")
    url = f"s3://{system.bucket}/media/{sample_data.COMPANY}/1/77/voice.ogg"
    copied = File(url=url, provider_id="77", mime_type="audio/ogg")
    says(system, ref, "", kind="media", media=[copied])
    system.drain()
    start(system, TWILIO | {"ai_config": TWILIO["ai_config"] | spoken}, "sms")
    sends_pictures(system, "note", 1, "audio/ogg")
    system.drain()


def refused_files(system: System, channel: str) -> None:
    """More files than a message may have, in a project with words for it."""
    ref = start(system, TWILIO, channel)
    system.change(policy={"file_refused": "Please send fewer files."})
    pictures = [File(url="https://files.example/a", mime_type="image/jpeg")] * 11
    says(system, ref, "All of them", kind="media", media=pictures)
    system.drain()


def late_records(system: System) -> None:
    """A late file and a late reply of a company with its share of the runs, and the round that hands the reply over."""
    start(system, TWILIO, "sms")
    sends_pictures(system, "late", 1)
    system.run_intake()
    # Earlier runs, which are counted here and not by a function.
    with mock.patch.object(system.interceptor, "observer"):
        for function in ("ConversationsMedia", "ConversationsReplies"):
            runs = system.functions[function].runs
            for number in range(share(runs.most, 1)):
                until = system.clock.ms + clock.HOUR_MS
                runs.begin(sample_data.COMPANY, f"another-{number}", until)
    system.clock.ms += ROUND_MS + GRACE_MS + 1
    system.drain()
    system.sweep()
    system.clock.ms += clock.HOUR_MS
    system.settle()


def files_of_an_earlier_release(system: System) -> None:
    """A due item with a message whose files an earlier release could not fetch."""
    ref = start(system, TWILIO, "sms")
    sends_pictures(system, "picture", 1)
    system.run_intake()
    system.fifo_queues.queues[media_queue(system)].messages.clear()
    (sk,) = (row["sk"] for row in system.log(ref) if row.get("media"))
    at = clock.to_text(system.clock.ms)
    due = {"kind": "media", "due_bucket": "0", "due_at": at, "message_sk": sk, "item_type": "DUE"}
    system.write("log", {"pk": f"CONV#{ref}", "sk": "DUE#media", **due})
    system.settle()


def media_queue(system: System) -> str:
    return next(name for name in system.workers if name.endswith("-media"))
