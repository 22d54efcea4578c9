"""The routes of the box that an access token opens. Written by `npm run generate` from the schemas of the box."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NotRequired, TypedDict, Union

from .schemas import AcknowledgeAlarmsAnswer, AcknowledgeRequest, AddCallNotesAnswer, AlarmTest, AlarmTestRequest, Alarms, Application, AuditRow, AuditVerdict, BackupStep, Backups, Ban, BoxEvent, BoxEventPage, Call, CallAction, CallAnswerRequest, CallEndRequest, CallFigures, CallLogRequest, CallOutcome, CallQueue, CallRecord, CallTrace, Callback, CallbackDetail, Check, ConfigApplyRequest, ConfigChange, ConfigCheck, ConfigCheckRequest, ConfigEditRequest, ConfigEdited, ConfigRevertRequest, ConfigRevision, ConfigState, ConfigText, ConfigUnderWay, CreateTokenAnswer, Customer, CustomerPage, CustomersAreRead, Desk, EmergencyCall, EmergencyTest, EmergencyTestRequest, EndWallsAnswer, EnhancedLookup, Extension, ExtensionChange, ExtensionUser, Fax, FaxAccepted, FaxAgainRequest, FaxFigures, FaxNumber, FaxPreview, FaxPreviewRequest, FaxRequest, FaxStatus, FaxSummary, ForwardMessageAnswer, GetConversationAnswer, GetInboxAnswerItem, GetNewestAnswer, Health, HoursChange, HoursState, ImportPartiesAnswer, InboxText, Integration, IntegrationAnalytics, IntegrationSwitch, Invitation, Lamp, LiftBanAnswer, Limit, LimitResetRequest, Line, LineHistory, ListActiveCallsAnswer, ListCallHistoryAnswer, ListCallsAnswer, ListConversationsAnswer, ListEmailsAnswer, ListFaxesAnswer, ListOptOutsAnswerItem, ListReceivedFaxesAnswer, ListReceivedSmsAnswer, ListRemindersAnswer, ListSmsAnswer, ListVoicemailsAnswer, ListWorkAnswer, LogCallAnswer, Lookup, Mail, MailAnswer, MailRequest, MailTest, MailTestRequest, MailboxCounts, MailboxForward, MailboxMark, MailboxMessage, Message, MessageAnswer, MessageRequest, MessageStatus, MessageTrunk, Modem, ModemTest, ModemTestRequest, ModemTraceLine, MoveCallRequest, NameNumberAnswer, NewPersonRequest, NewPhoneGiven, NewTokenRequest, NotesRequest, OpeningTimesChange, OpeningTimesState, OriginateCallAnswer, OriginateRequest, ParkingSlot, PartyList, Peaks, Person, PersonChange, PersonSession, Phone, PhoneAwaited, PhoneCodeRequest, Phones, ProposedName, QueueFigures, QueueMemberRequest, Readiness, Recording, Reminder, ReminderAnswer, ReminderCalling, ReminderFigures, ReminderStatus, RemoveFromStopListAnswer, RemoveOptOutAnswer, RemoveOptOutRequest, RetryCallbackAnswer, RetryCrmQueueAnswer, RevokeTokenAnswer, Said, SayRequest, ScheduleRemindersRequest, ScreenPop, SearchResult, SetupBegun, SetupDraft, SetupLine, SetupRequest, SetupState, SimulateEvent, SimulateRequest, Speech, StartCallRequest, StartCrmCallRequest, Status, Suppressed, SyncCustomerAnswer, SyncCustomersAnswer, SyncStatus, TakeCallRequest, TestStep, TextFigures, Token, TypedName, UnlockMailboxAnswer, Upgrade, ValidateRequest, Validation, WallCode, WallSession, WhereStep, WorkChange, WorkItem, WorkTaker

ServerSent = TypedDict("ServerSent", {"id": str, "event": str, "data": Any})


class Operations:
    """A method for each route."""

    def request(self, method: str, path: str, *, reading: str = "json", body: Any = None, query: dict[str, Any] | None = None,
                idempotency_key: str | None = None, content_type: str | None = None) -> Any:
        raise NotImplementedError

    def path(self, form: str, *parts: str | int) -> str:
        raise NotImplementedError

    def simulate_call(self, body: SimulateRequest, *, idempotency_key: str | None = None) -> Iterator[SimulateEvent]:
        """A simulated call from outside, reported as it happens."""
        answer: Iterator[SimulateEvent] = self.request("POST", "/api/simulate", reading="lines", body=body, idempotency_key=idempotency_key)
        return answer

    def originate_call(self, body: OriginateRequest, *, idempotency_key: str | None = None) -> OriginateCallAnswer:
        """Place a call that an application drives."""
        answer: OriginateCallAnswer = self.request("POST", "/api/voice/originate", reading="json", body=body, idempotency_key=idempotency_key)
        return answer

    def list_calls(self, *, state: Union[Literal["live"], Literal["ended"], Literal["all"]] | None = None, limit: int | None = None, cursor: str | None = None) -> ListCallsAnswer:
        """List calls, newest first."""
        answer: ListCallsAnswer = self.request("GET", "/api/voice/calls", reading="json", query={"state": state, "limit": limit, "cursor": cursor})
        return answer

    def get_call(self, call_id: str | int) -> Call:
        """One call, live or ended."""
        answer: Call = self.request("GET", self.path("/api/voice/calls/{}", call_id), reading="json")
        return answer

    def change_call(self, call_id: str | int, body: CallAction, *, idempotency_key: str | None = None) -> Call:
        """Give a live call another document, redirect it, or end it."""
        answer: Call = self.request("POST", self.path("/api/voice/calls/{}", call_id), reading="json", body=body, idempotency_key=idempotency_key)
        return answer

    def trace_call(self, call_id: str | int) -> CallTrace:
        """Every event, document, key and prompt of a call, with its time."""
        answer: CallTrace = self.request("GET", self.path("/api/voice/calls/{}/trace", call_id), reading="json")
        return answer

    def delete_trace(self, call_id: str | int) -> None:
        """Delete the trace of a call that has ended, with its params and the name of its caller."""
        answer: None = self.request("DELETE", self.path("/api/voice/calls/{}/trace", call_id), reading="none")
        return answer

    def validate_document(self, body: ValidateRequest, *, idempotency_key: str | None = None) -> Validation:
        """Check a control document without a call."""
        answer: Validation = self.request("POST", "/api/voice/validate", reading="json", body=body, idempotency_key=idempotency_key)
        return answer

    def list_applications(self) -> list[Application]:
        """Applications that drive calls, with their circuit and the last fault."""
        answer: list[Application] = self.request("GET", "/api/applications", reading="json")
        return answer

    def list_recordings(self, *, limit: int | None = None) -> list[Recording]:
        """List recordings, newest first."""
        answer: list[Recording] = self.request("GET", "/api/voice/recordings", reading="json", query={"limit": limit})
        return answer

    def get_recording(self, recording: str | int) -> bytes:
        """The audio of a recording (WAV, 8 kHz mono)."""
        answer: bytes = self.request("GET", self.path("/api/voice/recordings/{}", recording), reading="bytes")
        return answer

    def delete_recording(self, recording: str | int) -> None:
        """Delete a recording, its transcript and the trace of its call."""
        answer: None = self.request("DELETE", self.path("/api/voice/recordings/{}", recording), reading="none")
        return answer

    def get_recording_peaks(self, recording: str | int) -> Peaks:
        """How loud a recording is along its time, and about when each word is spoken."""
        answer: Peaks = self.request("GET", self.path("/api/voice/recordings/{}/peaks", recording), reading="json")
        return answer

    def send_fax(self, body: FaxRequest, *, idempotency_key: str | None = None) -> FaxAccepted:
        """Send a PDF as a fax."""
        answer: FaxAccepted = self.request("POST", "/api/fax", reading="json", body=body, idempotency_key=idempotency_key)
        return answer

    def list_faxes(self, *, state: FaxStatus | None = None, limit: int | None = None, cursor: str | None = None) -> ListFaxesAnswer:
        """List faxes, newest first."""
        answer: ListFaxesAnswer = self.request("GET", "/api/fax", reading="json", query={"state": state, "limit": limit, "cursor": cursor})
        return answer

    def get_fax(self, fax_id: str | int) -> Fax:
        """One fax, with the calls made for it."""
        answer: Fax = self.request("GET", self.path("/api/fax/{}", fax_id), reading="json")
        return answer

    def cancel_fax(self, fax_id: str | int) -> Fax:
        """Cancel a fax that is not finished, or delete one that is."""
        answer: Fax = self.request("DELETE", self.path("/api/fax/{}", fax_id), reading="json")
        return answer

    def retry_fax(self, fax_id: str | int, body: FaxAgainRequest | None = None, *, idempotency_key: str | None = None) -> FaxSummary:
        """Send a fax that waits for its next try, or for its hour, now; send an ended fax again, as a new fax, perhaps to another number."""
        answer: FaxSummary = self.request("POST", self.path("/api/fax/{}/retry", fax_id), reading="json", body=body, idempotency_key=idempotency_key)
        return answer

    def give_up_fax(self, fax_id: str | int, *, idempotency_key: str | None = None) -> Fax:
        """Cancel a fax that has not ended; an ended fax stays as it is."""
        answer: Fax = self.request("POST", self.path("/api/fax/{}/cancel", fax_id), reading="json", idempotency_key=idempotency_key)
        return answer

    def get_fax_page(self, fax_id: str | int, n: str | int, *, width: int | None = None) -> bytes:
        """A page of a fax that is sent, as it goes or went."""
        answer: bytes = self.request("GET", self.path("/api/fax/{}/pages/{}.png", fax_id, n), reading="bytes", query={"width": width})
        return answer

    def get_received_fax_page(self, id: str | int, n: str | int, *, width: int | None = None) -> bytes:
        """A page of a received fax."""
        answer: bytes = self.request("GET", self.path("/api/inbox/faxes/{}/pages/{}.png", id, n), reading="bytes", query={"width": width})
        return answer

    def preview_fax(self, body: FaxPreviewRequest, *, idempotency_key: str | None = None) -> FaxPreview:
        """Draw a fax as the far end will print it, before it is sent."""
        answer: FaxPreview = self.request("POST", "/api/fax/previews", reading="json", body=body, idempotency_key=idempotency_key)
        return answer

    def get_fax_preview(self, preview_id: str | int) -> FaxPreview:
        """A preview again."""
        answer: FaxPreview = self.request("GET", self.path("/api/fax/previews/{}", preview_id), reading="json")
        return answer

    def get_fax_preview_page(self, preview_id: str | int, n: str | int, *, width: int | None = None) -> bytes:
        """A page of a preview."""
        answer: bytes = self.request("GET", self.path("/api/fax/previews/{}/pages/{}.png", preview_id, n), reading="bytes", query={"width": width})
        return answer

    def get_fax_receipt(self, fax_id: str | int) -> bytes:
        """The receipt of a fax, to file: numbers, station, times, result, and the first page small."""
        answer: bytes = self.request("GET", self.path("/api/fax/{}/receipt.pdf", fax_id), reading="bytes")
        return answer

    def get_fax_number(self, number: str | int) -> FaxNumber:
        """What is known of a number to fax to."""
        answer: FaxNumber = self.request("GET", self.path("/api/fax/numbers/{}", number), reading="json")
        return answer

    def send_email(self, body: MailRequest, *, idempotency_key: str | None = None) -> MailAnswer:
        """Send a mail."""
        answer: MailAnswer = self.request("POST", "/api/email", reading="json", body=body, idempotency_key=idempotency_key)
        return answer

    def list_emails(self, *, limit: int | None = None, cursor: str | None = None) -> ListEmailsAnswer:
        """List mails, newest first."""
        answer: ListEmailsAnswer = self.request("GET", "/api/email", reading="json", query={"limit": limit, "cursor": cursor})
        return answer

    def get_email(self, mail_id: str | int) -> Mail:
        """What became of a mail."""
        answer: Mail = self.request("GET", self.path("/api/email/{}", mail_id), reading="json")
        return answer

    def delete_email(self, mail_id: str | int) -> None:
        """Delete a mail."""
        answer: None = self.request("DELETE", self.path("/api/email/{}", mail_id), reading="none")
        return answer

    def test_email(self, body: MailTestRequest, *, idempotency_key: str | None = None) -> MailTest:
        """Connect to the mail server and log in; with an address, send a mail there too."""
        answer: MailTest = self.request("POST", "/api/email/test", reading="json", body=body, idempotency_key=idempotency_key)
        return answer

    def send_sms(self, body: MessageRequest, *, idempotency_key: str | None = None) -> MessageAnswer:
        """Send a text message."""
        answer: MessageAnswer = self.request("POST", "/api/sms", reading="json", body=body, idempotency_key=idempotency_key)
        return answer

    def list_sms(self, *, state: MessageStatus | None = None, limit: int | None = None, cursor: str | None = None) -> ListSmsAnswer:
        """List texts, newest first."""
        answer: ListSmsAnswer = self.request("GET", "/api/sms", reading="json", query={"state": state, "limit": limit, "cursor": cursor})
        return answer

    def get_sms(self, message_id: str | int) -> Message:
        """One text."""
        answer: Message = self.request("GET", self.path("/api/sms/{}", message_id), reading="json")
        return answer

    def delete_sms(self, message_id: str | int) -> None:
        """Delete a text."""
        answer: None = self.request("DELETE", self.path("/api/sms/{}", message_id), reading="none")
        return answer

    def list_sms_trunks(self) -> list[MessageTrunk]:
        """What carries texts, and how it is."""
        answer: list[MessageTrunk] = self.request("GET", "/api/sms/trunks", reading="json")
        return answer

    def get_stop_list(self) -> list[Suppressed]:
        """Numbers that asked not to be texted."""
        answer: list[Suppressed] = self.request("GET", "/api/sms/stop-list", reading="json")
        return answer

    def add_to_stop_list(self, number: str | int, *, idempotency_key: str | None = None) -> Suppressed:
        """Text a number no more."""
        answer: Suppressed = self.request("POST", self.path("/api/sms/stop-list/{}", number), reading="json", idempotency_key=idempotency_key)
        return answer

    def remove_from_stop_list(self, number: str | int) -> RemoveFromStopListAnswer:
        """A number may be texted again."""
        answer: RemoveFromStopListAnswer = self.request("DELETE", self.path("/api/sms/stop-list/{}", number), reading="json")
        return answer

    def list_conversations(self, *, limit: int | None = None, before: int | None = None) -> ListConversationsAnswer:
        """Conversations by text, the one with the newest text first."""
        answer: ListConversationsAnswer = self.request("GET", "/api/texts/conversations", reading="json", query={"limit": limit, "before": before})
        return answer

    def get_conversation(self, number: str | int, *, limit: int | None = None, before: int | None = None) -> GetConversationAnswer:
        """Texts from and to one number, newest first."""
        answer: GetConversationAnswer = self.request("GET", self.path("/api/texts/conversations/{}", number), reading="json", query={"limit": limit, "before": before})
        return answer

    def schedule_reminders(self, body: ScheduleRemindersRequest, *, idempotency_key: str | None = None) -> ReminderAnswer:
        """Remind people of appointments by a call."""
        answer: ReminderAnswer = self.request("POST", "/api/reminders", reading="json", body=body, idempotency_key=idempotency_key)
        return answer

    def list_reminders(self, *, day: str | None = None, status: ReminderStatus | None = None, limit: int | None = None, cursor: str | None = None) -> ListRemindersAnswer:
        """List reminders: of a day in the order of its appointments, otherwise newest first."""
        answer: ListRemindersAnswer = self.request("GET", "/api/reminders", reading="json", query={"day": day, "status": status, "limit": limit, "cursor": cursor})
        return answer

    def get_reminder(self, reminder_id: str | int) -> Reminder:
        """One reminder."""
        answer: Reminder = self.request("GET", self.path("/api/reminders/{}", reminder_id), reading="json")
        return answer

    def cancel_reminder(self, reminder_id: str | int) -> Reminder:
        """Cancel a reminder, or delete an ended one."""
        answer: Reminder = self.request("DELETE", self.path("/api/reminders/{}", reminder_id), reading="json")
        return answer

    def call_reminder_now(self, reminder_id: str | int, *, idempotency_key: str | None = None) -> Reminder:
        """Call as soon as a line is free."""
        answer: Reminder = self.request("POST", self.path("/api/reminders/{}/call", reminder_id), reading="json", idempotency_key=idempotency_key)
        return answer

    def take_back_reminder(self, reminder_id: str | int, *, idempotency_key: str | None = None) -> Reminder:
        """Cancel a reminder that has not ended; an ended one stays as it is."""
        answer: Reminder = self.request("POST", self.path("/api/reminders/{}/cancel", reminder_id), reading="json", idempotency_key=idempotency_key)
        return answer

    def get_reminder_calling(self) -> ReminderCalling:
        """Whether reminder calls are made now, and what is missing."""
        answer: ReminderCalling = self.request("GET", "/api/reminders/calling", reading="json")
        return answer

    def list_opt_outs(self) -> list[ListOptOutsAnswerItem]:
        """Numbers that asked not to be called with reminders."""
        answer: list[ListOptOutsAnswerItem] = self.request("GET", "/api/reminders/opt-outs", reading="json")
        return answer

    def remove_opt_out(self, number: str | int, body: RemoveOptOutRequest | None = None) -> RemoveOptOutAnswer:
        """A number may be called again."""
        answer: RemoveOptOutAnswer = self.request("DELETE", self.path("/api/reminders/opt-outs/{}", number), reading="json", body=body)
        return answer

    def list_received_faxes(self, *, since: int | None = None, limit: int | None = None, box: str | None = None) -> ListReceivedFaxesAnswer:
        """Received faxes."""
        answer: ListReceivedFaxesAnswer = self.request("GET", "/api/inbox/faxes", reading="json", query={"since": since, "limit": limit, "box": box})
        return answer

    def list_received_sms(self, *, since: int | None = None, limit: int | None = None, box: str | None = None) -> ListReceivedSmsAnswer:
        """Received text messages."""
        answer: ListReceivedSmsAnswer = self.request("GET", "/api/inbox/sms", reading="json", query={"since": since, "limit": limit, "box": box})
        return answer

    def list_voicemails(self, *, since: int | None = None, limit: int | None = None, box: str | None = None, ext: str | None = None) -> ListVoicemailsAnswer:
        """Voicemail with its transcript."""
        answer: ListVoicemailsAnswer = self.request("GET", "/api/inbox/voicemails", reading="json", query={"since": since, "limit": limit, "box": box, "ext": ext})
        return answer

    def get_received_fax(self, id: str | int) -> bytes:
        """The PDF of a received fax."""
        answer: bytes = self.request("GET", self.path("/api/inbox/faxes/{}.pdf", id), reading="bytes")
        return answer

    def get_voicemail(self, id: str | int) -> bytes:
        """The audio of a voicemail."""
        answer: bytes = self.request("GET", self.path("/api/inbox/voicemails/{}.wav", id), reading="bytes")
        return answer

    def delete_received_fax(self, id: str | int) -> None:
        """Delete a received fax, its document and the trace of its call."""
        answer: None = self.request("DELETE", self.path("/api/inbox/faxes/{}", id), reading="none")
        return answer

    def delete_received_sms(self, id: str | int) -> None:
        """Delete a received text."""
        answer: None = self.request("DELETE", self.path("/api/inbox/sms/{}", id), reading="none")
        return answer

    def get_received_sms(self, id: str | int) -> InboxText:
        """One received text, as it is now."""
        answer: InboxText = self.request("GET", self.path("/api/inbox/sms/{}", id), reading="json")
        return answer

    def delete_voicemail(self, id: str | int) -> None:
        """Delete a voicemail, its audio, its transcript and the trace of its call."""
        answer: None = self.request("DELETE", self.path("/api/inbox/voicemails/{}", id), reading="none")
        return answer

    def get_inbox(self) -> list[GetInboxAnswerItem]:
        """How much was received."""
        answer: list[GetInboxAnswerItem] = self.request("GET", "/api/inbox", reading="json")
        return answer

    def get_newest(self, feed: str | int, *, limit: int | None = None, before: int | None = None) -> GetNewestAnswer:
        """The newest items of a feed; of faxes also the calls that brought no page."""
        answer: GetNewestAnswer = self.request("GET", self.path("/api/inbox/newest/{}", feed), reading="json", query={"limit": limit, "before": before})
        return answer

    def get_received_media(self, id: str | int) -> bytes:
        """A picture or another file of a received text."""
        answer: bytes = self.request("GET", self.path("/api/inbox/sms/media/{}", id), reading="bytes")
        return answer

    def lookup_caller(self, phone_number: str | int, *, call_id: str | None = None, extension: str | None = None) -> Lookup:
        """Who has this number."""
        answer: Lookup = self.request("GET", self.path("/api/pbx/lookup/caller/{}", phone_number), reading="json", query={"callId": call_id, "extension": extension})
        return answer

    def lookup_caller_enhanced(self, phone_number: str | int, *, call_id: str | None = None, extension: str | None = None) -> EnhancedLookup:
        """Who has this number, with their last calls."""
        answer: EnhancedLookup = self.request("GET", self.path("/api/pbx/lookup/enhanced/{}", phone_number), reading="json", query={"callId": call_id, "extension": extension})
        return answer

    def get_screen_pop(self, phone_number: str | int, *, call_id: str | None = None, extension: str | None = None) -> ScreenPop:
        """The card of the customer with this number."""
        answer: ScreenPop = self.request("GET", self.path("/api/pbx/screen-pop/{}", phone_number), reading="json", query={"callId": call_id, "extension": extension})
        return answer

    def import_parties(self, body: dict[str, Any] | bytes | None = None, *, mode: Literal["merge", "replace"] | None = None, dry_run: bool | None = None, idempotency_key: str | None = None, content_type: str | None = None) -> ImportPartiesAnswer:
        """Import parties."""
        answer: ImportPartiesAnswer = self.request("POST", "/api/pbx/import/pbx-export", reading="json", body=body, content_type=content_type, query={"mode": mode, "dryRun": dry_run}, idempotency_key=idempotency_key)
        return answer

    def name_number(self, phone_number: str | int, body: TypedName, *, idempotency_key: str | None = None) -> NameNumberAnswer:
        """Give a number a name."""
        answer: NameNumberAnswer = self.request("POST", self.path("/api/crm/names/{}", phone_number), reading="json", body=body, idempotency_key=idempotency_key)
        return answer

    def start_call(self, body: StartCallRequest, *, idempotency_key: str | None = None) -> CallRecord:
        """Click-to-dial, from an extension."""
        answer: CallRecord = self.request("POST", "/api/pbx/calls/start", reading="json", body=body, idempotency_key=idempotency_key)
        return answer

    def start_crm_call(self, body: StartCrmCallRequest, *, idempotency_key: str | None = None) -> CallRecord:
        """Click-to-dial, from a user of the CRM to a customer."""
        answer: CallRecord = self.request("POST", "/api/pbx/calls/start/crm", reading="json", body=body, idempotency_key=idempotency_key)
        return answer

    def get_user_of_extension(self, extension: str | int) -> ExtensionUser:
        """Who sits at an extension."""
        answer: ExtensionUser = self.request("GET", self.path("/api/pbx/users/extension/{}", extension), reading="json")
        return answer

    def find_parties(self, *, q: str | None = None, limit: int | None = None) -> PartyList:
        """Find parties of the directory."""
        answer: PartyList = self.request("GET", "/api/crm/parties", reading="json", query={"q": q, "limit": limit})
        return answer

    def list_proposed_names(self) -> list[ProposedName]:
        """Names that are proposed to the CRM, until it has answered."""
        answer: list[ProposedName] = self.request("GET", "/api/crm/names", reading="json")
        return answer

    def stream_call_events(self, *, extension: str | None = None) -> Iterator[ServerSent]:
        """What happens to calls, as it happens."""
        answer: Iterator[ServerSent] = self.request("GET", "/api/pbx/events", reading="events", query={"extension": extension})
        return answer

    def get_sync_status(self) -> SyncStatus:
        """How it stands between the box and the CRM."""
        answer: SyncStatus = self.request("GET", "/api/pbx/sync/status", reading="json")
        return answer

    def get_integration_analytics(self, *, from_: str | None = None, to: str | None = None, bucket: Literal["hour", "day"] | None = None) -> IntegrationAnalytics:
        """Figures of the integration."""
        answer: IntegrationAnalytics = self.request("GET", "/api/pbx/analytics/integration", reading="json", query={"from": from_, "to": to, "bucket": bucket})
        return answer

    def enable_integration(self, body: IntegrationSwitch | None = None, *, idempotency_key: str | None = None) -> Integration:
        """Switch the integration on."""
        answer: Integration = self.request("POST", "/api/pbx/integration/enable", reading="json", body=body, idempotency_key=idempotency_key)
        return answer

    def disable_integration(self, body: IntegrationSwitch | None = None, *, idempotency_key: str | None = None) -> Integration:
        """Switch the integration off."""
        answer: Integration = self.request("POST", "/api/pbx/integration/disable", reading="json", body=body, idempotency_key=idempotency_key)
        return answer

    def retry_crm_queue(self, *, idempotency_key: str | None = None) -> RetryCrmQueueAnswer:
        """Send the items that were given up to the CRM again."""
        answer: RetryCrmQueueAnswer = self.request("POST", "/api/crm/queue/retry", reading="json", idempotency_key=idempotency_key)
        return answer

    def sync_customers(self, body: CustomerPage | None = None, *, idempotency_key: str | None = None) -> SyncCustomersAnswer | CustomersAreRead:
        """Read all customers from the CRM, or send them page by page."""
        answer: SyncCustomersAnswer | CustomersAreRead = self.request("POST", "/api/pbx/sync/full", reading="json", body=body, idempotency_key=idempotency_key)
        return answer

    def sync_customer(self, id: str | int, body: Customer | None = None, *, idempotency_key: str | None = None) -> SyncCustomerAnswer:
        """Read one customer from the CRM, or send one."""
        answer: SyncCustomerAnswer = self.request("POST", self.path("/api/pbx/customers/{}/sync", id), reading="json", body=body, idempotency_key=idempotency_key)
        return answer

    def export_call_history(self, *, phone_number: str | None = None, extension: str | None = None, customer_id: str | None = None, q: str | None = None, queue: str | None = None, returned: bool | None = None, direction: Literal["inbound", "outbound", "internal"] | None = None, outcome: CallOutcome | None = None, from_: str | None = None, to: str | None = None) -> str:
        """Ended calls as a table (CSV), newest first."""
        answer: str = self.request("GET", "/api/calls/history.csv", reading="text", query={"phoneNumber": phone_number, "extension": extension, "customerId": customer_id, "q": q, "queue": queue, "returned": returned, "direction": direction, "outcome": outcome, "from": from_, "to": to})
        return answer

    def list_call_history(self, *, phone_number: str | None = None, extension: str | None = None, customer_id: str | None = None, q: str | None = None, queue: str | None = None, returned: bool | None = None, direction: Literal["inbound", "outbound", "internal"] | None = None, outcome: CallOutcome | None = None, from_: str | None = None, to: str | None = None, since: int | None = None, before: int | None = None, limit: int | None = None, order: Union[Literal["asc"], Literal["desc"]] | None = None) -> ListCallHistoryAnswer:
        """Ended calls."""
        answer: ListCallHistoryAnswer = self.request("GET", "/api/pbx/calls/history", reading="json", query={"phoneNumber": phone_number, "extension": extension, "customerId": customer_id, "q": q, "queue": queue, "returned": returned, "direction": direction, "outcome": outcome, "from": from_, "to": to, "since": since, "before": before, "limit": limit, "order": order})
        return answer

    def get_call_record(self, call_id: str | int) -> CallRecord:
        """One ended call, with the way it took."""
        answer: CallRecord = self.request("GET", self.path("/api/pbx/calls/{}", call_id), reading="json")
        return answer

    def list_active_calls(self, *, extension: str | None = None) -> ListActiveCallsAnswer:
        """Calls that live."""
        answer: ListActiveCallsAnswer = self.request("GET", "/api/pbx/calls/active", reading="json", query={"extension": extension})
        return answer

    def record_answer(self, call_id: str | int, body: CallAnswerRequest) -> CallRecord:
        """Say who took a call."""
        answer: CallRecord = self.request("PATCH", self.path("/api/pbx/calls/{}/answer", call_id), reading="json", body=body)
        return answer

    def record_end(self, call_id: str | int, body: CallEndRequest) -> CallRecord:
        """Record that a call has ended."""
        answer: CallRecord = self.request("PATCH", self.path("/api/pbx/calls/{}/end", call_id), reading="json", body=body)
        return answer

    def hang_up_call(self, call_id: str | int, *, idempotency_key: str | None = None) -> CallRecord:
        """End a call."""
        answer: CallRecord = self.request("POST", self.path("/api/pbx/calls/{}/end", call_id), reading="json", idempotency_key=idempotency_key)
        return answer

    def log_call(self, body: CallLogRequest, *, idempotency_key: str | None = None) -> LogCallAnswer:
        """Write an ended call into the history."""
        answer: LogCallAnswer = self.request("POST", "/api/pbx/calls/log", reading="json", body=body, idempotency_key=idempotency_key)
        return answer

    def add_call_notes(self, call_id: str | int, body: NotesRequest, *, idempotency_key: str | None = None) -> AddCallNotesAnswer:
        """Write notes for a call."""
        answer: AddCallNotesAnswer = self.request("POST", self.path("/api/pbx/calls/{}/notes", call_id), reading="json", body=body, idempotency_key=idempotency_key)
        return answer

    def take_call(self, call_id: str | int, body: TakeCallRequest | None = None, *, idempotency_key: str | None = None) -> CallRecord:
        """Take a call that rings or waits."""
        answer: CallRecord = self.request("POST", self.path("/api/pbx/calls/{}/take", call_id), reading="json", body=body, idempotency_key=idempotency_key)
        return answer

    def move_call(self, call_id: str | int, body: MoveCallRequest, *, idempotency_key: str | None = None) -> CallRecord:
        """Send a call on."""
        answer: CallRecord = self.request("POST", self.path("/api/pbx/calls/{}/move", call_id), reading="json", body=body, idempotency_key=idempotency_key)
        return answer

    def park_call(self, call_id: str | int, *, idempotency_key: str | None = None) -> CallRecord:
        """Park a call in a free slot."""
        answer: CallRecord = self.request("POST", self.path("/api/pbx/calls/{}/park", call_id), reading="json", idempotency_key=idempotency_key)
        return answer

    def list_parking(self) -> list[ParkingSlot]:
        """The parking slots, and who waits in each."""
        answer: list[ParkingSlot] = self.request("GET", "/api/parking", reading="json")
        return answer

    def explain_call(self, *, to: str, from_: str | None = None, at: str | None = None) -> list[WhereStep]:
        """Where a call would go, step by step; none is made."""
        answer: list[WhereStep] = self.request("GET", "/api/where", reading="json", query={"to": to, "from": from_, "at": at})
        return answer

    def list_queues(self) -> list[CallQueue]:
        """The queues, who waits in them and who takes their calls."""
        answer: list[CallQueue] = self.request("GET", "/api/queues", reading="json")
        return answer

    def get_queue(self, id: str | int, *, day: str | None = None) -> CallQueue:
        """One queue, with the figures of a day."""
        answer: CallQueue = self.request("GET", self.path("/api/queues/{}", id), reading="json", query={"day": day})
        return answer

    def change_queue_member(self, id: str | int, extension: str | int, body: QueueMemberRequest, *, idempotency_key: str | None = None) -> CallQueue:
        """Log a member in or out, pause or resume it."""
        answer: CallQueue = self.request("POST", self.path("/api/queues/{}/members/{}", id, extension), reading="json", body=body, idempotency_key=idempotency_key)
        return answer

    def invite_wall(self, *, idempotency_key: str | None = None) -> WallCode:
        """A code by which a screen on the wall shows the queues."""
        answer: WallCode = self.request("POST", "/api/wall/code", reading="json", idempotency_key=idempotency_key)
        return answer

    def list_walls(self) -> list[WallSession]:
        """Screens on the wall that show the queues."""
        answer: list[WallSession] = self.request("GET", "/api/wall/sessions", reading="json")
        return answer

    def end_walls(self) -> EndWallsAnswer:
        """End all screens on the wall, and the codes for others."""
        answer: EndWallsAnswer = self.request("DELETE", "/api/wall/sessions", reading="json")
        return answer

    def end_wall(self, wall_id: str | int) -> None:
        """End one screen on the wall."""
        answer: None = self.request("DELETE", self.path("/api/wall/sessions/{}", wall_id), reading="none")
        return answer

    def list_extensions(self) -> list[Extension]:
        """The extensions, with do not disturb and forwards."""
        answer: list[Extension] = self.request("GET", "/api/extensions", reading="json")
        return answer

    def change_extension(self, number: str | int, body: ExtensionChange, *, idempotency_key: str | None = None) -> Extension:
        """Set do not disturb and forwards of an extension."""
        answer: Extension = self.request("POST", self.path("/api/extensions/{}", number), reading="json", body=body, idempotency_key=idempotency_key)
        return answer

    def list_lamps(self) -> list[Lamp]:
        """What lamps show of the extensions and mailboxes."""
        answer: list[Lamp] = self.request("GET", "/api/lamps", reading="json")
        return answer

    def list_hours(self) -> list[HoursState]:
        """What is open now, and until when."""
        answer: list[HoursState] = self.request("GET", "/api/hours", reading="json")
        return answer

    def set_hours(self, id: str | int, body: HoursChange, *, idempotency_key: str | None = None) -> HoursState:
        """Open or close by hand, or let the calendar decide again."""
        answer: HoursState = self.request("POST", self.path("/api/hours/{}", id), reading="json", body=body, idempotency_key=idempotency_key)
        return answer

    def get_opening_times(self, id: str | int) -> OpeningTimesState:
        """The opening times of the week, holidays, and days with other times."""
        answer: OpeningTimesState = self.request("GET", self.path("/api/hours/{}/times", id), reading="json")
        return answer

    def set_opening_times(self, id: str | int, body: OpeningTimesChange) -> OpeningTimesState:
        """Change opening times and holidays."""
        answer: OpeningTimesState = self.request("PUT", self.path("/api/hours/{}/times", id), reading="json", body=body)
        return answer

    def get_desk(self) -> Desk:
        """All that the page of the desk shows at first."""
        answer: Desk = self.request("GET", "/api/desk", reading="json")
        return answer

    def search_house(self, *, q: str) -> SearchResult:
        """Find people, colleagues, calls and work by name, number or extension."""
        answer: SearchResult = self.request("GET", "/api/search", reading="json", query={"q": q})
        return answer

    def list_work(self, *, state: Literal["open", "done"] | None = None, kind: Literal["missed", "callback", "voicemail", "fax", "text"] | None = None, owner: str | None = None, limit: int | None = None, cursor: str | None = None) -> ListWorkAnswer:
        """What is to be done: missed calls, callbacks, voicemail, faxes and texts."""
        answer: ListWorkAnswer = self.request("GET", "/api/work", reading="json", query={"state": state, "kind": kind, "owner": owner, "limit": limit, "cursor": cursor})
        return answer

    def list_work_people(self) -> list[WorkTaker]:
        """Who may look after something: people of the desk and managers."""
        answer: list[WorkTaker] = self.request("GET", "/api/work/people", reading="json")
        return answer

    def change_work(self, kind: str | int, id: str | int, body: WorkChange) -> WorkItem:
        """Say that something is done, who looks after it, or a note."""
        answer: WorkItem = self.request("PATCH", self.path("/api/work/{}/{}", kind, id), reading="json", body=body)
        return answer

    def stream_live(self, *, topics: str | None = None, last_id: str | None = None) -> Iterator[ServerSent]:
        """What changes in the house, as it changes."""
        answer: Iterator[ServerSent] = self.request("GET", "/api/live", reading="events", query={"topics": topics, "lastId": last_id})
        return answer

    def test_emergency(self, body: EmergencyTestRequest, *, idempotency_key: str | None = None) -> EmergencyTest:
        """Call the provider's test number and record what it reads back; takes up to two minutes."""
        answer: EmergencyTest = self.request("POST", "/api/emergency/test", reading="json", body=body, idempotency_key=idempotency_key)
        return answer

    def list_emergency_calls(self) -> list[EmergencyCall]:
        """Calls for help that nobody has closed yet, with the place of the phone."""
        answer: list[EmergencyCall] = self.request("GET", "/api/emergency/calls", reading="json")
        return answer

    def close_emergency_call(self, call_id: str | int, *, idempotency_key: str | None = None) -> EmergencyCall:
        """Say that somebody has looked after a call for help: every page stops showing it."""
        answer: EmergencyCall = self.request("POST", self.path("/api/emergency/calls/{}/close", call_id), reading="json", idempotency_key=idempotency_key)
        return answer

    def get_call_figures(self, *, from_: str | None = None, to: str | None = None, bucket: Literal["hour", "day", "week", "month", "all"] | None = None, by: Literal["extension", "weekday-hour"] | None = None) -> CallFigures:
        """Calls by period: answered, missed, returned, talk and waits."""
        answer: CallFigures = self.request("GET", "/api/figures/calls", reading="json", query={"from": from_, "to": to, "bucket": bucket, "by": by})
        return answer

    def get_queue_figures(self, *, from_: str | None = None, to: str | None = None, bucket: Literal["hour", "day", "week", "month", "all"] | None = None, by: Literal["queue", "weekday-hour"] | None = None) -> QueueFigures:
        """Callers of queues by period: answered, left, and waits."""
        answer: QueueFigures = self.request("GET", "/api/figures/queues", reading="json", query={"from": from_, "to": to, "bucket": bucket, "by": by})
        return answer

    def get_fax_figures(self, *, from_: str | None = None, to: str | None = None, bucket: Literal["hour", "day", "week", "month", "all"] | None = None, by: Literal["weekday-hour"] | None = None) -> FaxFigures:
        """Faxes by period: sent, received, and why they failed."""
        answer: FaxFigures = self.request("GET", "/api/figures/faxes", reading="json", query={"from": from_, "to": to, "bucket": bucket, "by": by})
        return answer

    def get_text_figures(self, *, from_: str | None = None, to: str | None = None, bucket: Literal["hour", "day", "week", "month", "all"] | None = None, by: Literal["weekday-hour"] | None = None) -> TextFigures:
        """Texts by period: sent, delivered, failed and received."""
        answer: TextFigures = self.request("GET", "/api/figures/texts", reading="json", query={"from": from_, "to": to, "bucket": bucket, "by": by})
        return answer

    def get_reminder_figures(self, *, from_: str | None = None, to: str | None = None, bucket: Literal["hour", "day", "week", "month", "all"] | None = None, by: Literal["weekday-hour"] | None = None) -> ReminderFigures:
        """Reminders by period and outcome."""
        answer: ReminderFigures = self.request("GET", "/api/figures/reminders", reading="json", query={"from": from_, "to": to, "bucket": bucket, "by": by})
        return answer

    def list_phones(self) -> Phones:
        """Phones that fetch their settings, and strangers that asked for some."""
        answer: Phones = self.request("GET", "/api/phones", reading="json")
        return answer

    def add_phone(self, body: NewPhoneGiven, *, idempotency_key: str | None = None) -> PhoneAwaited:
        """Await a new phone of an extension."""
        answer: PhoneAwaited = self.request("POST", "/api/phones", reading="json", body=body, idempotency_key=idempotency_key)
        return answer

    def await_phone(self, phone: str | int, body: PhoneCodeRequest | None = None, *, idempotency_key: str | None = None) -> PhoneAwaited:
        """Await a phone again, with a new code."""
        answer: PhoneAwaited = self.request("POST", self.path("/api/phones/{}/code", phone), reading="json", body=body, idempotency_key=idempotency_key)
        return answer

    def remove_phone(self, phone: str | int) -> Phone:
        """Give a phone no more settings; it keeps those that it has."""
        answer: Phone = self.request("DELETE", self.path("/api/phones/{}", phone), reading="json")
        return answer

    def get_phone_qr(self, phone: str | int) -> str:
        """The address that an awaited phone fetches its settings from, as a QR code."""
        answer: str = self.request("GET", self.path("/api/phones/{}/qr.svg", phone), reading="text")
        return answer

    def list_people(self) -> list[Person]:
        """People who may use the console."""
        answer: list[Person] = self.request("GET", "/api/people", reading="json")
        return answer

    def create_person(self, body: NewPersonRequest, *, idempotency_key: str | None = None) -> Person:
        """Add a person, who then needs an invitation."""
        answer: Person = self.request("POST", "/api/people", reading="json", body=body, idempotency_key=idempotency_key)
        return answer

    def change_person(self, id: str | int, body: PersonChange) -> Person:
        """Change what a person may, or disable the person."""
        answer: Person = self.request("PATCH", self.path("/api/people/{}", id), reading="json", body=body)
        return answer

    def remove_person(self, id: str | int) -> None:
        """Remove a person and end all sessions of the person."""
        answer: None = self.request("DELETE", self.path("/api/people/{}", id), reading="none")
        return answer

    def invite_person(self, id: str | int, *, idempotency_key: str | None = None) -> Invitation:
        """Make an invitation by which the person sets a password; the one before it is void."""
        answer: Invitation = self.request("POST", self.path("/api/people/{}/invite", id), reading="json", idempotency_key=idempotency_key)
        return answer

    def list_sessions(self, id: str | int) -> list[PersonSession]:
        """Sessions of a person."""
        answer: list[PersonSession] = self.request("GET", self.path("/api/people/{}/sessions", id), reading="json")
        return answer

    def end_session_of(self, id: str | int, sid: str | int) -> None:
        """End a session of a person."""
        answer: None = self.request("DELETE", self.path("/api/people/{}/sessions/{}", id, sid), reading="none")
        return answer

    def get_config_state(self) -> ConfigState:
        """Which configuration is in use, and how far the latest change is."""
        answer: ConfigState = self.request("GET", "/api/config", reading="json")
        return answer

    def check_config(self, body: ConfigCheckRequest, *, idempotency_key: str | None = None) -> ConfigCheck:
        """Check a configuration as the user of the service, and say what it would change."""
        answer: ConfigCheck = self.request("POST", "/api/config/check", reading="json", body=body, idempotency_key=idempotency_key)
        return answer

    def apply_config(self, body: ConfigApplyRequest, *, idempotency_key: str | None = None) -> ConfigUnderWay:
        """Put a configuration to use."""
        answer: ConfigUnderWay = self.request("POST", "/api/config/apply", reading="json", body=body, idempotency_key=idempotency_key)
        return answer

    def confirm_config(self, *, idempotency_key: str | None = None) -> ConfigUnderWay:
        """Let the change stand that waits for it."""
        answer: ConfigUnderWay = self.request("POST", "/api/config/confirm", reading="json", idempotency_key=idempotency_key)
        return answer

    def revert_config(self, body: ConfigRevertRequest, *, idempotency_key: str | None = None) -> ConfigUnderWay:
        """Take back what is under way, or go back to an earlier revision."""
        answer: ConfigUnderWay = self.request("POST", "/api/config/revert", reading="json", body=body, idempotency_key=idempotency_key)
        return answer

    def get_config_text(self, *, revision: str | None = None) -> ConfigText:
        """The text of the configuration, without its secrets."""
        answer: ConfigText = self.request("GET", "/api/config/text", reading="json", query={"revision": revision})
        return answer

    def edit_config_text(self, body: ConfigEditRequest, *, idempotency_key: str | None = None) -> ConfigEdited:
        """Set sections in a text of the configuration, and keep its comments."""
        answer: ConfigEdited = self.request("POST", "/api/config/edit", reading="json", body=body, idempotency_key=idempotency_key)
        return answer

    def list_config_revisions(self) -> list[ConfigRevision]:
        """Configurations that were in use, newest first."""
        answer: list[ConfigRevision] = self.request("GET", "/api/config/revisions", reading="json")
        return answer

    def compare_config(self, *, from_: str | None = None, to: str | None = None) -> list[ConfigChange]:
        """What is otherwise: the file against what is in use, or a revision against another or against what is in use."""
        answer: list[ConfigChange] = self.request("GET", "/api/config/diff", reading="json", query={"from": from_, "to": to})
        return answer

    def get_setup(self) -> SetupState:
        """Whether the box is to be set up, and what was answered so far."""
        answer: SetupState = self.request("GET", "/api/setup", reading="json")
        return answer

    def keep_setup(self, body: SetupDraft) -> None:
        """Keep answers, to go on later."""
        answer: None = self.request("PUT", "/api/setup", reading="none", body=body)
        return answer

    def begin_setup(self, body: SetupRequest, *, idempotency_key: str | None = None) -> SetupBegun:
        """Make the configuration that the answers mean, and put it to use on trial."""
        answer: SetupBegun = self.request("POST", "/api/setup", reading="json", body=body, idempotency_key=idempotency_key)
        return answer

    def find_lines(self, *, idempotency_key: str | None = None) -> list[SetupLine]:
        """Look for modems that no line uses yet."""
        answer: list[SetupLine] = self.request("POST", "/api/setup/lines", reading="json", idempotency_key=idempotency_key)
        return answer

    def list_audit(self, *, since: str | None = None, actor: str | None = None, deed: str | None = None, object: str | None = None, before: int | None = None, limit: int | None = None) -> list[AuditRow]:
        """Deeds, newest first."""
        answer: list[AuditRow] = self.request("GET", "/api/audit", reading="json", query={"since": since, "actor": actor, "deed": deed, "object": object, "before": before, "limit": limit})
        return answer

    def verify_audit(self, *, known: str | None = None) -> AuditVerdict:
        """Look for rows that were changed, removed, put in or moved."""
        answer: AuditVerdict = self.request("GET", "/api/audit/verdict", reading="json", query={"known": known})
        return answer

    def export_audit(self, *, since: str | None = None, actor: str | None = None, deed: str | None = None, object: str | None = None, idempotency_key: str | None = None) -> Iterator[AuditRow]:
        """All that fits, oldest first."""
        answer: Iterator[AuditRow] = self.request("POST", "/api/audit/export", reading="lines", query={"since": since, "actor": actor, "deed": deed, "object": object}, idempotency_key=idempotency_key)
        return answer

    def list_tokens(self) -> list[Token]:
        """Names, scopes, restrictions, last use and end."""
        answer: list[Token] = self.request("GET", "/api/tokens", reading="json")
        return answer

    def create_token(self, body: NewTokenRequest, *, idempotency_key: str | None = None) -> CreateTokenAnswer:
        """Make a token."""
        answer: CreateTokenAnswer = self.request("POST", "/api/tokens", reading="json", body=body, idempotency_key=idempotency_key)
        return answer

    def revoke_token(self, name: str | int) -> RevokeTokenAnswer:
        """End a token."""
        answer: RevokeTokenAnswer = self.request("DELETE", self.path("/api/tokens/{}", name), reading="json")
        return answer

    def list_limits(self) -> list[Limit]:
        """What the box and each token used of the day."""
        answer: list[Limit] = self.request("GET", "/api/limits", reading="json")
        return answer

    def reset_limits(self, body: LimitResetRequest, *, idempotency_key: str | None = None) -> list[Limit]:
        """Set the counts of today to zero, for one token or for all."""
        answer: list[Limit] = self.request("POST", "/api/limits/reset", reading="json", body=body, idempotency_key=idempotency_key)
        return answer

    def list_modems(self) -> list[Modem]:
        """The modem lines."""
        answer: list[Modem] = self.request("GET", "/api/modems", reading="json")
        return answer

    def test_modem(self, id: str | int, body: ModemTestRequest | None = None, *, idempotency_key: str | None = None) -> ModemTest:
        """Try a modem line out; takes some seconds."""
        answer: ModemTest = self.request("POST", self.path("/api/modems/{}/test", id), reading="json", body=body, idempotency_key=idempotency_key)
        return answer

    def trace_modem(self, id: str | int, *, idempotency_key: str | None = None) -> Iterator[ModemTraceLine]:
        """Every command to a modem and every answer, as they happen."""
        answer: Iterator[ModemTraceLine] = self.request("POST", self.path("/api/modems/{}/trace", id), reading="lines", idempotency_key=idempotency_key)
        return answer

    def get_speech(self) -> Speech:
        """Who hears and who speaks, and why."""
        answer: Speech = self.request("GET", "/api/speech", reading="json")
        return answer

    def reload_speech(self, *, idempotency_key: str | None = None) -> Speech:
        """Look at the installed models again, without a restart."""
        answer: Speech = self.request("POST", "/api/speech/reload", reading="json", idempotency_key=idempotency_key)
        return answer

    def say(self, body: SayRequest, *, idempotency_key: str | None = None) -> Said:
        """Speak a text, as a caller would hear it."""
        answer: Said = self.request("POST", "/api/speech/say", reading="json", body=body, idempotency_key=idempotency_key)
        return answer

    def get_alarms(self) -> Alarms:
        """The alarm rules, and the alarms that are open or were sent."""
        answer: Alarms = self.request("GET", "/api/alarms", reading="json")
        return answer

    def test_alarms(self, body: AlarmTestRequest, *, idempotency_key: str | None = None) -> AlarmTest:
        """Send a test message to everyone named in a rule, or in all rules."""
        answer: AlarmTest = self.request("POST", "/api/alarms/test", reading="json", body=body, idempotency_key=idempotency_key)
        return answer

    def acknowledge_alarms(self, body: AcknowledgeRequest, *, idempotency_key: str | None = None) -> AcknowledgeAlarmsAnswer:
        """Acknowledge an event, or all open ones: no reminders until they clear."""
        answer: AcknowledgeAlarmsAnswer = self.request("POST", "/api/alarms/acknowledge", reading="json", body=body, idempotency_key=idempotency_key)
        return answer

    def run_backup(self, *, idempotency_key: str | None = None) -> Iterator[BackupStep]:
        """Have a backup made now, and say how it goes."""
        answer: Iterator[BackupStep] = self.request("POST", "/api/backup/run", reading="lines", idempotency_key=idempotency_key)
        return answer

    def get_backups(self) -> Backups:
        """How the last backups ended."""
        answer: Backups = self.request("GET", "/api/backup", reading="json")
        return answer

    def get_support_bundle(self) -> bytes:
        """State, events, checks and configuration in one file for support, without patients’ data and secrets."""
        answer: bytes = self.request("GET", "/api/support-bundle", reading="bytes")
        return answer

    def list_box_events(self, *, limit: int | None = None, cursor: str | None = None, kind: Literal["line", "part", "warning", "disk", "clock", "update", "login", "daemon"] | None = None, code: str | None = None, lasting: bool | None = None) -> BoxEventPage:
        """What changed at the box itself: lines, parts, warnings, disk, clock, updates, logins."""
        answer: BoxEventPage = self.request("GET", "/api/box/events", reading="json", query={"limit": limit, "cursor": cursor, "kind": kind, "code": code, "lasting": lasting})
        return answer

    def follow_box_events(self, *, idempotency_key: str | None = None) -> Iterator[BoxEvent]:
        """The same as they happen."""
        answer: Iterator[BoxEvent] = self.request("POST", "/api/box/events/follow", reading="lines", idempotency_key=idempotency_key)
        return answer

    def get_status(self) -> Status:
        """Parts, lines, calls, queues, disk, clock, and each warning with its fix."""
        answer: Status = self.request("GET", "/api/status", reading="json")
        return answer

    def list_lines(self) -> list[Line]:
        """Trunks, phones and modem lines, each with its state and the reason."""
        answer: list[Line] = self.request("GET", "/api/lines", reading="json")
        return answer

    def list_bans(self) -> list[Ban]:
        """Addresses that are ignored after wrong passwords, the latest first."""
        answer: list[Ban] = self.request("GET", "/api/bans", reading="json")
        return answer

    def lift_ban(self, address: str | int) -> LiftBanAnswer:
        """Let an address register again."""
        answer: LiftBanAnswer = self.request("DELETE", self.path("/api/bans/{}", address), reading="json")
        return answer

    def get_doctor(self) -> list[Check]:
        """What is wrong with this machine, and how to repair it."""
        answer: list[Check] = self.request("GET", "/api/doctor", reading="json")
        return answer

    def get_box_health(self) -> Health:
        """How the box is: a verdict, what lasts and its remedy, lines with seven days, disk, backup, certificate, version."""
        answer: Health = self.request("GET", "/api/health", reading="json")
        return answer

    def get_line_history(self, *, days: int | None = None) -> list[LineHistory]:
        """When each line was down."""
        answer: list[LineHistory] = self.request("GET", "/api/lines/history", reading="json", query={"days": days})
        return answer

    def get_upgrade(self) -> Upgrade:
        """The version that runs, and how the last upgrade ended."""
        answer: Upgrade = self.request("GET", "/api/upgrade", reading="json")
        return answer

    def test_line(self, id: str | int, *, idempotency_key: str | None = None) -> Iterator[TestStep]:
        """Try a line out, step by step."""
        answer: Iterator[TestStep] = self.request("POST", self.path("/api/lines/{}/test", id), reading="lines", idempotency_key=idempotency_key)
        return answer

    def test_everything(self, *, idempotency_key: str | None = None) -> Iterator[TestStep]:
        """Try everything that the box can try by itself, and name what needs a person."""
        answer: Iterator[TestStep] = self.request("POST", "/api/test", reading="lines", idempotency_key=idempotency_key)
        return answer

    def get_readiness(self) -> Readiness:
        """Whether the daemon is ready, by part."""
        answer: Readiness = self.request("GET", "/readyz", reading="json")
        return answer

    def get_metrics(self) -> str:
        """Figures for Prometheus."""
        answer: str = self.request("GET", "/metrics", reading="text")
        return answer

    def list_mailboxes(self) -> list[MailboxCounts]:
        """The mailboxes, and how many messages are in them."""
        answer: list[MailboxCounts] = self.request("GET", "/api/mailboxes", reading="json")
        return answer

    def list_messages(self, ext: str | int) -> list[MailboxMessage]:
        """The messages of a mailbox."""
        answer: list[MailboxMessage] = self.request("GET", self.path("/api/mailboxes/{}", ext), reading="json")
        return answer

    def unlock_mailbox(self, ext: str | int) -> UnlockMailboxAnswer:
        """Let a mailbox that wrong PINs have locked be opened again."""
        answer: UnlockMailboxAnswer = self.request("DELETE", self.path("/api/mailboxes/{}/lock", ext), reading="json")
        return answer

    def mark_message(self, ext: str | int, id: str | int, body: MailboxMark, *, idempotency_key: str | None = None) -> list[MailboxMessage]:
        """Mark a message as heard, or as new again: the message lamp follows."""
        answer: list[MailboxMessage] = self.request("POST", self.path("/api/mailboxes/{}/{}", ext, id), reading="json", body=body, idempotency_key=idempotency_key)
        return answer

    def forward_message(self, ext: str | int, id: str | int, body: MailboxForward, *, idempotency_key: str | None = None) -> ForwardMessageAnswer:
        """Bring a copy of a message into another mailbox."""
        answer: ForwardMessageAnswer = self.request("POST", self.path("/api/mailboxes/{}/{}/forward", ext, id), reading="json", body=body, idempotency_key=idempotency_key)
        return answer

    def get_voicemail_peaks(self, id: str | int) -> Peaks:
        """How loud a voicemail is along its time, and about when each word is spoken."""
        answer: Peaks = self.request("GET", self.path("/api/inbox/voicemails/{}/peaks", id), reading="json")
        return answer

    def list_callbacks(self, *, state: Literal["pending", "dead", "delivered"] | None = None, limit: int | None = None) -> list[Callback]:
        """List callbacks, newest first."""
        answer: list[Callback] = self.request("GET", "/api/callbacks", reading="json", query={"state": state, "limit": limit})
        return answer

    def get_callback(self, event_id: str | int) -> CallbackDetail:
        """One callback with its body."""
        answer: CallbackDetail = self.request("GET", self.path("/api/callbacks/{}", event_id), reading="json")
        return answer

    def retry_callback(self, event_id: str | int, *, idempotency_key: str | None = None) -> RetryCallbackAnswer:
        """Send a callback again now."""
        answer: RetryCallbackAnswer = self.request("POST", self.path("/api/callbacks/{}/retry", event_id), reading="json", idempotency_key=idempotency_key)
        return answer
