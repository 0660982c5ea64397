"""Clients of AWS services: DynamoDB, SQS FIFO, S3, Secrets Manager, dead letters."""
