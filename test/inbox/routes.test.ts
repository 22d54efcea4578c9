/** Polling over HTTP, and media: published once and complete, served with Range and ETag, purged with the item. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { eraseItem } from '../../daemon/inbox/part.ts'
import { accessTokens } from '../../daemon/http/auth.ts'
import { inboxRoutes } from '../../daemon/inbox/routes.ts'
import { startHttp } from '../../daemon/http/server.ts'
import { newId } from '../../daemon/base/ids.ts'
import { Inbox } from '../../daemon/inbox/inbox.ts'
import { createLog } from '../../daemon/base/log.ts'
import { openStore, type Store } from '../../daemon/store/store.ts'
import type { InboxFaxRow, InboxVoicemailRow } from '../../daemon/store/tables.ts'
import { limits, tokenRow } from '../http/serve.ts'
import { FakeClock } from '../harness/fake-clock.ts'

interface Answer {
  status: number
  headers: Headers
  text: string
  body: any
}

type Ask = (path: string, options?: { headers?: Record<string, string>; token?: string; method?: string }) => Promise<Answer>

interface Box {
  readonly dir: string
  readonly clock: FakeClock
  readonly store: Store
  readonly inbox: Inbox
  readonly ask: Ask
}

const log = createLog({ level: 'silent' })
const dayMs = 86_400_000

async function open(t: Test, keepDaysOf?: ReadonlyMap<string, number>): Promise<Box> {
  const dir = mkdtempSync(join(tmpdir(), 'pbxd-inbox-'))
  const clock = new FakeClock(1_772_460_311_000)
  const store = await openStore(join(dir, 'store'), log)
  const inbox = new Inbox({ store, clock, log, dir, keepDays: 90, ...(keepDaysOf && { keepDaysOf }), mailboxes: ['101', '102'] })
  const http = await startHttp({
    listen: '127.0.0.1:0',
    routes: inboxRoutes(
      inbox,
      eraseItem(store, inbox, () => undefined),
    ),
    tokens: accessTokens([tokenRow('all', 'the-token', ['inbox']), tokenRow('voice', 'voice-only', ['voice'])], store.tables.tokens),
    limits,
    store,
    log,
    clock,
  })
  t.teardown(async () => {
    await http.close(500)
    await store.close()
    rmSync(dir, { recursive: true, force: true })
  })
  const ask: Ask = async (path, { headers = {}, token = 'the-token', method = 'GET' } = {}) => {
    const authorization: Record<string, string> = token === '' ? {} : { authorization: `Bearer ${token}` }
    const answer = await fetch(`http://127.0.0.1:${http.port}${path}`, { method, headers: { ...authorization, ...headers } })
    const text = await answer.text()
    const isJson = answer.headers.get('content-type')?.includes('json') === true && text !== ''
    return { status: answer.status, headers: answer.headers, text, body: isJson ? (JSON.parse(text) as unknown) : undefined }
  }
  return { dir, clock, store, inbox, ask }
}

const content = '%PDF-1.4 or RIFF, it makes no difference'
const sha256 = createHash('sha256').update(content).digest('hex')

function addFax({ dir, inbox, clock }: Box): Promise<InboxFaxRow> {
  const id = newId()
  mkdirSync(join(dir, 'inbox', 'faxes'), { recursive: true })
  writeFileSync(join(dir, 'inbox', 'faxes', `${id}.pdf`), content)
  const fax = {
    id,
    from: '+15551239999',
    to: '+15550001999',
    receivedAt: clock.now(),
    pages: 1,
    status: 'complete' as const,
    callerName: '',
    trunkId: 'main',
    callId: 'CA1',
    remoteStationId: 'X',
    durationSeconds: 9,
    bitRate: 9600,
    ecm: true,
    resolution: 'fine' as const,
    transport: 't38' as const,
    badRows: 0,
    t30Code: 0,
  }
  return inbox.publishFax(fax, `inbox/faxes/${id}.pdf`, () => undefined)
}

function message({ clock }: Pick<Box, 'clock'>, ext = '102'): Omit<InboxVoicemailRow, 'sha256' | 'bytes'> {
  return {
    id: newId(),
    ext,
    from: '+15551239999',
    to: ext,
    receivedAt: clock.now(),
    callerName: '',
    callId: 'CA1',
    durationSeconds: 21,
    transcript: 'Please call me back.',
    transcriptStatus: 'done' as const,
    language: 'en-US',
  }
}

function addVoicemail(box: Box, ext?: string): Promise<InboxVoicemailRow> {
  const recording = join(box.dir, 'recorded.wav')
  writeFileSync(recording, content)
  return box.inbox.publishVoicemail(message(box, ext), recording)
}

t.test('polling: cursor, limit, what may not be asked', async (t) => {
  const box = await open(t)
  const { ask } = box
  for (const feed of ['faxes', 'sms', 'voicemails']) t.same((await ask(`/api/inbox/${feed}`)).body, { items: [], nextSince: 0 }, feed)
  const ids = [(await addFax(box)).id, (await addFax(box)).id, (await addFax(box)).id]
  const first = (await ask('/api/inbox/faxes?since=0&limit=2')).body
  t.match(first.items, [
    { id: ids[0], pages: 1, mediaUrl: `/api/inbox/faxes/${ids[0]}.pdf`, complete: true, remoteId: 'X', receivedAt: /Z$/, sha256 },
    { id: ids[1] },
  ])
  const rest = (await ask(`/api/inbox/faxes?since=${first.nextSince}`)).body
  t.match(rest, { items: [{ id: ids[2] }] })
  t.same((await ask(`/api/inbox/faxes?since=${rest.nextSince}`)).body, { items: [], nextSince: rest.nextSince })
  for (const feed of ['faxes', 'sms', 'voicemails']) {
    const queries = ['since=-1', 'since=1.5', 'since=x', 'since=', 'since=9007199254740993', 'limit=0', 'limit=x', 'limit=2.5', 'limit=-1']
    for (const query of queries)
      t.match(await ask(`/api/inbox/${feed}?${query}`), { status: 422, body: { code: 'validation_failed' } }, query)
    t.equal((await ask(`/api/inbox/${feed}?limit=100000`)).status, 200, 'a large limit is taken as 500')
    t.match(await ask(`/api/inbox/${feed}?since=9007199254740991`), { status: 422, body: { code: 'cursor_from_the_future' } })
    t.equal((await ask(`/api/inbox/${feed}`, { token: 'voice-only' })).status, 403)
    t.equal((await ask(`/api/inbox/${feed}`, { token: '' })).status, 401)
  }
})

t.test('what came under a clock that was not set is kept for its days, counted from the first look under one that is', async (t) => {
  const { dir, clock, store, inbox } = await open(t)
  const box = { dir, clock, store, inbox } as Box
  const now = clock.now()
  clock.set(7 * dayMs)
  const fax = await addFax(box)
  await addVoicemail(box)
  t.equal(await inbox.sweep(), 0)
  clock.set(now)
  t.equal(await inbox.sweep(), 0, 'a time server has set the clock')
  clock.advance(89 * dayMs)
  await addFax(box)
  t.equal(await inbox.sweep(), 0)
  t.ok(existsSync(join(dir, 'inbox', 'faxes', `${fax.id}.pdf`)))
  clock.advance(2 * dayMs)
  t.equal(await inbox.sweep(), 2)
  t.same(inbox.faxes.summary().items, 1)
  const left = [...store.tables.meta.range()].filter(({ key }) => key.includes('undated'))
  t.same(left, [], 'nothing is left of it')
})

t.test('voicemail by mailbox', async (t) => {
  const box = await open(t)
  const { ask } = box
  t.match(await ask('/api/inbox/voicemails?ext=999'), { status: 404, body: { code: 'mailbox_unknown' } })
  const { id } = await addVoicemail(box)
  const mine = (await ask('/api/inbox/voicemails?ext=101')).body
  t.match(mine, { items: [] })
  t.ok(mine.nextSince > 0, 'moves on past the messages of others')
  const item = {
    id,
    ext: '102',
    from: '+15551239999',
    to: '102',
    callId: 'CA1',
    durationSeconds: 21,
    receivedAt: '2026-03-02T14:05:11.000Z',
    transcript: 'Please call me back.',
    transcriptStatus: 'done',
    language: 'en-US',
    mediaUrl: `/api/inbox/voicemails/${id}.wav`,
  }
  t.same((await ask('/api/inbox/voicemails')).body.items, [item])
  t.same((await ask('/api/inbox/voicemails?ext=102')).body.items, [item])
})

for (const { feed, ending, type, add } of [
  { feed: 'faxes', ending: 'pdf', type: 'application/pdf', add: addFax },
  { feed: 'voicemails', ending: 'wav', type: 'audio/wav', add: addVoicemail },
] as const) {
  t.test(`media of ${feed}: Range, ETag, private, purged with the item`, async (t) => {
    const box = await open(t)
    const { ask, clock, inbox, dir } = box
    const old = await add(box)
    const url = (await ask(`/api/inbox/${feed}`)).body.items[0].mediaUrl as string
    t.equal(url, `/api/inbox/${feed}/${old.id}.${ending}`)
    t.same([old.sha256, old.bytes], [sha256, content.length])
    const whole = await ask(url)
    t.same([whole.status, whole.text], [200, content])
    t.match(Object.fromEntries(whole.headers), {
      'content-type': type,
      'content-length': String(content.length),
      etag: `"${sha256}"`,
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-store',
      'x-content-type-options': 'nosniff',
    })
    const head = await ask(url, { method: 'HEAD' })
    t.same([head.status, head.text, head.headers.get('content-length')], [200, '', String(content.length)])
    const part = await ask(url, { headers: { range: 'bytes=1-3' } })
    t.same([part.status, part.text, part.headers.get('content-range')], [206, 'PDF', `bytes 1-3/${content.length}`])
    t.equal((await ask(url, { headers: { range: 'bytes=-10' } })).text, content.slice(-10))
    t.equal((await ask(url, { headers: { range: 'bytes=999-' } })).status, 416)
    t.match(await ask(url, { headers: { 'if-none-match': `"${sha256}"` } }), { status: 304, text: '' })
    t.equal((await ask(url, { headers: { 'if-none-match': '"other"' } })).status, 200)
    const other = feed === 'faxes' ? `voicemails/${old.id}.wav` : `faxes/${old.id}.pdf`
    for (const path of [`${feed}/${newId()}.${ending}`, `${feed}/..%2F..%2Fstore.${ending}`, `${feed}/1.${ending}`, other])
      t.match(await ask(`/api/inbox/${path}`), { status: 404, body: { code: 'not_found' } }, path)
    for (const token of ['', 'none']) t.equal((await ask(url, { token })).status, 401)
    t.equal((await ask(url, { token: 'voice-only' })).status, 403)

    clock.advance(89 * dayMs)
    const young = await add(box)
    const before = (await ask(`/api/inbox/${feed}`)).body.nextSince as number
    t.equal(await inbox.sweep(), 0)
    clock.advance(2 * dayMs)
    t.equal(await inbox.sweep(), 1)
    t.match(await ask(url), { status: 410, body: { code: 'media_expired' } })
    t.same(readdirSync(join(dir, 'inbox', feed)), [`${young.id}.${ending}`], 'the file is gone too')
    const after = (await ask(`/api/inbox/${feed}`)).body
    t.match(after, { items: [{ id: young.id }], nextSince: before }, 'and the item; cursors stay what they were')
    t.equal(after.items.length, 1)
    t.same((await ask(`/api/inbox/${feed}?since=${before}`)).body, { items: [], nextSince: before })
    clock.advance(366 * dayMs)
    await inbox.sweep()
    t.equal((await ask(url)).status, 404, 'a year later it is as if it had never been')
  })
}

t.test(
  'a mailbox with days of its own: its messages go by these, earlier or later than the others, and who counts them is told',
  async (t) => {
    const { dir, clock, inbox, ask } = await open(
      t,
      new Map([
        ['101', 10],
        ['102', 200],
      ]),
    )
    const add = async (ext: string): Promise<string> => {
      const recording = join(dir, 'recorded.wav')
      writeFileSync(recording, content)
      return (await inbox.publishVoicemail(message({ clock }, ext), recording)).id
    }
    const told: string[] = []
    inbox.onVoicemail(({ id, gone }) => gone && told.push(id))
    const kept = await add('102')
    const brief = await add('101')
    const usual = await add('103')
    const left = async () => (await ask('/api/inbox/voicemails')).body.items.map(({ id }: { id: string }) => id)
    clock.advance(9 * dayMs)
    t.equal(await inbox.sweep(), 0)
    clock.advance(2 * dayMs)
    t.equal(await inbox.sweep(), 1)
    t.same(await left(), [kept, usual])
    t.equal((await ask(`/api/inbox/voicemails/${brief}.wav`)).status, 410)
    clock.advance(80 * dayMs)
    t.equal(await inbox.sweep(), 1)
    t.same([await left(), told], [[kept], [brief, usual]])
  },
)

t.test('voicemail enters once and complete, also when a crash came in between', async (t) => {
  const box = await open(t)
  const { dir, inbox, store, ask } = box
  const recording = join(dir, 'recorded.wav')
  const one = message(box)
  const count = async (): Promise<number> => (await ask('/api/inbox/voicemails')).body.items.length as number
  await t.rejects(inbox.publishVoicemail(one, recording), { code: 'ENOENT' }, 'nothing was recorded')
  t.equal(await count(), 0)

  writeFileSync(recording, content)
  const refusing = inbox.publishVoicemail(one, recording, () => {
    throw new Error('its job cannot be written')
  })
  await t.rejects(refusing, /its job/)
  t.same([await count(), store.tables.inboxMedia.count()], [0, 0], 'all of it or nothing')
  t.notOk(existsSync(recording), 'as after a crash between the move and the transaction')
  await Promise.all([inbox.publishVoicemail(one, recording), inbox.publishVoicemail(one, recording)])
  t.equal(await count(), 1, 'is taken up')
  const item = await inbox.publishVoicemail(one, recording)
  t.same([await count(), item.sha256], [1, sha256], 'and repeated without effect')
})
