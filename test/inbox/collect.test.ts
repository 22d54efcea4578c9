/** One inbox of several boxes: real stores and real sockets; time stands still until a test moves it. */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { idsOfBox } from '../../daemon/base/ids.ts'
import { FakeClock } from '../harness/fake-clock.ts'
import { eventually } from '../harness/waiting.ts'
import { tokenRow } from '../http/serve.ts'
import { bodies, Box, content, everyMs } from './collecting.ts'

t.teardown(() => idsOfBox(undefined))
const dayMs = 86_400_000

interface Fleet {
  readonly clock: FakeClock
  readonly a: Box
  readonly b: Box
  readonly c: Box
}

async function fleet(t: Test, token?: string): Promise<Fleet> {
  const clock = new FakeClock(1_772_460_311_000)
  const b = await Box.open(t, '002', clock)
  const c = await Box.open(t, '003', clock)
  const a = await Box.open(t, '001', clock, () => [b.source(token), c.source()])
  return { clock, a, b, c }
}

t.test('own items and those of two boxes come once each, each box in its order, to a poller of any pace', async (t) => {
  const { a, b, c } = await fleet(t)
  const sent: string[] = []
  const seen: string[] = []
  let cursor = 0
  const poll = async (): Promise<number> => {
    const { items, nextSince } = (await a.ask(`/api/inbox/sms?since=${cursor}&limit=2`)).body
    t.ok(nextSince >= cursor)
    cursor = nextSince
    seen.push(...bodies(items))
    return items.length
  }
  for (let n = 0; n < 12; n++) {
    for (const box of [a, b, c]) {
      const texts = Array.from({ length: (n + Number(box.id)) % 3 }, (_, one) => `${box.id} ${n}.${one}`)
      sent.push(...texts)
      await box.receives(...texts)
    }
    a.clock.advance(everyMs)
    await poll()
  }
  await a.has(sent.length)
  while ((await poll()) > 0);
  t.same(seen.toSorted(), sent.toSorted(), 'each once')
  for (const box of ['001', '002', '003']) {
    const of = (all: readonly string[]): string[] => all.filter((text) => text.startsWith(box))
    t.same(of(seen), of(sent), `those of ${box} in order`)
  }
  for (const limit of [1, 3, 500]) t.same(bodies(await a.polled(limit)), seen, `the same order by ${limit} at once`)
  t.same(
    (await a.polled()).map(({ body, box }) => box ?? body.slice(0, 3)),
    (await a.polled()).map(({ body }) => body.slice(0, 3)),
    'each item of another box names it',
  )
  const alone = await a.ask('/api/inbox/sms?since=0&limit=500&box=001')
  t.same(
    bodies(alone.body.items),
    sent.filter((text) => text.startsWith('001')),
    'a poll that names this box gets its own alone',
  )
})

t.test('a box that is away holds nobody up, is reported after a minute, and its items come later', async (t) => {
  const { clock, a, b, c } = await fleet(t)
  await b.receives('before')
  await a.has(1)
  await b.stop()
  await c.receives('of another')
  await a.has(2)
  t.same(a.collector.warnings(), [])
  await a.collects('the fault is known', () => a.collector.warnings().length > 0)
  t.match(a.collector.warnings(), [{ code: 'collect-002', severity: 'warning', text: /^Box 002 does not answer/ }])
  await b.start()
  await b.receives('after')
  await a.has(3)
  t.same(bodies(await a.polled()), ['before', 'of another', 'after'])
  await a.collects('all is well', () => a.collector.warnings().length === 0)
  void clock
})

