"""
WhatsApp sample events: one day at acme, a bicycle repair shop, told as signed webhooks.

`samples.py` tells the day in order, `make.py` writes it to the JSON files beside it. The files are
what `sam local invoke` takes; tests and the demo import `samples()`. Nothing here runs in Lambda.
"""
