"""
WhatsApp sample events: the signed webhooks of one day at acme, a bicycle repair shop.

`samples.py` lists the events in order, `python -m events` writes them to JSON files for `sam local invoke`;
tests and the demo import `samples()`. Nothing here is deployed.
"""
