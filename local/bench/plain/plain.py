"""A naive webhook handler for comparison: one item per webhook, unverified, unordered."""

import json
import os

import boto3

table = os.environ["TABLE_NAME"]
client = boto3.client("dynamodb")


def handler(event: dict[str, str], _context: object) -> dict[str, object]:
    """API Gateway proxy event in, one item written, proxy response out."""
    message = json.loads(event["body"])["entry"][0]["changes"][0]["value"]["messages"][0]
    item = {"pk": {"S": message["id"]}, "body": {"S": event["body"]}}
    client.put_item(TableName=table, Item=item)
    return {"statusCode": 200, "body": ""}
