"""Files of drafts: uploaded by a form, or taken from a mail of the thread."""

from __future__ import annotations

import base64
from email.message import EmailMessage
from typing import Any

import pytest

from tests.integration.email_threads.api.thread_calls import refused, result, thread_of
from tests.integration.email_threads.drafting import (
    asked,
    composed,
    put_file,
    send,
    shown,
    status_of,
)
from tests.simulation.email_threads.mails import verified, with_files
from tests.simulation.email_threads.system import ANN, BOB, MAILBOX, System, mail

PDF = b"%PDF-1.7 offer"


def refusal(system: System, path: str, *files: dict[str, Any]) -> tuple[int, str, list[str]]:
    given = {"body_text": "See the file.", "attachments": files}
    return refused(system.call("POST", f"{path}/replies", given))


def files_of(request: dict[str, Any]) -> list[tuple[str, str, bytes]]:
    """Name, type and content of the files of a request that SES accepted."""
    attachments = request["Content"]["Simple"]["Attachments"]
    return [(one["FileName"], one["ContentType"], one["RawContent"]) for one in attachments]


def test_a_form_uploads_one_file_of_its_type_into_the_folder_of_the_thread(system: System) -> None:
    path = asked(system)

    form = result(
        system.call(
            "POST",
            f"{path}/uploads",
            {"filename": "our offer.pdf", "content_type": "application/pdf"},
        )
    )

    thread = path.rpartition("/")[2]
    assert form["fields"]["key"] == f"attachments/{thread}/{form['upload']}/our offer.pdf"
    assert form["fields"]["Content-Type"] == "application/pdf"
    assert (form["largest_bytes"], form["expires_in_seconds"]) == (7_340_032, 900)
    policy = base64.b64decode(form["fields"]["policy"])
    assert b'["content-length-range", 1, 7340032]' in policy


def test_an_uploaded_file_is_attached_and_sent(system: System) -> None:
    path = asked(system)
    upload = put_file(system, path, "offer.pdf", PDF, "application/pdf")

    draft = composed(system, path, attachments=[{"upload": upload, "filename": "offer.pdf"}])

    assert shown(system, draft)["attachments"] == [
        {"filename": "offer.pdf", "content_type": "application/pdf", "size": 14}
    ]
    send(system, draft)
    (name, content_type, content), *others = files_of(system.sent()[0])
    assert (name, content_type, others) == ("offer.pdf", "application/pdf", [])
    assert content["size"] == 14  # type: ignore[call-overload] # the sandbox shows size and hash
    stored = system.mails()[-1]["attachments"]
    assert [(one["filename"], one["size"]) for one in stored] == [("offer.pdf", 14)]
    assert system.object(stored[0]["s3_key"]) == PDF


def test_a_file_of_a_mail_is_attached_by_its_number(system: System) -> None:
    path = thread_of(system, verified(with_files()))

    draft = composed(system, path, attachments=[{"n": 1, "index": 1}])

    assert [one["filename"] for one in shown(system, draft)["attachments"]] == ["order.pdf"]
    system.call("PATCH", draft, shown(system, draft))
    assert [one["filename"] for one in shown(system, draft)["attachments"]] == ["order.pdf"]


@pytest.mark.parametrize(
    "file",
    [
        {"n": 1, "index": 2},
        {"n": 1, "index": 3},
        {"n": 2, "index": 0},
        {"upload": "0" * 32, "filename": "offer.pdf"},
    ],
    ids=["a program", "no such file", "no such mail", "never uploaded"],
)
def test_a_harmful_or_missing_file_is_refused(system: System, file: dict[str, Any]) -> None:
    path = thread_of(system, verified(with_files()))

    assert refusal(system, path, file) == (400, "invalid_input", ["attachments"])
    assert not system.drafts()


def test_a_file_in_which_ses_found_a_virus_is_refused(system: System) -> None:
    infected = verified(with_files()).replace(b"Virus-Verdict: PASS", b"Virus-Verdict: FAIL")
    infected = infected.replace(b"From:", b"In-Reply-To: <a@x>\nFrom:", 1)
    path = thread_of(system, mail("a@x"), infected)
    assert [one["kind"] for one in system.mails()] == ["mail", "held"]

    answer = refusal(system, path, {"n": 2, "index": 1})

    assert answer == (400, "invalid_input", ["attachments"])


