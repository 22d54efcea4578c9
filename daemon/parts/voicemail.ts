/** Voicemail of the mailboxes. */
import type { Calls } from '../calls/calls.ts'
import type { Deed } from '../audit/audit.ts'
import type { Core } from '../core.ts'
import { mailboxRoutes } from '../voicemail/routes.ts'
import type { Inbox } from '../inbox/inbox.ts'
import { mailboxNumbers } from '../schema/config/mailboxes.ts'
import type { Eraser } from '../erasure/erasure.ts'
import type { Part } from '../part.ts'
import { canCallBack } from '../pbx/call-back.ts'
import type { PbxPart } from './pbx.ts'
import type { ApplicationRunner } from '../routing/application.ts'
import type { Speech } from '../speech/speech.ts'
import type { Recordings } from '../voice/recordings.ts'
import type { Voice } from '../voice/voice.ts'
import { Boxes } from '../voicemail/boxes.ts'
import { Locks } from '../voicemail/menu/locks.ts'
import { MailboxMenu } from '../voicemail/menu/menu.ts'
import { MailboxDesk } from '../voicemail/desk.ts'
import { Forwarder } from '../voicemail/forwarder.ts'
import { Greetings } from '../voicemail/greetings.ts'
import { Pins } from '../voicemail/pins.ts'
import { freeBytes } from '../store/disk.ts'
import { greetingPrompts, Voicemail } from '../voicemail/voicemail.ts'

export interface VoicemailPartOptions {
  readonly calls: Calls
  readonly house: Pick<PbxPart, 'recorder'>
  readonly eraseVoicemail: Eraser
  readonly speech: Pick<Speech, 'speaker' | 'prompts'>
  readonly inbox: Inbox
  readonly voice: Pick<Voice, 'serve'>
  readonly recordings: Recordings
  readonly applications: () => Pick<ApplicationRunner, 'takeOver'>
}

export interface VoicemailPart extends Part {
  readonly voicemail: Voicemail
  readonly boxes: Boxes
  readonly menu: MailboxMenu
}

export function voicemailPart(core: Core, { voice, ...options }: VoicemailPartOptions): VoicemailPart {
  const greetings = new Greetings(core.config.storage.dir, core.config.mailboxes)
  options.speech.prompts.addSource(greetingPrompts, (prompt) => greetings.fileOf(prompt))
  const pins = new Pins(core)
  const comparePins = (): void =>
    void pins.start().catch((error: unknown) => core.log.error({ err: error }, 'PINs of phones could not be compared'))
  const voicemail = new Voicemail({
    ...core,
    ...options,
    greetings,
    freeBytes: () => freeBytes(core.config.storage.dir),
    talkOver: (call) => options.house.recorder.stop(call),
  })
  const forwarder = new Forwarder({ ...core, ...options, publish: (message) => voicemail.publish(message) })
  const boxes = new Boxes({ ...core, ...options })
  voice.serve(voicemail)
  const { trail } = core
  const { audit } = trail
  const locks = new Locks(core)
  const menu = new MailboxMenu({
    ...core,
    ...options,
    ...options.speech,
    boxes,
    locks,
    pins,
    greetings,
    forwarder,
    deeds: {
      listened: (extension, id) => trail.happened(atPhone('inbox.media', extension, id)),
      forwarded: (extension, id) => audit.record(atPhone('mailbox.forward', extension, id)),
      settings: (extension, ext) => ({
        ext,
        noted: (deed) => trail.happened(atPhone(deed, extension, ext)),
        record: (deed) => audit.record(atPhone(deed, extension, ext)),
      }),
    },
    canCallBack: (number) => canCallBack(core.config, number),
    remove: (extension, id) => options.eraseVoicemail(id, () => audit.record(atPhone('inbox.delete', extension, id))),
  })
  return {
    name: 'voicemail',
    voicemail,
    boxes,
    menu,
    *warnings() {
      for (const { ext, phone } of locks.locked())
        yield {
          code: `mailbox-locked-${ext}-${phone}`,
          severity: 'error',
          text: `The mailbox ${ext} is locked for the phone ${phone} for an hour: ten wrong PINs`,
          fix: `pbx mailbox unlock ${ext}`,
        }
    },
    routes: mailboxRoutes(new MailboxDesk(boxes, locks, () => mailboxNumbers(core.config))),
    queues: () => [{ name: 'voicemail', title: 'voicemails to publish', waiting: voicemail.pending, oldestAt: null }],
    reconfigured: comparePins,
    stepped: (stepMs) =>
      void locks.stepped(stepMs).catch((error: unknown) => core.log.error({ err: error }, 'locks of mailboxes could not be moved')),
    async start() {
      // Takes a second for two of them, and decides nothing: a PIN that no longer stands opens nothing either way.
      comparePins()
      await greetings.start()
      voicemail.start()
    },
    stop: () => voicemail.stop(),
  }
}

function atPhone(deed: Deed['deed'], extension: string, id: string): Deed {
  return { actor: `phone:${extension}`, address: '', deed, object: id }
}
