/** The live stream: what a reader gets, in which state, from where it goes on, what it may not see, and how it ends. */
import { setImmediate as turn } from 'node:timers/promises'
import t from 'tap'
import { watchList, watchRows } from '../../daemon/live/watched.ts'
import { found } from '../harness/waiting.ts'
import { stage } from './stage.ts'

const call = { callId: 'CA1', from: '+15551234567', callerName: 'Ana Ruiz', state: 'ringing' }
const idOf = async (answer: Promise<Response>): Promise<string> => (await answer).headers.get('x-live-id') ?? ''

t.test('each event is the whole new state of one thing, and of changes before it is read the last', async (t) => {
  const { say, read, program } = await stage(t)
  const reading = await read(program)
  t.equal(reading.status, 200)
  say('calls', 'CA1', call)
  say('calls', 'CA1', { ...call, state: 'answered' })
  say('queues', 'nurses', { id: 'nurses', callers: [] })
  const events = await reading.got(2)
  t.match(events[0], { event: 'calls', data: { topic: 'calls', id: 'CA1', state: 'answered', callerName: 'Ana Ruiz' } })
  t.match(events[1], { event: 'queues', data: { topic: 'queues', id: 'nurses' } })
})

t.test('a page that goes on from the id of its list has what happened since, and nothing twice', async (t) => {
  const { say, read, ask, program } = await stage(t)
  say('calls', 'CA1', call)
  const id = await idOf(ask('GET', '/api/list', program))
  say('calls', 'CA2', { ...call, callId: 'CA2' })
  const ways = [await read({ ...program, 'last-event-id': id }), await read(program, `?lastId=${id}`)]
  for (const reading of ways)
    t.same(
      (await reading.got(1)).map(({ data }) => data.id),
      ['CA2'],
    )
  say('calls', 'CA3', { ...call, callId: 'CA3' })
  for (const reading of ways)
    t.same(
      (await reading.got(2)).map(({ data }) => data.id),
      ['CA2', 'CA3'],
    )
})

t.test('a gap is said where an id is of another run, from the future, or of too long ago; the stream goes on behind it', async (t) => {
  const { say, read, ask, clock, live, program } = await stage(t)
  const old = await idOf(ask('GET', '/api/list', program))
  const [run] = old.split('-')
  for (let n = 0; n < 3; n += 1) say('calls', `CA${n}`, call)
  clock.advance(301_000)
  say('calls', 'CA9', call)
  for (const id of ['0123456789ab-0', `${run}-99`, 'nonsense', '1', old]) {
    const reading = await read({ ...program, 'last-event-id': id })
    const [gap] = await reading.got(1)
    t.match(gap, { event: 'gap', id: live.id }, id)
    say('calls', 'CA9', call)
    t.same(
      (await reading.got(2)).map(({ event }) => event),
      ['gap', 'calls'],
      id,
    )
  }
})

t.test('where nobody reads, or may go on from an id, no row is looked at; a reader that comes back has a gap', async (t) => {
  const { live, store, clock, read, ask, program } = await stage(t)
  const seen: string[] = []
  const watch = {
    meta(key: string) {
      seen.push(key)
      live.changed('box', key)
    },
  }
  const failed = (error: unknown): void => void t.fail(String(error))
  watchRows(store, { watch, isWanted: () => live.isWanted, skip: () => live.skip(), failed })
  const put = (key: string): Promise<void> => store.transaction(() => store.tables.meta.put(key, 1))
  await put('before anybody')
  const id = await idOf(ask('GET', '/api/list', program))
  await put('after the list')
  clock.advance(301_000)
  await put('when nobody can want it')
  t.same(seen, ['after the list'])
  const reading = await read({ ...program, 'last-event-id': id }, '?topics=box')
  t.equal((await reading.got(1))[0]?.event, 'gap')
  await put('while somebody reads')
  t.same(seen, ['after the list', 'while somebody reads'])
})

t.test('what is kept is 5,000 events: who is further behind has a gap, who is not has none', async (t) => {
  const { live, read, program } = await stage(t)
  const [run] = live.id.split('-')
  for (let n = 0; n < 6000; n += 1) live.changed('calls', `CA${n % 10}`)
  t.same((await (await read({ ...program, 'last-event-id': `${run}-999` })).got(1))[0]?.event, 'gap')
  const reading = await read({ ...program, 'last-event-id': `${run}-1000` })
  t.same(
    (await reading.got(10)).map(({ event }) => event),
    Array(10).fill('calls'),
    'each thing once',
  )
})

