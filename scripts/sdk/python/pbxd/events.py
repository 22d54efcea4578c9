"""The events of the box, and the decorator that registers a function for one. Written by `npm run generate` from the schemas of the box."""
from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Literal, TypeVar, Union, overload

from .schemas import AlarmEvent, CallAnsweredEvent, CallEndedEvent, CallInboundPreRouteEvent, CallRedirectedEvent, CallStatusEvent, FaxFailedEvent, FaxSentEvent, ForwardCompletedEvent, GatherCompletedEvent, GatherPartialEvent, RecordCompletedEvent, RecordTranscribedEvent, ReminderEvent, RouteCompletedEvent, StreamCompletedEvent, StreamErrorEvent, StreamStartedEvent, StreamStoppedEvent
from .verbs import Verb

Question = Union[CallInboundPreRouteEvent, CallAnsweredEvent, CallRedirectedEvent, RouteCompletedEvent, ForwardCompletedEvent, GatherCompletedEvent, RecordCompletedEvent, StreamCompletedEvent]
Notice = Union[CallStatusEvent, CallEndedEvent, GatherPartialEvent, RecordTranscribedEvent, StreamStartedEvent, StreamStoppedEvent, StreamErrorEvent, FaxSentEvent, FaxFailedEvent, ReminderEvent, AlarmEvent]
QUESTIONS = frozenset({"call.inbound.pre_route", "call.answered", "call.redirected", "route.completed", "forward.completed", "gather.completed", "record.completed", "stream.completed"})
NOTICES = frozenset({"call.status", "call.ended", "gather.partial", "record.transcribed", "stream.started", "stream.stopped", "stream.error", "fax.sent", "fax.failed", "reminder.confirmed", "reminder.canceled", "reminder.reschedule", "reminder.no-answer", "reminder.busy", "reminder.failed", "reminder.voicemail", "reminder.opted-out", "reminder.expired", "alarm.raised", "alarm.ended", "alarm.test"})
# What a function answers to a question: verbs, one verb, or either of them later.
Answer = Union[Verb, Sequence[Verb]]
A = TypeVar("A", bound=Union[Answer, Awaitable[Answer]])
N = TypeVar("N", bound=Union[None, Awaitable[None]])


