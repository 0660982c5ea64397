"""
Live updates of the console: hints to open WebSocket connections that something changed. Hints contain no content.

    POST /live/tickets --> ticket --> $connect?ticket=... --> connection --> hints of inbox feeds and of colleagues

Hints are best effort. A client that missed one sees the change when it next lists the inbox.
"""
