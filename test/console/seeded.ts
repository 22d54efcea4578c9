/** What a clinic finds in the morning, put into the store of a box that stands still: faxes, voicemail and texts of people and of strangers. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { wavBytes } from '../../drivers/wav.ts'
import { systemClock } from '../../daemon/base/clock.ts'
import { newId } from '../../daemon/base/ids.ts'
import { createLog } from '../../daemon/base/log.ts'
import { pdfOfFax } from '../../daemon/fax/pages/pages.ts'
import { Inbox } from '../../daemon/inbox/inbox.ts'
import { openStore } from '../../daemon/store/store.ts'
import type { SmsRow } from '../../daemon/store/tables.ts'
import { Work } from '../../daemon/work/work.ts'
import { encodeT6 } from '../../daemon/fax/pages/t6-encode.ts'
import { TiffWriter } from '../../daemon/fax/pages/tiff-write.ts'
import { makePage, rowBytes } from '../fax-engine/tiff.ts'

/** A script, a change of direction, and 5,000 letters. */
export const hostile = `<script>document.title='taken'</script>\u202egnitirw\u0007${'long '.repeat(1000)}`
export const stopped = '+12025550143'
export const patient = '+12025550114'

export interface Seeded {
  readonly fax: string
  readonly hostileFax: string
  readonly voicemail: string
  readonly otherVoicemail: string
}

const log = createLog({ level: 'silent' })

/** `dir`: the storage directory. */
export async function seed(dir: string): Promise<Seeded> {
  const store = await openStore(join(dir, 'store'), log)
  const inbox = new Inbox({ store, clock: systemClock, log, dir, keepDays: 90, mailboxes: ['101', '102'] })
  const work = new Work({ store, clock: systemClock })
  inbox.onArrival((feed, item, seq) => work.arrived(feed, item, seq))
  try {
    const fax = await receivedFax(dir, inbox, { callerName: 'Lakeside Imaging', pages: 3 })
    const hostileFax = await receivedFax(dir, inbox, { callerName: hostile, pages: 1 })
    const voicemail = await message(dir, inbox, '101', 'Good morning this is Gloria Chen I need to move my appointment on Friday')
    const otherVoicemail = await message(dir, inbox, '102', 'Only for the doctor')
    await texts(store, inbox)
    return { fax, hostileFax, voicemail, otherVoicemail }
  } finally {
    await store.close()
  }
}

async function receivedFax(
  dir: string,
  inbox: Inbox,
  { callerName, pages }: { readonly callerName: string; readonly pages: number },
): Promise<string> {
  const id = newId()
  const file = join('inbox', 'faxes', `${id}.pdf`)
  mkdirSync(join(dir, 'inbox', 'faxes'), { recursive: true })
  const tiff = join(dir, `${id}.tif`)
  const writer = new TiffWriter(tiff, { pages, dotsDown: 196 })
  for (let page = 1; page <= pages; page++) {
    const bitmap = { width: 1728, rows: 2200, stride: rowBytes, data: makePage(2200, page) }
    writer.add({ width: 1728, rows: 2200, strip: encodeT6(bitmap) })
  }
  writer.close()
  await pdfOfFax(tiff, join(dir, file))
  const facts = {
    id,
    from: '+12025550177',
    to: '+12025550199',
    receivedAt: Date.now(),
    pages,
    callerName,
    trunkId: 'main',
    callId: `CA${'0'.repeat(32)}`,
  }
  const session = {
    remoteStationId: callerName,
    durationSeconds: 130,
    bitRate: 14_400,
    ecm: true,
    resolution: 'fine',
    transport: 't38',
    badRows: 0,
    t30Code: 0,
  } as const
  await inbox.publishFax({ ...facts, ...session, status: pages === 1 ? 'partial' : 'complete' }, file, () => undefined)
  return id
}

/** Twelve seconds of a voice that comes and goes. */
async function message(dir: string, inbox: Inbox, ext: string, transcript: string): Promise<string> {
  const id = newId()
  const samples = Int16Array.from({ length: 12 * 8000 }, (_, n) =>
    Math.floor(n / 4000) % 3 === 2 ? 0 : Math.round(9000 * Math.sin(n / 7)),
  )
  const recording = join(dir, `${id}.wav`)
  writeFileSync(recording, wavBytes(samples))
  const from = { from: patient, to: '+12025550199', callerName: 'Gloria Chen', callId: `CA${'1'.repeat(32)}` }
  await inbox.publishVoicemail(
    { id, ext, ...from, receivedAt: Date.now(), durationSeconds: 12, transcript, transcriptStatus: 'done' },
    recording,
  )
  return id
}

async function texts(store: Awaited<ReturnType<typeof openStore>>, inbox: Inbox): Promise<void> {
  const came = (from: string, body: string, keyword?: 'STOP' | 'CANCEL') => ({
    ...({
      id: newId(),
      from,
      to: '+12025550199',
      receivedAt: Date.now(),
      sha256: '',
      bytes: 0,
      body,
      segments: 1,
      encoding: 'GSM-7',
      trunkId: 'sim',
    } as const),
    ...(keyword === undefined ? {} : { keyword }),
  })
  const sent = (to: string, body: string, state: SmsRow['state'], error = ''): SmsRow => ({
    ...({
      messageId: newId(),
      rawTo: to,
      to,
      from: '+12025550199',
      body,
      encoding: 'GSM-7',
      segments: [body],
      reference: 1,
      trunkId: 'sim',
      state,
    } as const),
    ...{ accepted: [''], reports: [null], attempts: 1, nextAttemptAt: null, createdAt: Date.now(), expiresAt: Date.now() + 1000 },
    ...{ sentAt: Date.now(), completedAt: Date.now(), error, code: '', subject: '' },
  })
  await store.transaction(() => {
    const rows = [
      sent(patient, 'See you tomorrow', 'sent'),
      sent(patient, 'Are you there?', 'unknown', 'The answer of the network was lost.'),
      sent(patient, 'Hello', 'failed', 'The network refused it.'),
    ]
    for (const row of rows) store.tables.sms.put(row.messageId, row)
    inbox.sms.insert(came(stopped, 'STOP', 'STOP'))
    store.tables.smsSuppressed.put(stopped, { number: stopped, since: Date.UTC(2026, 0, 15, 15), by: 'STOP' })
    inbox.sms.insert(came(patient, 'CANCEL', 'CANCEL'))
    inbox.sms.insert(came('+12025550166', hostile))
  })
}