class Pages:
    """Functions by page and event."""

    def __init__(self) -> None:
        self.pages: dict[str, dict[str, Callable[[Any], Any]]] = {}

    @overload
    def on(self, event: Literal["call.inbound.pre_route"], page: str = ...) -> Callable[[Callable[[CallInboundPreRouteEvent], A]], Callable[[CallInboundPreRouteEvent], A]]: ...

    @overload
    def on(self, event: Literal["call.answered"], page: str = ...) -> Callable[[Callable[[CallAnsweredEvent], A]], Callable[[CallAnsweredEvent], A]]: ...

    @overload
    def on(self, event: Literal["call.redirected"], page: str = ...) -> Callable[[Callable[[CallRedirectedEvent], A]], Callable[[CallRedirectedEvent], A]]: ...

    @overload
    def on(self, event: Literal["route.completed"], page: str = ...) -> Callable[[Callable[[RouteCompletedEvent], A]], Callable[[RouteCompletedEvent], A]]: ...

    @overload
    def on(self, event: Literal["forward.completed"], page: str = ...) -> Callable[[Callable[[ForwardCompletedEvent], A]], Callable[[ForwardCompletedEvent], A]]: ...

    @overload
    def on(self, event: Literal["call.status"], page: str = ...) -> Callable[[Callable[[CallStatusEvent], N]], Callable[[CallStatusEvent], N]]: ...

    @overload
    def on(self, event: Literal["call.ended"], page: str = ...) -> Callable[[Callable[[CallEndedEvent], N]], Callable[[CallEndedEvent], N]]: ...

    @overload
    def on(self, event: Literal["gather.completed"], page: str = ...) -> Callable[[Callable[[GatherCompletedEvent], A]], Callable[[GatherCompletedEvent], A]]: ...

    @overload
    def on(self, event: Literal["gather.partial"], page: str = ...) -> Callable[[Callable[[GatherPartialEvent], N]], Callable[[GatherPartialEvent], N]]: ...

    @overload
    def on(self, event: Literal["record.completed"], page: str = ...) -> Callable[[Callable[[RecordCompletedEvent], A]], Callable[[RecordCompletedEvent], A]]: ...

    @overload
    def on(self, event: Literal["record.transcribed"], page: str = ...) -> Callable[[Callable[[RecordTranscribedEvent], N]], Callable[[RecordTranscribedEvent], N]]: ...

    @overload
    def on(self, event: Literal["stream.completed"], page: str = ...) -> Callable[[Callable[[StreamCompletedEvent], A]], Callable[[StreamCompletedEvent], A]]: ...

    @overload
    def on(self, event: Literal["stream.started"], page: str = ...) -> Callable[[Callable[[StreamStartedEvent], N]], Callable[[StreamStartedEvent], N]]: ...

    @overload
    def on(self, event: Literal["stream.stopped"], page: str = ...) -> Callable[[Callable[[StreamStoppedEvent], N]], Callable[[StreamStoppedEvent], N]]: ...

    @overload
    def on(self, event: Literal["stream.error"], page: str = ...) -> Callable[[Callable[[StreamErrorEvent], N]], Callable[[StreamErrorEvent], N]]: ...

    @overload
    def on(self, event: Literal["fax.sent"], page: str = ...) -> Callable[[Callable[[FaxSentEvent], N]], Callable[[FaxSentEvent], N]]: ...

    @overload
    def on(self, event: Literal["fax.failed"], page: str = ...) -> Callable[[Callable[[FaxFailedEvent], N]], Callable[[FaxFailedEvent], N]]: ...

    @overload
    def on(self, event: Literal["reminder.confirmed"], page: str = ...) -> Callable[[Callable[[ReminderEvent], N]], Callable[[ReminderEvent], N]]: ...

    @overload
    def on(self, event: Literal["reminder.canceled"], page: str = ...) -> Callable[[Callable[[ReminderEvent], N]], Callable[[ReminderEvent], N]]: ...

    @overload
    def on(self, event: Literal["reminder.reschedule"], page: str = ...) -> Callable[[Callable[[ReminderEvent], N]], Callable[[ReminderEvent], N]]: ...

    @overload
    def on(self, event: Literal["reminder.no-answer"], page: str = ...) -> Callable[[Callable[[ReminderEvent], N]], Callable[[ReminderEvent], N]]: ...

    @overload
    def on(self, event: Literal["reminder.busy"], page: str = ...) -> Callable[[Callable[[ReminderEvent], N]], Callable[[ReminderEvent], N]]: ...

    @overload
    def on(self, event: Literal["reminder.failed"], page: str = ...) -> Callable[[Callable[[ReminderEvent], N]], Callable[[ReminderEvent], N]]: ...

    @overload
    def on(self, event: Literal["reminder.voicemail"], page: str = ...) -> Callable[[Callable[[ReminderEvent], N]], Callable[[ReminderEvent], N]]: ...

    @overload
    def on(self, event: Literal["reminder.opted-out"], page: str = ...) -> Callable[[Callable[[ReminderEvent], N]], Callable[[ReminderEvent], N]]: ...

    @overload
    def on(self, event: Literal["reminder.expired"], page: str = ...) -> Callable[[Callable[[ReminderEvent], N]], Callable[[ReminderEvent], N]]: ...

    @overload
    def on(self, event: Literal["alarm.raised"], page: str = ...) -> Callable[[Callable[[AlarmEvent], N]], Callable[[AlarmEvent], N]]: ...

    @overload
    def on(self, event: Literal["alarm.ended"], page: str = ...) -> Callable[[Callable[[AlarmEvent], N]], Callable[[AlarmEvent], N]]: ...

    @overload
    def on(self, event: Literal["alarm.test"], page: str = ...) -> Callable[[Callable[[AlarmEvent], N]], Callable[[AlarmEvent], N]]: ...

    def on(self, event: str, page: str = "/voice") -> Any:
        """Registers the function below for an event that the box sends to a page."""
        if event not in QUESTIONS and event not in NOTICES:
            raise ValueError(f"there is no event {event}")
        if not page.startswith("/"):
            raise ValueError(f"a page begins with a slash: /{page}")

        def register(function: Any) -> Any:
            self.pages.setdefault(page, {})[event] = function
            return function

        return register
