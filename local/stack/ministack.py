"""
Runs MiniStack, the AWS emulator, for one checkout.

- `AUTH=true`: every request needs a signature by a known key, and the policies of its role allow or deny it, as on
  AWS; bucket, queue, topic and secret policies count too. The key `test` with the secret `test` is the account's root
  user, whom no policy limits: it deploys, seeds and looks. A function gets keys of its own execution role, made up by
  MiniStack, so a permission that the template forgets is an AccessDenied that names the action.
- Plain HTTP, on the loopback only: the template leaves out its demands for TLS where the stage is `local`.
- Functions run in MiniStack's own interpreter and see its environment variables below their own. So it gets a small
  environment of its own; nothing of the shell that starts it reaches them.
- Functions write to MiniStack's log as well as to CloudWatch Logs.
"""

import http.client
import os
import shutil
from urllib.parse import urlsplit

from local.stack import environments
from local.stack.processes import TEMPORARY, launch, marked, wait_for

REGION = "us-east-1"
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}

_READY_WITHIN_SECONDS = 60


def start(port: int) -> str:
    """Start an empty MiniStack on a free port of the loopback and return its address."""
    # The state of an earlier run is gone with its process; here lie only the unpacked functions.
    shutil.rmtree(TEMPORARY, ignore_errors=True)
    TEMPORARY.mkdir(parents=True)
    command = marked(environments.python_of("ministack"), "-m", "local.stack.ministack_patch")
    process = launch("ministack", command, _environment(port))
    address = f"http://127.0.0.1:{port}"
    ready = f"{address}/_ministack/ready"
    wait_for("ministack", process, lambda: answers(ready), _READY_WITHIN_SECONDS)
    return address


def answers(url: str) -> bool:
    """Whether a GET of this loopback address is answered with 200. Proxies of the environment are not asked."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=5)
    try:
        connection.request("GET", parts.path)
        return connection.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _environment(port: int) -> dict[str, str]:
    return {
        **CREDENTIALS,
        "PATH": os.defpath,
        "HOME": str(TEMPORARY),
        "TMPDIR": str(TEMPORARY),
        "LANG": "C.UTF-8",
        "AUTH": "true",
        "GATEWAY_PORT": str(port),
        "BIND_HOST": "127.0.0.1",
        "MINISTACK_REGION": REGION,
        "IOT_MTLS_ENABLED": "0",
        "SFTP_ENABLED": "0",
        "STATE_DIR": str(TEMPORARY / "state"),
        "S3_DATA_DIR": str(TEMPORARY / "s3"),
        # For the functions:
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
    }
