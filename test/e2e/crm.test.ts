/**
 * A real box, real calls and a CRM on the same machine: what it is asked before a phone rings, and what it is sent when the call has ended.
 */
import t from 'tap'
import { Crm, crmSecret, type CrmManner } from '../harness/crm.ts'
import { eventually, pause, Scene } from '../harness/scene.ts'
import { Dialog } from '../engine/sip-peer.ts'
import { sdp } from '../engine/sip-text.ts'
import { HandPhone } from '../sip-driver/hand-phone.ts'
import { password } from '../sip-driver/phones.ts'

const ana = { found: true, matchType: 'exact', matchCount: 1, customer: { id: 'c_8812', name: 'Ana Ruiz', status: 'active' } }
const knowing: CrmManner = ({ path }) => {
  if (path.startsWith('lookup/caller/')) return { body: ana }
  if (path.startsWith('screen-pop/')) return { body: { ...ana, customer: null, name: 'Ana Ruiz', openTickets: [], billing: null } }
  if (path === 'users/extension/101') return { body: { extension: '101', userId: 'u_17', name: 'Bea at the desk' } }
  if (path === 'calls/log') return { body: { logged: true, crmLogId: 'act_1' } }
  return {}
}
const crm = await Crm.open(knowing)
const scene = await Scene.open({
  settings: (base) => {
    base['extensions'] = [{ number: '101', name: 'Front desk', password }]
    base['inbound'] = [{ trunk: 'main', to: '+15550001000', destination: '101' }]
    base['crm'] = { baseUrl: crm.url, secret: crmSecret, token: 'token-of-the-crm', maxRequestsPerSecond: 50 }
  },
})
const { daemon } = scene
t.setTimeout(180_000)
t.teardown(async () => {
  await scene.close()
  await crm.close()
})
t.beforeEach(() => {
  crm.manner = knowing
  crm.seen.length = 0
})
t.afterEach(() => scene.sweep())

/** A caller with whom somebody at the phone talks for a moment; the name it showed, and how long after the call began it rang. */
async function talks(phone: HandPhone, from = '+15551230001'): Promise<{ shown: string; afterMs: number }> {
  const began = Date.now()
  const caller = await scene.call({ from, name: 'PROVIDER' })
  const invite = await phone.peer.request('INVITE', 10_000)
  const afterMs = Date.now() - began
  phone.peer.answer(invite, 180)
  phone.peer.answer(invite, 200, { body: sdp(9) })
  const dialog = Dialog.of(phone.peer, invite)
  await phone.peer.request('ACK')
  // The reports of its answer and of its end go on connections of their own.
  await pause(300)
  await dialog.ask('BYE')
  await caller.sip.exit
  return { shown: /^"([^"]*)"/.exec(invite.header('From'))?.[1] ?? '', afterMs }
}
const status = async () => (await daemon.api('GET', '/api/pbx/sync/status')).body
const drained = () => eventually('the CRM was told of everything', async () => (await status()).queue.pendingLogs === 0, 20_000)

