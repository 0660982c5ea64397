"""Names of downloaded exports."""

import pytest

from newsletters.api.exports import file_name


@pytest.mark.parametrize(
    ("title", "name"),
    [
        (
            "Highland Farms: what the season taught us",
            "Highland Farms what the season taught us.pdf",
        ),
        ("../../etc/passwd\r\n", "etc passwd.pdf"),
        ("किसान समाचार", "किसान समाचार.pdf"),
        ("نشرة المزارع 12", "نشرة المزارع 12.pdf"),
        ("?!", "newsletter.pdf"),
        ("x" * 300, f"{'x' * 80}.pdf"),
    ],
)
def test_a_download_has_the_title_as_its_name_without_signs_of_paths(title: str, name: str) -> None:
    assert file_name(title, "newsletters/NL-20261126-7K3Q/export.pdf") == name


def test_the_e_mails_html_is_told_from_the_page() -> None:
    assert file_name("News", "newsletters/NL-20261126-7K3Q/export.email.html") == "News.email.html"
