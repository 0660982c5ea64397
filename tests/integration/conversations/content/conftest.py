"""Fixtures shared by the tests of this folder."""

from tests.integration.conversations.inbound.test_media import _files, files  # noqa: F401 - fixtures for the tests of this folder
