/** Written by `npm run generate` from the schemas of the box. */
import type { AlarmEvent, CallAnsweredEvent, CallEndedEvent, CallInboundPreRouteEvent, CallRedirectedEvent, CallStatusEvent, FaxFailedEvent, FaxSentEvent, ForwardCompletedEvent, GatherCompletedEvent, GatherPartialEvent, RecordCompletedEvent, RecordTranscribedEvent, ReminderEvent, RouteCompletedEvent, StreamCompletedEvent, StreamErrorEvent, StreamStartedEvent, StreamStoppedEvent } from './schemas.ts'

/** Events that the application answers with a control document. */
export interface Questions {
  readonly 'call.inbound.pre_route': CallInboundPreRouteEvent
  readonly 'call.answered': CallAnsweredEvent
  readonly 'call.redirected': CallRedirectedEvent
  readonly 'route.completed': RouteCompletedEvent
  readonly 'forward.completed': ForwardCompletedEvent
  readonly 'gather.completed': GatherCompletedEvent
  readonly 'record.completed': RecordCompletedEvent
  readonly 'stream.completed': StreamCompletedEvent
}

/** Events that only report. */
export interface Notices {
  readonly 'call.status': CallStatusEvent
  readonly 'call.ended': CallEndedEvent
  readonly 'gather.partial': GatherPartialEvent
  readonly 'record.transcribed': RecordTranscribedEvent
  readonly 'stream.started': StreamStartedEvent
  readonly 'stream.stopped': StreamStoppedEvent
  readonly 'stream.error': StreamErrorEvent
  readonly 'fax.sent': FaxSentEvent
  readonly 'fax.failed': FaxFailedEvent
  readonly 'reminder.confirmed': ReminderEvent & { readonly event: 'reminder.confirmed' }
  readonly 'reminder.canceled': ReminderEvent & { readonly event: 'reminder.canceled' }
  readonly 'reminder.reschedule': ReminderEvent & { readonly event: 'reminder.reschedule' }
  readonly 'reminder.no-answer': ReminderEvent & { readonly event: 'reminder.no-answer' }
  readonly 'reminder.busy': ReminderEvent & { readonly event: 'reminder.busy' }
  readonly 'reminder.failed': ReminderEvent & { readonly event: 'reminder.failed' }
  readonly 'reminder.voicemail': ReminderEvent & { readonly event: 'reminder.voicemail' }
  readonly 'reminder.opted-out': ReminderEvent & { readonly event: 'reminder.opted-out' }
  readonly 'reminder.expired': ReminderEvent & { readonly event: 'reminder.expired' }
  readonly 'alarm.raised': AlarmEvent & { readonly event: 'alarm.raised' }
  readonly 'alarm.ended': AlarmEvent & { readonly event: 'alarm.ended' }
  readonly 'alarm.test': AlarmEvent & { readonly event: 'alarm.test' }
}

export type Question = Questions[keyof Questions]
export type Notice = Notices[keyof Notices]

export const questionNames: ReadonlySet<string> = new Set(['call.inbound.pre_route', 'call.answered', 'call.redirected', 'route.completed', 'forward.completed', 'gather.completed', 'record.completed', 'stream.completed'])