t.test('faxes and queues that change many times a second come once a second', async (t) => {
  const { live, state, read, clock, program } = await stage(t)
  const reading = await read(program)
  for (let page = 1; page <= 50; page += 1) {
    state.set('faxes F1', { faxId: 'F1', page })
    live.changedSoon('faxes', 'F1')
  }
  clock.advance(1000)
  t.match(await reading.got(1), [{ event: 'faxes', data: { page: 50 } }])
  state.set('faxes F1', { faxId: 'F1', page: 51 })
  live.changedSoon('faxes', 'F1')
  clock.advance(1000)
  t.match((await reading.got(2))[1], { data: { page: 51 } })
})

t.test(
  'a technician sees states and masked numbers, no names and nothing received; the desk its own mailboxes; a manager all',
  async (t) => {
    const { say, read, person } = await stage(t)
    const readings = {
      technician: await read(await person('tech', { roles: ['technician'] })),
      desk: await read(await person('maria', { roles: ['desk'], mailboxes: ['100'] })),
      manager: await read(await person('jon', { roles: ['manager'] })),
    }
    say('inbox', 'V1', { id: 'V1', mailbox: '105', transcript: 'Private' })
    say('inbox', 'V2', { id: 'V2', mailbox: '100', transcript: 'Hello' })
    say('calls', 'CA1', { ...call, legs: [{ to: '+15559998888' }, { to: '101' }], notes: [{ text: 'A note' }] })
    const seen = { technician: await readings.technician.got(1), desk: await readings.desk.got(2), manager: await readings.manager.got(3) }
    t.same(
      seen.desk.map(({ data }) => data.id),
      ['V2', 'CA1'],
    )
    t.same(
      seen.manager.map(({ data }) => data.id),
      ['V1', 'V2', 'CA1'],
    )
    t.same(seen.technician[0]?.data, {
      ...{ callId: 'CA1', from: '***4567', state: 'ringing', legs: [{ to: '***8888' }, { to: '101' }], topic: 'calls', id: 'CA1' },
    })
    t.notMatch(readings.technician.text, /Ana|1555|Private|note/)
  },
)

t.test('what a list has shown, and what goes back to where it was within the second, is an event all the same', async (t) => {
  const { live, read, clock, ask, program } = await stage(t)
  let open = false
  const alike = (whole: object) => ({ whole, masked: whole })
  watchList(live, { topic: 'hours', kept: { list: () => [{ id: 'house', open }] }, idOf: ({ id }) => id, state: alike })
  const reading = await read(program)
  clock.advance(1000)
  t.match(await reading.got(1), [{ event: 'hours', data: { open: false } }])
  open = true
  await ask('GET', '/api/list', program)
  open = false
  clock.advance(1000)
  t.match((await reading.got(2)).at(-1), { event: 'hours', data: { open: false } }, 'while somebody reads')
  reading.socket.destroy()
  await found('nobody reads', () => (live.readers === 0 ? true : undefined))
  open = true
  await ask('GET', '/api/list', program)
  open = false
  const next = await read(program)
  clock.advance(1000)
  t.match(await next.got(1), [{ event: 'hours', data: { open: false } }], 'for the first who reads again')
})

t.test('a token reads the topics of its scopes; nobody without a token or a session reads any', async (t) => {
  const { say, read, sendOnly } = await stage(t)
  const reading = await read(sendOnly)
  say('calls', 'CA1', call)
  say('faxes', 'F1', { faxId: 'F1' })
  t.same(
    (await reading.got(1)).map(({ event }) => event),
    ['faxes'],
  )
  t.equal((await read(sendOnly, '?topics=faxes,calls')).status, 403)
  t.equal((await read({})).status, 401)
  const unknown = await read(sendOnly, '?topics=faxes,fax')
  t.equal(unknown.status, 422)
  await found('its name', () => (unknown.text.includes('topic \\"fax\\"') ? true : undefined))
})

