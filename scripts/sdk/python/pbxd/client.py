"""The HTTP interface of the box: a method for each route, repeats where they are safe, errors with their codes, streams as iterators."""
from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterator
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

from .operations import Operations, ServerSent

TRIES = 3
LONGEST_PAUSE_SECONDS = 10.0
PERMANENT = range(400, 500)


class BoxError(Exception):
    """An answer of the box that is no success, as it describes itself. `status` 0: no answer came."""

    def __init__(self, status: int, fault: dict[str, Any]) -> None:
        super().__init__(fault.get("error", f"HTTP {status}"))
        self.status = status
        self.code: str = fault.get("code", "no_answer")
        self.details: list[dict[str, Any]] = fault.get("details", [])
        self.request_id: str = fault.get("requestId", "")


def _fault(error: HTTPError) -> BoxError:
    text = error.read()
    try:
        return BoxError(error.code, json.loads(text))
    except ValueError:
        return BoxError(error.code, {"error": text.decode(errors="replace")[:200] or f"HTTP {error.code}"})


def _seconds(text: str | None) -> float | None:
    return float(text) if text is not None and text.isdigit() else None


class Box(Operations):
    """The routes of a box as methods: parts of the path first, then the body, then the query by names. `timeout` is in seconds."""

    def __init__(self, url: str, token: str, timeout: float = 30) -> None:
        self._url, self._token, self._timeout = url.rstrip("/"), token, timeout

    def path(self, form: str, *parts: str | int) -> str:
        return form.format(*(quote(str(part), safe="") for part in parts))

    def request(self, method: str, path: str, *, reading: str = "json", body: Any = None, query: dict[str, Any] | None = None,
                idempotency_key: str | None = None, content_type: str | None = None) -> Any:
        given = {key: str(value).lower() if isinstance(value, bool) else value for key, value in (query or {}).items() if value is not None}
        url = self._url + path + (f"?{urlencode(given)}" if given else "")
        headers = {"Authorization": f"Bearer {self._token}"}
        if method == "POST":
            headers["Idempotency-Key"] = idempotency_key or str(uuid.uuid4())
        if body is not None:
            headers["Content-Type"] = content_type or "application/json"
            body = body if isinstance(body, bytes) else json.dumps(body).encode()
        if reading == "events":
            return self._events(Request(url, headers=headers))
        answer = self._ask(Request(url, body, headers, method=method))
        if reading == "lines":
            return (json.loads(line) for line in answer if line.strip())
        with answer:
            content = answer.read()
        if answer.status == 204 or reading == "none":
            return None
        if reading == "bytes":
            return content
        return content.decode() if reading == "text" else json.loads(content)

    def _ask(self, request: Request) -> Any:
        """Sends it, and again where that cannot do the work twice: a GET, or a POST with its key."""
        safe = request.get_method() == "GET" or request.has_header("Idempotency-key")
        attempt = 0
        while True:
            attempt += 1
            seconds = attempt / 2
            try:
                return urlopen(request, timeout=self._timeout)
            except HTTPError as error:
                later = _seconds(error.headers.get("Retry-After"))
                soon = later is not None and later <= LONGEST_PAUSE_SECONDS
                if not safe or attempt == TRIES or not (soon or error.code in (502, 504)):
                    raise _fault(error) from None
                seconds = later if later is not None else seconds
            except (OSError, HTTPException) as error:
                if not safe or attempt == TRIES:
                    raise BoxError(0, {"error": f"The box did not answer: {error}"}) from error
            time.sleep(seconds)

    def _events(self, request: Request) -> Iterator[ServerSent]:
        """Server-sent events; a connection that ends is opened again, after the last event that came."""
        last, failures = "", 0
        while True:
            try:
                if last:
                    request.add_header("Last-Event-ID", last)
                event, data = "", ""
                with self._ask(request) as answer:
                    for raw in answer:
                        line = raw.decode().rstrip("\r\n")
                        field, _, value = line.partition(":")
                        value = value.removeprefix(" ")
                        if field == "id":
                            last = value
                        elif field == "event":
                            event = value
                        elif field == "data":
                            data += value
                        elif line == "":
                            if data:
                                yield {"id": last, "event": event or "message", "data": json.loads(data)}
                            event, data, failures = "", "", 0
            except BoxError as error:
                if error.status in PERMANENT and error.status != 429:
                    raise
            except (OSError, HTTPException):
                pass
            time.sleep(min(30, 0.5 * 2**failures))
            failures += 1
