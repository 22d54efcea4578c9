/** Voicemail: messages are recorded for mailboxes, and heard at phones. */
import type { Call } from '../calls/call.ts'
import type { Calls } from '../calls/calls.ts'
import type { Core, Ground } from '../core.ts'
import type { Eraser } from '../erasure/erasure.ts'
import type { Inbox } from '../inbox/inbox.ts'
import type { Part } from '../part.ts'
import type { ApplicationRunner } from '../routing/application.ts'
import type { Routing } from '../routing/routing.ts'
import type { Speech } from '../speech/speech.ts'
import type { Recordings } from '../voice/recordings.ts'
import type { Voice } from '../voice/voice.ts'
import { Boxes } from './boxes.ts'
import { createMailboxes } from './mailboxes.ts'
import { mailboxRoutes } from './routes.ts'

export interface VoicemailPart extends Part {
  readonly boxes: Boxes
}

export interface VoicemailPartOptions {
  readonly calls: Calls
  readonly routing: Pick<Routing, 'features' | 'takers'>
  readonly inbox: Inbox
  readonly eraseVoicemail: Eraser
  readonly speech: Pick<Speech, 'speaker' | 'prompts'>
  readonly voice: Pick<Voice, 'serve'>
  readonly recordings: Recordings
  readonly applications: Pick<ApplicationRunner, 'takeOver'>
  /** Ends the recording of a conversation that the caller had before. */
  readonly talkOver: (call: Call) => void
  /** Whether the caller who showed that number may be called back. */
  readonly canCallBack: (number: string) => boolean
}

export function voicemailPart(core: Ground & Pick<Core, 'trail'>, options: VoicemailPartOptions): VoicemailPart {
  const { config, store, clock, log, trail } = core
  const { calls, routing, inbox, eraseVoicemail, speech, voice, recordings, applications, talkOver, canCallBack } = options
  const boxes = new Boxes({ store, inbox, clock, log })
  const { voicemail, menu, greetings, pins, locks, desk } = createMailboxes({
    ...{ config, store, clock, log, trail, calls, inbox, boxes, recordings, applications, talkOver, canCallBack },
    ...{ speaker: speech.speaker, prompts: speech.prompts, eraseVoicemail },
  })
  voice.serve(voicemail)
  routing.takers.add('voicemail', (call, { extension }, request) => voicemail.take(call, extension, request))
  routing.features.addAll({
    ownMailbox: (call, extension) => menu.open(call, extension),
    anyMailbox: (call, _extension, ext) => menu.open(call, ext),
  })
  const comparePins = (): void =>
    void pins.start().catch((error: unknown) => log.error({ err: error }, 'PINs of phones could not be compared'))
  return {
    name: 'voicemail',
    boxes,
    *warnings() {
      for (const { ext, phone } of locks.locked())
        yield {
          code: `mailbox-locked-${ext}-${phone}`,
          severity: 'error',
          text: `The mailbox ${ext} is locked for the phone ${phone} for an hour: ten wrong PINs`,
          fix: `pbx mailbox unlock ${ext}`,
        }
    },
    routes: mailboxRoutes(desk),
    queues: () => [{ name: 'voicemail', title: 'voicemails to publish', waiting: voicemail.pending, oldestAt: null }],
    reconfigured: comparePins,
    stepped: (stepMs) =>
      void locks.stepped(stepMs).catch((error: unknown) => log.error({ err: error }, 'locks of mailboxes could not be moved')),
    async start() {
      // Takes a second for two of them, and decides nothing: a PIN that no longer stands opens nothing either way.
      comparePins()
      await greetings.start()
      voicemail.start()
    },
    stop: () => voicemail.stop(),
  }
}