def test_an_upload_of_another_thread_is_not_found(system: System) -> None:
    path = asked(system)
    other = thread_of(system, mail("b@x", sender=BOB))
    upload = put_file(system, path, "offer.pdf", PDF, "application/pdf")

    answer = refusal(system, other, {"upload": upload, "filename": "offer.pdf"})

    assert answer == (400, "invalid_input", ["attachments"])


def test_the_files_of_a_mail_have_a_size_in_all(system: System) -> None:
    path = asked(system)
    half = b"%PDF-" + b"x" * (4 << 20)
    uploads = [put_file(system, path, f"{n}.pdf", half, "application/pdf") for n in range(2)]
    files = [{"upload": one, "filename": f"{n}.pdf"} for n, one in enumerate(uploads)]

    assert refusal(system, path, files[0], files[1]) == (400, "invalid_input", ["attachments"])
    composed(system, path, attachments=files[:1])


def test_further_files_of_a_forward_count_with_those_of_the_mail(system: System) -> None:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = ANN, MAILBOX, "Chairs"
    message["Message-ID"] = "<large@x>"
    message.set_content("See the file.")
    message.add_attachment(b"%PDF-" + b"x" * (4 << 20), "application", "pdf", filename="a.pdf")
    path = thread_of(system, verified(bytes(message)))
    upload = put_file(system, path, "b.pdf", b"%PDF-" + b"x" * (4 << 20), "application/pdf")

    answer = system.call(
        "POST",
        f"{path}/replies",
        {
            "kind": "forward",
            "to": [BOB],
            "body_text": "See the files.",
            "attachments": [{"upload": upload, "filename": "b.pdf"}],
        },
    )

    assert refused(answer) == (400, "invalid_input", ["attachments"])
    composed(system, path, kind="forward", to=[BOB])


@pytest.mark.parametrize("name", ["run.exe", "run.EXE", "run.js", "a/run.bat"])
def test_no_form_uploads_a_program(system: System, name: str) -> None:
    path = asked(system)

    answer = system.call(
        "POST", f"{path}/uploads", {"filename": name, "content_type": "text/plain"}
    )

    assert refused(answer) == (400, "invalid_input", ["filename"])


def test_a_program_that_was_uploaded_under_another_name_is_refused(system: System) -> None:
    path = asked(system)
    upload = put_file(system, path, "offer.pdf", b"MZ program", "application/pdf")

    answer = refusal(system, path, {"upload": upload, "filename": "offer.pdf"})

    assert answer == (400, "invalid_input", ["attachments"])


def test_the_path_of_a_file_name_is_left_out(system: System) -> None:
    path = asked(system)
    upload = put_file(system, path, "../../offer.pdf", PDF, "application/pdf")

    draft = composed(system, path, attachments=[{"upload": upload, "filename": "../../offer.pdf"}])

    send(system, draft)
    assert files_of(system.sent()[0])[0][0] == "offer.pdf"


def test_a_file_of_a_type_that_ses_does_not_accept_is_sent_as_octets(system: System) -> None:
    raw = verified(with_files()).replace(b"application/pdf", b"application/" + b"x" * 67, 1)
    path = thread_of(system, raw)

    send(system, composed(system, path, kind="forward", to=[BOB]))

    assert files_of(system.sent()[0])[0][:2] == ("order.pdf", "application/octet-stream")


def test_a_long_type_of_an_uploaded_file_is_refused(system: System) -> None:
    given = {"filename": "offer.pdf", "content_type": "application/" + "x" * 67}

    answer = system.call("POST", f"{asked(system)}/uploads", given)

    assert refused(answer) == (400, "invalid_input", ["content_type"])


def test_a_file_that_is_gone_stops_the_send(system: System) -> None:
    path = asked(system)
    upload = put_file(system, path, "offer.pdf", PDF, "application/pdf")
    draft = composed(system, path, attachments=[{"upload": upload, "filename": "offer.pdf"}])
    (stored,) = system.drafts()
    system.s3.delete_object(Bucket=system.bucket, Key=stored["attachments"][0]["s3_key"])

    send(system, draft)

    assert not system.sent()
    assert status_of(system, draft) == ("failed", "attachment_gone")


