/** Screens on the wall: a code, a day, and nothing of a person. */
import t, { type Test } from 'tap'
import type { QueueView } from '../../daemon/schema/queues.ts'
import { wallQueue } from '../../daemon/wall/view.ts'
import { wallRoutes } from '../../daemon/wall/routes.ts'
import { Wall } from '../../daemon/wall/wall.ts'
import { Box } from '../people/stage.ts'

const member = (extension: string, name: string, state: QueueView['members'][number]['state']): QueueView['members'][number] => ({
  ...{ extension, name, state, since: null, reason: 'at lunch with Olga', offered: 3, answered: 2, missed: 1, talkSeconds: 60 },
})
const caller = (waitedSeconds: number, state: QueueView['callers'][number]['state'] = 'waits'): QueueView['callers'][number] => ({
  ...{
    callId: 'CA019a5b3c4d5e7f808192a3b4c5d6e7f8',
    state,
    from: '+15551234567',
    callerName: 'Ana Ruiz',
    since: '2026-03-02T14:05:10.000Z',
  },
  ...{ waitedSeconds, priority: 0, ringing: ['101'] },
})
const queue = (more: Partial<QueueView> = {}): QueueView => ({
  ...{
    id: '600',
    name: 'Nurses 600',
    strategy: 'rrmemory',
    callers: [caller(74), caller(12)],
    empty: false,
    whenEmpty: 'voicemail:100',
    day: '2026-03-02',
  },
  members: [
    member('101', 'Maria Lopez', 'free'),
    member('102', 'Olga', 'talking'),
    member('103', 'Paul', 'paused'),
    member('104', 'Tom', 'no phone'),
  ],
  lastHour: { offered: 9, answered: 8, abandoned: 1, sentOn: 0, waitP50Seconds: 14 },
  ...{ offered: 41, answered: 37, abandoned: 2, sentOn: 2, waitP50Seconds: 12, waitP95Seconds: 80 },
  ...more,
})

t.test('the wait turns amber after waitSeconds and red after twice that; who is called back waits for nothing', async (t) => {
  const levels = [0, 60, 61, 120, 121].map((seconds) => wallQueue(queue({ callers: [caller(seconds)] }), 60).level)
  t.same(levels, ['ok', 'ok', 'amber', 'amber', 'red'])
  t.match(wallQueue(queue({ callers: [caller(500, 'to be called back')] }), 60), { waiting: 0, longestSeconds: 0, level: 'ok' })
})

t.test('members are counted, and a queue without any says so', async (t) => {
  t.same(wallQueue(queue(), 60).members, { free: 1, talking: 1, paused: 1, away: 1 })
  t.equal(wallQueue(queue(), 60).empty, false)
  const pausing = queue({ members: [member('103', 'Paul', 'paused')] })
  t.match(wallQueue(pausing, 60), { empty: true, sendsOn: false }, 'callers wait while all pause')
  t.match(wallQueue({ ...pausing, empty: true }, 60), { empty: true, sendsOn: true })
})

async function open(t: Test) {
  const box = await Box.open(t, { console: { secondStep: 'off' } }, ({ store, clock }) =>
    wallRoutes({ wall: new Wall({ store, clock }), clock, queues: () => [queue()], waitSeconds: () => 60 }),
  )
  const { browser: manager } = await box.person({ login: 'mona', roles: ['manager'] })
  const code = async (): Promise<string> => (await manager.ask('POST', '/api/wall/code')).json.code
  return { box, manager, code }
}

