/** Written by `npm run generate` from the schemas of the box. */
import type { AcknowledgeAlarmsAnswer, AcknowledgeRequest, AddCallNotesAnswer, AlarmTest, AlarmTestRequest, Alarms, Application, AuditRow, AuditVerdict, BackupStep, Backups, Ban, BoxEvent, BoxEventPage, Call, CallAction, CallAnswerRequest, CallEndRequest, CallFigures, CallLogRequest, CallOutcome, CallQueue, CallRecord, CallTrace, Callback, CallbackDetail, Check, ConfigApplyRequest, ConfigChange, ConfigCheck, ConfigCheckRequest, ConfigEditRequest, ConfigEdited, ConfigRevertRequest, ConfigRevision, ConfigState, ConfigText, ConfigUnderWay, CreateTokenAnswer, Customer, CustomerPage, CustomersAreRead, Desk, EmergencyCall, EmergencyTest, EmergencyTestRequest, EndWallsAnswer, EnhancedLookup, Extension, ExtensionChange, ExtensionUser, Fax, FaxAccepted, FaxAgainRequest, FaxFigures, FaxNumber, FaxPreview, FaxPreviewRequest, FaxRequest, FaxStatus, FaxSummary, ForwardMessageAnswer, GetConversationAnswer, GetInboxAnswerItem, GetNewestAnswer, Health, HoursChange, HoursState, ImportPartiesAnswer, InboxText, Integration, IntegrationAnalytics, IntegrationSwitch, Invitation, Lamp, LiftBanAnswer, Limit, LimitResetRequest, Line, LineHistory, ListActiveCallsAnswer, ListCallHistoryAnswer, ListCallsAnswer, ListConversationsAnswer, ListEmailsAnswer, ListFaxesAnswer, ListOptOutsAnswerItem, ListReceivedFaxesAnswer, ListReceivedSmsAnswer, ListRemindersAnswer, ListSmsAnswer, ListVoicemailsAnswer, ListWorkAnswer, LogCallAnswer, Lookup, Mail, MailAnswer, MailRequest, MailTest, MailTestRequest, MailboxCounts, MailboxForward, MailboxMark, MailboxMessage, Message, MessageAnswer, MessageRequest, MessageStatus, MessageTrunk, Modem, ModemTest, ModemTestRequest, ModemTraceLine, MoveCallRequest, NameNumberAnswer, NewPersonRequest, NewPhoneGiven, NewTokenRequest, NotesRequest, OpeningTimesChange, OpeningTimesState, OriginateCallAnswer, OriginateRequest, ParkingSlot, PartyList, Peaks, Person, PersonChange, PersonSession, Phone, PhoneAwaited, PhoneCodeRequest, Phones, ProposedName, QueueFigures, QueueMemberRequest, Readiness, Recording, Reminder, ReminderAnswer, ReminderCalling, ReminderFigures, ReminderStatus, RemoveFromStopListAnswer, RemoveOptOutAnswer, RemoveOptOutRequest, RetryCallbackAnswer, RetryCrmQueueAnswer, RevokeTokenAnswer, Said, SayRequest, ScheduleRemindersRequest, ScreenPop, SearchResult, SetupBegun, SetupDraft, SetupLine, SetupRequest, SetupState, SimulateEvent, SimulateRequest, Speech, StartCallRequest, StartCrmCallRequest, Status, Suppressed, SyncCustomerAnswer, SyncCustomersAnswer, SyncStatus, TakeCallRequest, TestStep, TextFigures, Token, TypedName, UnlockMailboxAnswer, Upgrade, ValidateRequest, Validation, WallCode, WallSession, WhereStep, WorkChange, WorkItem, WorkTaker } from './schemas.ts'

export interface RequestOptions {
  /** Repeats of a request with the same key have no second effect within 24 hours. Each POST has one of its own. */
  readonly idempotencyKey?: string
  readonly signal?: AbortSignal
  /** Of a body that is neither JSON nor an object, such as text/csv. */
  readonly contentType?: string
}

export interface ServerSent {
  readonly id: string
  readonly event: string
  readonly data: unknown
}

