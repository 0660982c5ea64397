"""API Gateway answers the pings of open pages by itself: the parts of an answer fit together, as AWS needs them."""

from __future__ import annotations

import json
import re

from tests.template import ROOT, file
from tests.unit.template.translated import translated

RESOURCES = file("stacks/monitoring.yaml")["Resources"]


def test_a_ping_has_a_route_of_its_own_and_an_answer_without_a_function() -> None:
    route, integration = (RESOURCES[name]["Properties"] for name in ("LivePing", "LivePingAnswer"))
    api = translated()["LiveApi"]["Properties"]
    sent = re.search(
        r'const PING = \{ (\w+): "(\w+)" \}', (ROOT / "console/src/live/live.ts").read_text()
    )

    assert sent is not None
    assert api["RouteSelectionExpression"] == f"$request.body.{sent[1]}"
    assert route["RouteKey"] == sent[2]
    assert route["Target"] == {"Fn::Sub": "integrations/${LivePingAnswer}"}
    assert integration["IntegrationType"] == "MOCK"


def test_the_answer_passes_the_integration_and_the_route() -> None:
    """The status of an answer comes from the request's template; without a response of the route nothing is sent."""
    integration, answer, response, route = (
        RESOURCES[name]["Properties"]
        for name in ("LivePingAnswer", "LivePong", "LivePongRoute", "LivePing")
    )
    asked = json.loads(integration["RequestTemplates"][integration["TemplateSelectionExpression"]])

    assert answer["IntegrationId"] == {"Ref": "LivePingAnswer"}
    assert answer["IntegrationResponseKey"] == f"/{asked['statusCode']}/"
    assert json.loads(answer["ResponseTemplates"][answer["TemplateSelectionExpression"]])
    assert response["RouteId"] == {"Ref": "LivePing"}
    assert response["RouteResponseKey"] == route["RouteResponseSelectionExpression"] == "$default"


def test_the_stage_deploys_a_route_that_is_added_to_its_api() -> None:
    (stage,) = (one for one in translated().values() if one["Type"] == "AWS::ApiGatewayV2::Stage")

    assert stage["Properties"]["AutoDeploy"] is True