def test_a_file_that_was_replaced_after_its_review_stops_the_send(system: System) -> None:
    path = asked(system)
    upload = put_file(system, path, "offer.pdf", PDF, "application/pdf")
    draft = composed(system, path, attachments=[{"upload": upload, "filename": "offer.pdf"}])
    (stored,) = system.drafts()
    key = stored["attachments"][0]["s3_key"]
    system.s3.put_object(Bucket=system.bucket, Key=key, Body=b"%PDF-1.7 other")

    send(system, draft)

    assert not system.sent()
    assert status_of(system, draft) == ("failed", "attachment_gone")


def test_files_of_the_same_name_are_told_apart(system: System) -> None:
    path = asked(system)
    contents = [PDF, b"%PDF-1.7 another"]
    uploads = [put_file(system, path, "offer.pdf", one, "application/pdf") for one in contents]
    files = [{"upload": one, "filename": "offer.pdf"} for one in uploads]

    send(system, composed(system, path, attachments=files))

    assert [one[0] for one in files_of(system.sent()[0])] == ["offer.pdf", "offer-2.pdf"]
    stored = system.mails()[-1]["attachments"]
    assert [system.object(one["s3_key"]) for one in stored] == contents


def test_an_amendment_replaces_the_files(system: System) -> None:
    path = thread_of(system, verified(with_files()))
    draft = composed(system, path, kind="forward", to=[BOB])

    result(system.call("PATCH", draft, {"version": 1, "attachments": []}))

    assert shown(system, draft)["attachments"] == []


PNG = b"\x89PNG\r\n\x1a\nimage"


def test_an_inline_image_is_shown_in_its_place_of_the_answer(system: System) -> None:
    path = asked(system)
    upload = put_file(system, path, "a <b>.png", PNG, "image/png")
    image = {"upload": upload, "filename": "a <b>.png", "inline": True}
    draft = composed(system, path, body_text="See [image: a _b_.png] here.", attachments=[image])
    assert shown(system, draft)["attachments"][0]["inline"] is True

    send(system, draft)

    (sent,) = system.sent()
    (file,) = sent["Content"]["Simple"]["Attachments"]
    assert (file["ContentDisposition"], file["FileName"]) == ("INLINE", "a _b_.png")
    html = sent["Content"]["Simple"]["Body"]["Html"]["Data"]
    assert f'See <img src="cid:{file["ContentId"]}" alt="a _b_.png"> here.' in html
    (stored,) = [one for one in system.mails() if one["direction"] == "outbound"]
    assert stored["attachments"][0]["inline"] is True


def test_an_inline_image_without_a_place_is_below_the_text(system: System) -> None:
    path = thread_of(system, verified(with_files()))
    image = {"n": 1, "index": 0, "inline": True}
    draft = composed(system, path, body_text="Here.", attachments=[image])
    send(system, draft)

    (sent,) = system.sent()
    html = sent["Content"]["Simple"]["Body"]["Html"]["Data"]
    assert html.index("Here.") < html.index('<img src="cid:')


@pytest.mark.parametrize(
    ("name", "kind"), [("a.pdf", "application/pdf"), ("a.svg", "image/svg+xml")]
)
def test_only_an_image_can_be_inline(system: System, name: str, kind: str) -> None:
    path = asked(system)
    upload = put_file(system, path, name, PDF, kind)
    file = {"upload": upload, "filename": name, "inline": True}

    assert refusal(system, path, file) == (400, "invalid_input", ["attachments"])


def test_a_forward_has_the_screenshots_of_the_mail_and_no_logos(system: System) -> None:
    raw = verified(with_files().replace(b"logo.png", b"shot.png"))
    large = base64.encodebytes(PNG + bytes(11_000))
    raw = raw.replace(base64.encodebytes(PNG), large)
    path = thread_of(system, raw)
    forward = composed(system, path, kind="forward", n=1, to=[BOB])

    assert [one["filename"] for one in shown(system, forward)["attachments"]] == [
        "shot.png",
        "order.pdf",
    ]
