/** Notices on a store of their own, with queues of mails and texts that are as durable as the store. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'
import { parseConfig } from '../../daemon/config/load.ts'
import type { NoticeWay } from '../../daemon/base/notice-ways.ts'
import { newId } from '../../daemon/base/ids.ts'
import { Inbox } from '../../daemon/inbox/inbox.ts'
import { createLog } from '../../daemon/base/log.ts'
import type { MailRequest } from '../../daemon/mail/desk.ts'
import { noticesByMail } from '../../daemon/mail/part.ts'
import type { TextRequest } from '../../daemon/messaging/desk.ts'
import { noticesByText } from '../../daemon/messaging/part.ts'
import { openStore, type Store } from '../../daemon/store/store.ts'
import type { MailRow } from '../../daemon/store/tables.ts'
import { Notices } from '../../daemon/notices/notices.ts'
import { subjectsOf } from '../../daemon/notices/subjects.ts'
import { FakeClock } from '../harness/fake-clock.ts'

const log = createLog({ level: 'silent' })
export const words = 'My name is Ann and it hurts.'

class Ways {
  readonly mails: MailRequest[] = []
  readonly texts: TextRequest[] = []
  /** Rejects, and stores nothing. */
  mailFault: Error | null = null
  textFault: { code: string; error: string } | null = null
  /** Called after it is durable and before it is known to be. */
  afterMail: Promise<void> = Promise.resolve()
  readonly #store: Store

  constructor(store: Store) {
    this.#store = store
  }

  readonly #all: Readonly<Record<string, NoticeWay>> = {
    mail: noticesByMail({
      submit: async (mail, alongside = () => undefined) => {
        const row = {} as MailRow
        if (this.mailFault !== null) throw this.mailFault
        await this.#store.transaction(() => alongside(row))
        this.mails.push(mail)
        await this.afterMail
        return row
      },
    }),
    sms: noticesByText({
      sendText: async (text, alongside = () => undefined) => {
        if (this.textFault !== null) return this.textFault
        await this.#store.transaction(alongside)
        this.texts.push(text)
        return { messageId: 'x' }
      },
    }),
  }
  readonly all = { find: (name: string) => this.#all[name] }
}

export const received = (id: string, receivedAt: number) => ({
  ...{ id, receivedAt, from: '+15551230001', to: '+15550001999', callerName: 'ANN LEE', callId: 'CA1', trunkId: 'main' },
  ...({ status: 'complete', resolution: 'fine', transport: 't38' } as const),
  ...{ pages: 2, remoteStationId: '', durationSeconds: 30, bitRate: 14400, ecm: true },
  ...{ badRows: 0, t30Code: 0 },
})
export const written = (id: string, receivedAt: number) => ({
  ...{ id, receivedAt, from: '+15551230001', to: '+15550002000', body: words, trunkId: 'gsm1' },
  ...{ segments: 1, encoding: 'GSM-7' as const, sha256: '', bytes: 0 },
})

export async function open(t: Test, mailboxes: object[], more: object = {}) {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-notices-'))
  const store = await openStore(join(dir, 'store'), log)
  const clock = new FakeClock()
  const settings = {
    site: { country: 'US', timeZone: 'America/New_York' },
    extensions: [{ number: '101', name: 'Front desk', password: 'a-long-password' }],
    mailboxes,
    ...more,
    mail: { server: '127.0.0.1:25', tls: 'off', from: 'clinic@example.com' },
  }
  const { config } = parseConfig(JSON.stringify(settings), join(dir, 'pbxd.yaml'))
  const ways = new Ways(store)
  const started: Notices[] = []
  const kinds = { voicemails: 'voicemail', faxes: 'fax', sms: 'text' } as const
  const inbox = new Inbox({
    ...{ store, clock, log, dir, keepDays: 90, mailboxes: ['101', '200'] },
  })
  // By the last of them alone, as one that has died notes nothing.
  inbox.onArrival((feed, item) => started.at(-1)?.note(item.id, { kind: kinds[feed], place: item.to }))
  const notices = () => {
    const one = new Notices({ store, clock, log, ways: ways.all, subjects: subjectsOf({ config, inbox }) })
    started.push(one)
    return one
  }
  t.teardown(async () => {
    for (const one of started) await one.stop()
    await store.close()
    rmSync(dir, { recursive: true, force: true })
  })
  const publish = async (ext = '101', bytes = 1000) => {
    const id = newId()
    const file = join(dir, `${id}.wav`)
    mkdirSync(dir, { recursive: true })
    writeFileSync(file, Buffer.alloc(bytes, 7))
    const from = { from: '+15551230001', to: '+15550001000', callerName: 'ANN LEE', callId: 'CA1' }
    const spoken = { durationSeconds: 42, transcript: words, transcriptStatus: 'done' } as const
    await inbox.publishVoicemail({ id, ext, receivedAt: clock.now(), ...from, ...spoken }, file)
    return id
  }
  const fax = async (facts: object = {}, bytes = 1000) => {
    const id = newId()
    mkdirSync(join(dir, 'inbox', 'faxes'), { recursive: true })
    writeFileSync(join(dir, 'inbox', 'faxes', `${id}.pdf`), Buffer.alloc(bytes, 7))
    await inbox.publishFax({ ...received(id, clock.now()), ...facts }, join('inbox', 'faxes', `${id}.pdf`), () => undefined)
    return id
  }
  const text = (facts: object = {}) => store.transaction(() => inbox.sms.insert({ ...written(newId(), clock.now()), ...facts }))
  return { config, store, clock, inbox, ways, notices, publish, fax, text }
}