t.test('a screen with a code shows the queues for a day, and nothing else opens to it', async (t) => {
  const { box, code } = await open(t)
  const screen = box.browser()
  t.equal((await screen.ask('GET', '/api/wall')).status, 401)
  t.equal((await screen.ask('POST', '/api/wall/session', { code: await code() })).status, 200)
  const { status, text, json } = await screen.ask('GET', '/api/wall')
  t.equal(status, 200)
  t.match(json.queues, [{ name: 'Nurses', waiting: 2, longestSeconds: 74, level: 'amber' }])
  t.notOk(/Ana|Ruiz|Maria|Lopez|Olga|Paul|Tom|lunch|CA0/.test(text), 'no name')
  t.notOk(/\+?\d{7,}|"10[1-4]"|600/.test(text.replaceAll(/"(asOf|endsAt)":"[^"]*"/g, '')), 'no number')
  t.equal((await screen.ask('GET', '/api/people')).status, 401)
  await box.restart()
  t.equal((await screen.ask('GET', '/api/wall')).status, 200, 'it outlives a restart')
  box.clock.advance(24 * 3_600_000 - 1000)
  t.equal((await screen.ask('GET', '/api/wall')).status, 200)
  box.clock.advance(1000)
  t.equal((await screen.ask('GET', '/api/wall')).status, 401, 'a day later it needs another code')
})

t.test('a code is good once, for ten minutes, and not after five wrong ones', async (t) => {
  const { box, code } = await open(t)
  const type = async (typed: string): Promise<number> => (await box.browser().ask('POST', '/api/wall/session', { code: typed })).status
  const once = await code()
  t.equal(await type(once.toLowerCase().replace('-', ' ')), 200, 'as people type it')
  t.equal(await type(once), 403, 'once')
  const late = await code()
  box.clock.advance(10 * 60_000 + 1)
  t.equal(await type(late), 403, 'late')
  const guessed = await code()
  for (let n = 0; n < 5; n++) t.equal(await type('AAAA-AAAA'), 403)
  t.equal(await type(guessed), 403, 'void after five wrong ones')
})

t.test('managers make codes and end all screens; the desk does neither; other pages show nothing', async (t) => {
  const { box, manager, code } = await open(t)
  const { browser: desk } = await box.person({ login: 'dora', roles: ['desk'] })
  t.equal((await desk.ask('POST', '/api/wall/code')).status, 403)
  const screen = box.browser()
  await screen.ask('POST', '/api/wall/session', { code: await code() })
  const foreign = await screen.ask('POST', '/api/wall/session', { code: await code() }, { 'sec-fetch-site': 'cross-site' })
  t.equal(foreign.status, 403)
  t.equal((await desk.ask('DELETE', '/api/wall/sessions')).status, 403)
  t.same((await manager.ask('DELETE', '/api/wall/sessions')).json, { ended: 1 })
  t.equal((await screen.ask('GET', '/api/wall')).status, 401)
})

t.test('managers see each screen, by whose code it came, and end one of them; the id of a screen opens nothing', async (t) => {
  const { box, manager, code } = await open(t)
  const { browser: desk } = await box.person({ login: 'dora', roles: ['desk'] })
  const [one, other] = [box.browser(), box.browser()]
  for (const screen of [one, other]) {
    await screen.ask('POST', '/api/wall/session', { code: await code() })
    box.clock.advance(60_000)
  }
  await one.ask('GET', '/api/wall')
  const { json } = await manager.ask('GET', '/api/wall/sessions')
  t.match(json, [
    { invitedBy: 'mona', address: '127.0.0.1', seenAt: new Date(box.clock.now() - 60_000).toISOString() },
    { invitedBy: 'mona', seenAt: new Date(box.clock.now()).toISOString() },
  ])
  t.equal((await desk.ask('GET', '/api/wall/sessions')).status, 403)
  t.equal((await desk.ask('DELETE', `/api/wall/sessions/${json[1].wallId}`)).status, 403)
  const forged = box.browser()
  forged.cookies.set('pbx-wall', json[1].wallId)
  t.equal((await forged.ask('GET', '/api/wall')).status, 401)
  t.equal((await manager.ask('DELETE', `/api/wall/sessions/${json[1].wallId}`)).status, 204)
  t.equal((await manager.ask('DELETE', `/api/wall/sessions/${json[1].wallId}`)).status, 404)
  t.equal((await one.ask('GET', '/api/wall')).status, 401)
  t.equal((await other.ask('GET', '/api/wall')).status, 200)
  box.clock.advance(24 * 3_600_000)
  const { browser: later } = await box.person({ login: 'mara', roles: ['manager'] })
  t.same((await later.ask('GET', '/api/wall/sessions')).json, [], 'none is listed a day later')
})