t.test('the CRM is asked, signed, before the phone rings; the phone shows its name, and the call is told', async (t) => {
  const phone = scene.keep(await HandPhone.register(daemon.sipPort, '101', 400))
  t.equal((await talks(phone)).shown, 'Ana Ruiz')
  const [asked] = crm.of(/^lookup\/caller\//)
  t.match(asked, { method: 'GET', path: 'lookup/caller/%2B15551230001', signature: 'ok' })
  t.match(asked!.headers, { authorization: 'Bearer token-of-the-crm', 'user-agent': /^pbx\//, 'x-service-attempt': '1' })
  t.match(Object.fromEntries(asked!.query), { did: '+15550001000', direction: 'inbound', callId: /^CA[0-9a-f]{32}$/ })
  await drained()
  const [logged, ...more] = crm.of('calls/log')
  t.equal(more.length, 0)
  t.match(logged, { method: 'POST', signature: 'ok', headers: { 'idempotency-key': /^CA[0-9a-f]{32}:log:\d+$/ } })
  t.match(logged!.body, {
    state: 'ended',
    outcome: 'answered',
    extension: '101',
    callerName: 'Ana Ruiz',
    customerId: 'c_8812',
    matchType: 'exact',
  })
  const live = crm.seen.map(({ path }) => path.split('/').at(-1)).filter((word) => word === 'answer' || word === 'end')
  t.strictSame(live, ['answer', 'end'], 'and at once')
  t.match((await daemon.api('GET', `/api/pbx/calls/history?order=desc&limit=1`)).body.items[0], { crmSync: 'synced', crmLogId: 'act_1' })
  t.match(await status(), { state: 'healthy', crm: { configured: true, reachable: true, circuit: 'closed' }, queue: { dead: 0 } })
  const popped = crm.of(/^screen-pop\//)
  t.match(Object.fromEntries(popped[0]!.query), { extension: '101', did: '+15550001000', direction: 'inbound' })
})

t.test('programs get the answer of the CRM, and the one that was kept while it is away', async (t) => {
  t.match((await daemon.api('GET', '/api/pbx/lookup/caller/+15551230001')).body, {
    found: true,
    source: 'crm',
    stale: false,
    customer: { id: 'c_8812' },
  })
  t.match((await daemon.api('GET', '/api/pbx/screen-pop/+15551230001')).body, { name: 'Ana Ruiz', source: 'crm', openTickets: [] })
  crm.manner = () => ({ status: 500 })
  t.match((await daemon.api('GET', '/api/pbx/screen-pop/+15551230001')).body, { name: 'Ana Ruiz', source: 'local', stale: true })
  t.match((await daemon.api('GET', '/api/pbx/lookup/caller/+15551239999')).body, { found: false, source: 'none', stale: true })
})

t.test('who sits at a phone is what the CRM says, asked once an hour', async (t) => {
  const user = () => daemon.api('GET', '/api/pbx/users/extension/101')
  for (let n = 0; n < 2; n++) t.match((await user()).body, { userId: 'u_17', name: 'Bea at the desk', source: 'crm' })
  t.equal(crm.of('users/extension/101').length, 1)
  t.match(await daemon.api('GET', '/api/pbx/users/extension/109'), { status: 404, body: { code: 'extension_unknown' } })
})

t.test('a CRM that does not answer delays no phone by more than 0.8 s; one that lies, or knows several, gives no name', async (t) => {
  const phone = scene.keep(await HandPhone.register(daemon.sipPort, '101', 400))
  crm.manner = (seen) => (seen.path.startsWith('lookup') ? 'silence' : knowing(seen))
  const slow = await talks(phone, '+15551230002')
  t.equal(slow.shown, 'PROVIDER')
  t.ok(slow.afterMs >= 700, `${slow.afterMs} ms: it was asked`)
  t.comment(`it rang after ${slow.afterMs} ms`)
  for (const lie of ['<html>', '[]', '{"found":"yes"}']) {
    crm.manner = (seen) => (seen.path.startsWith('lookup') ? { text: lie } : knowing(seen))
    t.equal((await talks(phone, '+15551230003')).shown, 'PROVIDER', lie)
    await daemon.api('GET', '/api/pbx/screen-pop/+15551230001')
  }
  crm.manner = (seen) => (seen.path.startsWith('lookup') ? { body: { ...ana, matchType: 'ambiguous', matchCount: 2 } } : knowing(seen))
  t.equal((await talks(phone)).shown, 'PROVIDER')
  crm.manner = (seen) => (seen.path.startsWith('lookup') ? { body: { ...ana, matchType: 'suffix' } } : knowing(seen))
  t.equal((await talks(phone)).shown, 'Ana Ruiz?')
})

t.test('what is switched off is neither asked nor told, and told when it is switched on again', async (t) => {
  const phone = scene.keep(await HandPhone.register(daemon.sipPort, '101', 400))
  await drained()
  crm.seen.length = 0
  t.match(await daemon.api('POST', '/api/pbx/integration/disable', { reason: 'CRM migration' }), {
    status: 200,
    body: { enabled: false, changedBy: /^token:/ },
  })
  t.match((await daemon.api('POST', '/api/pbx/integration/disable')).body, { enabled: false }, 'and once more, without a body')
  await talks(phone)
  await eventually('it waits', async () => (await status()).queue.pendingLogs === 1)
  t.equal(crm.seen.length, 0)
  t.match(await status(), { state: 'disabled', enabled: false })
  t.match((await daemon.api('POST', '/api/pbx/integration/enable')).body, { enabled: true })
  await drained()
  t.equal(crm.of('calls/log').length, 1)
})

t.test('calls that end while the CRM is away are told in their order when it is back, also after a kill', async (t) => {
  const phone = scene.keep(await HandPhone.register(daemon.sipPort, '101', 400))
  await crm.close()
  crm.seen.length = 0
  for (let n = 0; n < 7; n++) await talks(phone, `+1555124000${n}`)
  await eventually('all of them wait', async () => (await status()).queue.pendingLogs === 7)
  t.match((await daemon.pbx('crm', 'status')).out, /7 calls/)
  await daemon.kill()
  await crm.listen()
  await daemon.start()
  await eventually('all of them are told', () => crm.of('calls/log').length === 7)
  await drained()
  const logs = crm.of('calls/log').map(({ body }) => Number(body.from.at(-1)))
  t.strictSame(logs.toSorted(), [0, 1, 2, 3, 4, 5, 6])
  // Begun in their order, four at once: on connections of their own those may arrive in any.
  for (const [place, call] of logs.entries()) t.ok(Math.abs(place - call) < 4, `call ${call} arrived as number ${place}`)
})

t.test('the figures of the integration', async (t) => {
  const { status, body } = await daemon.api('GET', '/api/pbx/analytics/integration?bucket=hour')
  t.match(
    [status, body],
    [
      200,
      {
        bucket: 'hour',
        uptime: { outages: { 0: { reason: 'connect-refused', endedAt: /Z$/ } } },
        logs: { pending: 0, dead: 0 },
        calls: { outbound: 0 },
      },
    ],
  )
  t.ok(body.lookups.timeouts >= 1 && body.lookups.total >= 8, JSON.stringify(body.lookups))
  t.ok(body.calls.inbound >= 14 && body.calls.answered === body.calls.inbound, JSON.stringify(body.calls))
  t.equal(
    body.series.reduce((sum: number, one: any) => sum + one.calls, 0),
    body.calls.inbound,
  )
  t.match((await daemon.api('GET', '/api/pbx/analytics/integration?from=2020-01-01T00:00:00Z')).body, { code: 'validation_failed' })
})

t.test('what the CRM refuses is shown without names of patients, and waits', async (t) => {
  const phone = scene.keep(await HandPhone.register(daemon.sipPort, '101', 400))
  crm.manner = (seen) => (seen.path === 'calls/log' ? { status: 422, body: { error: 'Ana Ruiz is unknown', code: 'who' } } : knowing(seen))
  await talks(phone)
  await eventually('it was refused', async () => /answered 422: who/.test((await daemon.pbx('crm', 'queue')).out))
  t.notMatch((await daemon.pbx('crm', 'queue', '--json')).out, /Ana/)
  t.match(await daemon.pbx('crm', 'retry', '--dead'), { code: 0, out: /nothing was given up/i })
})
