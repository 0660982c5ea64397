"""The functions of the running stack, as processes of this machine see them."""

from pathlib import Path

from local.stack.functions import built, layers_of
from tests.unit.local.test_containers import STACK

ARN = "arn:aws:lambda:us-east-1:000000000000:layer:parley-local"


def test_a_functions_path_has_its_folder_and_its_layers_in_their_order() -> None:
    layers = layers_of([f"{ARN}-shared:1", f"{ARN}-exports:12"])

    function = built(STACK, "NewslettersExports", Path("/a"), "x.handler", {}, layers=layers)

    folder, *rest = function.environment["PYTHONPATH"].split(":")
    assert folder == "/a"
    assert [Path(one).parts[-2:] for one in rest] == [
        ("SharedLayer", "python"),
        ("ExportsLayer", "python"),
    ]


def test_a_function_without_named_layers_has_the_shared_one() -> None:
    function = built(STACK, "Bare", Path("/a"), "x.handler", {})

    assert function.environment["PYTHONPATH"].endswith("/SharedLayer/python")
