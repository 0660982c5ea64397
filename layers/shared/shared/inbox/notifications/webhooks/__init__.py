"""
Events of conversations that go to systems of the company: webhooks, their deliveries, and what causes one.

    entry changes --feed--> waiting, due --run of the inbox's function--> one POST --> log
                                  ^                                        |
                                  +--------- not accepted, later ----------+

The feed stores a waiting delivery before it writes the entry, then marks the webhook as due. So an event may be
delivered twice, under one id, and is never lost while its webhook is active. A delivery has ids only.
"""
