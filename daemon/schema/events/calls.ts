/** Events that say what became of a call: that it comes, is answered, goes elsewhere, changes and ends. */
import { Type } from '@sinclair/typebox'
import { Choice } from '../choice.ts'
import { named, Count } from '../named.ts'
import { callActivities, dialStatuses } from '../states.ts'
import { AnsweredBySchema, EndedBySchema, EndReasonSchema, IdSchema, NullableTimeSchema, TimeSchema } from '../voice-call.ts'
import { callEvent } from './form.ts'

const ringSeconds = Count('s', 'How long it rang.')

export const callEvents = {
  'call.inbound.pre_route': callEvent(
    'call.inbound.pre_route',
    {
      calledName: Type.Optional(Type.String({ description: 'Present when the network sent a name for the dialled number.' })),
      diversion: Type.Optional(Type.String({ description: 'Present when the call was diverted: the number it was dialled to first.' })),
      sipHeaders: Type.Optional(
        Type.Record(Type.String(), Type.String(), {
          description:
            'Present when the call had X- headers that `voice.sipHeaders` lists, by their names in lower case. Any caller can write them.',
        }),
      ),
    },
    {
      name: 'CallInboundPreRouteEvent',
      route: 'control',
      description:
        'A call has arrived for this application; it is the first event of an inbound call. The caller hears ringing until the first verb ' +
        'that needs an answered call (say, play, pause, gather, record). An empty document refuses the call.',
      example: { sequence: 1, state: 'ringing' },
    },
  ),
  'call.answered': callEvent(
    'call.answered',
    { answeredBy: AnsweredBySchema, ringSeconds },
    {
      name: 'CallAnsweredEvent',
      route: 'control',
      description:
        'An outbound call, placed by POST /api/voice/originate, was answered; it is the first event of such a call. One that is not answered ' +
        'never asks for a document: call.ended says what became of it.',
      example: { sequence: 1, direction: 'outbound', externalRef: 'A-5', answeredBy: 'unknown', ringSeconds: 8 },
    },
  ),
  'call.redirected': callEvent(
    'call.redirected',
    {
      url: Type.String({ description: 'The address this was sent to, as the verb or the API gave it.' }),
      redirectCount: Count(
        'redirects',
        'Redirects in a row without audio played or input taken, this one among them; `voice.redirects` limits them.',
      ),
    },
    {
      name: 'CallRedirectedEvent',
      route: 'control',
      verb: 'redirect',
      description: 'The verb `redirect`, or POST /api/voice/calls/{callId} with redirectUrl, asks this address for the next document.',
      example: { url: 'https://app.example/menu', redirectCount: 1 },
    },
  ),
  'route.completed': callEvent(
    'route.completed',
    {
      dialStatus: named('DialStatus', Choice(dialStatuses, { description: 'How the destination was reached.' })),
      durationMs: Count('ms', 'From the verb to this event.'),
    },
    {
      name: 'RouteCompletedEvent',
      route: 'control',
      verb: 'route',
      description: 'The destination of the verb `route` was not reached, or has hung up while the caller is still there.',
      example: { dialStatus: 'no-answer', durationMs: 30_120 },
    },
  ),
  'forward.completed': callEvent(
    'forward.completed',
    {
      dialStatus: named('DialStatus', Choice(dialStatuses, { description: 'How the destination was reached.' })),
      durationMs: Count('ms', 'From the verb to this event.'),
    },
    {
      name: 'ForwardCompletedEvent',
      route: 'control',
      verb: 'forward',
      description: 'The number of the verb `forward` was not reached, or has hung up while the caller is still there.',
      example: { dialStatus: 'busy', durationMs: 8_120 },
    },
  ),
  'call.status': callEvent(
    'call.status',
    { activity: Choice(callActivities, { description: 'What the call does at that moment; "" if nothing in particular.' }) },
    {
      name: 'CallStatusEvent',
      route: 'status',
      description: 'The call has reached a state that `statusEvents` asks for; `state` is that state. Each state is sent once.',
      example: { direction: 'outbound', state: 'ringing', activity: '' },
    },
  ),
  'call.ended': callEvent(
    'call.ended',
    {
      endReason: EndReasonSchema,
      endedBy: EndedBySchema,
      sipCode: Type.Integer({ minimum: 0, description: 'SIP status at the end; 0 without one.' }),
      startedAt: { ...NullableTimeSchema, description: 'Start of ringing or dialling; null if there was none.' },
      answeredAt: { ...NullableTimeSchema, description: 'Null if the call was not answered.' },
      endedAt: TimeSchema,
      ringSeconds,
      talkSeconds: Count('s', 'From the answer to the end, including the time with another destination.'),
      answeredBy: AnsweredBySchema,
      documents: Count('documents', 'Control documents that were run.'),
      recordings: Type.Array(IdSchema, { description: 'Ids of the recordings of the call.' }),
    },
    {
      name: 'CallEndedEvent',
      route: 'status',
      description:
        'The call has ended; `state` says how. The event comes exactly once for every call that has a status address and `ended` among its ' +
        'statusEvents, also for calls that were never answered, and after all other events of the call but record.transcribed.',
      example: {
        sequence: 6,
        state: 'completed',
        endReason: 'caller-hangup',
        endedBy: 'caller',
        sipCode: 200,
        startedAt: '2026-03-02T14:05:11.020Z',
        answeredAt: '2026-03-02T14:05:11.410Z',
        endedAt: '2026-03-02T14:06:02.730Z',
        ringSeconds: 0,
        talkSeconds: 51,
        answeredBy: 'unknown',
        documents: 3,
        recordings: [],
      },
    },
  ),
}