t.test('a refused token is reported at once and tried again each minute; another box at the address as well', async (t) => {
  const { clock, a, b } = await fleet(t, 'wrong')
  await b.receives('waits')
  await eventually('it is refused', () => a.collector.warnings().length > 0)
  t.match(a.collector.warnings(), [{ code: 'collect-002', severity: 'error', text: /^Box 002 refuses the token/ }])
  await b.store.transaction(() => b.store.tables.tokens.put('collector', tokenRow('collector', 'wrong', ['inbox'])))
  await b.stop()
  await b.start('00b')
  clock.advance(58_000)
  t.match(a.collector.warnings(), [{ text: /token/ }])
  clock.advance(2000)
  await eventually('it is another box', () => /but another one/.test(String(a.collector.warnings()[0]?.text)))
  t.same(await a.polled(), [])
  await b.stop()
  await b.start()
  await a.has(1)
  t.same(a.collector.warnings(), [])
})

t.test('a page that is too long is asked for in halves', async (t) => {
  const { a, b } = await fleet(t)
  const long = Array.from({ length: 40 }, (_, n) => `${n} ${'x'.repeat(100_000)}`)
  await b.receives(...long)
  await a.has(40)
  t.same(
    bodies(await a.polled(7)).map((body) => body.split(' ')[0]),
    long.map((body) => body.split(' ')[0]),
  )
  t.same(a.collector.warnings(), [])
})

t.test('what is known does not come again: after a restart, after restores on either side, by a cursor of the future', async (t) => {
  const { clock, a, b } = await fleet(t)
  await b.receives('one', 'two')
  await a.has(2)
  const cursors = [0, clock.now() + 40 * dayMs]
  for (const [n, cursor] of cursors.entries()) {
    await a.store.transaction(() => a.store.tables.meta.put('collect:002:sms', cursor))
    await a.stop()
    await a.start()
    await b.receives(`more ${n}`)
    await a.has(3 + n)
  }
  t.same(bodies(await a.polled()), ['one', 'two', 'more 0', 'more 1'])
  // The other box is as it was a while ago, and its clock is late.
  await b.stop()
  clock.set(clock.now() - dayMs)
  rmSync(join(b.dir, 'store'), { recursive: true })
  await b.start()
  await b.receives('after the restore')
  await a.has(5)
  t.same(bodies(await a.polled()).at(-1), 'after the restore')
})

t.test('items that a box has collected itself are left to the box that received them', async (t) => {
  const { clock, a, b } = await fleet(t)
  const upper = await Box.open(t, '00f', clock, () => [a.source(), b.source()])
  await b.receives('of b')
  await a.receives('of a')
  await a.has(2)
  await upper.has(2)
  t.same((await upper.polled()).map(({ body, box }) => [body, box]).toSorted(), [
    ['of a', '001'],
    ['of b', '002'],
  ])
})

t.test('media come through: Range, ETag, private; 503 box_unreachable while the box is away; nothing stays behind', async (t) => {
  const { a, b } = await fleet(t)
  const id = await b.receivesFax()
  const path = `/api/inbox/faxes/${id}.pdf`
  t.match(await a.ask(path), { status: 409, body: { code: 'inbox_elsewhere' } }, 'before it was collected')
  await a.collects('the fax', async () => (await a.ask('/api/inbox/faxes')).body.items.length === 1)
  const whole = await a.ask(path)
  t.same([whole.status, whole.text], [200, content])
  t.match(Object.fromEntries(whole.headers), {
    'content-type': 'application/pdf',
    etag: `"${createHash('sha256').update(content).digest('hex')}"`,
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
  })
  t.match(await a.ask(path, { headers: { range: 'bytes=1-3' } }), { status: 206, text: 'PDF' })
  t.equal((await a.ask(`/api/inbox/voicemails/${id}.wav`)).status, 404, 'it is no voicemail')
  const text = (await b.receives('as it is now'))[0]!
  await a.has(1)
  t.match(await a.ask(`/api/inbox/sms/${text}`), { status: 200, body: { id: text, box: '002', body: 'as it is now' } })
  await b.stop()
  for (const asked of [path, `/api/inbox/sms/${text}`]) {
    const away = await a.ask(asked)
    t.match(away, { status: 503, body: { code: 'box_unreachable' } }, asked)
    t.equal(away.headers.get('retry-after'), '5')
  }
  await b.start()
  t.equal((await a.ask(path)).status, 200)
  const left = join(a.dir, 'cache/collected')
  await eventually('no file is left', () => existsSync(left) && readdirSync(left).length === 0)
})

