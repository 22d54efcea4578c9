/** The history of real calls: by phone, by menu, missed, abandoned, cut off by a kill; as programs and as the technician see it. */
import t from 'tap'
import { Baresip } from '../harness/baresip.ts'
import { Scene, eventually } from '../harness/scene.ts'

const scene = await Scene.open({
  settings: (base) => {
    base['inbound'] = [
      { trunk: 'main', to: '+15550001000', destination: 'menu:main' },
      { trunk: 'main', to: '+15550001001', destination: 'endpoint:reception' },
      { trunk: 'main', to: '+15550001002', destination: '102' },
    ]
    base['menus'] = [{ id: 'main', say: 'Press 1.', keys: { 1: '101' }, timeoutSeconds: 10, repeats: 0 }]
    const [first, second] = base['extensions'] as object[]
    base['extensions'] = [first, { ...second, ringSeconds: 5 }]
    base['outbound'] = [{ to: '+1*', trunks: ['main'] }]
  },
})
const { app, daemon } = scene
t.setTimeout(180_000)
t.teardown(() => scene.close())
t.beforeEach(() => app.reset())
t.afterEach(() => scene.sweep())

type Record = { [key: string]: unknown; callId: string; outcome: string }
async function past(query = ''): Promise<Record[]> {
  const { status, body } = await daemon.api('GET', `/api/pbx/calls/history${query}`)
  if (status !== 200) throw new Error(JSON.stringify(body))
  return (body as { items: Record[] }).items
}
async function nth(count: number): Promise<Record> {
  let items: Record[] = []
  await eventually(`${count} calls in the history`, async () => (items = await past()).length >= count, 8000)
  return items.at(-1)!
}
const desk = async (more: Partial<Parameters<typeof Baresip.start>[0]> = {}) => {
  const phone = scene.keep(
    await Baresip.start({ registrar: `127.0.0.1:${daemon.sipPort}`, user: '101', password: 'a-long-password', ...more }),
  )
  await phone.until('REGISTER_OK')
  return phone
}

t.test('through a menu to a phone: answered, by whom, and the way it took', async (t) => {
  await desk({ autoAnswer: true })
  const caller = await scene.call({ to: '+15550001000' })
  await caller.rtp.sound()
  await caller.rtp.press('1')
  await eventually('they talk', async () => (await daemon.pbx('calls', '--json')).out.includes('"routed"'), 8000)
  await caller.hangup()
  const record = await nth(1)
  t.match(record, {
    direction: 'inbound',
    outcome: 'answered',
    extension: '101',
    trunkId: 'main',
    did: '+15550001000',
    hangupBy: 'caller',
    rev: Number,
  })
  t.match(record['steps'], [{ to: 'menu:main' }, { to: '101' }])
  t.match(record['legs'], [{ to: '101', trunkId: '' }])
})

t.test('nobody takes the call: missed; the caller leaves an application: abandoned', async (t) => {
  await desk({ user: '102', password: 'another-long-password', address: '127.0.0.3' })
  const caller = await scene.call({ to: '+15550001002' })
  await caller.sip.exit
  t.match(await nth(2), { direction: 'inbound', outcome: 'missed', steps: [{ to: '102' }] })
  app.script = () => [{ gather: { timeout: 60 } }]
  const other = await scene.call({ to: '+15550001001' })
  await other.rtp.sound().catch(() => undefined)
  await other.hangup()
  t.match(await nth(3), { outcome: 'abandoned', endpoint: 'reception' })
})

t.test('a phone calls outside and its neighbour', async (t) => {
  const phone = await desk()
  const outside = await scene.expect('answer')
  await phone.command('dial', `sip:+15551230009@127.0.0.1:${daemon.sipPort}`)
  await phone.until('CALL_ESTABLISHED')
  await outside.hangup()
  await phone.until('CALL_CLOSED')
  t.match(await nth(4), { direction: 'outbound', outcome: 'answered', extension: '101', trunkId: 'main', to: '+15551230009' })
  await phone.command('dial', `sip:102@127.0.0.1:${daemon.sipPort}`)
  await phone.until('CALL_CLOSED', 8000, 2)
  const record = await nth(5)
  t.match(record, { direction: 'internal', extension: '101', to: '102' })
  t.not(record.outcome, 'answered')
})

t.test('filters, pages, and a question that is none', async (t) => {
  t.equal((await past('?outcome=missed')).length, 1)
  t.equal((await past('?phoneNumber=%2B15551230009')).length, 1)
  t.equal((await past('?extension=102')).length, 2)
  t.equal((await past('?order=desc&limit=2')).length, 2)
  t.equal((await past('?order=desc'))[0]?.callId, (await past()).at(-1)?.callId)
  t.equal((await past('?from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z')).length, 0)
  t.equal((await daemon.api('GET', '/api/pbx/calls/history?outcome=splendid')).status, 422)
})

t.test('a call that a kill took from its application is in the history once', async (t) => {
  app.script = () => [{ gather: { timeout: 60 } }]
  const caller = await scene.call({ to: '+15550001001' })
  await eventually('it is under way', async () => (await daemon.pbx('calls', '--json')).out.includes('in-progress'), 8000)
  await daemon.kill()
  await daemon.start()
  await caller.hangup()
  t.match(await nth(6), { outcome: 'abandoned', hangupBy: 'caller' })
  t.equal((await past()).length, 6)
})

t.test('pbx history, and one call of it step by step', async (t) => {
  const { out } = await daemon.pbx('history')
  t.match(out, /answered/)
  t.match(out, /missed/)
  t.match((await daemon.pbx('history', '+15551230009')).out, /outbound/)
  const first = (await past())[0]!
  const shown = (await daemon.pbx('history', 'show', first.callId)).out
  t.match(shown, /forwarded to menu:main/)
  t.match(shown, /101 answered/)
  t.equal((await daemon.pbx('history', '--from', 'yesterday-ish')).code, 2)
})
