/** Voicemail of the mailboxes. */
import type { Core } from '../core.ts'
import { mailboxRoutes } from '../http/routes/mailboxes.ts'
import type { Inbox } from '../inbox/inbox.ts'
import { mailboxNumbers } from '../schema/config-mailboxes.ts'
import type { Part } from '../part.ts'
import type { ApplicationRunner } from '../routing/application.ts'
import type { Recordings } from '../voice/recordings.ts'
import type { Voice } from '../voice/voice.ts'
import { Boxes } from '../voicemail/boxes.ts'
import { MailboxDesk } from '../voicemail/desk.ts'
import { Voicemail } from '../voicemail/voicemail.ts'

export interface VoicemailPartOptions {
  readonly inbox: Inbox
  readonly voice: Pick<Voice, 'serve'>
  readonly recordings: Recordings
  readonly applications: () => Pick<ApplicationRunner, 'takeOver'>
}

export interface VoicemailPart extends Part {
  readonly voicemail: Voicemail
  readonly boxes: Boxes
}

export function voicemailPart(core: Core, { voice, ...options }: VoicemailPartOptions): VoicemailPart {
  const voicemail = new Voicemail({ ...core, ...options })
  const boxes = new Boxes({ ...core, ...options })
  voice.serve(voicemail)
  return {
    name: 'voicemail',
    voicemail,
    boxes,
    routes: mailboxRoutes(new MailboxDesk(boxes, mailboxNumbers(core.config))),
    queues: () => [{ name: 'voicemail', title: 'voicemails to publish', waiting: voicemail.pending, oldestAt: null }],
    start: () => voicemail.start(),
    stop: () => voicemail.stop(),
  }
}