t.test('a deletion is carried out at both boxes, or at none while the other one is away', async (t) => {
  const { a, b } = await fleet(t)
  const [one = '', two = ''] = await b.receives('one', 'two')
  const fax = await b.receivesFax()
  await a.has(2)
  await a.collects('the fax', async () => (await a.ask('/api/inbox/faxes')).body.items.length === 1)
  await b.stop()
  t.match(await a.ask(`/api/inbox/sms/${one}`, { method: 'DELETE' }), { status: 503, body: { code: 'box_unreachable' } })
  t.equal((await a.polled()).length, 2)
  await b.start()
  t.equal((await a.ask(`/api/inbox/faxes/${one}`, { method: 'DELETE' })).status, 404, 'it is no fax')
  t.equal((await a.ask(`/api/inbox/sms/${one}`, { method: 'DELETE' })).status, 204)
  t.equal((await a.ask(`/api/inbox/faxes/${fax}`, { method: 'DELETE' })).status, 204)
  t.same([bodies(await a.polled()), bodies(await b.polled())], [['two'], ['two']])
  t.match(await a.ask(`/api/inbox/sms/${one}`, { method: 'DELETE' }), { status: 410, body: { code: 'media_expired' } })
  t.match(await a.ask(`/api/inbox/faxes/${fax}.pdf`), { status: 410 })
  t.equal((await b.ask(`/api/inbox/sms/${two}`, { method: 'DELETE' })).status, 204, 'at the other box alone')
  t.equal((await a.ask(`/api/inbox/sms/${two}`, { method: 'DELETE' })).status, 204, 'then here as well')
  await a.stop()
  await a.start()
  await b.receives('three')
  await a.has(1)
  t.same(bodies(await a.polled()), ['three'], 'what was deleted does not come again')
})

t.test('voicemail by mailbox, of any box, and only what the token reaches', async (t) => {
  const { a, b } = await fleet(t)
  const [own, far, other] = [await a.receivesMessage('101'), await b.receivesMessage('201'), await b.receivesMessage('202')]
  const ids = async (query: string, token?: string) =>
    (await a.ask(`/api/inbox/voicemails${query}`, { ...(token && { token }) })).body.items.map(({ id }: { id: string }) => id)
  await a.collects('all of them', async () => (await ids('')).length === 3)
  t.same(await ids('?ext=201'), [far])
  t.same(await ids('?ext=101'), [own])
  t.same(await ids('?ext=999'), [], 'it may be of a box that has received nothing yet')
  t.match(await b.ask('/api/inbox/voicemails?ext=999'), { status: 404, body: { code: 'mailbox_unknown' } }, 'a box that collects nothing')
  t.same(await ids('', 'of-201'), [far])
  const of = async (id: string, method = 'GET') =>
    (await a.ask(`/api/inbox/voicemails/${id}${method === 'GET' ? '.wav' : ''}`, { token: 'of-201', method })).status
  t.same([await of(far), await of(other), await of(own), await of(other, 'DELETE'), await of(far, 'DELETE')], [200, 404, 404, 404, 204])
})

t.test('what was collected is kept for its days, counted from then, and is forgotten a year later', async (t) => {
  const { clock, a, b } = await fleet(t)
  const [id = ''] = await b.receives('old')
  clock.advance(60 * dayMs)
  await a.has(1)
  clock.advance(89 * dayMs)
  t.equal(await a.inbox.sweep(), 0)
  clock.advance(2 * dayMs)
  t.equal(await a.inbox.sweep(), 1)
  t.match(await a.ask(`/api/inbox/sms/${id}`), { status: 410 })
  clock.advance(366 * dayMs)
  await a.inbox.sweep()
  t.equal(a.store.tables.collectedIds.count(), 0)
})
