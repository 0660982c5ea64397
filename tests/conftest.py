"""What all suites share: moto before any client, false credentials, and a region that is nobody's."""

import os
from typing import Any

import moto  # noqa: F401 - before boto3 makes a client: one made earlier would call the real endpoint
import pytest
from moto.core.config import default_user_config

from tests import quick_aws
from tests.scheduling import ByFile

os.environ |= {
    "AWS_ACCESS_KEY_ID": "testing",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_REGION": "us-east-1",
    "AWS_EC2_METADATA_DISABLED": "true",
    "POWERTOOLS_METRICS_NAMESPACE": "Parley",
    "POWERTOOLS_SERVICE_NAME": "whatsapp",
    "POWERTOOLS_TRACE_DISABLED": "true",
    "STAGE": "local",
}
for variable in ("AWS_PROFILE", "AWS_ENDPOINT_URL", "AWS_SESSION_TOKEN"):
    os.environ.pop(variable, None)

# All tests may share boto3's session: nothing of it differs between them, and to make one takes 8 ms.
default_user_config["core"]["reset_boto3_session"] = False
quick_aws.hasten()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByFile | None:
    return ByFile(config, log) if config.option.dist == "loadfile" else None
