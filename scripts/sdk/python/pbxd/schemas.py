"""Bodies of requests, answers and events. Written by `npm run generate` from the schemas of the box."""
from typing import Any, Literal, NotRequired, TypedDict, Union
from .verbs import ControlDocument

AcknowledgeAlarmsAnswer = TypedDict("AcknowledgeAlarmsAnswer", {"acknowledged": "int", "warnings": "NotRequired[list[str]]"})
AcknowledgeRequest = TypedDict("AcknowledgeRequest", {"eventId": "NotRequired[str]"})
AddCallNotesAnswer = TypedDict("AddCallNotesAnswer", {"callId": "CallId", "notes": "list[Note]", "warnings": "NotRequired[list[str]]"})
# A fault of the box is open, or has cleared. Sent to each `webhook` of the matching rule. It contains no patient data.
AlarmEventConditionsItem = TypedDict("AlarmEventConditionsItem", {"boxEventId": "str", "kind": "Literal['line', 'part', 'warning', 'disk', 'clock', 'update', 'login', 'daemon']", "code": "str", "severity": "Literal['notice', 'warning', 'error']", "since": "str", "until": "Union[str, None]", "text": "str", "fix": "str"})
AlarmEvent = TypedDict("AlarmEvent", {"event": "Literal['alarm.raised', 'alarm.ended', 'alarm.test']", "eventId": "EventId", "timestamp": "str", "site": "str", "rule": "str", "conditions": "list[AlarmEventConditionsItem]"})
AlarmTestItem = TypedDict("AlarmTestItem", {"rule": "str", "way": "Literal['mail', 'sms', 'call', 'webhook']", "to": "str", "ok": "bool", "error": "str"})
AlarmTest = list["AlarmTestItem"]
AlarmTestRequest = TypedDict("AlarmTestRequest", {"rule": "NotRequired[str]"})
AlarmsRulesItemNotifyItem = TypedDict("AlarmsRulesItemNotifyItem", {"way": "Literal['mail', 'sms', 'call', 'webhook']", "to": "str"})
AlarmsRulesItem = TypedDict("AlarmsRulesItem", {"id": "str", "events": "list[str]", "severity": "Literal['notice', 'warning', 'error']", "now": "bool", "notify": "list[AlarmsRulesItemNotifyItem]"})
AlarmsAlarmsItem = TypedDict("AlarmsAlarmsItem", {"rule": "str", "event": "BoxEvent", "times": "int", "toldAt": "Union[str, None]", "nextAt": "Union[str, None]"})
Alarms = TypedDict("Alarms", {"rules": "list[AlarmsRulesItem]", "alarms": "list[AlarmsAlarmsItem]"})
ApplicationLastFailure = TypedDict("ApplicationLastFailure", {"at": "str", "reason": "Literal['connect', 'timeout', 'status', 'too-large', 'not-json', 'circuit-open', 'aborted']", "text": "str"})
Application = TypedDict("Application", {"id": "str", "name": "str", "place": "str", "circuit": "Literal['closed', 'open', 'probing']", "openUntil": "Union[str, None]", "failuresInRow": "int", "answered": "int", "failed": "int", "lastAnswerAt": "Union[str, None]", "lastAnswerMs": "Union[int, None]", "lastFailure": "Union[ApplicationLastFailure, None]", "calls": "int", "numbers": "list[str]", "fallback": "str"})
# The order of its members is part of what hash covers.
AuditRow = TypedDict("AuditRow", {"seq": "int", "time": "str", "actor": "str", "address": "str", "deed": "str", "object": "str", "outcome": "str", "count": "int", "requestId": "str", "previous": "str", "hash": "str"})
AuditVerdictFirst = TypedDict("AuditVerdictFirst", {"seq": "int", "hash": "str"})
AuditVerdictLast = TypedDict("AuditVerdictLast", {"seq": "int", "hash": "str"})
AuditVerdictFaultsItem = TypedDict("AuditVerdictFaultsItem", {"seq": "int", "kind": "Literal['changed', 'missing', 'inserted', 'moved', 'unreadable']", "text": "str"})
AuditVerdict = TypedDict("AuditVerdict", {"ok": "bool", "rows": "int", "first": "Union[AuditVerdictFirst, None]", "last": "Union[AuditVerdictLast, None]", "faults": "list[AuditVerdictFaultsItem]"})
BackupStepBackup = TypedDict("BackupStepBackup", {"at": "str", "ok": "bool", "error": "str", "file": "str", "bytes": "int", "files": "int", "nightly": "bool"})
BackupStep = TypedDict("BackupStep", {"state": "Literal['asked', 'running', 'made']", "backup": "Union[Union[BackupStepBackup, None], None]"})
BackupsLast = TypedDict("BackupsLast", {"at": "str", "ok": "bool", "error": "str", "file": "str", "bytes": "int", "files": "int", "nightly": "bool"})
BackupsGood = TypedDict("BackupsGood", {"at": "str", "ok": "bool", "error": "str", "file": "str", "bytes": "int", "files": "int", "nightly": "bool"})
Backups = TypedDict("Backups", {"last": "Union[BackupsLast, None]", "good": "Union[BackupsGood, None]", "running": "bool"})
# A source of wrong passwords that is ignored.
Ban = TypedDict("Ban", {"address": "str", "seconds": "int", "failures": "int"})
# Something about the box itself that began and, perhaps, ended.
BoxEventToldItem = TypedDict("BoxEventToldItem", {"at": "str", "rule": "str", "way": "Literal['mail', 'sms', 'call', 'webhook']", "to": "str"})
BoxEvent = TypedDict("BoxEvent", {"eventId": "str", "kind": "Literal['line', 'part', 'warning', 'disk', 'clock', 'update', 'login', 'daemon']", "code": "str", "severity": "Literal['notice', 'warning', 'error']", "since": "str", "until": "Union[str, None]", "text": "str", "fix": "str", "acknowledgedAt": "Union[str, None]", "acknowledgedBy": "str", "told": "list[BoxEventToldItem]"})
BoxEventPage = TypedDict("BoxEventPage", {"items": "list[BoxEvent]", "nextCursor": "Union[str, None]"})
Call = TypedDict("Call", {"callId": "CallId", "direction": "CallDirection", "state": "CallState", "activity": "Literal['', 'app', 'ringing-dest', 'routed', 'forwarded', 'streaming', 'recording']", "from": "str", "to": "str", "callerName": "str", "trunkId": "str", "endpoint": "NotRequired[str]", "extension": "NotRequired[str]", "externalRef": "NotRequired[str]", "params": "NotRequired[CallParams]", "createdAt": "str", "startedAt": "Union[str, None]", "answeredAt": "Union[str, None]", "endedAt": "Union[str, None]", "ringSeconds": "int", "talkSeconds": "int", "endReason": "NotRequired[Union[CallEndReason, None]]", "endedBy": "NotRequired[Union[CallEndedBy, None]]", "sipCode": "NotRequired[int]", "answeredBy": "CallAnsweredBy", "documents": "int", "recordings": "list[str]", "legs": "NotRequired[list[CallLeg]]", "warnings": "NotRequired[list[str]]"})
# Exactly one of the three.
CallAction = TypedDict("CallAction", {"document": "NotRequired[ControlDocument]", "redirectUrl": "NotRequired[str]", "state": "NotRequired[Union[Literal['completed'], Literal['canceled']]]"})
CallAnswerRequest = TypedDict("CallAnswerRequest", {"answeredAt": "NotRequired[str]", "extension": "NotRequired[str]", "userId": "NotRequired[str]", "rev": "NotRequired[int]"})
# unknown unless machine detection was asked for.
CallAnsweredBy = Literal["unknown", "human", "machine"]
# An outbound call, placed by POST /api/voice/originate, was answered; it is the first event of such a call. One that is not answered never asks for a document: call.ended says what became of it.
CallAnsweredEvent = TypedDict("CallAnsweredEvent", {"event": "Literal['call.answered']", "callId": "CallId", "eventId": "EventId", "sequence": "int", "timestamp": "str", "direction": "CallDirection", "from": "str", "to": "str", "callerName": "str", "trunkId": "str", "state": "CallState", "externalRef": "NotRequired[str]", "params": "NotRequired[CallParams]", "answeredBy": "CallAnsweredBy", "ringSeconds": "int"})
# inbound: somebody calls the box. outbound: the box calls.
CallDirection = Literal["inbound", "outbound"]
# Why the call ended. caller-hangup, callee-hangup: a person hung up. app-hangup, document-end, api: the application ended it, by `hangup`, by a document that came to its end, or through the API. app-error: the application failed and nothing was left to do. max-duration, media-timeout: a limit of the box. no-answer, busy, rejected, unreachable, no-route, canceled: it was never answered. routed-ended, forwarded-ended: the call was handed on and that ended. failed, shutdown: the box or its network.
CallEndReason = Literal["caller-hangup", "callee-hangup", "app-hangup", "document-end", "routed-ended", "forwarded-ended", "api", "app-error", "max-duration", "media-timeout", "no-answer", "busy", "rejected", "unreachable", "no-route", "canceled", "failed", "shutdown"]
CallEndRequest = TypedDict("CallEndRequest", {"endedAt": "NotRequired[str]", "outcome": "NotRequired[CallOutcome]", "hangupBy": "NotRequired[Literal['caller', 'callee', 'system']]", "hangupCause": "NotRequired[int]", "rev": "NotRequired[int]"})
# Who ended the call; system: the box itself.
CallEndedBy = Literal["caller", "callee", "app", "system"]
# The call has ended; `state` says how. The event comes exactly once for every call that has a status address and `ended` among its statusEvents, also for calls that were never answered, and after all other events of the call but record.transcribed.
CallEndedEvent = TypedDict("CallEndedEvent", {"event": "Literal['call.ended']", "callId": "CallId", "eventId": "EventId", "sequence": "int", "timestamp": "str", "direction": "CallDirection", "from": "str", "to": "str", "callerName": "str", "trunkId": "str", "state": "CallState", "externalRef": "NotRequired[str]", "params": "NotRequired[CallParams]", "endReason": "CallEndReason", "endedBy": "CallEndedBy", "sipCode": "int", "startedAt": "Union[str, None]", "answeredAt": "Union[str, None]", "endedAt": "str", "ringSeconds": "int", "talkSeconds": "int", "answeredBy": "CallAnsweredBy", "documents": "int", "recordings": "list[str]"})
# The data of an event of GET /api/pbx/events: call.ringing, call.card, call.answered, call.ended.
CallEventData = TypedDict("CallEventData", {"call": "CallRecord", "extensions": "list[str]", "card": "NotRequired[ScreenPop]"})
CallFigures = TypedDict("CallFigures", {"timeZone": "str", "since": "str", "from": "str", "to": "str", "buckets": "list[CallFiguresBucket]"})
CallFiguresBucketWait = TypedDict("CallFiguresBucketWait", {"count": "int", "within20Seconds": "int", "p50Seconds": "Union[int, None]", "p95Seconds": "Union[int, None]"})
CallFiguresBucket = TypedDict("CallFiguresBucket", {"at": "Union[str, None]", "key": "str", "inbound": "int", "answered": "int", "missed": "int", "abandoned": "int", "voicemail": "int", "other": "int", "returned": "int", "outgoing": "int", "outgoingAnswered": "int", "internal": "int", "talkSeconds": "int", "wait": "CallFiguresBucketWait"})
# Id of the call: CA and 32 lowercase hexadecimal digits, in time order.
CallId = str
# A call has arrived for this application; it is the first event of an inbound call. The caller hears ringing until the first verb that needs an answered call (say, play, pause, gather, record). An empty document refuses the call.
CallInboundPreRouteEvent = TypedDict("CallInboundPreRouteEvent", {"event": "Literal['call.inbound.pre_route']", "callId": "CallId", "eventId": "EventId", "sequence": "int", "timestamp": "str", "direction": "CallDirection", "from": "str", "to": "str", "callerName": "str", "trunkId": "str", "state": "CallState", "externalRef": "NotRequired[str]", "params": "NotRequired[CallParams]", "calledName": "NotRequired[str]", "diversion": "NotRequired[str]", "sipHeaders": "NotRequired[dict[str, str]]"})
CallLeg = TypedDict("CallLeg", {"to": "str", "trunkId": "str", "state": "CallState", "startedAt": "str", "answeredAt": "Union[str, None]", "endedAt": "Union[str, None]", "sipCode": "int"})
CallLogRequestNotesItem = TypedDict("CallLogRequestNotesItem", {"text": "str", "noteId": "NotRequired[str]", "authorUserId": "NotRequired[str]", "authorExtension": "NotRequired[str]", "createdAt": "NotRequired[str]"})
CallLogRequest = TypedDict("CallLogRequest", {"callId": "CallId", "rev": "int", "direction": "Literal['inbound', 'outbound', 'internal']", "state": "Literal['ended']", "outcome": "CallOutcome", "from": "str", "to": "str", "callerName": "NotRequired[str]", "customerId": "NotRequired[Union[str, None]]", "trunkId": "NotRequired[str]", "extension": "NotRequired[str]", "userId": "NotRequired[str]", "externalRef": "NotRequired[str]", "startedAt": "str", "answeredAt": "NotRequired[str]", "endedAt": "NotRequired[str]", "ringSeconds": "NotRequired[int]", "talkSeconds": "NotRequired[int]", "hangupBy": "NotRequired[Literal['caller', 'callee', 'system']]", "sipCode": "NotRequired[int]", "notes": "NotRequired[list[CallLogRequestNotesItem]]"})
# answered: a person took it. missed: an inbound call that nobody took. abandoned: the caller left while waiting or in an application. voicemail: it reached a mailbox. app: an application took care of it alone. fax: it was a fax.
CallOutcome = Literal["answered", "missed", "abandoned", "voicemail", "busy", "no-answer", "rejected", "canceled", "failed", "blocked", "fax", "app"]
# Texts by name, at most 4 KiB as JSON; repeated in every event of the call.
CallParams = dict[str, str]
# Callers who wait for the first member who is free.
CallQueueCallersItem = TypedDict("CallQueueCallersItem", {"callId": "str", "state": "Literal['waits', 'to be called back', 'called back']", "from": "str", "callerName": "str", "since": "str", "waitedSeconds": "int", "priority": "int", "ringing": "list[str]"})
CallQueueMembersItem = TypedDict("CallQueueMembersItem", {"extension": "str", "name": "str", "state": "Literal['free', 'ringing', 'talking', 'wrapping up', 'on the telephone', 'do not disturb', 'no phone', 'paused', 'logged out']", "since": "Union[str, None]", "reason": "str", "offered": "int", "answered": "int", "missed": "int", "talkSeconds": "int"})
CallQueueLastHour = TypedDict("CallQueueLastHour", {"offered": "int", "answered": "int", "abandoned": "int", "sentOn": "int", "waitP50Seconds": "Union[int, None]"})
CallQueue = TypedDict("CallQueue", {"id": "str", "name": "str", "strategy": "str", "callers": "list[CallQueueCallersItem]", "members": "list[CallQueueMembersItem]", "empty": "bool", "whenEmpty": "str", "day": "str", "offered": "int", "answered": "int", "abandoned": "int", "sentOn": "int", "lastHour": "CallQueueLastHour", "waitP50Seconds": "Union[int, None]", "waitP95Seconds": "Union[int, None]", "warnings": "NotRequired[list[str]]"})
CallRecordTransfersItem = TypedDict("CallRecordTransfersItem", {"at": "str", "to": "str", "kind": "Literal['blind', 'attended', 'route', 'forward']"})
CallRecordStepsItem = TypedDict("CallRecordStepsItem", {"at": "str", "to": "str", "endedAt": "Union[str, None]", "outcome": "str"})
CallRecordLegsItem = TypedDict("CallRecordLegsItem", {"to": "str", "trunkId": "str", "startedAt": "str", "answeredAt": "Union[str, None]", "endedAt": "Union[str, None]", "sipCode": "int"})
CallRecordRecording = TypedDict("CallRecordRecording", {"state": "Literal['pending', 'ready', 'expired']", "mediaUrl": "NotRequired[str]", "durationSeconds": "NotRequired[int]", "transcript": "NotRequired[str]"})
CallRecordReturned = TypedDict("CallRecordReturned", {"callId": "str", "at": "str", "extension": "str", "direction": "Literal['inbound', 'outbound']"})
CallRecord = TypedDict("CallRecord", {"callId": "CallId", "rev": "int", "direction": "Literal['inbound', 'outbound', 'internal']", "state": "Literal['dialing', 'ringing', 'answered', 'held', 'ended']", "outcome": "NotRequired[CallOutcome]", "from": "str", "to": "str", "callerName": "NotRequired[str]", "customerId": "NotRequired[str]", "matchType": "NotRequired[Literal['exact', 'suffix']]", "trunkId": "NotRequired[str]", "did": "NotRequired[str]", "extension": "NotRequired[str]", "userId": "NotRequired[str]", "queue": "NotRequired[str]", "endpoint": "NotRequired[str]", "externalRef": "NotRequired[str]", "startedAt": "str", "answeredAt": "NotRequired[str]", "endedAt": "NotRequired[str]", "ringSeconds": "NotRequired[int]", "talkSeconds": "NotRequired[int]", "holdSeconds": "NotRequired[int]", "hangupBy": "NotRequired[Literal['caller', 'callee', 'system']]", "hangupCause": "NotRequired[int]", "sipCode": "NotRequired[int]", "transfers": "NotRequired[list[CallRecordTransfersItem]]", "steps": "list[CallRecordStepsItem]", "legs": "list[CallRecordLegsItem]", "recordings": "list[str]", "recording": "NotRequired[CallRecordRecording]", "voicemailId": "NotRequired[str]", "notes": "NotRequired[list[Note]]", "returned": "NotRequired[Union[CallRecordReturned, None]]", "crmSync": "Literal['pending', 'synced', 'dead', 'off']", "crmLogId": "NotRequired[str]", "deeds": "NotRequired[list[Literal['take', 'move', 'end']]]", "warnings": "NotRequired[list[str]]"})
# The verb `redirect`, or POST /api/voice/calls/{callId} with redirectUrl, asks this address for the next document.
CallRedirectedEvent = TypedDict("CallRedirectedEvent", {"event": "Literal['call.redirected']", "callId": "CallId", "eventId": "EventId", "sequence": "int", "timestamp": "str", "direction": "CallDirection", "from": "str", "to": "str", "callerName": "str", "trunkId": "str", "state": "CallState", "externalRef": "NotRequired[str]", "params": "NotRequired[CallParams]", "url": "str", "redirectCount": "int"})
# completed, busy, no-answer, failed and canceled are final.
CallState = Literal["queued", "dialing", "ringing", "in-progress", "completed", "busy", "no-answer", "failed", "canceled"]
# The call has reached a state that `statusEvents` asks for; `state` is that state. Each state is sent once.
CallStatusEvent = TypedDict("CallStatusEvent", {"event": "Literal['call.status']", "callId": "CallId", "eventId": "EventId", "sequence": "int", "timestamp": "str", "direction": "CallDirection", "from": "str", "to": "str", "callerName": "str", "trunkId": "str", "state": "CallState", "externalRef": "NotRequired[str]", "params": "NotRequired[CallParams]", "activity": "Literal['', 'app', 'ringing-dest', 'routed', 'forwarded', 'streaming', 'recording']"})
CallTrace = TypedDict("CallTrace", {"callId": "CallId", "call": "Call", "entries": "list[TraceEntry]", "dropped": "int"})
Callback = TypedDict("Callback", {"eventId": "str", "kind": "str", "subject": "str", "url": "str", "state": "Literal['pending', 'dead', 'delivered']", "attempts": "int", "createdAt": "str", "nextAttemptAt": "Union[str, None]", "lastResult": "str"})
CallbackDetail = TypedDict("CallbackDetail", {"eventId": "str", "kind": "str", "subject": "str", "url": "str", "state": "Literal['pending', 'dead', 'delivered']", "attempts": "int", "createdAt": "str", "nextAttemptAt": "Union[str, None]", "lastResult": "str", "lastAttemptAt": "Union[str, None]", "body": "str"})
Certificate = TypedDict("Certificate", {"subject": "str", "issuer": "str", "names": "list[str]", "validFrom": "str", "validTo": "str", "daysLeft": "int", "fingerprint": "str", "selfSigned": "bool"})
Check = TypedDict("Check", {"name": "str", "level": "Literal['ok', 'warning', 'failure']", "text": "str", "fix": "str"})
# text: by default what the file says now.
ConfigApplyRequest = TypedDict("ConfigApplyRequest", {"text": "NotRequired[str]", "base": "NotRequired[Union[int, str]]", "note": "NotRequired[str]", "confirmed": "NotRequired[bool]", "waitSeconds": "NotRequired[int]", "now": "NotRequired[bool]"})
# One key that is otherwise.
ConfigChange = TypedDict("ConfigChange", {"path": "str", "change": "Literal['added', 'removed', 'changed', 'moved']", "before": "NotRequired[str]", "after": "NotRequired[str]", "effect": "Literal['live', 'restart']"})
# What the running daemon, as its own user, thinks of a configuration, and what it would change.
ConfigCheck = TypedDict("ConfigCheck", {"ok": "bool", "faults": "list[ConfigFault]", "warnings": "list[ConfigFault]", "changes": "list[ConfigChange]", "effect": "Literal['none', 'live', 'restart']", "confirm": "bool"})
# text: by default what the file says now.
ConfigCheckRequest = TypedDict("ConfigCheckRequest", {"text": "NotRequired[str]", "base": "NotRequired[Union[int, str]]"})
# Sections of a text as values. Only what is otherwise is written: comments, order and spelling of all else stay.
ConfigEditRequest = TypedDict("ConfigEditRequest", {"text": "str", "values": "NotRequired[dict[str, Any]]"})
ConfigEdited = TypedDict("ConfigEdited", {"text": "str", "values": "Union[dict[str, Any], None]", "warnings": "NotRequired[list[str]]"})
# A fault, or a warning, at its place in the file. Lines and columns count from 1.
ConfigFault = TypedDict("ConfigFault", {"file": "str", "line": "int", "column": "int", "path": "str", "text": "str"})
ConfigRevertRequest = TypedDict("ConfigRevertRequest", {"revision": "NotRequired[int]", "confirmed": "NotRequired[bool]", "waitSeconds": "NotRequired[int]", "now": "NotRequired[bool]"})
# A configuration that was in use.
ConfigRevision = TypedDict("ConfigRevision", {"revision": "int", "at": "str", "by": "str", "note": "str", "outcome": "Literal['applied', 'reverted']", "reason": "str", "changes": "int", "summary": "list[str]", "inUse": "bool"})
# Which configuration is in use.
ConfigState = TypedDict("ConfigState", {"configFile": "Union[str, None]", "revision": "Union[int, None]", "change": "Union[ConfigUnderWay, None]", "fileIsOther": "bool", "fileIsBehind": "bool"})
# The text of a configuration, and what it would change.
ConfigText = TypedDict("ConfigText", {"configFile": "str", "revision": "Union[int, None]", "base": "str", "text": "str", "ok": "bool", "faults": "list[ConfigFault]", "warnings": "list[ConfigFault]", "fileIsOther": "bool", "changes": "list[ConfigChange]", "effect": "Literal['none', 'live', 'restart']", "confirm": "bool"})
# The latest change, as far as it is.
ConfigUnderWay = TypedDict("ConfigUnderWay", {"state": "Literal['waiting', 'applying', 'checking', 'unconfirmed', 'applied', 'reverted']", "reason": "str", "until": "Union[str, None]", "revision": "Union[int, None]", "file": "str", "changes": "list[ConfigChange]", "effect": "Literal['none', 'live', 'restart']", "confirm": "bool", "warnings": "NotRequired[list[str]]"})
ConversationStopped = TypedDict("ConversationStopped", {"since": "str", "by": "str"})
Conversation = TypedDict("Conversation", {"number": "str", "last": "ConversationText", "stopped": "Union[ConversationStopped, None]"})
ConversationText = TypedDict("ConversationText", {"direction": "Literal['in', 'out']", "id": "str", "at": "str", "text": "str", "status": "NotRequired[MessageStatus]", "error": "NotRequired[str]", "code": "NotRequired[str]", "keyword": "NotRequired[Union[Literal['STOP'], Literal['START'], Literal['HELP'], Literal['CANCEL'], Literal['END']]]", "mayOptOut": "NotRequired[Literal[True]]", "media": "NotRequired[list[TextMedia]]"})
CreateTokenAnswer = TypedDict("CreateTokenAnswer", {"token": "str", "view": "Token", "warnings": "NotRequired[list[str]]"})
# Nothing: the box reads the customer from the CRM. Else all of id, name, version, updatedAt. With deleted or mergedInto the party is gone; mergedInto takes its calls along.
CustomerPhonesItem = TypedDict("CustomerPhonesItem", {"number": "str", "label": "NotRequired[Literal['mobile', 'home', 'work', 'fax', 'other']]", "primary": "NotRequired[bool]", "extension": "NotRequired[str]"})
Customer = TypedDict("Customer", {"id": "NotRequired[Union[str, int]]", "kind": "NotRequired[Literal['person', 'organization']]", "name": "NotRequired[str]", "status": "NotRequired[Literal['active', 'inactive', 'prospect', 'blocked']]", "phones": "NotRequired[list[CustomerPhonesItem]]", "email": "NotRequired[str]", "company": "NotRequired[str]", "externalRef": "NotRequired[Union[str, int]]", "ownerUserId": "NotRequired[Union[str, int]]", "ownerExtension": "NotRequired[str]", "language": "NotRequired[str]", "timeZone": "NotRequired[str]", "url": "NotRequired[str]", "tags": "NotRequired[list[str]]", "doNotCall": "NotRequired[bool]", "doNotText": "NotRequired[bool]", "version": "NotRequired[Union[str, int]]", "updatedAt": "NotRequired[str]", "deleted": "NotRequired[bool]", "mergedInto": "NotRequired[Union[str, int]]"})
CustomerPageCustomersItemPhonesItem = TypedDict("CustomerPageCustomersItemPhonesItem", {"number": "str", "label": "NotRequired[Literal['mobile', 'home', 'work', 'fax', 'other']]", "primary": "NotRequired[bool]", "extension": "NotRequired[str]"})
CustomerPageCustomersItem = TypedDict("CustomerPageCustomersItem", {"id": "Union[str, int]", "kind": "NotRequired[Literal['person', 'organization']]", "name": "str", "status": "NotRequired[Literal['active', 'inactive', 'prospect', 'blocked']]", "phones": "NotRequired[list[CustomerPageCustomersItemPhonesItem]]", "email": "NotRequired[str]", "company": "NotRequired[str]", "externalRef": "NotRequired[Union[str, int]]", "ownerUserId": "NotRequired[Union[str, int]]", "ownerExtension": "NotRequired[str]", "language": "NotRequired[str]", "timeZone": "NotRequired[str]", "url": "NotRequired[str]", "tags": "NotRequired[list[str]]", "doNotCall": "NotRequired[bool]", "doNotText": "NotRequired[bool]", "version": "Union[str, int]", "updatedAt": "str", "deleted": "NotRequired[bool]", "mergedInto": "NotRequired[Union[str, int]]"})
CustomerPage = TypedDict("CustomerPage", {"customers": "NotRequired[list[CustomerPageCustomersItem]]", "syncId": "NotRequired[str]", "cursor": "NotRequired[Union[str, None]]", "last": "NotRequired[bool]"})
CustomersAreRead = TypedDict("CustomersAreRead", {"syncId": "str", "state": "Literal['running']", "warnings": "NotRequired[list[str]]"})
DeskWorkCounts = TypedDict("DeskWorkCounts", {"missed": "int", "callback": "int", "voicemail": "int", "fax": "int", "text": "int"})
DeskWork = TypedDict("DeskWork", {"counts": "DeskWorkCounts", "items": "list[WorkItem]"})
DeskRemindersCounts = TypedDict("DeskRemindersCounts", {"total": "int", "confirmed": "int", "open": "int", "canceled": "int", "rescheduled": "int", "unreached": "int"})
DeskReminders = TypedDict("DeskReminders", {"day": "str", "counts": "DeskRemindersCounts"})
DeskBox = TypedDict("DeskBox", {"ok": "bool", "text": "str", "lines": "Literal['all', 'some', 'none']", "safeMode": "bool", "texts": "bool", "faxes": "bool"})
Desk = TypedDict("Desk", {"asOf": "str", "calls": "list[CallRecord]", "queues": "list[CallQueue]", "extensions": "list[Extension]", "hours": "list[HoursState]", "parking": "list[ParkingSlot]", "glass": "list[OpenGlass]", "work": "DeskWork", "reminders": "DeskReminders", "emergency": "list[EmergencyCall]", "crm": "Literal['none', 'there', 'away']", "box": "DeskBox", "waitSeconds": "int"})
# How the destination was reached.
DialStatus = Literal["answered", "busy", "no-answer", "failed"]
EmergencyCall = TypedDict("EmergencyCall", {"callId": "str", "number": "str", "extension": "str", "name": "str", "location": "str", "at": "str", "lost": "bool", "closedAt": "Union[str, None]", "closedBy": "Union[str, None]"})
EmergencyTest = TypedDict("EmergencyTest", {"callId": "str", "trunkId": "str", "number": "str", "callerId": "str", "location": "str", "answered": "bool", "sipCode": "int", "recordingId": "Union[str, None]", "transcript": "Union[str, None]", "warnings": "NotRequired[list[str]]"})
EmergencyTestRequest = TypedDict("EmergencyTestRequest", {"trunkId": "NotRequired[str]"})
EndWallsAnswer = TypedDict("EndWallsAnswer", {"ended": "int"})
EnhancedLookupCandidatesItem = TypedDict("EnhancedLookupCandidatesItem", {"id": "str", "name": "str"})
EnhancedLookupRecentCallsItem = TypedDict("EnhancedLookupRecentCallsItem", {"callId": "CallId", "direction": "Literal['inbound', 'outbound', 'internal']", "outcome": "CallOutcome", "startedAt": "str", "talkSeconds": "int", "extension": "NotRequired[str]"})
EnhancedLookupAssignedUser = TypedDict("EnhancedLookupAssignedUser", {"userId": "NotRequired[str]", "name": "NotRequired[str]", "extension": "NotRequired[str]"})
EnhancedLookup = TypedDict("EnhancedLookup", {"number": "str", "found": "bool", "matchType": "Literal['exact', 'suffix', 'ambiguous', 'none']", "matchCount": "int", "candidates": "NotRequired[list[EnhancedLookupCandidatesItem]]", "source": "Literal['crm', 'local', 'none']", "stale": "bool", "asOf": "str", "lookupMs": "int", "customer": "Union[Party, None]", "recentCalls": "list[EnhancedLookupRecentCallsItem]", "openTicketCount": "NotRequired[int]", "notes": "list[Note]", "lastInteractionAt": "NotRequired[str]", "assignedUser": "NotRequired[EnhancedLookupAssignedUser]"})
# Stable; for programs. Later versions may have more.
ErrorCode = Literal["invalid_json", "invalid_url", "missing_token", "invalid_token", "sign_in_failed", "code_needed", "session_ended", "signature_invalid", "timestamp_stale", "destination_denied", "scope_denied", "role_denied", "second_step_needed", "invitation_void", "cross_site", "https_needed", "address_not_allowed", "not_found", "call_unknown", "recording_unknown", "callback_unknown", "fax_unknown", "preview_unknown", "extension_unknown", "person_unknown", "session_unknown", "user_unknown", "customer_unknown", "message_unknown", "mail_unknown", "reminder_unknown", "work_unknown", "mailbox_unknown", "media_failed", "method_not_allowed", "idempotency_in_progress", "call_ended", "already_finished", "being_sent", "being_drawn", "fax_repeated", "preview_stale", "media_fetching", "not_now", "changed_meanwhile", "stale_rev", "call_live", "backup_running", "backup_failed", "config_change_running", "config_unapplied", "config_taken_back", "already_set_up", "revision_changed", "sync_running", "inbox_elsewhere", "integration_disabled", "extension_unavailable", "media_expired", "body_too_large", "attachment_too_large", "pdf_too_many_pages", "unsupported_media_type", "host_unknown", "validation_failed", "number_invalid", "number_unconfirmed", "customer_has_no_number", "not_supported", "appointment_in_past", "pdf_encrypted", "cursor_from_the_future", "pdf_unreadable", "message_too_long", "idempotency_mismatch", "locked", "rate_limited", "daily_limit", "internal", "sign_in_busy", "no_sms_trunk", "no_mail_account", "no_trunk", "no_line", "no_fax_line", "storage_full", "starting", "box_unreachable", "overloaded"]
ErrorDetail = TypedDict("ErrorDetail", {"path": "str", "message": "str"})
# The same on every attempt and in the header X-Service-Event-Id: receivers recognise a repetition by it.
EventId = str
Extension = TypedDict("Extension", {"number": "str", "name": "str", "state": "str", "talking": "bool", "mailbox": "bool", "doNotDisturb": "bool", "forwardAll": "Union[str, None]", "forwardBusy": "Union[str, None]", "forwardNoAnswer": "Union[str, None]", "warnings": "NotRequired[list[str]]"})
# What its people set at their phones, by feature codes; what is left out stays.
ExtensionChange = TypedDict("ExtensionChange", {"doNotDisturb": "NotRequired[bool]", "forwardAll": "NotRequired[Union[str, None]]", "forwardBusy": "NotRequired[Union[str, None]]", "forwardNoAnswer": "NotRequired[Union[str, None]]"})
ExtensionUser = TypedDict("ExtensionUser", {"extension": "str", "userId": "str", "name": "str", "registered": "bool", "onCall": "bool", "source": "Literal['crm', 'local']"})
FaxProgress = TypedDict("FaxProgress", {"phase": "str", "page": "int", "bitRate": "int", "percent": "Union[int, None]"})
FaxCallsItem = TypedDict("FaxCallsItem", {"at": "str", "callId": "str", "line": "str", "outcome": "str", "reason": "Union[FaxReason, Literal['']]", "t30Code": "Union[int, None]", "sipCode": "int", "pages": "int", "bitRate": "int", "transport": "Union[Literal['modem', 'sip-audio', 't38'], None]", "durationSeconds": "int", "text": "str"})
Fax = TypedDict("Fax", {"faxId": "str", "status": "FaxStatus", "to": "str", "from": "str", "pages": "int", "pagesSent": "int", "attempts": "int", "createdAt": "str", "expiresAt": "str", "sendAt": "Union[str, None]", "nextAttemptAt": "Union[str, None]", "completedAt": "Union[str, None]", "estimatedSeconds": "Union[int, None]", "durationSeconds": "int", "transport": "Union[Literal['modem', 'sip-audio', 't38'], None]", "bitRate": "int", "ecm": "bool", "resolution": "FaxResolution", "remoteStationId": "str", "reason": "Union[FaxReason, None]", "message": "str", "t30Code": "Union[int, None]", "possibleDuplicatePages": "list[int]", "warnings": "list[str]", "sentBy": "str", "replaces": "Union[str, None]", "replacedBy": "Union[str, None]", "progress": "Union[FaxProgress, None]", "calls": "list[FaxCallsItem]"})
FaxAcceptedProgress = TypedDict("FaxAcceptedProgress", {"phase": "str", "page": "int", "bitRate": "int", "percent": "Union[int, None]"})
FaxAccepted = TypedDict("FaxAccepted", {"faxId": "str", "status": "Literal['queued']", "to": "str", "from": "str", "pages": "int", "pagesSent": "int", "attempts": "int", "createdAt": "str", "expiresAt": "str", "sendAt": "Union[str, None]", "nextAttemptAt": "Union[str, None]", "completedAt": "Union[str, None]", "estimatedSeconds": "Union[int, None]", "durationSeconds": "int", "transport": "Union[Literal['modem', 'sip-audio', 't38'], None]", "bitRate": "int", "ecm": "bool", "resolution": "FaxResolution", "remoteStationId": "str", "reason": "Union[FaxReason, None]", "message": "str", "t30Code": "Union[int, None]", "possibleDuplicatePages": "list[int]", "warnings": "list[str]", "sentBy": "str", "replaces": "Union[str, None]", "replacedBy": "Union[str, None]", "progress": "Union[FaxAcceptedProgress, None]", "warning": "NotRequired[str]"})
FaxAgainRequest = TypedDict("FaxAgainRequest", {"to": "NotRequired[str]", "toAgain": "NotRequired[str]"})
# A fax did not get through, after all its tries, or was canceled. Sent once, to the statusCallbackUrl of POST /api/fax. pagesSent may be more than 0: those pages arrived.
FaxFailedEvent = TypedDict("FaxFailedEvent", {"event": "Literal['fax.failed']", "eventId": "EventId", "faxId": "str", "status": "Literal['failed', 'canceled']", "to": "str", "from": "str", "pages": "int", "pagesSent": "int", "attempts": "int", "durationSeconds": "int", "transport": "Union[Literal['modem', 'sip-audio', 't38'], None]", "bitRate": "int", "ecm": "bool", "resolution": "FaxResolution", "remoteStationId": "str", "createdAt": "str", "completedAt": "Union[str, None]", "reason": "FaxReason", "message": "str", "t30Code": "Union[int, None]", "possibleDuplicatePages": "list[int]"})
FaxFigures = TypedDict("FaxFigures", {"timeZone": "str", "since": "str", "from": "str", "to": "str", "buckets": "list[FaxFiguresBucket]"})
FaxFiguresBucket = TypedDict("FaxFiguresBucket", {"at": "Union[str, None]", "key": "str", "sent": "int", "failed": "int", "canceled": "int", "reasons": "dict[str, int]", "received": "int", "withoutPage": "int", "pagesSent": "int", "pagesReceived": "int"})
FaxNumber = TypedDict("FaxNumber", {"number": "str", "answers": "int", "answeredAt": "Union[str, None]", "remoteStationId": "str", "warning": "str"})
FaxPreviewCover = TypedDict("FaxPreviewCover", {"to": "NotRequired[str]", "from": "NotRequired[str]", "subject": "NotRequired[str]"})
FaxPreview = TypedDict("FaxPreview", {"previewId": "str", "pages": "int", "warnings": "list[str]", "estimatedSeconds": "int", "expiresAt": "str", "to": "str", "cover": "Union[FaxPreviewCover, None]"})
# A fax to look at; or the PDF itself, with the content type application/pdf. Unknown members are ignored.
FaxPreviewRequestCover = TypedDict("FaxPreviewRequestCover", {"to": "NotRequired[str]", "from": "NotRequired[str]", "subject": "NotRequired[str]"})
FaxPreviewRequest = TypedDict("FaxPreviewRequest", {"pdfBase64": "NotRequired[str]", "previewId": "NotRequired[str]", "to": "NotRequired[str]", "cover": "NotRequired[FaxPreviewRequestCover]", "portfolio": "NotRequired[Union[Literal['refuse'], Literal['files']]]"})
# Why a fax failed or is retried. For programs; `message` says it to people.
FaxReason = Literal["busy", "no_answer", "no_fax_detected", "destination_denied", "invalid_number", "rejected", "line_unavailable", "training_failed", "protocol_error", "call_dropped", "remote_incompatible", "document_error", "canceled", "expired", "internal"]
# A fax to send. Unknown members are ignored.
FaxRequestCover = TypedDict("FaxRequestCover", {"to": "NotRequired[str]", "from": "NotRequired[str]", "subject": "NotRequired[str]"})
FaxRequest = TypedDict("FaxRequest", {"to": "str", "pdfBase64": "NotRequired[str]", "previewId": "NotRequired[str]", "repeat": "NotRequired[bool]", "toAgain": "NotRequired[str]", "cover": "NotRequired[FaxRequestCover]", "statusCallbackUrl": "NotRequired[str]", "sendAt": "NotRequired[str]", "priority": "NotRequired[Union[Literal['low'], Literal['normal'], Literal['high']]]", "portfolio": "NotRequired[Union[Literal['refuse'], Literal['files']]]"})
# standard: 204 x 98 dots an inch. fine: 204 x 196.
FaxResolution = Literal["standard", "fine"]
# All pages of a fax arrived. Sent once, to the statusCallbackUrl of POST /api/fax.
FaxSentEvent = TypedDict("FaxSentEvent", {"event": "Literal['fax.sent']", "eventId": "EventId", "faxId": "str", "status": "Literal['sent']", "to": "str", "from": "str", "pages": "int", "pagesSent": "int", "attempts": "int", "durationSeconds": "int", "transport": "Union[Literal['modem', 'sip-audio', 't38'], None]", "bitRate": "int", "ecm": "bool", "resolution": "FaxResolution", "remoteStationId": "str", "createdAt": "str", "completedAt": "Union[str, None]", "possibleDuplicatePages": "list[int]"})
# sent, failed and canceled are final.
FaxStatus = Literal["queued", "processing", "dialing", "sending", "retrying", "sent", "failed", "canceled"]
FaxSummaryProgress = TypedDict("FaxSummaryProgress", {"phase": "str", "page": "int", "bitRate": "int", "percent": "Union[int, None]"})
FaxSummary = TypedDict("FaxSummary", {"faxId": "str", "status": "FaxStatus", "to": "str", "from": "str", "pages": "int", "pagesSent": "int", "attempts": "int", "createdAt": "str", "expiresAt": "str", "sendAt": "Union[str, None]", "nextAttemptAt": "Union[str, None]", "completedAt": "Union[str, None]", "estimatedSeconds": "Union[int, None]", "durationSeconds": "int", "transport": "Union[Literal['modem', 'sip-audio', 't38'], None]", "bitRate": "int", "ecm": "bool", "resolution": "FaxResolution", "remoteStationId": "str", "reason": "Union[FaxReason, None]", "message": "str", "t30Code": "Union[int, None]", "possibleDuplicatePages": "list[int]", "warnings": "list[str]", "sentBy": "str", "replaces": "Union[str, None]", "replacedBy": "Union[str, None]", "progress": "Union[FaxSummaryProgress, None]"})
# The number of the verb `forward` was not reached, or has hung up while the caller is still there.
ForwardCompletedEvent = TypedDict("ForwardCompletedEvent", {"event": "Literal['forward.completed']", "callId": "CallId", "eventId": "EventId", "sequence": "int", "timestamp": "str", "direction": "CallDirection", "from": "str", "to": "str", "callerName": "str", "trunkId": "str", "state": "CallState", "externalRef": "NotRequired[str]", "params": "NotRequired[CallParams]", "dialStatus": "DialStatus", "durationMs": "int"})
ForwardMessageAnswer = TypedDict("ForwardMessageAnswer", {"to": "str", "warnings": "NotRequired[list[str]]"})
# A gather has ended. The event is delivered whatever happens to the call meanwhile; answer it with the next document. After reason `hangup` the answer is ignored; answer [].
GatherCompletedEvent = TypedDict("GatherCompletedEvent", {"event": "Literal['gather.completed']", "callId": "CallId", "eventId": "EventId", "sequence": "int", "timestamp": "str", "direction": "CallDirection", "from": "str", "to": "str", "callerName": "str", "trunkId": "str", "state": "CallState", "externalRef": "NotRequired[str]", "params": "NotRequired[CallParams]", "reason": "GatherReason", "digits": "str", "speech": "str", "bargeIn": "bool", "durationMs": "int", "engine": "NotRequired[str]", "finishKey": "NotRequired[str]", "confidence": "NotRequired[float]", "language": "NotRequired[str]"})
# A gather with `partialUrl` sends what the caller has said so far, one event at a time and only the newest. The answer is ignored; after one that is not 2xx within 5 s no more of them are sent in this gather.
GatherPartialEvent = TypedDict("GatherPartialEvent", {"event": "Literal['gather.partial']", "callId": "CallId", "eventId": "EventId", "sequence": "int", "timestamp": "str", "direction": "CallDirection", "from": "str", "to": "str", "callerName": "str", "trunkId": "str", "state": "CallState", "externalRef": "NotRequired[str]", "params": "NotRequired[CallParams]", "speech": "str", "stable": "bool"})
# Why the input ended. digits: keys were pressed. speech: words were understood. timeout: nothing came in time, or fewer keys than numDigits. no-match: somebody spoke and nothing was understood. hangup: the caller has left; answer []. error: no recogniser works.
GatherReason = Literal["digits", "speech", "timeout", "no-match", "hangup", "error"]
GetConversationAnswerStopped = TypedDict("GetConversationAnswerStopped", {"since": "str", "by": "str"})
GetConversationAnswer = TypedDict("GetConversationAnswer", {"number": "str", "stopped": "Union[GetConversationAnswerStopped, None]", "items": "list[ConversationText]", "nextBefore": "Union[int, None]"})
GetInboxAnswerItem = TypedDict("GetInboxAnswerItem", {"feed": "Literal['faxes', 'sms', 'voicemails']", "items": "int", "head": "int", "missed": "NotRequired[int]"})
GetNewestAnswer = TypedDict("GetNewestAnswer", {"items": "list[Union[InboxFax, InboxText, InboxVoicemail]]", "nextSince": "int", "nextBefore": "Union[int, None]", "missed": "NotRequired[list[MissedFax]]"})
HealthLinesItemOutagesItem = TypedDict("HealthLinesItemOutagesItem", {"since": "str", "until": "Union[str, None]", "severity": "Literal['notice', 'warning', 'error']", "text": "str"})
HealthLinesItemUnknownItem = TypedDict("HealthLinesItemUnknownItem", {"since": "str", "until": "Union[str, None]", "severity": "Literal['notice', 'warning', 'error']", "text": "str"})
HealthLinesItem = TypedDict("HealthLinesItem", {"id": "str", "kind": "Literal['trunk', 'extension', 'line']", "ok": "bool", "state": "str", "reason": "str", "since": "str", "activeCalls": "int", "channels": "int", "duplex": "NotRequired[Literal['full', 'half']]", "underruns": "NotRequired[int]", "outages": "list[HealthLinesItemOutagesItem]", "unknown": "list[HealthLinesItemUnknownItem]"})
HealthPhonesAwayItem = TypedDict("HealthPhonesAwayItem", {"id": "str", "state": "str", "since": "str"})
HealthPhones = TypedDict("HealthPhones", {"registered": "int", "away": "list[HealthPhonesAwayItem]"})
HealthCallsToday = TypedDict("HealthCallsToday", {"inbound": "int", "answered": "int", "missed": "int", "abandoned": "int", "voicemail": "int", "outgoing": "int"})
HealthCalls = TypedDict("HealthCalls", {"active": "int", "queued": "int", "sinceStart": "int", "today": "HealthCallsToday"})
HealthPartsItem = TypedDict("HealthPartsItem", {"name": "str", "ok": "bool", "reason": "str"})
HealthQueuesItem = TypedDict("HealthQueuesItem", {"name": "str", "waiting": "int", "oldestAt": "Union[str, None]", "dead": "int"})
HealthDiskKindsItem = TypedDict("HealthDiskKindsItem", {"kind": "Literal['store', 'recordings', 'voicemail', 'faxes', 'texts', 'mail', 'speech', 'other']", "bytes": "int", "bytesPerDay": "Union[int, None]"})
HealthDisk = TypedDict("HealthDisk", {"dir": "str", "freeBytes": "int", "totalBytes": "int", "measuredAt": "str", "kinds": "list[HealthDiskKindsItem]", "bytesPerDay": "Union[int, None]", "fullAt": "Union[str, None]"})
HealthBackupLast = TypedDict("HealthBackupLast", {"at": "str", "ok": "bool", "error": "str", "file": "str", "bytes": "int", "files": "int", "nightly": "bool"})
HealthBackupGood = TypedDict("HealthBackupGood", {"at": "str", "ok": "bool", "error": "str", "file": "str", "bytes": "int", "files": "int", "nightly": "bool"})
HealthBackup = TypedDict("HealthBackup", {"last": "Union[HealthBackupLast, None]", "good": "Union[HealthBackupGood, None]", "running": "bool", "configured": "bool"})
HealthClock = TypedDict("HealthClock", {"now": "str", "timeZone": "str", "synchronised": "Union[bool, None]", "trusted": "bool"})
HealthMemory = TypedDict("HealthMemory", {"daemonBytes": "int", "engineBytes": "Union[int, None]", "totalBytes": "int", "freeBytes": "int"})
HealthLoad = TypedDict("HealthLoad", {"one": "float", "five": "float", "fifteen": "float", "processors": "int"})
HealthEngine = TypedDict("HealthEngine", {"ok": "bool", "reason": "str", "facts": "dict[str, Union[str, float, bool]]"})
HealthSpeech = TypedDict("HealthSpeech", {"ok": "bool", "text": "str"})
Health = TypedDict("Health", {"asOf": "str", "verdict": "Verdict", "events": "NotRequired[list[BoxEvent]]", "lines": "NotRequired[list[HealthLinesItem]]", "phones": "NotRequired[HealthPhones]", "calls": "NotRequired[HealthCalls]", "parts": "NotRequired[list[HealthPartsItem]]", "queues": "NotRequired[list[HealthQueuesItem]]", "pair": "NotRequired[Pair]", "disk": "NotRequired[HealthDisk]", "backup": "NotRequired[HealthBackup]", "clock": "NotRequired[HealthClock]", "certificate": "NotRequired[Union[Certificate, None]]", "upgrade": "NotRequired[Upgrade]", "startedAt": "NotRequired[str]", "memory": "NotRequired[HealthMemory]", "load": "NotRequired[HealthLoad]", "engine": "NotRequired[HealthEngine]", "speech": "NotRequired[HealthSpeech]"})
HoursChange = TypedDict("HoursChange", {"state": "Literal['open', 'closed', 'auto']", "until": "NotRequired[str]"})
HoursState = TypedDict("HoursState", {"id": "str", "open": "bool", "until": "Union[str, None]", "destination": "str", "special": "Union[list[str], None]", "override": "Union[Literal['open', 'closed'], None]", "overrideUntil": "Union[str, None]", "warnings": "NotRequired[list[str]]"})
ImportPartiesAnswerErrorsItem = TypedDict("ImportPartiesAnswerErrorsItem", {"row": "int", "error": "str"})
ImportPartiesAnswerWarningsItem = TypedDict("ImportPartiesAnswerWarningsItem", {"row": "int", "warning": "str"})
ImportPartiesAnswer = TypedDict("ImportPartiesAnswer", {"dryRun": "bool", "rows": "int", "created": "int", "updated": "int", "skipped": "int", "deleted": "int", "errors": "list[ImportPartiesAnswerErrorsItem]", "errorCount": "int", "warnings": "list[ImportPartiesAnswerWarningsItem]", "warningCount": "int"})
InboxFax = TypedDict("InboxFax", {"id": "str", "from": "str", "to": "str", "receivedAt": "str", "box": "NotRequired[str]", "site": "NotRequired[str]", "mediaUrl": "str", "pages": "int", "status": "Union[Literal['complete'], Literal['partial']]", "complete": "bool", "callerName": "NotRequired[str]", "trunkId": "str", "callId": "str", "remoteStationId": "str", "remoteId": "NotRequired[str]", "durationSeconds": "int", "bitRate": "int", "ecm": "bool", "resolution": "FaxResolution", "transport": "Union[Literal['modem', 'sip-audio', 't38'], None]", "badRows": "int", "bytes": "int", "sha256": "str"})
InboxText = TypedDict("InboxText", {"id": "str", "from": "str", "to": "str", "receivedAt": "str", "box": "NotRequired[str]", "site": "NotRequired[str]", "body": "str", "mediaUrl": "Union[str, None]", "segments": "int", "encoding": "Union[Literal['GSM-7'], Literal['UCS-2']]", "trunkId": "str", "keyword": "NotRequired[Union[Literal['STOP'], Literal['START'], Literal['HELP'], Literal['CANCEL'], Literal['END']]]", "mayOptOut": "NotRequired[Literal[True]]", "media": "NotRequired[list[TextMedia]]"})
InboxVoicemail = TypedDict("InboxVoicemail", {"id": "str", "from": "str", "to": "str", "receivedAt": "str", "box": "NotRequired[str]", "site": "NotRequired[str]", "ext": "str", "callerName": "NotRequired[str]", "callId": "str", "durationSeconds": "int", "transcript": "str", "transcriptStatus": "Union[Literal['done'], Literal['empty'], Literal['failed'], Literal['off']]", "language": "NotRequired[str]", "forwardedFrom": "NotRequired[str]", "mediaUrl": "str"})
Integration = TypedDict("Integration", {"enabled": "bool", "changedAt": "str", "changedBy": "str", "warnings": "NotRequired[list[str]]"})
IntegrationAnalyticsUptimeOutagesItem = TypedDict("IntegrationAnalyticsUptimeOutagesItem", {"startedAt": "str", "endedAt": "Union[str, None]", "seconds": "int", "reason": "str"})
IntegrationAnalyticsUptime = TypedDict("IntegrationAnalyticsUptime", {"percent": "float", "outages": "list[IntegrationAnalyticsUptimeOutagesItem]"})
IntegrationAnalyticsLookups = TypedDict("IntegrationAnalyticsLookups", {"total": "int", "crm": "int", "local": "int", "notFound": "int", "ambiguous": "int", "timeouts": "int", "p50Ms": "int", "p95Ms": "int"})
IntegrationAnalyticsCalls = TypedDict("IntegrationAnalyticsCalls", {"inbound": "int", "outbound": "int", "answered": "int", "missed": "int", "voicemail": "int", "matchedPercent": "float", "avgRingSeconds": "int", "avgTalkSeconds": "int"})
IntegrationAnalyticsLogs = TypedDict("IntegrationAnalyticsLogs", {"delivered": "int", "pending": "int", "dead": "int", "p50DelaySeconds": "int", "p95DelaySeconds": "int"})
IntegrationAnalyticsSeriesItem = TypedDict("IntegrationAnalyticsSeriesItem", {"at": "str", "calls": "int", "lookups": "int", "failures": "int"})
IntegrationAnalytics = TypedDict("IntegrationAnalytics", {"from": "str", "to": "str", "bucket": "Literal['hour', 'day']", "uptime": "IntegrationAnalyticsUptime", "lookups": "IntegrationAnalyticsLookups", "calls": "IntegrationAnalyticsCalls", "logs": "IntegrationAnalyticsLogs", "series": "list[IntegrationAnalyticsSeriesItem]"})
IntegrationSwitch = TypedDict("IntegrationSwitch", {"reason": "NotRequired[str]"})
Invitation = TypedDict("Invitation", {"code": "str", "url": "str", "until": "str"})
LampCallsItem = TypedDict("LampCallsItem", {"id": "str", "state": "Literal['trying', 'proceeding', 'early', 'confirmed', 'terminated']", "direction": "Literal['initiator', 'recipient']"})
LampMessages = TypedDict("LampMessages", {"fresh": "int", "old": "int", "urgentFresh": "int", "urgentOld": "int"})
Lamp = TypedDict("Lamp", {"number": "str", "calls": "list[LampCallsItem]", "messages": "Union[LampMessages, None]"})
LiftBanAnswer = TypedDict("LiftBanAnswer", {"address": "str", "lifted": "bool"})
# One ceiling of the box or of a token, with what was used of it today.
Limit = TypedDict("Limit", {"of": "Literal['box', 'token']", "name": "str", "what": "Literal['texts', 'faxes', 'callMinutes', 'internationalMinutes']", "used": "float", "most": "float"})
LimitResetRequest = TypedDict("LimitResetRequest", {"token": "NotRequired[str]"})
Line = TypedDict("Line", {"id": "str", "kind": "Literal['trunk', 'extension', 'line']", "ok": "bool", "state": "str", "reason": "str", "since": "str", "activeCalls": "int", "channels": "int", "duplex": "NotRequired[Literal['full', 'half']]", "underruns": "NotRequired[int]"})
LineHistoryOutagesItem = TypedDict("LineHistoryOutagesItem", {"since": "str", "until": "Union[str, None]", "severity": "Literal['notice', 'warning', 'error']", "text": "str"})
LineHistoryUnknownItem = TypedDict("LineHistoryUnknownItem", {"since": "str", "until": "Union[str, None]", "severity": "Literal['notice', 'warning', 'error']", "text": "str"})
LineHistory = TypedDict("LineHistory", {"id": "str", "since": "str", "outages": "list[LineHistoryOutagesItem]", "unknown": "list[LineHistoryUnknownItem]"})
ListActiveCallsAnswer = TypedDict("ListActiveCallsAnswer", {"asOf": "str", "calls": "list[CallRecord]"})
ListCallHistoryAnswer = TypedDict("ListCallHistoryAnswer", {"items": "list[CallRecord]", "nextSince": "NotRequired[int]", "nextBefore": "NotRequired[Union[int, None]]"})
ListCallsAnswer = TypedDict("ListCallsAnswer", {"items": "list[Call]", "calls": "list[Call]", "nextCursor": "Union[CallId, None]"})
ListConversationsAnswer = TypedDict("ListConversationsAnswer", {"items": "list[Conversation]", "nextBefore": "Union[int, None]"})
ListEmailsAnswer = TypedDict("ListEmailsAnswer", {"items": "list[Mail]", "nextCursor": "Union[str, None]"})
ListFaxesAnswer = TypedDict("ListFaxesAnswer", {"items": "list[FaxSummary]", "faxes": "list[FaxSummary]", "nextCursor": "Union[str, None]"})
ListOptOutsAnswerItem = TypedDict("ListOptOutsAnswerItem", {"number": "str", "since": "int"})
ListReceivedFaxesAnswer = TypedDict("ListReceivedFaxesAnswer", {"items": "list[InboxFax]", "nextSince": "int"})
ListReceivedSmsAnswer = TypedDict("ListReceivedSmsAnswer", {"items": "list[InboxText]", "nextSince": "int"})
ListRemindersAnswer = TypedDict("ListRemindersAnswer", {"items": "list[Reminder]", "reminders": "list[Reminder]", "nextCursor": "Union[str, None]", "day": "Union[str, None]", "timeZone": "str"})
ListSmsAnswer = TypedDict("ListSmsAnswer", {"items": "list[MessageSummary]", "messages": "list[MessageSummary]", "nextCursor": "Union[str, None]"})
ListVoicemailsAnswer = TypedDict("ListVoicemailsAnswer", {"items": "list[InboxVoicemail]", "nextSince": "int"})
ListWorkAnswer = TypedDict("ListWorkAnswer", {"items": "list[WorkItem]", "nextCursor": "Union[str, None]"})
# The whole new state of one thing, with the members that the list of its kind has: a CallRecord, a CallQueue, a thing of another list of the Desk, a Lamp, a WorkItem, an EmergencyCall, an item of the inbox, a fax, a text, a reminder, a box event.
LiveEvent = TypedDict("LiveEvent", {"topic": "Union[Literal['calls'], Literal['queues'], Literal['extensions'], Literal['hours'], Literal['parking'], Literal['glass'], Literal['work'], Literal['emergency'], Literal['lamps'], Literal['inbox'], Literal['faxes'], Literal['texts'], Literal['reminders'], Literal['box'], Literal['session']]", "id": "str", "kind": "NotRequired[str]", "gone": "NotRequired[bool]"})
LogCallAnswer = TypedDict("LogCallAnswer", {"callId": "CallId", "logged": "bool", "duplicate": "bool", "customerId": "Union[str, None]", "warnings": "NotRequired[list[str]]"})
LookupCandidatesItem = TypedDict("LookupCandidatesItem", {"id": "str", "name": "str"})
LookupCustomer = TypedDict("LookupCustomer", {"id": "str", "name": "str", "status": "str", "url": "NotRequired[str]"})
Lookup = TypedDict("Lookup", {"number": "str", "found": "bool", "matchType": "Literal['exact', 'suffix', 'ambiguous', 'none']", "matchCount": "int", "candidates": "NotRequired[list[LookupCandidatesItem]]", "source": "Literal['crm', 'local', 'none']", "stale": "bool", "asOf": "str", "lookupMs": "int", "customer": "Union[LookupCustomer, None]"})
Mail = TypedDict("Mail", {"mailId": "str", "status": "MailStatus", "to": "str", "subject": "str", "bytes": "int", "attempts": "int", "createdAt": "str", "nextAttemptAt": "Union[str, None]", "completedAt": "Union[str, None]", "reply": "str", "error": "str"})
MailAnswer = TypedDict("MailAnswer", {"recipients": "int", "delivered": "int", "queued": "int", "failed": "int", "mailId": "str", "status": "MailStatus", "error": "NotRequired[str]", "warnings": "NotRequired[list[str]]"})
# A mail to send. Unknown members are ignored.
MailRequestAttachment = TypedDict("MailRequestAttachment", {"filename": "str", "base64": "str"})
MailRequest = TypedDict("MailRequest", {"to": "str", "subject": "str", "html": "NotRequired[str]", "text": "NotRequired[str]", "attachment": "NotRequired[MailRequestAttachment]"})
# delivered: the mail server of the account took it. delivered and failed are final.
MailStatus = Literal["queued", "retrying", "delivered", "failed"]
MailTest = TypedDict("MailTest", {"server": "str", "ok": "bool", "reason": "str", "mail": "Union[Mail, None]", "warnings": "NotRequired[list[str]]"})
MailTestRequest = TypedDict("MailTestRequest", {"to": "NotRequired[str]"})
MailboxCounts = TypedDict("MailboxCounts", {"ext": "str", "fresh": "int", "old": "int", "coming": "int", "full": "bool", "lockedUntil": "Union[str, None]", "lockedPhones": "list[str]"})
MailboxForward = TypedDict("MailboxForward", {"to": "str"})
MailboxMark = TypedDict("MailboxMark", {"heard": "bool"})
# A message of a mailbox, as it is in the inbox under the same id.
MailboxMessage = TypedDict("MailboxMessage", {"id": "str", "from": "str", "callerName": "str", "receivedAt": "str", "durationSeconds": "int", "heard": "bool", "transcript": "str", "transcriptStatus": "Union[Literal['done'], Literal['empty'], Literal['failed'], Literal['off']]", "forwardedFrom": "Union[str, None]", "mediaUrl": "str"})
MessagePartsItem = TypedDict("MessagePartsItem", {"accepted": "bool", "report": "Union[Literal['delivered'], Literal['buffered'], Literal['failed'], Literal['expired'], None]"})
Message = TypedDict("Message", {"messageId": "str", "status": "MessageStatus", "to": "str", "from": "str", "segments": "int", "encoding": "Union[Literal['GSM-7'], Literal['UCS-2']]", "trunkId": "str", "attempts": "int", "createdAt": "str", "expiresAt": "str", "nextAttemptAt": "Union[str, None]", "sentAt": "Union[str, None]", "completedAt": "Union[str, None]", "error": "str", "code": "str", "subject": "str", "body": "str", "parts": "list[MessagePartsItem]"})
MessageAnswerMessagesItem = TypedDict("MessageAnswerMessagesItem", {"messageId": "NotRequired[str]", "to": "str", "status": "Union[Literal['accepted'], Literal['queued'], Literal['failed'], Literal['unknown']]", "segments": "NotRequired[int]", "encoding": "NotRequired[Union[Literal['GSM-7'], Literal['UCS-2']]]", "warning": "NotRequired[str]", "error": "NotRequired[str]", "code": "NotRequired[str]"})
MessageAnswer = TypedDict("MessageAnswer", {"sent": "int", "recipients": "int", "queued": "int", "failed": "int", "unknown": "NotRequired[int]", "messages": "list[MessageAnswerMessagesItem]", "warnings": "NotRequired[list[str]]"})
# A text to send. Unknown members are ignored.
MessageRequest = TypedDict("MessageRequest", {"to": "Union[str, int, list[Union[str, int]]]", "message": "NotRequired[str]", "text": "NotRequired[str]"})
# sent: a trunk has taken it; delivered: the network said so; unknown: the trunk did not answer, so it may have been sent, and is not repeated.
MessageStatus = Literal["queued", "sending", "retrying", "sent", "delivered", "failed", "unknown"]
MessageSummary = TypedDict("MessageSummary", {"messageId": "str", "status": "MessageStatus", "to": "str", "from": "str", "segments": "int", "encoding": "Union[Literal['GSM-7'], Literal['UCS-2']]", "trunkId": "str", "attempts": "int", "createdAt": "str", "expiresAt": "str", "nextAttemptAt": "Union[str, None]", "sentAt": "Union[str, None]", "completedAt": "Union[str, None]", "error": "str", "code": "str", "subject": "str"})
MessageTrunk = TypedDict("MessageTrunk", {"id": "str", "kind": "str", "number": "str", "default": "bool", "ok": "bool", "state": "str", "reason": "str", "since": "str", "facts": "dict[str, Union[str, float, bool]]"})
# A fax call that brought no page.
MissedFax = TypedDict("MissedFax", {"callId": "str", "from": "str", "to": "str", "at": "Union[str, None]", "durationSeconds": "int", "text": "str"})
Modem = TypedDict("Modem", {"id": "str", "device": "str", "number": "str", "state": "str", "ok": "bool", "reason": "str", "since": "str", "model": "str", "faxClass": "str", "modems": "list[str]", "roles": "list[str]", "duplex": "Literal['', 'full', 'half']", "underruns": "int", "blindDial": "bool"})
ModemTestTestLevels = TypedDict("ModemTestTestLevels", {"dialTone": "Union[float, None]", "noise": "Union[float, None]", "echoLoss": "Union[float, None]"})
ModemTestTest = TypedDict("ModemTestTest", {"answered": "bool", "identification": "list[str]", "classes": "str", "dialTone": "Literal['heard', 'none', 'unknown']", "levels": "Union[ModemTestTestLevels, None]"})
ModemTest = TypedDict("ModemTest", {"id": "str", "device": "str", "number": "str", "state": "str", "ok": "bool", "reason": "str", "since": "str", "model": "str", "faxClass": "str", "modems": "list[str]", "roles": "list[str]", "duplex": "Literal['', 'full', 'half']", "underruns": "int", "blindDial": "bool", "test": "Union[ModemTestTest, None]", "warnings": "NotRequired[list[str]]"})
ModemTestRequest = TypedDict("ModemTestRequest", {"voice": "NotRequired[bool]"})
# One command or answer, long numbers masked.
ModemTraceLine = TypedDict("ModemTraceLine", {"at": "str", "sent": "bool", "text": "str"})
MoveCallRequest = TypedDict("MoveCallRequest", {"to": "str"})
NameNumberAnswer = TypedDict("NameNumberAnswer", {"number": "str", "customerId": "str", "name": "str", "result": "Literal['created', 'updated', 'unchanged', 'deleted', 'proposed']", "warnings": "NotRequired[list[str]]"})
NewPersonRequest = TypedDict("NewPersonRequest", {"login": "str", "name": "str", "roles": "list[Literal['desk', 'manager', 'technician']]", "extension": "NotRequired[Union[str, None]]", "mailboxes": "NotRequired[list[str]]", "queues": "NotRequired[list[str]]", "language": "NotRequired[str]"})
NewPhoneGiven = TypedDict("NewPhoneGiven", {"extension": "str", "kind": "NotRequired[str]", "mac": "NotRequired[str]", "keys": "NotRequired[list[str]]", "minutes": "NotRequired[int]"})
NewTokenRequest = TypedDict("NewTokenRequest", {"name": "str", "scopes": "list[Literal['send', 'inbox', 'voice', 'crm', 'admin']]", "expiresInDays": "NotRequired[float]", "endpoints": "NotRequired[list[str]]", "mailboxes": "NotRequired[list[str]]"})
Note = TypedDict("Note", {"noteId": "str", "callId": "CallId", "text": "str", "authorUserId": "NotRequired[str]", "authorExtension": "NotRequired[str]", "createdAt": "str", "origin": "Literal['pbx', 'crm']"})
NotesRequestNotesItem = TypedDict("NotesRequestNotesItem", {"text": "str", "noteId": "NotRequired[str]", "authorUserId": "NotRequired[str]", "authorExtension": "NotRequired[str]", "createdAt": "NotRequired[str]"})
NotesRequest = TypedDict("NotesRequest", {"text": "NotRequired[str]", "noteId": "NotRequired[str]", "authorUserId": "NotRequired[str]", "authorExtension": "NotRequired[str]", "createdAt": "NotRequired[str]", "notes": "NotRequired[list[NotesRequestNotesItem]]"})
OpenGlass = TypedDict("OpenGlass", {"sessionId": "str", "login": "str", "name": "str", "until": "str", "note": "str"})
# The calendar of hours: the week, holidays, and days with other times.
OpeningTimes = TypedDict("OpeningTimes", {"open": "dict[str, list[str]]", "closedOn": "list[str]", "special": "dict[str, list[str]]"})
OpeningTimesChange = TypedDict("OpeningTimesChange", {"base": "NotRequired[str]", "times": "OpeningTimes"})
OpeningTimesState = TypedDict("OpeningTimesState", {"id": "str", "base": "str", "times": "OpeningTimes", "warnings": "NotRequired[list[str]]"})
OriginateCallAnswer = TypedDict("OriginateCallAnswer", {"callId": "CallId", "state": "Literal['queued']", "to": "str", "from": "str", "externalRef": "NotRequired[str]", "warnings": "NotRequired[list[str]]"})
# Exactly one of controlUrl (or url, or actionUrl), endpoint and document says what drives the call.
OriginateRequest = TypedDict("OriginateRequest", {"to": "str", "controlUrl": "NotRequired[str]", "url": "NotRequired[str]", "actionUrl": "NotRequired[str]", "endpoint": "NotRequired[str]", "document": "NotRequired[ControlDocument]", "from": "NotRequired[str]", "trunkId": "NotRequired[str]", "callerName": "NotRequired[str]", "timeout": "NotRequired[int]", "maxDuration": "NotRequired[int]", "machineDetection": "NotRequired[Union[Literal['off'], Literal['detect'], Literal['greeting-end']]]", "statusCallbackUrl": "NotRequired[str]", "statusEvents": "NotRequired[list[Literal['queued', 'dialing', 'ringing', 'in-progress', 'answered', 'ended']]]", "externalRef": "NotRequired[str]", "params": "NotRequired[CallParams]"})
# Two machines that are one box.
PairMachinesItem = TypedDict("PairMachinesItem", {"name": "str", "role": "Literal['active', 'standby', 'starting', 'away', 'unknown']", "version": "str", "fit": "bool"})
Pair = TypedDict("Pair", {"here": "str", "since": "Union[str, None]", "known": "bool", "witness": "Union[bool, None]", "machines": "list[PairMachinesItem]"})
ParkingSlotCall = TypedDict("ParkingSlotCall", {"callId": "str", "from": "str", "callerName": "str", "since": "Union[str, None]", "by": "str"})
ParkingSlot = TypedDict("ParkingSlot", {"slot": "str", "call": "Union[ParkingSlotCall, None]"})
Part = TypedDict("Part", {"ok": "bool", "reason": "str", "required": "bool"})
PartyPhonesItem = TypedDict("PartyPhonesItem", {"number": "str", "label": "Literal['mobile', 'home', 'work', 'fax', 'other']", "primary": "NotRequired[bool]", "extension": "NotRequired[str]"})
Party = TypedDict("Party", {"id": "str", "kind": "Literal['person', 'organization']", "name": "str", "status": "Literal['active', 'inactive', 'prospect', 'blocked']", "phones": "list[PartyPhonesItem]", "email": "NotRequired[str]", "company": "NotRequired[str]", "externalRef": "NotRequired[str]", "ownerUserId": "NotRequired[str]", "ownerExtension": "NotRequired[str]", "language": "NotRequired[str]", "timeZone": "NotRequired[str]", "url": "NotRequired[str]", "tags": "NotRequired[list[str]]", "doNotCall": "NotRequired[bool]", "doNotText": "NotRequired[bool]", "version": "str", "updatedAt": "str", "source": "Literal['crm', 'local', 'import']"})
PartyList = TypedDict("PartyList", {"items": "list[Party]", "more": "bool", "total": "int"})
PeaksWordsItem = TypedDict("PeaksWordsItem", {"text": "str", "fromMs": "int", "toMs": "int"})
Peaks = TypedDict("Peaks", {"durationMs": "int", "peaks": "list[int]", "words": "NotRequired[list[PeaksWordsItem]]"})
Person = TypedDict("Person", {"personId": "str", "login": "str", "name": "str", "roles": "list[Literal['desk', 'manager', 'technician']]", "extension": "Union[str, None]", "mailboxes": "list[str]", "queues": "list[str]", "language": "str", "state": "Literal['invited', 'active', 'disabled']", "secondStep": "bool", "keysOff": "list[str]", "alerts": "list[Literal['notification', 'names', 'sound']]", "createdAt": "str", "warnings": "NotRequired[list[str]]"})
PersonChange = TypedDict("PersonChange", {"name": "NotRequired[str]", "roles": "NotRequired[list[Literal['desk', 'manager', 'technician']]]", "extension": "NotRequired[Union[str, None]]", "mailboxes": "NotRequired[list[str]]", "queues": "NotRequired[list[str]]", "language": "NotRequired[str]", "disabled": "NotRequired[bool]", "password": "NotRequired[None]", "secondStep": "NotRequired[Literal[False]]"})
PersonSession = TypedDict("PersonSession", {"sessionId": "str", "createdAt": "str", "activeAt": "str", "endsAt": "str", "lockedAt": "Union[str, None]", "address": "str", "userAgent": "str", "current": "bool"})
Phone = TypedDict("Phone", {"id": "str", "extension": "str", "kind": "Union[str, None]", "mac": "Union[str, None]", "keys": "Union[list[str], None]", "createdAt": "str", "openUntil": "Union[str, None]", "fetchedAt": "Union[str, None]", "address": "Union[str, None]", "userAgent": "Union[str, None]", "adminPassword": "str"})
PhoneAwaited = TypedDict("PhoneAwaited", {"phone": "Phone", "code": "str", "url": "str", "until": "str", "notes": "list[str]", "warnings": "NotRequired[list[str]]"})
PhoneCodeRequest = TypedDict("PhoneCodeRequest", {"minutes": "NotRequired[int]"})
PhonesAskedItem = TypedDict("PhonesAskedItem", {"mac": "str", "kind": "Union[str, None]", "address": "str", "userAgent": "str", "at": "str"})
Phones = TypedDict("Phones", {"phones": "list[Phone]", "asked": "list[PhonesAskedItem]"})
# A name that a person of the house gave a customer of the CRM, which has not answered yet.
ProposedName = TypedDict("ProposedName", {"customerId": "str", "name": "str", "proposed": "str", "at": "str"})
QueueFigures = TypedDict("QueueFigures", {"timeZone": "str", "since": "str", "from": "str", "to": "str", "buckets": "list[QueueFiguresBucket]"})
QueueFiguresBucketWait = TypedDict("QueueFiguresBucketWait", {"count": "int", "within20Seconds": "int", "p50Seconds": "Union[int, None]", "p95Seconds": "Union[int, None]"})
QueueFiguresBucket = TypedDict("QueueFiguresBucket", {"at": "Union[str, None]", "key": "str", "offered": "int", "answered": "int", "abandoned": "int", "sentOn": "int", "talkSeconds": "int", "wait": "QueueFiguresBucketWait"})
QueueMemberRequest = TypedDict("QueueMemberRequest", {"action": "Literal['login', 'logout', 'pause', 'resume']", "reason": "NotRequired[str]", "paused": "NotRequired[bool]"})
ReadinessWarningsItem = TypedDict("ReadinessWarningsItem", {"code": "str", "severity": "Union[Literal['notice'], Literal['warning'], Literal['error']]", "text": "str", "fix": "str", "since": "str"})
Readiness = TypedDict("Readiness", {"ready": "bool", "parts": "dict[str, Part]", "warnings": "NotRequired[list[ReadinessWarningsItem]]"})
# A recording has ended. The event is delivered whatever happens to the call meanwhile; answer it with the next document. After reason `hangup` the answer is ignored; answer []. A transcript that is not ready within 10 s follows as record.transcribed.
RecordCompletedEvent = TypedDict("RecordCompletedEvent", {"event": "Literal['record.completed']", "callId": "CallId", "eventId": "EventId", "sequence": "int", "timestamp": "str", "direction": "CallDirection", "from": "str", "to": "str", "callerName": "str", "trunkId": "str", "state": "CallState", "externalRef": "NotRequired[str]", "params": "NotRequired[CallParams]", "reason": "RecordReason", "transcript": "str", "transcriptStatus": "TranscriptStatus", "transcriptReason": "NotRequired[str]", "recordingId": "Union[str, Literal['']]", "mediaUrl": "str", "durationMs": "int", "finishKey": "NotRequired[str]"})
# Why the recording ended. finish-key: the key of finishOnKey. silence: silenceTimeout of it. max-length: maxSeconds. timeout: nobody said anything. hangup: the caller has left. error: it could not be stored.
RecordReason = Literal["finish-key", "silence", "max-length", "timeout", "hangup", "error"]
# The transcript of a recording whose record.completed said `pending`; it goes to the same address as that, also after call.ended. The answer is not read.
RecordTranscribedEvent = TypedDict("RecordTranscribedEvent", {"event": "Literal['record.transcribed']", "callId": "CallId", "eventId": "EventId", "sequence": "int", "timestamp": "str", "direction": "CallDirection", "from": "str", "to": "str", "callerName": "str", "trunkId": "str", "state": "CallState", "externalRef": "NotRequired[str]", "params": "NotRequired[CallParams]", "recordingId": "str", "transcript": "str", "transcriptStatus": "TranscriptStatus", "transcriptReason": "NotRequired[str]"})
Recording = TypedDict("Recording", {"recordingId": "str", "callId": "CallId", "createdAt": "str", "expiresAt": "str", "durationMs": "int", "bytes": "int", "transcriptStatus": "TranscriptStatus"})
Reminder = TypedDict("Reminder", {"reminderId": "str", "externalRef": "Union[str, None]", "status": "ReminderStatus", "outcome": "Union[ReminderOutcome, None]", "reason": "Union[str, None]", "customerName": "str", "phoneNumber": "str", "appointmentAt": "str", "serviceName": "str", "staffName": "str", "language": "Union[str, None]", "timeZone": "Union[str, None]", "sms": "bool", "smsSent": "bool", "attempts": "int", "nextAttemptAt": "Union[str, None]", "lastCallId": "Union[str, None]", "createdAt": "str", "answeredAt": "Union[str, None]", "completedAt": "Union[str, None]"})
ReminderAnswerRemindersItem = TypedDict("ReminderAnswerRemindersItem", {"index": "int", "reminderId": "str", "externalRef": "Union[str, None]", "status": "ReminderStatus", "firstAttemptAt": "Union[str, None]", "duplicate": "bool", "reason": "NotRequired[str]", "warning": "NotRequired[str]"})
ReminderAnswerRemindersItem2 = TypedDict("ReminderAnswerRemindersItem2", {"index": "int", "externalRef": "Union[str, None]", "error": "str", "code": "str"})
ReminderAnswer = TypedDict("ReminderAnswer", {"accepted": "int", "rejected": "int", "reminders": "list[Union[ReminderAnswerRemindersItem, ReminderAnswerRemindersItem2]]", "warnings": "NotRequired[list[str]]"})
ReminderCallingWindow = TypedDict("ReminderCallingWindow", {"open": "bool", "until": "Union[str, None]"})
ReminderCalling = TypedDict("ReminderCalling", {"asOf": "str", "clockTrusted": "bool", "window": "ReminderCallingWindow", "waiting": "int", "calling": "int", "nextAt": "Union[str, None]", "noLineSince": "Union[str, None]", "missingDay": "Union[str, None]"})
# A reminder has ended. Sent once, to its statusCallbackUrl. It holds no name, no number and nothing of the appointment: externalRef says which it is.
ReminderEvent = TypedDict("ReminderEvent", {"event": "Literal['reminder.confirmed', 'reminder.canceled', 'reminder.reschedule', 'reminder.no-answer', 'reminder.busy', 'reminder.failed', 'reminder.voicemail', 'reminder.opted-out', 'reminder.expired']", "eventId": "EventId", "outcome": "ReminderOutcome", "reminderId": "str", "externalRef": "Union[str, None]", "attempts": "int", "lastCallId": "Union[CallId, None]", "answeredAt": "Union[str, None]", "completedAt": "Union[str, None]", "smsSent": "bool", "reason": "Union[str, None]"})
ReminderFigures = TypedDict("ReminderFigures", {"timeZone": "str", "since": "str", "from": "str", "to": "str", "buckets": "list[ReminderFiguresBucket]"})
ReminderFiguresBucketOutcomes = TypedDict("ReminderFiguresBucketOutcomes", {"confirmed": "int", "canceled": "int", "reschedule": "int", "no-answer": "int", "busy": "int", "failed": "int", "voicemail": "int", "opted-out": "int", "expired": "int"})
ReminderFiguresBucket = TypedDict("ReminderFiguresBucket", {"at": "Union[str, None]", "key": "str", "ended": "int", "outcomes": "ReminderFiguresBucketOutcomes"})
# How a reminder ended. confirmed, canceled, reschedule: what the patient chose. opted-out: the patient wants no more of these calls. voicemail: a message was left. no-answer, busy, failed: nobody was reached. expired: the appointment came first.
ReminderOutcome = Literal["confirmed", "canceled", "reschedule", "no-answer", "busy", "failed", "voicemail", "opted-out", "expired"]
# An appointment to be reminded of. Unknown members are ignored.
ReminderRequest = TypedDict("ReminderRequest", {"customerName": "NotRequired[str]", "phoneNumber": "str", "appointmentAt": "str", "serviceName": "NotRequired[str]", "staffName": "NotRequired[str]", "externalRef": "NotRequired[str]", "statusCallbackUrl": "NotRequired[str]", "language": "NotRequired[str]", "timeZone": "NotRequired[str]", "sms": "NotRequired[bool]"})
# The state; for an ended reminder its outcome.
ReminderStatus = Literal["scheduled", "dialing", "in-call", "waiting-retry", "confirmed", "canceled", "reschedule", "no-answer", "busy", "failed", "voicemail", "opted-out", "expired"]
RemoveFromStopListAnswer = TypedDict("RemoveFromStopListAnswer", {"removed": "str"})
RemoveOptOutAnswer = TypedDict("RemoveOptOutAnswer", {"number": "str", "warnings": "NotRequired[list[str]]"})
RemoveOptOutRequest = TypedDict("RemoveOptOutRequest", {"reason": "NotRequired[str]"})
RetryCallbackAnswer = TypedDict("RetryCallbackAnswer", {"eventId": "str", "state": "Literal['pending']"})
RetryCrmQueueAnswer = TypedDict("RetryCrmQueueAnswer", {"retried": "int"})
RevokeTokenAnswer = TypedDict("RevokeTokenAnswer", {"name": "str", "revoked": "Literal[True]"})
# The destination of the verb `route` was not reached, or has hung up while the caller is still there.
RouteCompletedEvent = TypedDict("RouteCompletedEvent", {"event": "Literal['route.completed']", "callId": "CallId", "eventId": "EventId", "sequence": "int", "timestamp": "str", "direction": "CallDirection", "from": "str", "to": "str", "callerName": "str", "trunkId": "str", "state": "CallState", "externalRef": "NotRequired[str]", "params": "NotRequired[CallParams]", "dialStatus": "DialStatus", "durationMs": "int"})
Said = TypedDict("Said", {"engine": "str", "firstMs": "int", "ms": "int", "seconds": "float", "warnings": "list[str]", "wav": "str"})
SayRequest = TypedDict("SayRequest", {"text": "str", "voice": "NotRequired[str]", "language": "NotRequired[str]", "rate": "NotRequired[float]"})
# One reminder or several; each is accepted or rejected by itself.
ScheduleRemindersRequest3 = TypedDict("ScheduleRemindersRequest3", {"reminders": "list[ReminderRequest]"})
ScheduleRemindersRequest5 = TypedDict("ScheduleRemindersRequest5", {})
ScheduleRemindersRequest = Union["ReminderRequest", list["ReminderRequest"], "ScheduleRemindersRequest3", list[Any], "ScheduleRemindersRequest5"]
ScreenPopCandidatesItem = TypedDict("ScreenPopCandidatesItem", {"id": "str", "name": "str"})
ScreenPopRecentCallsItem = TypedDict("ScreenPopRecentCallsItem", {"callId": "CallId", "direction": "Literal['inbound', 'outbound', 'internal']", "outcome": "CallOutcome", "startedAt": "str", "talkSeconds": "int", "extension": "NotRequired[str]"})
ScreenPopOpenTicketsItem = TypedDict("ScreenPopOpenTicketsItem", {"id": "NotRequired[str]", "title": "str", "status": "NotRequired[str]", "priority": "NotRequired[Literal['low', 'normal', 'high', 'urgent']]", "openedAt": "NotRequired[str]", "url": "NotRequired[str]"})
ScreenPopCommitmentsItem = TypedDict("ScreenPopCommitmentsItem", {"id": "NotRequired[str]", "kind": "NotRequired[Literal['appointment', 'callback', 'task', 'payment']]", "title": "str", "dueAt": "NotRequired[str]", "assignedTo": "NotRequired[str]", "status": "NotRequired[Literal['open', 'done', 'overdue']]", "url": "NotRequired[str]"})
ScreenPopBilling = TypedDict("ScreenPopBilling", {"currency": "str", "balanceMinor": "int", "overdueMinor": "int", "standing": "Literal['current', 'overdue', 'none']", "lastPaymentAt": "NotRequired[str]", "lastPaymentMinor": "NotRequired[int]"})
ScreenPopAlertsItem = TypedDict("ScreenPopAlertsItem", {"level": "Literal['info', 'warn', 'stop']", "text": "str"})
ScreenPopLinksItem = TypedDict("ScreenPopLinksItem", {"label": "str", "url": "str"})
ScreenPop = TypedDict("ScreenPop", {"number": "str", "found": "bool", "matchType": "Literal['exact', 'suffix', 'ambiguous', 'none']", "matchCount": "int", "candidates": "NotRequired[list[ScreenPopCandidatesItem]]", "source": "Literal['crm', 'local', 'none']", "stale": "bool", "asOf": "str", "lookupMs": "int", "customer": "Union[Party, None]", "name": "str", "status": "str", "recentCalls": "list[ScreenPopRecentCallsItem]", "notes": "list[Note]", "openTickets": "list[ScreenPopOpenTicketsItem]", "commitments": "list[ScreenPopCommitmentsItem]", "billing": "Union[ScreenPopBilling, None]", "alerts": "NotRequired[list[ScreenPopAlertsItem]]", "links": "NotRequired[list[ScreenPopLinksItem]]"})
# At most five of each kind, of what the role may see.
SearchResultPartiesItem = TypedDict("SearchResultPartiesItem", {"id": "str", "name": "str", "number": "str", "company": "str"})
SearchResultColleaguesItem = TypedDict("SearchResultColleaguesItem", {"extension": "str", "name": "str"})
SearchResult = TypedDict("SearchResult", {"parties": "list[SearchResultPartiesItem]", "colleagues": "list[SearchResultColleaguesItem]", "calls": "list[CallRecord]", "items": "list[WorkItem]"})
SetupBegunPhonesItem = TypedDict("SetupBegunPhonesItem", {"number": "str", "name": "str", "password": "str"})
SetupBegun = TypedDict("SetupBegun", {"change": "ConfigUnderWay", "phones": "list[SetupBegunPhonesItem]", "server": "str", "warnings": "NotRequired[list[str]]"})
# Some answers may be missing. Passwords are not kept.
SetupDraft = TypedDict("SetupDraft", {"answers": "dict[str, Any]"})
SetupLine = TypedDict("SetupLine", {"device": "str", "identification": "str", "roles": "list[Literal['voice', 'fax']]", "dialTone": "Literal['heard', 'none', 'unknown']"})
SetupProvider = TypedDict("SetupProvider", {"kind": "str", "title": "str", "server": "Union[str, None]", "transport": "Literal['udp', 'tcp', 'tls']", "register": "bool"})
SetupRequest = TypedDict("SetupRequest", {"answers": "dict[str, Any]", "force": "NotRequired[bool]"})
SetupState = TypedDict("SetupState", {"needed": "bool", "answers": "dict[str, Any]", "addresses": "list[str]", "timeZone": "str", "providers": "list[SetupProvider]"})
# As it happens; ended is the last.
SimulateEvent1 = TypedDict("SimulateEvent1", {"type": "Literal['started']", "callId": "str"})
SimulateEvent2 = TypedDict("SimulateEvent2", {"type": "Literal['trace']", "entry": "TraceEntry"})
SimulateEvent3 = TypedDict("SimulateEvent3", {"type": "Literal['heard']", "payload": "str"})
SimulateEvent4 = TypedDict("SimulateEvent4", {"type": "Literal['ended']", "endReason": "str", "talkSeconds": "float"})
SimulateEvent = Union["SimulateEvent1", "SimulateEvent2", "SimulateEvent3", "SimulateEvent4"]
SimulateRequest = TypedDict("SimulateRequest", {"from": "str", "to": "str", "keys": "list[str]", "say": "str", "play": "NotRequired[str]", "hear": "NotRequired[bool]", "speed": "float"})
SpeechRolesItem = TypedDict("SpeechRolesItem", {"role": "str", "engine": "str", "vocabulary": "NotRequired[Literal['open', 'closed', 'none']]", "why": "str", "fix": "str"})
SpeechProcessesItem = TypedDict("SpeechProcessesItem", {"name": "str", "state": "str", "pid": "Union[int, None]", "memoryBytes": "Union[int, None]", "limitBytes": "int", "restarts": "int", "reason": "str"})
SpeechVoicesItem = TypedDict("SpeechVoicesItem", {"language": "str", "engines": "list[str]"})
SpeechLeftOutItem = TypedDict("SpeechLeftOutItem", {"id": "str", "reason": "str", "fix": "str"})
SpeechRecommendedItem = TypedDict("SpeechRecommendedItem", {"id": "str", "title": "str", "roles": "list[str]", "downloadBytes": "int", "memoryBytes": "int", "installed": "bool"})
Speech = TypedDict("Speech", {"roles": "list[SpeechRolesItem]", "processes": "list[SpeechProcessesItem]", "voices": "list[SpeechVoicesItem]", "leftOut": "list[SpeechLeftOutItem]", "problems": "list[Warning]", "recommended": "list[SpeechRecommendedItem]"})
StartCallRequest = TypedDict("StartCallRequest", {"extension": "str", "to": "str", "customerId": "NotRequired[str]", "callerId": "NotRequired[str]", "externalRef": "NotRequired[str]", "timeoutSeconds": "NotRequired[int]", "record": "NotRequired[bool]"})
StartCrmCallRequest = TypedDict("StartCrmCallRequest", {"userId": "str", "customerId": "NotRequired[str]", "phoneNumber": "NotRequired[str]", "callerId": "NotRequired[str]", "externalRef": "NotRequired[str]", "timeoutSeconds": "NotRequired[int]", "record": "NotRequired[bool]"})
StatusAddresses = TypedDict("StatusAddresses", {"http": "Union[str, None]", "sip": "list[str]"})
StatusPartsItem = TypedDict("StatusPartsItem", {"name": "str", "ok": "bool", "reason": "str"})
StatusCalls = TypedDict("StatusCalls", {"active": "int", "queued": "int", "sinceStart": "int"})
StatusQueuesItem = TypedDict("StatusQueuesItem", {"name": "str", "waiting": "int", "oldestAt": "Union[str, None]", "dead": "int"})
StatusDisk = TypedDict("StatusDisk", {"dir": "str", "usedBytes": "int", "freeBytes": "int"})
StatusClock = TypedDict("StatusClock", {"now": "str", "timeZone": "str", "synchronised": "Union[bool, None]"})
StatusMemory = TypedDict("StatusMemory", {"daemonBytes": "int", "engineBytes": "Union[int, None]"})
Status = TypedDict("Status", {"version": "str", "pid": "int", "startedAt": "str", "uptimeSeconds": "int", "ready": "bool", "draining": "bool", "configFile": "Union[str, None]", "addresses": "StatusAddresses", "parts": "list[StatusPartsItem]", "lines": "list[Line]", "calls": "StatusCalls", "queues": "list[StatusQueuesItem]", "disk": "StatusDisk", "clock": "StatusClock", "memory": "StatusMemory", "warnings": "list[StatusWarning]", "pair": "NotRequired[Pair]"})
# Something about the box that a person should look at.
StatusWarning = TypedDict("StatusWarning", {"kind": "Literal['line', 'disk', 'clock', 'login', 'warning']", "code": "str", "severity": "Literal['notice', 'warning', 'error']", "since": "str", "text": "str", "fix": "str"})
# A stream with `actionUrl` has ended. The event is delivered whatever happens to the call meanwhile; answer it with the next document. After reason `hangup` the answer is ignored; answer [].
StreamCompletedEvent = TypedDict("StreamCompletedEvent", {"event": "Literal['stream.completed']", "callId": "CallId", "eventId": "EventId", "sequence": "int", "timestamp": "str", "direction": "CallDirection", "from": "str", "to": "str", "callerName": "str", "trunkId": "str", "state": "CallState", "externalRef": "NotRequired[str]", "params": "NotRequired[CallParams]", "streamSid": "str", "reason": "StreamReason", "durationMs": "int", "framesIn": "int", "framesOut": "int", "closeCode": "NotRequired[int]", "recordingId": "NotRequired[str]", "mediaUrl": "NotRequired[str]", "transcript": "NotRequired[str]", "transcriptStatus": "NotRequired[TranscriptStatus]", "transcriptReason": "NotRequired[str]"})
# The first frame.
StreamConnectedFrame = TypedDict("StreamConnectedFrame", {"event": "Literal['connected']", "protocol": "Literal['Call']", "version": "Literal['1.0.0']"})
# A stream with `statusCallbackUrl` could not be connected, or was lost. The answer is not read.
StreamErrorEvent = TypedDict("StreamErrorEvent", {"event": "Literal['stream.error']", "callId": "CallId", "eventId": "EventId", "sequence": "int", "timestamp": "str", "direction": "CallDirection", "from": "str", "to": "str", "callerName": "str", "trunkId": "str", "state": "CallState", "externalRef": "NotRequired[str]", "params": "NotRequired[CallParams]", "streamSid": "str", "name": "str", "error": "str"})
# What the box sends to the server of a media stream (the verb `stream`), as JSON in text frames. `event` names the kind. See docs/frames.md.
StreamFrame = Union["StreamConnectedFrame", "StreamStartFrame", "StreamMediaFrame", "StreamKeyFrame", "StreamMarkFrame", "StreamStopFrame", "StreamSpeechFrame", "StreamQueueFrame"]
# At the end of each key that the caller presses.
StreamKeyFrameDtmf = TypedDict("StreamKeyFrameDtmf", {"track": "Literal['inbound_track']", "digit": "str"})
StreamKeyFrame = TypedDict("StreamKeyFrame", {"event": "Literal['dtmf']", "sequenceNumber": "str", "dtmf": "StreamKeyFrameDtmf", "streamSid": "str"})
# What the server sent before its mark has been played, or was cleared.
StreamMarkFrameMark = TypedDict("StreamMarkFrameMark", {"name": "str"})
StreamMarkFrame = TypedDict("StreamMarkFrame", {"event": "Literal['mark']", "sequenceNumber": "str", "mark": "StreamMarkFrameMark", "streamSid": "str"})
# Every 20 ms, of each track.
StreamMediaFrameMedia = TypedDict("StreamMediaFrameMedia", {"track": "Literal['inbound', 'outbound']", "chunk": "str", "timestamp": "str", "payload": "str"})
StreamMediaFrame = TypedDict("StreamMediaFrame", {"event": "Literal['media']", "sequenceNumber": "str", "media": "StreamMediaFrameMedia", "streamSid": "str"})
# With `extensions: ["queue"]`: the server should pause, may go on, or has nothing more that is played.
StreamQueueFrameQueue = TypedDict("StreamQueueFrameQueue", {"ms": "str", "state": "Literal['xoff', 'xon', 'drained']"})
StreamQueueFrame = TypedDict("StreamQueueFrame", {"event": "Literal['queue']", "queue": "StreamQueueFrameQueue", "streamSid": "str"})
# Why the stream ended. client-closed: the server closed it. hangup: the caller has left. max-length: maxSeconds. replaced: another document took its place. connect-failed: the server could not be reached. error: it was lost, or accepted nothing for 10 s.
StreamReason = Literal["client-closed", "hangup", "max-length", "replaced", "connect-failed", "error"]
# What is queued is dropped, all marks come back at once in their order, and new audio plays.
StreamServerClearFrame = TypedDict("StreamServerClearFrame", {"event": "Literal['clear']", "streamSid": "NotRequired[Any]"})
# What the server of a media stream sends. Anything else is passed over, and counted in the trace of the call.
StreamServerFrame = Union["StreamServerMediaFrame", "StreamServerMarkFrame", "StreamServerClearFrame"]
# Is sent back when all before it has been played; at once when nothing is queued.
StreamServerMarkFrameMark = TypedDict("StreamServerMarkFrameMark", {"name": "str"})
StreamServerMarkFrame = TypedDict("StreamServerMarkFrame", {"event": "Literal['mark']", "mark": "StreamServerMarkFrameMark", "streamSid": "NotRequired[Any]"})
# Is played after what is queued. Send as fast as you like: the box has the clock.
StreamServerMediaFrameMedia = TypedDict("StreamServerMediaFrameMedia", {"payload": "str"})
StreamServerMediaFrame = TypedDict("StreamServerMediaFrame", {"event": "Literal['media']", "media": "StreamServerMediaFrameMedia", "streamSid": "NotRequired[Any]"})
# With `extensions: ["vad"]`: the caller begins to speak, or stops.
StreamSpeechFrameSpeech = TypedDict("StreamSpeechFrameSpeech", {"state": "Literal['started', 'stopped']", "timestamp": "str"})
StreamSpeechFrame = TypedDict("StreamSpeechFrame", {"event": "Literal['speech']", "speech": "StreamSpeechFrameSpeech", "streamSid": "str"})
# The second frame.
StreamStartFrameStartMediaFormat = TypedDict("StreamStartFrameStartMediaFormat", {"encoding": "Literal['audio/x-mulaw', 'audio/x-l16']", "sampleRate": "Literal[8000, 16000]", "channels": "Literal[1]"})
StreamStartFrameStart = TypedDict("StreamStartFrameStart", {"accountSid": "str", "streamSid": "str", "callSid": "CallId", "tracks": "list[Literal['inbound', 'outbound']]", "mediaFormat": "StreamStartFrameStartMediaFormat", "customParameters": "dict[str, str]"})
StreamStartFrame = TypedDict("StreamStartFrame", {"event": "Literal['start']", "sequenceNumber": "str", "start": "StreamStartFrameStart", "streamSid": "str"})
# A stream with `statusCallbackUrl` is connected. The answer is not read.
StreamStartedEvent = TypedDict("StreamStartedEvent", {"event": "Literal['stream.started']", "callId": "CallId", "eventId": "EventId", "sequence": "int", "timestamp": "str", "direction": "CallDirection", "from": "str", "to": "str", "callerName": "str", "trunkId": "str", "state": "CallState", "externalRef": "NotRequired[str]", "params": "NotRequired[CallParams]", "streamSid": "str", "name": "str"})
# The last frame: the call has ended, or continues without the stream.
StreamStopFrameStop = TypedDict("StreamStopFrameStop", {"accountSid": "str", "callSid": "CallId"})
StreamStopFrame = TypedDict("StreamStopFrame", {"event": "Literal['stop']", "sequenceNumber": "str", "stop": "StreamStopFrameStop", "streamSid": "str"})
# A stream with `statusCallbackUrl` that was connected has ended. The answer is not read.
StreamStoppedEvent = TypedDict("StreamStoppedEvent", {"event": "Literal['stream.stopped']", "callId": "CallId", "eventId": "EventId", "sequence": "int", "timestamp": "str", "direction": "CallDirection", "from": "str", "to": "str", "callerName": "str", "trunkId": "str", "state": "CallState", "externalRef": "NotRequired[str]", "params": "NotRequired[CallParams]", "streamSid": "str", "name": "str"})
# A number that gets no texts.
Suppressed = TypedDict("Suppressed", {"number": "str", "since": "str", "by": "str"})
SyncCustomerAnswer = TypedDict("SyncCustomerAnswer", {"id": "str", "result": "Literal['created', 'updated', 'unchanged', 'deleted', 'conflict']", "version": "str", "warnings": "NotRequired[list[str]]"})
SyncCustomersAnswer = TypedDict("SyncCustomersAnswer", {"syncId": "str", "created": "int", "updated": "int", "unchanged": "int", "deleted": "int", "conflicts": "int", "warnings": "NotRequired[list[str]]"})
SyncStatusCrmAnswerFaultsLast = TypedDict("SyncStatusCrmAnswerFaultsLast", {"at": "str", "request": "str", "path": "str", "message": "str"})
SyncStatusCrmAnswerFaults = TypedDict("SyncStatusCrmAnswerFaults", {"count": "int", "last": "Union[SyncStatusCrmAnswerFaultsLast, None]"})
SyncStatusCrm = TypedDict("SyncStatusCrm", {"configured": "bool", "reachable": "bool", "circuit": "Literal['closed', 'open', 'half-open']", "lastSuccessAt": "Union[str, None]", "lastFailureAt": "Union[str, None]", "lastError": "Union[str, None]", "p95Ms": "Union[int, None]", "clockSkewMs": "Union[int, None]", "answerFaults": "SyncStatusCrmAnswerFaults"})
SyncStatusQueue = TypedDict("SyncStatusQueue", {"pendingLogs": "int", "pendingNotes": "int", "oldestPendingAt": "Union[str, None]", "dead": "int"})
SyncStatusCustomers = TypedDict("SyncStatusCustomers", {"total": "int", "lastFullSyncAt": "Union[str, None]", "lastDeltaAt": "Union[str, None]", "conflicts": "int", "ambiguousNumbers": "int"})
SyncStatusCurrentSync = TypedDict("SyncStatusCurrentSync", {"syncId": "str", "startedAt": "str", "processed": "int", "total": "Union[int, None]"})
SyncStatus = TypedDict("SyncStatus", {"state": "Literal['healthy', 'degraded', 'syncing', 'disabled', 'unconfigured']", "enabled": "bool", "crm": "SyncStatusCrm", "queue": "SyncStatusQueue", "customers": "SyncStatusCustomers", "currentSync": "Union[SyncStatusCurrentSync, None]"})
TakeCallRequest = TypedDict("TakeCallRequest", {"extension": "NotRequired[str]"})
# One thing that was tried. A test ends with {"done":true}.
TestStep = TypedDict("TestStep", {"name": "str", "level": "Literal['ok', 'warning', 'failure']", "text": "str", "fix": "str", "byHand": "NotRequired[str]"})
TextFigures = TypedDict("TextFigures", {"timeZone": "str", "since": "str", "from": "str", "to": "str", "buckets": "list[TextFiguresBucket]"})
TextFiguresBucket = TypedDict("TextFiguresBucket", {"at": "Union[str, None]", "key": "str", "sent": "int", "delivered": "int", "failed": "int", "unknown": "int", "received": "int"})
TextMedia = TypedDict("TextMedia", {"id": "str", "contentType": "str", "bytes": "Union[int, None]", "state": "Literal['fetching', 'stored', 'failed']", "reason": "NotRequired[str]", "mediaUrl": "str"})
Token = TypedDict("Token", {"name": "str", "scopes": "list[str]", "createdAt": "Union[str, None]", "source": "Literal['config', 'store']", "endpoints": "Union[list[str], None]", "mailboxes": "Union[list[str], None]", "expiresAt": "Union[str, None]", "lastUsedAt": "Union[str, None]", "lastAddress": "str"})
TraceEntry = TypedDict("TraceEntry", {"at": "str", "ms": "int", "kind": "str", "text": "str", "data": "NotRequired[Any]"})
# done: transcript has the words. empty: no speech. off: none was asked for, or the box cannot make one. failed: it could not be made. pending: it comes later, with record.transcribed.
TranscriptStatus = Literal["done", "empty", "off", "failed", "pending"]
TypedName = TypedDict("TypedName", {"name": "str"})
UnlockMailboxAnswer = TypedDict("UnlockMailboxAnswer", {"lifted": "bool"})
UpgradeLast = TypedDict("UpgradeLast", {"phase": "Literal['laying', 'checking', 'starting', 'watching', 'returning', 'done', 'refused', 'returned']", "from": "str", "to": "str", "began": "str", "ended": "str", "reason": "str"})
UpgradeFailedItem = TypedDict("UpgradeFailedItem", {"version": "str", "at": "str", "reason": "str"})
Upgrade = TypedDict("Upgrade", {"version": "str", "last": "Union[UpgradeLast, None]", "failed": "list[UpgradeFailedItem]"})
# The document itself, or an object with it as a member.
ValidateRequest2 = TypedDict("ValidateRequest2", {"document": "ControlDocument"})
ValidateRequest = Union["ControlDocument", "ValidateRequest2"]
ValidationErrorsItem = TypedDict("ValidationErrorsItem", {"path": "str", "message": "str"})
ValidationWarningsItem = TypedDict("ValidationWarningsItem", {"path": "str", "message": "str"})
Validation = TypedDict("Validation", {"valid": "bool", "errors": "list[ValidationErrorsItem]", "warnings": "list[ValidationWarningsItem]"})
Verdict = TypedDict("Verdict", {"ok": "bool", "severity": "Literal['ok', 'notice', 'warning', 'error']", "faults": "int", "code": "str", "text": "str"})
WallCode = TypedDict("WallCode", {"code": "str", "url": "str", "until": "str"})
# A screen on the wall.
WallSession = TypedDict("WallSession", {"wallId": "str", "beganAt": "str", "endsAt": "str", "seenAt": "Union[str, None]", "address": "str", "invitedBy": "str"})
# Something that a person should look at.
Warning = TypedDict("Warning", {"text": "str", "fix": "str"})
WhereStep = TypedDict("WhereStep", {"depth": "int", "text": "str"})
WorkChange = TypedDict("WorkChange", {"rev": "int", "state": "NotRequired[Literal['open', 'done']]", "owner": "NotRequired[Union[str, None]]", "note": "NotRequired[str]"})
WorkItemClosedBy = TypedDict("WorkItemClosedBy", {"by": "Literal['person', 'call']", "name": "str", "callId": "NotRequired[str]"})
WorkItemItem = TypedDict("WorkItemItem", {})
WorkItem = TypedDict("WorkItem", {"kind": "Literal['missed', 'callback', 'voicemail', 'fax', 'text']", "id": "str", "rev": "int", "state": "Literal['open', 'done']", "owner": "Union[str, None]", "ownerName": "Union[str, None]", "note": "str", "at": "str", "times": "int", "closedAt": "Union[str, None]", "closedBy": "Union[WorkItemClosedBy, None]", "number": "str", "callerName": "str", "item": "WorkItemItem", "warnings": "NotRequired[list[str]]"})
WorkTaker = TypedDict("WorkTaker", {"personId": "str", "name": "str"})
