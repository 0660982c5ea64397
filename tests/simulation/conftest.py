"""
The simulation: real handlers, killed at every call they make, must end where a run without accidents ends.

PARLEY_SIMULATION_EXAMPLES=100 multiplies the number of random plans (`whatsapp/test_any_order.py`) for a long run and
lets hypothesis choose new ones, and the crash matrix dies at reads too; without it the plans are few and the same every
time. A failing plan is printed, shrunk.
"""

import gc
from collections.abc import Iterator

import boto3
import pytest
from moto import mock_aws

from local.sandbox import Config, running
from tests.simulation.stage import new_world
from tests.simulation.world import World


@pytest.fixture(scope="module")  # not wider: other suites in this process have a moto of their own
def _world() -> Iterator[World]:
    with mock_aws():
        s3 = boto3.Session().client("s3")

        def put_object(bucket: str, key: str, content: bytes, content_type: str) -> None:
            s3.put_object(Bucket=bucket, Key=key, Body=content, ContentType=content_type)

        with running(Config(put_object=put_object)) as sandbox, new_world(sandbox) as world:
            # Thousands of short runs: the collector need not look at moto's models in each of them.
            gc.freeze()
            thresholds = gc.get_threshold()
            gc.set_threshold(100_000, *thresholds[1:])
            yield world
            gc.set_threshold(*thresholds)
            gc.unfreeze()


@pytest.fixture
def world(_world: World) -> World:
    return _world.reset()
