"""
List prices of AWS in us-east-1, without free tiers, in dollars per million units. docs/costs.md uses the same.

Prices differ by region and change; the cost of a month is an estimate.
"""

from typing import Final

WRITE_UNIT: Final = 0.625  # DynamoDB, on-demand
READ_UNIT: Final = 0.125
INVOCATION: Final = 0.20
GIGABYTE_SECOND: Final = 13.3334  # arm64
API_CALL: Final = 3.50  # REST API
QUEUE_CALL: Final = 0.50  # FIFO; a standard queue costs 0.40
LOG_MEGABYTE: Final = 500.0  # ingested: $0.50 a GB
# Parts of the bill that no metric of this API measures.
NOT_INCLUDED: Final = (
    "model tokens",
    "fees of providers (Meta, Twilio, AWS End User Messaging, SES)",
    "storage of tables, buckets and logs",
    "alarms, dashboard, secrets and custom metrics",
    "requests to S3, SNS, Cognito, Secrets Manager and Parameter Store",
    "traces and data transfer",
)