/** The routes of the box that an access token opens. */
export interface Operations {
  /** A simulated call from outside, reported as it happens. */ simulateCall(body: SimulateRequest, options?: RequestOptions): AsyncGenerator<SimulateEvent, void, void>
  /** Place a call that an application drives. */ originateCall(body: OriginateRequest, options?: RequestOptions): Promise<OriginateCallAnswer>
  /** List calls, newest first. */ listCalls(query?: { readonly state?: 'live' | 'ended' | 'all'; readonly limit?: number; readonly cursor?: string }, options?: RequestOptions): Promise<ListCallsAnswer>
  /** One call, live or ended. */ getCall(callId: string | number, options?: RequestOptions): Promise<Call>
  /** Give a live call another document, redirect it, or end it. */ changeCall(callId: string | number, body: CallAction, options?: RequestOptions): Promise<Call>
  /** Every event, document, key and prompt of a call, with its time. */ traceCall(callId: string | number, options?: RequestOptions): Promise<CallTrace>
  /** Delete the trace of a call that has ended, with its params and the name of its caller. */ deleteTrace(callId: string | number, options?: RequestOptions): Promise<void>
  /** Check a control document without a call. */ validateDocument(body: ValidateRequest, options?: RequestOptions): Promise<Validation>
  /** Applications that drive calls, with their circuit and the last fault. */ listApplications(options?: RequestOptions): Promise<readonly (Application)[]>
  /** List recordings, newest first. */ listRecordings(query?: { readonly limit?: number }, options?: RequestOptions): Promise<readonly (Recording)[]>
  /** The audio of a recording (WAV, 8 kHz mono). */ getRecording(recording: string | number, options?: RequestOptions): Promise<Uint8Array<ArrayBuffer>>
  /** Delete a recording, its transcript and the trace of its call. */ deleteRecording(recording: string | number, options?: RequestOptions): Promise<void>
  /** How loud a recording is along its time, and about when each word is spoken. */ getRecordingPeaks(recording: string | number, options?: RequestOptions): Promise<Peaks>
  /** Send a PDF as a fax. */ sendFax(body: FaxRequest, options?: RequestOptions): Promise<FaxAccepted>
  /** List faxes, newest first. */ listFaxes(query?: { readonly state?: FaxStatus; readonly limit?: number; readonly cursor?: string }, options?: RequestOptions): Promise<ListFaxesAnswer>
  /** One fax, with the calls made for it. */ getFax(faxId: string | number, options?: RequestOptions): Promise<Fax>
  /** Cancel a fax that is not finished, or delete one that is. */ cancelFax(faxId: string | number, options?: RequestOptions): Promise<Fax>
  /** Send a fax that waits for its next try, or for its hour, now; send an ended fax again, as a new fax, perhaps to another number. */ retryFax(faxId: string | number, body?: FaxAgainRequest, options?: RequestOptions): Promise<FaxSummary>
  /** Cancel a fax that has not ended; an ended fax stays as it is. */ giveUpFax(faxId: string | number, options?: RequestOptions): Promise<Fax>
  /** A page of a fax that is sent, as it goes or went. */ getFaxPage(faxId: string | number, n: string | number, query?: { readonly width?: number }, options?: RequestOptions): Promise<Uint8Array<ArrayBuffer>>
  /** A page of a received fax. */ getReceivedFaxPage(id: string | number, n: string | number, query?: { readonly width?: number }, options?: RequestOptions): Promise<Uint8Array<ArrayBuffer>>
  /** Draw a fax as the far end will print it, before it is sent. */ previewFax(body: FaxPreviewRequest, options?: RequestOptions): Promise<FaxPreview>
  /** A preview again. */ getFaxPreview(previewId: string | number, options?: RequestOptions): Promise<FaxPreview>
  /** A page of a preview. */ getFaxPreviewPage(previewId: string | number, n: string | number, query?: { readonly width?: number }, options?: RequestOptions): Promise<Uint8Array<ArrayBuffer>>
  /** The receipt of a fax, to file: numbers, station, times, result, and the first page small. */ getFaxReceipt(faxId: string | number, options?: RequestOptions): Promise<Uint8Array<ArrayBuffer>>
  /** What is known of a number to fax to. */ getFaxNumber(number: string | number, options?: RequestOptions): Promise<FaxNumber>
  /** Send a mail. */ sendEmail(body: MailRequest, options?: RequestOptions): Promise<MailAnswer>
  /** List mails, newest first. */ listEmails(query?: { readonly limit?: number; readonly cursor?: string }, options?: RequestOptions): Promise<ListEmailsAnswer>
  /** What became of a mail. */ getEmail(mailId: string | number, options?: RequestOptions): Promise<Mail>
  /** Delete a mail. */ deleteEmail(mailId: string | number, options?: RequestOptions): Promise<void>
  /** Connect to the mail server and log in; with an address, send a mail there too. */ testEmail(body: MailTestRequest, options?: RequestOptions): Promise<MailTest>
  /** Send a text message. */ sendSms(body: MessageRequest, options?: RequestOptions): Promise<MessageAnswer>
  /** List texts, newest first. */ listSms(query?: { readonly state?: MessageStatus; readonly limit?: number; readonly cursor?: string }, options?: RequestOptions): Promise<ListSmsAnswer>
  /** One text. */ getSms(messageId: string | number, options?: RequestOptions): Promise<Message>
  /** Delete a text. */ deleteSms(messageId: string | number, options?: RequestOptions): Promise<void>
  /** What carries texts, and how it is. */ listSmsTrunks(options?: RequestOptions): Promise<readonly (MessageTrunk)[]>
  /** Numbers that asked not to be texted. */ getStopList(options?: RequestOptions): Promise<readonly (Suppressed)[]>
  /** Text a number no more. */ addToStopList(number: string | number, options?: RequestOptions): Promise<Suppressed>
  /** A number may be texted again. */ removeFromStopList(number: string | number, options?: RequestOptions): Promise<RemoveFromStopListAnswer>
  /** Conversations by text, the one with the newest text first. */ listConversations(query?: { readonly limit?: number; readonly before?: number }, options?: RequestOptions): Promise<ListConversationsAnswer>
  /** Texts from and to one number, newest first. */ getConversation(number: string | number, query?: { readonly limit?: number; readonly before?: number }, options?: RequestOptions): Promise<GetConversationAnswer>
  /** Remind people of appointments by a call. */ scheduleReminders(body: ScheduleRemindersRequest, options?: RequestOptions): Promise<ReminderAnswer>
  /** List reminders: of a day in the order of its appointments, otherwise newest first. */ listReminders(query?: { readonly day?: string; readonly status?: ReminderStatus; readonly limit?: number; readonly cursor?: string }, options?: RequestOptions): Promise<ListRemindersAnswer>
  /** One reminder. */ getReminder(reminderId: string | number, options?: RequestOptions): Promise<Reminder>
  /** Cancel a reminder, or delete an ended one. */ cancelReminder(reminderId: string | number, options?: RequestOptions): Promise<Reminder>
  /** Call as soon as a line is free. */ callReminderNow(reminderId: string | number, options?: RequestOptions): Promise<Reminder>
  /** Cancel a reminder that has not ended; an ended one stays as it is. */ takeBackReminder(reminderId: string | number, options?: RequestOptions): Promise<Reminder>
  /** Whether reminder calls are made now, and what is missing. */ getReminderCalling(options?: RequestOptions): Promise<ReminderCalling>
  /** Numbers that asked not to be called with reminders. */ listOptOuts(options?: RequestOptions): Promise<readonly (ListOptOutsAnswerItem)[]>
  /** A number may be called again. */ removeOptOut(number: string | number, body?: RemoveOptOutRequest, options?: RequestOptions): Promise<RemoveOptOutAnswer>
  /** Received faxes. */ listReceivedFaxes(query?: { readonly since?: number; readonly limit?: number; readonly box?: string }, options?: RequestOptions): Promise<ListReceivedFaxesAnswer>
  /** Received text messages. */ listReceivedSms(query?: { readonly since?: number; readonly limit?: number; readonly box?: string }, options?: RequestOptions): Promise<ListReceivedSmsAnswer>
  /** Voicemail with its transcript. */ listVoicemails(query?: { readonly since?: number; readonly limit?: number; readonly box?: string; readonly ext?: string }, options?: RequestOptions): Promise<ListVoicemailsAnswer>
  /** The PDF of a received fax. */ getReceivedFax(id: string | number, options?: RequestOptions): Promise<Uint8Array<ArrayBuffer>>
  /** The audio of a voicemail. */ getVoicemail(id: string | number, options?: RequestOptions): Promise<Uint8Array<ArrayBuffer>>
  /** Delete a received fax, its document and the trace of its call. */ deleteReceivedFax(id: string | number, options?: RequestOptions): Promise<void>
  /** Delete a received text. */ deleteReceivedSms(id: string | number, options?: RequestOptions): Promise<void>
  /** One received text, as it is now. */ getReceivedSms(id: string | number, options?: RequestOptions): Promise<InboxText>
  /** Delete a voicemail, its audio, its transcript and the trace of its call. */ deleteVoicemail(id: string | number, options?: RequestOptions): Promise<void>
  /** How much was received. */ getInbox(options?: RequestOptions): Promise<readonly (GetInboxAnswerItem)[]>
  /** The newest items of a feed; of faxes also the calls that brought no page. */ getNewest(feed: string | number, query?: { readonly limit?: number; readonly before?: number }, options?: RequestOptions): Promise<GetNewestAnswer>
  /** A picture or another file of a received text. */ getReceivedMedia(id: string | number, options?: RequestOptions): Promise<Uint8Array<ArrayBuffer>>
  /** Who has this number. */ lookupCaller(phoneNumber: string | number, query?: { readonly callId?: string; readonly extension?: string }, options?: RequestOptions): Promise<Lookup>
  /** Who has this number, with their last calls. */ lookupCallerEnhanced(phoneNumber: string | number, query?: { readonly callId?: string; readonly extension?: string }, options?: RequestOptions): Promise<EnhancedLookup>
  /** The card of the customer with this number. */ getScreenPop(phoneNumber: string | number, query?: { readonly callId?: string; readonly extension?: string }, options?: RequestOptions): Promise<ScreenPop>
  /** Import parties. */ importParties(body?: object | string | Uint8Array<ArrayBuffer>, query?: { readonly mode?: 'merge' | 'replace'; readonly dryRun?: boolean }, options?: RequestOptions): Promise<ImportPartiesAnswer>
  /** Give a number a name. */ nameNumber(phoneNumber: string | number, body: TypedName, options?: RequestOptions): Promise<NameNumberAnswer>
  /** Click-to-dial, from an extension. */ startCall(body: StartCallRequest, options?: RequestOptions): Promise<CallRecord>
  /** Click-to-dial, from a user of the CRM to a customer. */ startCrmCall(body: StartCrmCallRequest, options?: RequestOptions): Promise<CallRecord>
  /** Who sits at an extension. */ getUserOfExtension(extension: string | number, options?: RequestOptions): Promise<ExtensionUser>
  /** Find parties of the directory. */ findParties(query?: { readonly q?: string; readonly limit?: number }, options?: RequestOptions): Promise<PartyList>
  /** Names that are proposed to the CRM, until it has answered. */ listProposedNames(options?: RequestOptions): Promise<readonly (ProposedName)[]>
  /** What happens to calls, as it happens. */ streamCallEvents(query?: { readonly extension?: string }, options?: RequestOptions): AsyncGenerator<ServerSent, void, void>
  /** How it stands between the box and the CRM. */ getSyncStatus(options?: RequestOptions): Promise<SyncStatus>
  /** Figures of the integration. */ getIntegrationAnalytics(query?: { readonly from?: string; readonly to?: string; readonly bucket?: 'hour' | 'day' }, options?: RequestOptions): Promise<IntegrationAnalytics>
  /** Switch the integration on. */ enableIntegration(body?: IntegrationSwitch, options?: RequestOptions): Promise<Integration>
  /** Switch the integration off. */ disableIntegration(body?: IntegrationSwitch, options?: RequestOptions): Promise<Integration>
  /** Send the items that were given up to the CRM again. */ retryCrmQueue(options?: RequestOptions): Promise<RetryCrmQueueAnswer>
  /** Read all customers from the CRM, or send them page by page. */ syncCustomers(body?: CustomerPage, options?: RequestOptions): Promise<SyncCustomersAnswer | CustomersAreRead>
  /** Read one customer from the CRM, or send one. */ syncCustomer(id: string | number, body?: Customer, options?: RequestOptions): Promise<SyncCustomerAnswer>
  /** Ended calls as a table (CSV), newest first. */ exportCallHistory(query?: { readonly phoneNumber?: string; readonly extension?: string; readonly customerId?: string; readonly q?: string; readonly queue?: string; readonly returned?: boolean; readonly direction?: 'inbound' | 'outbound' | 'internal'; readonly outcome?: CallOutcome; readonly from?: string; readonly to?: string }, options?: RequestOptions): Promise<string>
  /** Ended calls. */ listCallHistory(query?: { readonly phoneNumber?: string; readonly extension?: string; readonly customerId?: string; readonly q?: string; readonly queue?: string; readonly returned?: boolean; readonly direction?: 'inbound' | 'outbound' | 'internal'; readonly outcome?: CallOutcome; readonly from?: string; readonly to?: string; readonly since?: number; readonly before?: number; readonly limit?: number; readonly order?: 'asc' | 'desc' }, options?: RequestOptions): Promise<ListCallHistoryAnswer>
  /** One ended call, with the way it took. */ getCallRecord(callId: string | number, options?: RequestOptions): Promise<CallRecord>
  /** Calls that live. */ listActiveCalls(query?: { readonly extension?: string }, options?: RequestOptions): Promise<ListActiveCallsAnswer>
  /** Say who took a call. */ recordAnswer(callId: string | number, body: CallAnswerRequest, options?: RequestOptions): Promise<CallRecord>
  /** Record that a call has ended. */ recordEnd(callId: string | number, body: CallEndRequest, options?: RequestOptions): Promise<CallRecord>
  /** End a call. */ hangUpCall(callId: string | number, options?: RequestOptions): Promise<CallRecord>
  /** Write an ended call into the history. */ logCall(body: CallLogRequest, options?: RequestOptions): Promise<LogCallAnswer>
  /** Write notes for a call. */ addCallNotes(callId: string | number, body: NotesRequest, options?: RequestOptions): Promise<AddCallNotesAnswer>
  /** Take a call that rings or waits. */ takeCall(callId: string | number, body?: TakeCallRequest, options?: RequestOptions): Promise<CallRecord>
  /** Send a call on. */ moveCall(callId: string | number, body: MoveCallRequest, options?: RequestOptions): Promise<CallRecord>
  /** Park a call in a free slot. */ parkCall(callId: string | number, options?: RequestOptions): Promise<CallRecord>
  /** The parking slots, and who waits in each. */ listParking(options?: RequestOptions): Promise<readonly (ParkingSlot)[]>
  /** Where a call would go, step by step; none is made. */ explainCall(query: { readonly to: string; readonly from?: string; readonly at?: string }, options?: RequestOptions): Promise<readonly (WhereStep)[]>
  /** The queues, who waits in them and who takes their calls. */ listQueues(options?: RequestOptions): Promise<readonly (CallQueue)[]>
  /** One queue, with the figures of a day. */ getQueue(id: string | number, query?: { readonly day?: string }, options?: RequestOptions): Promise<CallQueue>
  /** Log a member in or out, pause or resume it. */ changeQueueMember(id: string | number, extension: string | number, body: QueueMemberRequest, options?: RequestOptions): Promise<CallQueue>
  /** A code by which a screen on the wall shows the queues. */ inviteWall(options?: RequestOptions): Promise<WallCode>
  /** Screens on the wall that show the queues. */ listWalls(options?: RequestOptions): Promise<readonly (WallSession)[]>
  /** End all screens on the wall, and the codes for others. */ endWalls(options?: RequestOptions): Promise<EndWallsAnswer>
  /** End one screen on the wall. */ endWall(wallId: string | number, options?: RequestOptions): Promise<void>
  /** The extensions, with do not disturb and forwards. */ listExtensions(options?: RequestOptions): Promise<readonly (Extension)[]>
  /** Set do not disturb and forwards of an extension. */ changeExtension(number: string | number, body: ExtensionChange, options?: RequestOptions): Promise<Extension>
  /** What lamps show of the extensions and mailboxes. */ listLamps(options?: RequestOptions): Promise<readonly (Lamp)[]>
  /** What is open now, and until when. */ listHours(options?: RequestOptions): Promise<readonly (HoursState)[]>
  /** Open or close by hand, or let the calendar decide again. */ setHours(id: string | number, body: HoursChange, options?: RequestOptions): Promise<HoursState>
  /** The opening times of the week, holidays, and days with other times. */ getOpeningTimes(id: string | number, options?: RequestOptions): Promise<OpeningTimesState>
  /** Change opening times and holidays. */ setOpeningTimes(id: string | number, body: OpeningTimesChange, options?: RequestOptions): Promise<OpeningTimesState>
  /** All that the page of the desk shows at first. */ getDesk(options?: RequestOptions): Promise<Desk>
  /** Find people, colleagues, calls and work by name, number or extension. */ searchHouse(query: { readonly q: string }, options?: RequestOptions): Promise<SearchResult>
  /** What is to be done: missed calls, callbacks, voicemail, faxes and texts. */ listWork(query?: { readonly state?: 'open' | 'done'; readonly kind?: 'missed' | 'callback' | 'voicemail' | 'fax' | 'text'; readonly owner?: string; readonly limit?: number; readonly cursor?: string }, options?: RequestOptions): Promise<ListWorkAnswer>
  /** Who may look after something: people of the desk and managers. */ listWorkPeople(options?: RequestOptions): Promise<readonly (WorkTaker)[]>
  /** Say that something is done, who looks after it, or a note. */ changeWork(kind: string | number, id: string | number, body: WorkChange, options?: RequestOptions): Promise<WorkItem>
  /** What changes in the house, as it changes. */ streamLive(query?: { readonly topics?: string; readonly lastId?: string }, options?: RequestOptions): AsyncGenerator<ServerSent, void, void>
  /** Call the provider's test number and record what it reads back; takes up to two minutes. */ testEmergency(body: EmergencyTestRequest, options?: RequestOptions): Promise<EmergencyTest>
  /** Calls for help that nobody has closed yet, with the place of the phone. */ listEmergencyCalls(options?: RequestOptions): Promise<readonly (EmergencyCall)[]>
  /** Say that somebody has looked after a call for help: every page stops showing it. */ closeEmergencyCall(callId: string | number, options?: RequestOptions): Promise<EmergencyCall>
  /** Calls by period: answered, missed, returned, talk and waits. */ getCallFigures(query?: { readonly from?: string; readonly to?: string; readonly bucket?: 'hour' | 'day' | 'week' | 'month' | 'all'; readonly by?: 'extension' | 'weekday-hour' }, options?: RequestOptions): Promise<CallFigures>
  /** Callers of queues by period: answered, left, and waits. */ getQueueFigures(query?: { readonly from?: string; readonly to?: string; readonly bucket?: 'hour' | 'day' | 'week' | 'month' | 'all'; readonly by?: 'queue' | 'weekday-hour' }, options?: RequestOptions): Promise<QueueFigures>
  /** Faxes by period: sent, received, and why they failed. */ getFaxFigures(query?: { readonly from?: string; readonly to?: string; readonly bucket?: 'hour' | 'day' | 'week' | 'month' | 'all'; readonly by?: 'weekday-hour' }, options?: RequestOptions): Promise<FaxFigures>
  /** Texts by period: sent, delivered, failed and received. */ getTextFigures(query?: { readonly from?: string; readonly to?: string; readonly bucket?: 'hour' | 'day' | 'week' | 'month' | 'all'; readonly by?: 'weekday-hour' }, options?: RequestOptions): Promise<TextFigures>
  /** Reminders by period and outcome. */ getReminderFigures(query?: { readonly from?: string; readonly to?: string; readonly bucket?: 'hour' | 'day' | 'week' | 'month' | 'all'; readonly by?: 'weekday-hour' }, options?: RequestOptions): Promise<ReminderFigures>
  /** Phones that fetch their settings, and strangers that asked for some. */ listPhones(options?: RequestOptions): Promise<Phones>
  /** Await a new phone of an extension. */ addPhone(body: NewPhoneGiven, options?: RequestOptions): Promise<PhoneAwaited>
  /** Await a phone again, with a new code. */ awaitPhone(phone: string | number, body?: PhoneCodeRequest, options?: RequestOptions): Promise<PhoneAwaited>
  /** Give a phone no more settings; it keeps those that it has. */ removePhone(phone: string | number, options?: RequestOptions): Promise<Phone>
  /** The address that an awaited phone fetches its settings from, as a QR code. */ getPhoneQr(phone: string | number, options?: RequestOptions): Promise<string>
  /** People who may use the console. */ listPeople(options?: RequestOptions): Promise<readonly (Person)[]>
  /** Add a person, who then needs an invitation. */ createPerson(body: NewPersonRequest, options?: RequestOptions): Promise<Person>
  /** Change what a person may, or disable the person. */ changePerson(id: string | number, body: PersonChange, options?: RequestOptions): Promise<Person>
  /** Remove a person and end all sessions of the person. */ removePerson(id: string | number, options?: RequestOptions): Promise<void>
  /** Make an invitation by which the person sets a password; the one before it is void. */ invitePerson(id: string | number, options?: RequestOptions): Promise<Invitation>
  /** Sessions of a person. */ listSessions(id: string | number, options?: RequestOptions): Promise<readonly (PersonSession)[]>
  /** End a session of a person. */ endSessionOf(id: string | number, sid: string | number, options?: RequestOptions): Promise<void>
  /** Which configuration is in use, and how far the latest change is. */ getConfigState(options?: RequestOptions): Promise<ConfigState>
  /** Check a configuration as the user of the service, and say what it would change. */ checkConfig(body: ConfigCheckRequest, options?: RequestOptions): Promise<ConfigCheck>
  /** Put a configuration to use. */ applyConfig(body: ConfigApplyRequest, options?: RequestOptions): Promise<ConfigUnderWay>
  /** Let the change stand that waits for it. */ confirmConfig(options?: RequestOptions): Promise<ConfigUnderWay>
  /** Take back what is under way, or go back to an earlier revision. */ revertConfig(body: ConfigRevertRequest, options?: RequestOptions): Promise<ConfigUnderWay>
  /** The text of the configuration, without its secrets. */ getConfigText(query?: { readonly revision?: string }, options?: RequestOptions): Promise<ConfigText>
  /** Set sections in a text of the configuration, and keep its comments. */ editConfigText(body: ConfigEditRequest, options?: RequestOptions): Promise<ConfigEdited>
  /** Configurations that were in use, newest first. */ listConfigRevisions(options?: RequestOptions): Promise<readonly (ConfigRevision)[]>
  /** What is otherwise: the file against what is in use, or a revision against another or against what is in use. */ compareConfig(query?: { readonly from?: string; readonly to?: string }, options?: RequestOptions): Promise<readonly (ConfigChange)[]>
  /** Whether the box is to be set up, and what was answered so far. */ getSetup(options?: RequestOptions): Promise<SetupState>
  /** Keep answers, to go on later. */ keepSetup(body: SetupDraft, options?: RequestOptions): Promise<void>
  /** Make the configuration that the answers mean, and put it to use on trial. */ beginSetup(body: SetupRequest, options?: RequestOptions): Promise<SetupBegun>
  /** Look for modems that no line uses yet. */ findLines(options?: RequestOptions): Promise<readonly (SetupLine)[]>
  /** Deeds, newest first. */ listAudit(query?: { readonly since?: string; readonly actor?: string; readonly deed?: string; readonly object?: string; readonly before?: number; readonly limit?: number }, options?: RequestOptions): Promise<readonly (AuditRow)[]>
  /** Look for rows that were changed, removed, put in or moved. */ verifyAudit(query?: { readonly known?: string }, options?: RequestOptions): Promise<AuditVerdict>
  /** All that fits, oldest first. */ exportAudit(query?: { readonly since?: string; readonly actor?: string; readonly deed?: string; readonly object?: string }, options?: RequestOptions): AsyncGenerator<AuditRow, void, void>
  /** Names, scopes, restrictions, last use and end. */ listTokens(options?: RequestOptions): Promise<readonly (Token)[]>
  /** Make a token. */ createToken(body: NewTokenRequest, options?: RequestOptions): Promise<CreateTokenAnswer>
  /** End a token. */ revokeToken(name: string | number, options?: RequestOptions): Promise<RevokeTokenAnswer>
  /** What the box and each token used of the day. */ listLimits(options?: RequestOptions): Promise<readonly (Limit)[]>
  /** Set the counts of today to zero, for one token or for all. */ resetLimits(body: LimitResetRequest, options?: RequestOptions): Promise<readonly (Limit)[]>
  /** The modem lines. */ listModems(options?: RequestOptions): Promise<readonly (Modem)[]>
  /** Try a modem line out; takes some seconds. */ testModem(id: string | number, body?: ModemTestRequest, options?: RequestOptions): Promise<ModemTest>
  /** Every command to a modem and every answer, as they happen. */ traceModem(id: string | number, options?: RequestOptions): AsyncGenerator<ModemTraceLine, void, void>
  /** Who hears and who speaks, and why. */ getSpeech(options?: RequestOptions): Promise<Speech>
  /** Look at the installed models again, without a restart. */ reloadSpeech(options?: RequestOptions): Promise<Speech>
  /** Speak a text, as a caller would hear it. */ say(body: SayRequest, options?: RequestOptions): Promise<Said>
  /** The alarm rules, and the alarms that are open or were sent. */ getAlarms(options?: RequestOptions): Promise<Alarms>
  /** Send a test message to everyone named in a rule, or in all rules. */ testAlarms(body: AlarmTestRequest, options?: RequestOptions): Promise<AlarmTest>
  /** Acknowledge an event, or all open ones: no reminders until they clear. */ acknowledgeAlarms(body: AcknowledgeRequest, options?: RequestOptions): Promise<AcknowledgeAlarmsAnswer>
  /** Have a backup made now, and say how it goes. */ runBackup(options?: RequestOptions): AsyncGenerator<BackupStep, void, void>
  /** How the last backups ended. */ getBackups(options?: RequestOptions): Promise<Backups>
  /** State, events, checks and configuration in one file for support, without patients’ data and secrets. */ getSupportBundle(options?: RequestOptions): Promise<Uint8Array<ArrayBuffer>>
  /** What changed at the box itself: lines, parts, warnings, disk, clock, updates, logins. */ listBoxEvents(query?: { readonly limit?: number; readonly cursor?: string; readonly kind?: 'line' | 'part' | 'warning' | 'disk' | 'clock' | 'update' | 'login' | 'daemon'; readonly code?: string; readonly lasting?: boolean }, options?: RequestOptions): Promise<BoxEventPage>
  /** The same as they happen. */ followBoxEvents(options?: RequestOptions): AsyncGenerator<BoxEvent, void, void>
  /** Parts, lines, calls, queues, disk, clock, and each warning with its fix. */ getStatus(options?: RequestOptions): Promise<Status>
  /** Trunks, phones and modem lines, each with its state and the reason. */ listLines(options?: RequestOptions): Promise<readonly (Line)[]>
  /** Addresses that are ignored after wrong passwords, the latest first. */ listBans(options?: RequestOptions): Promise<readonly (Ban)[]>
  /** Let an address register again. */ liftBan(address: string | number, options?: RequestOptions): Promise<LiftBanAnswer>
  /** What is wrong with this machine, and how to repair it. */ getDoctor(options?: RequestOptions): Promise<readonly (Check)[]>
  /** How the box is: a verdict, what lasts and its remedy, lines with seven days, disk, backup, certificate, version. */ getBoxHealth(options?: RequestOptions): Promise<Health>
  /** When each line was down. */ getLineHistory(query?: { readonly days?: number }, options?: RequestOptions): Promise<readonly (LineHistory)[]>
  /** The version that runs, and how the last upgrade ended. */ getUpgrade(options?: RequestOptions): Promise<Upgrade>
  /** Try a line out, step by step. */ testLine(id: string | number, options?: RequestOptions): AsyncGenerator<TestStep, void, void>
  /** Try everything that the box can try by itself, and name what needs a person. */ testEverything(options?: RequestOptions): AsyncGenerator<TestStep, void, void>
  /** Whether the daemon is ready, by part. */ getReadiness(options?: RequestOptions): Promise<Readiness>
  /** Figures for Prometheus. */ getMetrics(options?: RequestOptions): Promise<string>
  /** The mailboxes, and how many messages are in them. */ listMailboxes(options?: RequestOptions): Promise<readonly (MailboxCounts)[]>
  /** The messages of a mailbox. */ listMessages(ext: string | number, options?: RequestOptions): Promise<readonly (MailboxMessage)[]>
  /** Let a mailbox that wrong PINs have locked be opened again. */ unlockMailbox(ext: string | number, options?: RequestOptions): Promise<UnlockMailboxAnswer>
  /** Mark a message as heard, or as new again: the message lamp follows. */ markMessage(ext: string | number, id: string | number, body: MailboxMark, options?: RequestOptions): Promise<readonly (MailboxMessage)[]>
  /** Bring a copy of a message into another mailbox. */ forwardMessage(ext: string | number, id: string | number, body: MailboxForward, options?: RequestOptions): Promise<ForwardMessageAnswer>
  /** How loud a voicemail is along its time, and about when each word is spoken. */ getVoicemailPeaks(id: string | number, options?: RequestOptions): Promise<Peaks>
  /** List callbacks, newest first. */ listCallbacks(query?: { readonly state?: 'pending' | 'dead' | 'delivered'; readonly limit?: number }, options?: RequestOptions): Promise<readonly (Callback)[]>
  /** One callback with its body. */ getCallback(eventId: string | number, options?: RequestOptions): Promise<CallbackDetail>
  /** Send a callback again now. */ retryCallback(eventId: string | number, options?: RequestOptions): Promise<RetryCallbackAnswer>
}
