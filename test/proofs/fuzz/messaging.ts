/** What the routes for texts, mails, reminders and the inbox need to be troubled: services that take everything, and items to be read. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../../daemon/base/clock.ts'
import { newId } from '../../../daemon/base/ids.ts'
import { Inbox } from '../../../daemon/inbox/inbox.ts'
import { createLog } from '../../../daemon/base/log.ts'
import { openStore } from '../../../daemon/store/store.ts'
import { serve } from '../bench/answered.ts'

export interface Services {
  /** Sections of the configuration that use them. */
  readonly settings: Record<string, unknown>
  /** Ids that belong into addresses. */
  readonly ids: readonly string[]
  close(): void
}

/** On this machine; nothing leaves it. */
export async function messagingServices(): Promise<Services> {
  const carrier = await serve('carrier.ts', '20')
  const mail = await serve(join('..', 'fuzz', 'mail-sink.ts'))
  const dead = 'http://127.0.0.1:9'
  const publicUrl = 'https://pbx.example.com'
  return {
    ids: ['carrier', 'twilio', 'telnyx'],
    settings: {
      sms: {
        queue: 100_000,
        trunks: [
          { id: 'carrier', kind: 'smpp', server: `127.0.0.1:${carrier.port}`, systemId: 'clinic', window: 100, number: '+15550002000' },
          {
            id: 'twilio',
            kind: 'http',
            provider: 'twilio',
            url: dead,
            account: `AC${'0'.repeat(32)}`,
            secret: 'x',
            pollSeconds: 0,
            webhook: { publicUrl },
          },
          { id: 'telnyx', kind: 'http', provider: 'telnyx', url: dead, secret: 'x', pollSeconds: 0, webhook: { publicUrl } },
        ],
      },
      mail: { server: `127.0.0.1:${mail.port}`, tls: 'off', from: 'clinic@example.com', queue: 100_000 },
      reminders: { reception: '101', sms: true },
      mailboxes: [{ ext: '101' }],
    },
    close() {
      carrier.close()
      mail.close()
    },
  }
}

/** Puts faxes and voicemails into the inbox of a daemon that does not run. Their ids. */
export async function fillInbox(dir: string, count: number): Promise<string[]> {
  const log = createLog({ level: 'error' })
  const store = await openStore(join(dir, 'store'), log)
  const inbox = new Inbox({ store, clock: systemClock, log, dir, keepDays: 90, mailboxes: ['101'] })
  const ids: string[] = []
  mkdirSync(join(dir, 'inbox', 'faxes'), { recursive: true })
  for (let n = 0; n < count; n++) {
    const id = newId()
    const item = { id, from: '+15551239999', to: '+15550001000', receivedAt: Date.now(), callerName: '', callId: 'CA0', durationSeconds: 9 }
    if (n % 2 === 0) {
      const recording = join(dir, 'recorded.wav')
      writeFileSync(recording, Buffer.alloc(20_000))
      await inbox.publishVoicemail({ ...item, ext: '101', transcript: 'Hello.', transcriptStatus: 'done' }, recording)
    } else {
      const file = join('inbox', 'faxes', `${id}.pdf`)
      writeFileSync(join(dir, file), Buffer.alloc(30_000))
      const about = {
        pages: 1,
        status: 'complete',
        trunkId: 'main',
        remoteStationId: '',
        bitRate: 9600,
        ecm: true,
        resolution: 'fine',
      } as const
      await inbox.publishFax({ ...item, ...about, transport: 't38', badRows: 0, t30Code: 0 }, file, () => undefined)
    }
    ids.push(id)
  }
  await store.close()
  return ids
}
