"""pbxd for applications: verbs, events, signatures, servers and the HTTP interface. Python 3.11 or later; the standard library alone."""
from .application import Application, chosen, genuine, menu
from .client import Box, BoxError
from .verbs import ControlDocument, Verb, forward, gather, hangup, pause, play, record, redirect, route, say, stream

__all__ = [
    "Application", "Box", "BoxError", "ControlDocument", "Verb", "chosen", "forward", "gather", "genuine", "hangup", "menu",
    "pause", "play", "record", "redirect", "route", "say", "stream",
]