t.test('topics that are asked for come alone', async (t) => {
  const { say, read, program } = await stage(t)
  const reading = await read(program, '?topics=queues')
  say('calls', 'CA1', call)
  say('queues', 'nurses', { id: 'nurses' })
  t.same(
    (await reading.got(1)).map(({ event }) => event),
    ['queues'],
  )
})

/** What ends the stream of a person within a second. */
const endings: readonly [
  what: string,
  ending: (s: Awaited<ReturnType<typeof stage>>, cookie: Record<string, string>) => Promise<unknown>,
][] = [
  ['the lock', ({ ask }, cookie) => ask('POST', '/api/session/lock', cookie)],
  ['the sign-out', ({ ask }, cookie) => ask('DELETE', '/api/session', cookie)],
  [
    'ten minutes without a key',
    async ({ clock }) => {
      for (let n = 0; n < 60; n += 1) {
        clock.advance(9_990)
        await turn()
      }
    },
  ],
  [
    'another role',
    async ({ ask, program }) => {
      const [{ personId }] = (await (await ask('GET', '/api/people', program)).json()) as any
      return ask('PATCH', `/api/people/${personId}`, program, { roles: ['manager'] })
    },
  ],
]

for (const [what, ending] of endings) {
  t.test(`${what} ends the stream, and nothing comes behind its end`, async (t) => {
    const s = await stage(t)
    const cookie = await s.person('maria', { roles: ['desk'] })
    const reading = await s.read(cookie)
    s.say('calls', 'CA1', call)
    await reading.got(1)
    await ending(s, cookie)
    s.clock.advance(1000)
    await found('the end', () => (reading.over ? true : undefined))
    s.say('calls', 'CA2', { ...call, callId: 'CA2' })
    t.match(reading.text, /event: ended\ndata: \{\}/)
    t.notMatch(reading.text, /CA2/)
    await found('the place is free', () => (s.live.readers === 0 ? true : undefined))
  })
}

t.test('a token that is revoked reads no further', async (t) => {
  const { read, clock, tokens, sendOnly, live } = await stage(t)
  const reading = await read(sendOnly)
  tokens.splice(1, 1)
  clock.advance(1000)
  await found('the end', () => (reading.over ? true : undefined))
  t.equal(live.readers, 0)
})

t.test('a line every 5 s keeps the connection, where nothing else was said', async (t) => {
  const { say, read, clock, program } = await stage(t)
  const reading = await read(program)
  clock.advance(4000)
  say('calls', 'CA1', call)
  await reading.got(1)
  clock.advance(4000)
  t.notMatch(reading.text, /heartbeat/)
  clock.advance(2_000)
  await found('a heartbeat', () => (reading.text.includes(': heartbeat\n\n') ? true : undefined))
})

t.test('100 may read, 50 of one token; who leaves makes room', async (t) => {
  const { live, read, program, person } = await stage(t)
  const cookies = [await person('maria', { roles: ['desk'] }), await person('jon', { roles: ['desk'] })]
  const readings = []
  for (const headers of [program, cookies[0]!]) for (let n = 0; n < 50; n += 1) readings.push(await read(headers))
  t.ok(readings.every(({ status }) => status === 200))
  t.equal((await read(program)).status, 503, 'in all')
  readings[0]!.socket.destroy()
  await found('room', () => (live.readers === 99 ? true : undefined))
  t.equal((await read(cookies[0]!)).status, 429, 'of one session')
  t.equal((await read(cookies[1]!)).status, 200)
})

t.test('a reader that takes nothing holds up nobody, grows nothing, and is cut off after 30 s', async (t) => {
  const { say, read, live, clock, program } = await stage(t)
  const [slow, other] = [await read(program), await read(program)]
  slow.socket.pause()
  const text = 'x'.repeat(20_000)
  for (let n = 0; n < 1500; n += 1) {
    say('calls', `CA${n}`, { callId: `CA${n}`, text })
    if (n % 50 === 0) await other.got(n + 1)
  }
  await other.got(1500)
  t.equal(live.readers, 2)
  clock.advance(31_000)
  await found('it was cut off', () => (live.readers === 1 ? true : undefined))
  say('calls', 'last', call)
  t.match((await other.got(1501)).at(-1), { data: { id: 'last' } })
})
