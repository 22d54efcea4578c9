/** What a box has received before, written by its own parts: each kind of item, with a patient's words wherever they can be. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { newCallRow } from '../../../daemon/calls/new-call.ts'
import { systemClock } from '../../../daemon/base/clock.ts'
import { newId } from '../../../daemon/base/ids.ts'
import { Inbox } from '../../../daemon/inbox/inbox.ts'
import { createLog } from '../../../daemon/base/log.ts'
import { openStore, type Store } from '../../../daemon/store/store.ts'

export interface Items {
  readonly fax: string
  readonly sms: string
  readonly voicemail: string
  readonly recording: string
  readonly otherRecording: string
  readonly tracedCall: string
}

/** One further fax, without the words, stays. */
export async function fillStore(dir: string, words: string): Promise<Items> {
  const log = createLog({ level: 'silent' })
  const store = await openStore(join(dir, 'store'), log)
  const inbox = new Inbox({ store, clock: systemClock, log, dir, keepDays: 90, mailboxes: [] })
  const item = { from: '', to: '', receivedAt: Date.now(), callerName: '', trunkId: 'main', remoteStationId: '' }
  const faxed = { pages: 1, status: 'complete', durationSeconds: 1, bitRate: 0, ecm: true, resolution: 'fine', transport: null } as const
  const publish = async (content: string): Promise<string> => {
    const id = newId()
    write(join(dir, 'inbox', 'faxes'), `${id}.pdf`, content)
    const facts = {
      ...item,
      ...faxed,
      badRows: 0,
      t30Code: 0,
      callerName: content,
      remoteStationId: content,
      callId: await call(store, content),
    }
    await inbox.publishFax({ ...facts, id }, join('inbox', 'faxes', `${id}.pdf`), () => undefined)
    return id
  }
  await publish('another')
  const fax = await publish(words)
  const sms = newId()
  const received = { id: sms, ...item, sha256: '', bytes: 0, body: words, segments: 1, encoding: 'GSM-7', keyword: 'HELP' } as const
  await store.transaction(() => inbox.sms.insert(received))
  const voicemail = newId()
  const spoken = { id: voicemail, ...item, ext: '101', durationSeconds: 1, transcript: words, transcriptStatus: 'done' } as const
  write(dir, 'voicemail.wav', words)
  await inbox.publishVoicemail({ ...spoken, callerName: words, callId: await call(store, words) }, join(dir, 'voicemail.wav'))
  const items = {
    fax,
    sms,
    voicemail,
    recording: await recording(store, dir, words, true),
    otherRecording: await recording(store, dir, words, false),
    tracedCall: await call(store, words),
  }
  await store.close()
  return items
}

function write(folder: string, name: string, content: string): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, name), content)
}

/** A call that has ended, with a full trace. */
async function call(store: Store, words: string): Promise<string> {
  const row = {
    ...newCallRow(Date.now(), 'inbound'),
    state: 'completed',
    endedAt: Date.now(),
    callerName: words,
    params: { words },
  } as const
  await store.transaction(() => {
    store.tables.calls.put(row.callId, row)
    store.tables.callTraces.put(row.callId, { entries: [row.endedAt, [0, 'prompt', words, { words }]], dropped: 0 })
  })
  return row.callId
}

/** Its transcript is on the way to the application, or was given up. */
async function recording(store: Store, dir: string, words: string, told: boolean): Promise<string> {
  const recordingId = newId()
  write(join(dir, 'recordings'), `${recordingId}.wav`, words)
  const callId = await call(store, '')
  const now = Date.now()
  const row = {
    recordingId,
    callId,
    file: `recordings/${recordingId}.wav`,
    bytes: words.length,
    durationMs: 1,
    createdAt: now,
    expiresAt: now + 9e7,
  }
  const eventId = told ? '019a0000-0000-7000-8000-0000000000aa' : newId()
  const body = JSON.stringify({ event: 'record.transcribed', recordingId, transcript: words, eventId })
  const sending = { eventId, kind: 'record.transcribed', subject: callId, url: 'http://127.0.0.1:9/', secret: 'callbacks', body, fifo: '' }
  const tried = { schedule: 'standard', createdAt: now, attempts: 1, lastStatus: 500, lastError: '', lastAttemptAt: now } as const
  await store.transaction(() => {
    const { recordings, callTraces, outbox, deadLetters } = store.tables
    recordings.put(recordingId, { ...row, transcript: words, transcriptStatus: 'done' })
    callTraces.put(callId, { entries: [now, [0, 'speech', `heard: "${words}"`]], dropped: 0 })
    if (told) outbox.put(eventId, { ...sending, ...tried, nextAt: now + 9e7 })
    else deadLetters.put(eventId, { ...sending, ...tried, outcome: 'dead', endedAt: now })
  })
  return recordingId
}
