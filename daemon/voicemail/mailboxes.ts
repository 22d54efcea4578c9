/** Voicemail, put together: who records messages, and who plays them at phones. */
import type { Deed } from '../audit/audit.ts'
import type { Trail } from '../audit/trail.ts'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Call } from '../calls/call.ts'
import type { Calls } from '../calls/calls.ts'
import type { Eraser } from '../erasure/erasure.ts'
import type { Inbox } from '../inbox/inbox.ts'
import type { ApplicationRunner } from '../routing/application.ts'
import { mailboxNumbers, type Config } from '../schema/config.ts'
import type { Speech } from '../speech/speech.ts'
import { freeBytes } from '../store/disk.ts'
import type { Store } from '../store/store.ts'
import type { Recordings } from '../voice/recordings.ts'
import type { Boxes } from './boxes.ts'
import { MailboxDesk } from './desk.ts'
import { Greetings } from './greetings.ts'
import { Locks } from './menu/locks.ts'
import { MailboxMenu, type MenuDeeds } from './menu/menu.ts'
import { Pins } from './pins.ts'
import { greetingPrompts, Voicemail } from './voicemail.ts'
import { ApiError } from '../base/errors.ts'
import { newId } from '../base/ids.ts'
import type { InboxVoicemailRow, VoicemailRow } from '../store/tables.ts'

/** Brings a copy of a message into another mailbox: a message of its own there, published, announced and deleted as any other. */
interface ForwarderOptions {
  readonly store: Store
  readonly inbox: Pick<Inbox, 'media' | 'hasMailbox'>
  readonly recordings: Pick<Recordings, 'copy'>
  /** Brings it into the inbox. */
  readonly publish: (message: VoicemailRow) => void
}

export class Forwarder {
  readonly #options: ForwarderOptions

  constructor(options: ForwarderOptions) {
    this.#options = options
  }

  /**
   * Resolves when it is durable that the copy comes into the mailbox `to`. `record` runs in the transaction, with the id of the copy.
   * Throws ApiError: mailbox_unknown, not_found.
   */
  async forward(message: InboxVoicemailRow, to: string, record: (id: string) => void): Promise<void> {
    const { store, inbox, recordings, publish } = this.#options
    if (!inbox.hasMailbox(to)) throw new ApiError('mailbox_unknown', `There is no mailbox ${to}.`)
    const media = inbox.media('voicemails', message.id)
    if (media === undefined || media === 'purged') throw new ApiError('not_found', 'This message no longer exists.')
    const { callId, from, callerName, receivedAt, transcript, transcriptStatus } = message
    const durationMs = message.durationSeconds * 1000
    const copy = { id: newId(), ext: to, callId, from, to: message.to, callerName, receivedAt, durationMs, forwardedFrom: message.ext }
    const known = { callId, durationMs, transcript, transcriptStatus }
    const recordingId = await recordings.copy(media.file, known, (id) => {
      store.tables.voicemails.put(copy.id, { ...copy, recordingId: id })
      record(copy.id)
    })
    publish({ ...copy, recordingId })
  }
}

export interface MailboxesOptions extends Pick<Speech, 'speaker' | 'prompts'> {
  readonly config: Config
  readonly store: Store
  readonly clock: Clock
  readonly log: Log
  readonly trail: Trail
  readonly calls: Calls
  readonly inbox: Inbox
  readonly boxes: Boxes
  readonly recordings: Recordings
  readonly applications: Pick<ApplicationRunner, 'takeOver'>
  readonly talkOver: (call: Call) => void
  readonly canCallBack: (number: string) => boolean
  readonly eraseVoicemail: Eraser
}

export function createMailboxes(options: MailboxesOptions) {
  const { config, store, clock, log, trail, calls, inbox, boxes, recordings, applications, talkOver, canCallBack } = options
  const { speaker, prompts, eraseVoicemail } = options
  const { dir } = config.storage
  const greetings = new Greetings(dir, config.mailboxes)
  prompts.addSource(greetingPrompts, (prompt) => greetings.fileOf(prompt))
  const pins = new Pins({ config, store, clock })
  const locks = new Locks({ store, clock, log })
  const voicemail = new Voicemail({
    ...{ config, store, clock, log, calls, inbox, recordings, greetings, applications, talkOver },
    freeBytes: () => freeBytes(dir),
  })
  const forwarder = new Forwarder({ store, inbox, recordings, publish: (message) => voicemail.publish(message) })
  const menu = new MailboxMenu({
    ...{ config, boxes, locks, inbox, speaker, clock, log, pins, greetings, forwarder, canCallBack },
    deeds: deedsOf(trail),
    remove: (extension, id) => eraseVoicemail(id, () => trail.audit.record(atPhone('inbox.delete', extension, id))),
  })
  const desk = new MailboxDesk({
    ...{ boxes, locks, inbox },
    numbers: () => mailboxNumbers(config),
    coming: (ext) => voicemail.coming(ext),
    full: () => voicemail.full,
    forward: (message, to, record) => forwarder.forward(message, to, record),
  })
  return { voicemail, menu, greetings, pins, locks, desk }
}

function deedsOf(trail: Trail): MenuDeeds {
  const { audit } = trail
  return {
    listened: (extension, id) => trail.happened(atPhone('inbox.media', extension, id)),
    forwarded: (extension, id) => audit.record(atPhone('mailbox.forward', extension, id)),
    settings: (extension, ext) => ({
      ext,
      noted: (deed) => trail.happened(atPhone(deed, extension, ext)),
      record: (deed) => audit.record(atPhone(deed, extension, ext)),
    }),
  }
}

function atPhone(deed: Deed['deed'], extension: string, id: string): Deed {
  return { actor: `phone:${extension}`, address: '', deed, object: id }
}
