"""Workers of SQS queues: each record of a batch, the companies' shares of a queue, and the report of a record."""
