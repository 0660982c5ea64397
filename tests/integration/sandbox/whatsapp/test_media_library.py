"""The media files of the sandbox's customers."""

from pathlib import Path

import pytest

from local.sandbox.accounts.media import WEBHOOK_MEDIA, library


def test_ids_types_and_digests_never_change() -> None:
    """The sample events repeat these values."""
    assert {media_id: tuple(media) for media_id, media in WEBHOOK_MEDIA.items()} == {
        "1003383421387256": (
            "photo.jpg",
            "image/jpeg",
            "6r0R0/0RuyRpZhuCfsTnVyS8y7WG5j+cRXsnB9JokbM=",
        ),
        "1003383421387257": (
            "drawing.png",
            "image/png",
            "AzsXP8AbWc1aPxEQtnEACfVjyi6AzFulVeoK9zC3qgo=",
        ),
        "1003383421387258": (
            "receipt.pdf",
            "application/pdf",
            "UpxZXsDg7zt5X25pjY0Gw+9KyDjKbA6m28hexowEP+k=",
        ),
        "1003383421387259": (
            "voice.ogg",
            "audio/ogg; codecs=opus",
            "7e27qzsEx6DGbVc4w1A5EIVgzU7BgyTaicgI6Podd/Y=",
        ),
        "1003383421387260": (
            "clip.mp4",
            "video/mp4",
            "Nm/1ziSc1cK2Sf/lu6U2Yg+E31WPmpzdx1Do20pz9os=",
        ),
        "1003383421387261": (
            "sticker.webp",
            "image/webp",
            "0RlYeA1MrCT7QPQqrounhvRuCOh+tqTJswomdlvTbv0=",
        ),
        "1003383421387262": (
            "holiday.jpg",
            "image/jpeg",
            "STo6Qg+I/Sh5nqX2Gjn4kwjTu713lr2YYRNnUSs426k=",
        ),
        "1003383421387263": (
            "tampered.jpg",
            "image/jpeg",
            "o+rV7trV34IxjFFoXbwcFHo20f+FhPyC3msI0L9jp5U=",
        ),
        "1003383421387264": (
            "old.jpg",
            "image/jpeg",
            "IAZRqLLVkS9pLbiUaKfUfYaj7WhE9I8bFfK+HZyafl4=",
        ),
    }


def test_a_folder_adds_its_files_under_their_names(tmp_path: Path) -> None:
    (tmp_path / "77.png").write_bytes(b"picture")

    added = library(tmp_path)["77"]

    assert (added.filename, added.mime_type, added.content) == ("77.png", "image/png", b"picture")


@pytest.mark.parametrize("name", ["two words.png", "77.what", "77", "1003383421387256.png", ".png"])
def test_a_folder_with_a_file_of_an_unknown_type_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"")

    with pytest.raises(ValueError, match="must be <unused media id>"):
        library(tmp_path)
