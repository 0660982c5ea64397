"""
The items of DynamoDB tables in the tests, in memory: reads, writes, expressions, transactions and streams.

moto has the tables themselves: their keys, indexes, streams and other settings, and all other services. Of the calls
of clients it receives all but those on items, which `calls` answers without a request. The items of a table are in the
dictionary that moto has for them, in DynamoDB's JSON with bytes as bytes.

`tests/integration/shared/tables` compares everything with moto. DynamoDB's documented rules apply where moto is more
tolerant: see the decision of the project about these tables.
"""
