"""An application for the box: verifies what the box sends, calls the function of the page and the event, answers with its verbs."""
from __future__ import annotations

import asyncio
import hashlib
import hmac
import inspect
import json
import logging
import re
import threading
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple, Unpack, cast

from .events import QUESTIONS, Pages
from .schemas import GatherCompletedEvent
from .verbs import ADDRESSES, GatherOptions, Verb, say

log = logging.getLogger("pbxd")
TOLERANCE_SECONDS = 300
REMEMBERED = 1000
MOST_BYTES = 1 << 20


class Reply(NamedTuple):
    status: int
    body: bytes


def _reply(status: int, value: Any = None) -> Reply:
    return Reply(status, b"" if value is None else json.dumps(value).encode())


def genuine(secret: str | Sequence[str], timestamp: str, signature: str, body: bytes, now: float | None = None) -> bool:
    """Whether the box has signed this body within 300 s: raw bytes, before any parser. The body of the upgrade of a stream is empty."""
    if not (timestamp.isascii() and timestamp.isdigit()) or abs((time.time() if now is None else now) - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    fits = False
    for key in [secret] if isinstance(secret, str) else secret:
        expected = "sha256=" + hmac.new(key.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
        fits |= hmac.compare_digest(expected.encode(), signature.encode())
    return fits


def _absolute(verb: Any, base: str) -> Any:
    """A verb whose addresses are absolute: `/page` is below the base."""
    ((name, options),) = verb.items()
    found = {}
    for key, scheme in ADDRESSES.get(name, {}).items():
        value = options.get(key)
        if value is None or re.match(r"\w+://", value):
            continue
        if not value.startswith("/"):
            raise ValueError(f"{name}.{key}: {value} is no address; write /page or the whole URL")
        found[key] = (base.replace("http", "ws", 1) if scheme == "ws" else base) + value
    return {name: {**options, **found}}


class Application(Pages):
    """Functions by page and event. `url` is where the box reaches the application; without it the Host of each request."""

    def __init__(self, secret: str | Sequence[str], url: str | None = None) -> None:
        super().__init__()
        if not secret or not all([secret] if isinstance(secret, str) else secret):
            raise ValueError("secret is missing: it is `secret` of the voice endpoint in the configuration of the box")
        self._secret, self._url = secret, url
        self._replies: OrderedDict[str, Future[Reply]] = OrderedDict()
        self._lock = threading.Lock()

    def answer(self, page: str, headers: Mapping[str, str], body: bytes, base: str) -> Reply:
        """Answers a request of the box. `base` is the address that the pages are below, such as http://127.0.0.1:3000."""
        found = self._find(page, headers, body)
        if isinstance(found, Reply):
            return found
        function, event, reply, first = found
        if first:
            try:
                result = function(event)
                self._finish(page, event, reply, asyncio.run(_later(result)) if inspect.isawaitable(result) else result, base)
            except Exception:
                self._fail(page, event, reply)
        return reply.result()

    async def answer_later(self, page: str, headers: Mapping[str, str], body: bytes, base: str) -> Reply:
        """The same in an event loop; functions that are not async run in threads."""
        found = self._find(page, headers, body)
        if isinstance(found, Reply):
            return found
        function, event, reply, first = found
        if first:
            try:
                result = function(event) if inspect.iscoroutinefunction(function) else await asyncio.to_thread(function, event)
                self._finish(page, event, reply, await result if inspect.isawaitable(result) else result, base)
            except Exception:
                self._fail(page, event, reply)
        return await asyncio.wrap_future(reply)

    def _find(self, page: str, headers: Mapping[str, str], body: bytes) -> Reply | tuple[Callable[[Any], Any], Any, Future[Reply], bool]:
        stamp, signature = headers.get("X-Service-Timestamp", ""), headers.get("X-Service-Signature", "")
        if not genuine(self._secret, stamp, signature, body):
            return _reply(403, {"error": "The signature is wrong, missing or too old."})
        functions = self.pages.get(page)
        if functions is None:
            return _reply(404, {"error": f"There is no page {page}."})
        try:
            event = json.loads(body)
        except ValueError:
            return _reply(400, {"error": "The body is not JSON."})
        function = functions.get(event["event"])
        if function is None:
            if event["event"] not in QUESTIONS:
                return _reply(204)
            if event.get("reason") == "hangup":
                return _reply(200, [])
            return _reply(404, {"error": f"The page does not take {event['event']}."})
        with self._lock:
            key = _key(page, event)
            known = self._replies.get(key)
            if known is None:
                reply: Future[Reply] = Future()
                self._replies[key] = reply
                if len(self._replies) > REMEMBERED:
                    self._replies.popitem(last=False)
                return function, event, reply, True
        return function, event, known, False

    def _finish(self, page: str, event: Any, reply: Future[Reply], result: Any, base: str) -> None:
        if event["event"] not in QUESTIONS:
            reply.set_result(_reply(204))
        elif event.get("reason") == "hangup":
            # The caller has left: what was entered counts, and no verb can run any more.
            reply.set_result(_reply(200, []))
        else:
            verbs = [result] if isinstance(result, dict) else list(result or [])
            reply.set_result(_reply(200, [_absolute(verb, (self._url or base).rstrip("/")) for verb in verbs]))

    def _fail(self, page: str, event: Any, reply: Future[Reply]) -> None:
        log.exception("%s on %s failed", event.get("event"), page)
        with self._lock:
            self._replies.pop(_key(page, event), None)
        reply.set_result(_reply(500, {"error": "The application failed."}))

    def serve(self, port: int = 3000, host: str = "127.0.0.1") -> None:
        """Listens until the program ends, on this machine alone unless `host` says otherwise."""
        self.server(port, host).serve_forever()

    def server(self, port: int = 3000, host: str = "127.0.0.1") -> ThreadingHTTPServer:
        """A server of the standard library that has not started."""
        application = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # Requests of the box that end half-way hold no thread for ever.
            timeout = 30

            def do_POST(self) -> None:
                size = int(self.headers.get("Content-Length", 0))
                if size > MOST_BYTES:
                    self.close_connection = True
                    return self.reply(_reply(413, {"error": "The body is larger than 1 MiB."}))
                scheme = self.headers.get("X-Forwarded-Proto", "http")
                base = f"{scheme}://{self.headers.get('Host', 'localhost')}"
                # A Message finds a header in any case of letters, as a dictionary would not.
                return self.reply(application.answer(re.sub(r"[?#].*", "", self.path), cast(Any, self.headers), self.rfile.read(size), base))

            def reply(self, reply: Reply) -> None:
                self.send_response(reply.status)
                if reply.status != 204:
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(reply.body)))
                self.end_headers()
                self.wfile.write(reply.body)

            def log_message(self, format: str, *args: Any) -> None:
                log.info(format, *args)

        return ThreadingHTTPServer((host, port), Handler)


def _key(page: str, event: Any) -> str:
    return f"{page} {event.get('eventId') or uuid.uuid4()}"


async def _later(result: Any) -> Any:
    return await result


# What can be chosen: the key, then words that mean the same.
Choices = Mapping[str, Sequence[str]]


def menu(text: str, choices: Choices, **options: Unpack[GatherOptions]) -> list[Verb]:
    """The question of a menu: says the text and takes the keys and words of the choices. Options have the names of the verb's page."""
    hints = [word for _, *words in choices.values() for word in words]
    settings: dict[str, Any] = {"input": "dtmf speech" if hints else "dtmf", "numDigits": max(len(choice[0]) for choice in choices.values())}
    gather: Any = {"gather": {**settings, **({"hints": hints} if hints else {}), **options}}
    return [say(text), gather]


def chosen(event: GatherCompletedEvent, choices: Choices) -> str | None:
    """Name of the choice that the caller pressed or said; None for anything else."""
    said = " " + re.sub(r"\W+", " ", event["speech"].lower()) + " "
    for name, (key, *words) in choices.items():
        if event["digits"] == key or (event["digits"] == "" and any(f" {word.lower()} " in said for word in words)):
            return name
    return None
