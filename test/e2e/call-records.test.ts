/** Records of real calls as a program reads and writes them: during the calls, after their end, and after a kill. */
import t from 'tap'
import { Scene, eventually } from '../harness/scene.ts'
import { newCallId } from '../../daemon/base/ids.ts'
import { HandPhone } from '../sip-driver/hand-phone.ts'
import { password } from '../sip-driver/phones.ts'

const scene = await Scene.open({
  settings: (base) => {
    base['extensions'] = [{ number: '101', name: 'Front desk', password }]
    base['inbound'] = [{ trunk: 'main', to: '+15550001000', destination: '101' }]
  },
})
const { daemon } = scene
t.setTimeout(120_000)
t.teardown(() => scene.close())
t.afterEach(() => scene.sweep())

type Body = { [key: string]: any }
const ask = async (
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
): Promise<{ status: number; body: Body }> => daemon.api(method, `/api/pbx/calls/${path}`, body, headers)
const active = async (query = ''): Promise<Body[]> => (await ask('GET', `active${query}`)).body['calls']
const inState = (state: string) => eventually(`the call is ${state}`, async () => (await active())[0]?.['state'] === state)

t.test('a call rings, is taken, held and over; each is a revision, and notes go with it', async (t) => {
  const phone = scene.keep(await HandPhone.register(daemon.sipPort, '101', 400))
  const taking = phone.takes()
  const caller = await scene.call({ from: '+15551230001' })
  const talk = await taking
  await inState('answered')
  const [call] = await active()
  const { callId, rev } = call!
  t.match(call, { direction: 'inbound', from: '+15551230001', to: '+15550001000', extension: '101', trunkId: 'main' })
  t.notOk('outcome' in call!)
  t.equal((await active('?extension=101')).length, 1)
  t.equal((await active('?extension=102')).length, 0)
  t.match(await ask('PATCH', `${callId}/end`, { outcome: 'answered' }), { status: 409, body: { code: 'call_live' } })
  t.match(await ask('PATCH', `${callId}/answer`, { userId: 'u_17', extension: '101', rev }), {
    status: 200,
    body: { userId: 'u_17', state: 'answered', rev: rev + 1 },
  })
  const misspelt = (await ask('PATCH', `${callId}/answer`, { usrId: 'u_18', later: true })).body
  t.match(misspelt, { userId: 'u_17', warnings: ['/usrId is not used: was "userId" meant?', '/later is not used'] })
  const note = { noteId: 'n1', text: 'Wants Thursday instead.', authorUserId: 'u_17' }
  const posted = await ask('POST', `${callId}/notes`, note, { 'idempotency-key': 'k1' })
  t.match(posted, { status: 201, body: { callId, notes: [{ ...note, callId, origin: 'crm' }] } })
  const replayed = await daemon.api('POST', `/api/pbx/calls/${callId}/notes`, note, { 'idempotency-key': 'k1' })
  t.match([replayed.status, replayed.headers.get('idempotent-replayed'), replayed.body], [201, 'true', posted.body])
  t.match(await ask('POST', `${callId}/notes`, { text: 'Other.' }, { 'idempotency-key': 'k1' }), {
    status: 422,
    body: { code: 'idempotency_mismatch' },
  })
  await caller.rtp.sound()
  await caller.sip.command('HOLD')
  await inState('held')
  await caller.sip.command('RESUME')
  await inState('answered')
  await caller.hangup()
  await caller.sip.exit
  await talk.dialog.request('BYE').then((bye) => phone.peer.answer(bye, 200))
  await eventually('it is over', async () => (await active()).length === 0)
  t.match((await ask('GET', 'history')).body, {
    items: [{ callId, rev: rev + 5, state: 'ended', outcome: 'answered', userId: 'u_17', notes: [note] }],
  })
  t.match(await ask('PATCH', `${callId}/answer`, {}), { status: 409, body: { code: 'call_ended' } })
  t.match(await ask('PATCH', `${callId}/end`, {}), { status: 200, body: { rev: rev + 5 } })
  t.match(await ask('POST', `${callId}/notes`, { notes: [{ text: 'A.' }, note] }), { status: 201, body: { notes: { length: 2 } } })
  await daemon.kill()
  await daemon.start()
  t.match((await ask('GET', `history/${callId}`)).body, { rev: rev + 6, notes: [note, { text: 'A.' }] })
  const shown = await daemon.pbx('history', 'show', callId)
  t.match(shown.out, /note: Wants Thursday instead\./)
})

t.test('a call that a kill cuts off keeps what was written into it', async (t) => {
  const phone = scene.keep(await HandPhone.register(daemon.sipPort, '101', 400))
  await scene.call({ from: '+15551230002' })
  await phone.peer.request('INVITE')
  await inState('ringing')
  const { callId } = (await active())[0]!
  t.equal((await ask('POST', `${callId}/notes`, { noteId: 'n1', text: 'Rang twice.' })).status, 201)
  const { rev } = (await active())[0]!
  await daemon.kill()
  await daemon.start()
  await eventually('it is over', async () => (await active()).length === 0)
  t.match((await ask('GET', `history/${callId}`)).body, { rev: rev + 1, state: 'ended', notes: [{ noteId: 'n1' }] })
})

t.test('a call of another system is logged once, and told apart from a wrong one', async (t) => {
  const call = {
    callId: newCallId(),
    rev: 2,
    direction: 'inbound',
    state: 'ended',
    outcome: 'answered',
    from: '(555) 123-4567',
    to: '+15557654321',
    customerId: 'c_8812',
    startedAt: '2026-03-02T14:05:10Z',
    answeredAt: '2026-03-02T14:05:19Z',
    endedAt: '2026-03-02T14:08:21Z',
    talkSeconds: 182,
    notes: [{ text: 'Paid.' }],
    crmSync: 'synced',
  }
  const logged = { callId: call.callId, logged: true, customerId: 'c_8812' }
  t.match(await ask('POST', 'log', call), { status: 200, body: { ...logged, duplicate: false } })
  t.match(await ask('POST', 'log', call), { status: 200, body: { ...logged, duplicate: true } })
  t.match(await ask('POST', 'log', { ...call, rev: 1 }), { status: 409, body: { code: 'stale_rev', rev: 2 } })
  t.match((await ask('GET', 'history?phoneNumber=555-123-4567&order=desc')).body, {
    items: [{ callId: call.callId, from: '+15551234567', rev: 2, talkSeconds: 182, notes: [{ text: 'Paid.' }] }],
  })
  for (const wrong of [
    { callId: '01JNC3W8Q0V5K7M2T4X9ZB6RDE' },
    { state: 'answered' },
    { rev: 0 },
    { outcome: 'fine' },
    { endedAt: '2026-03-02T14:05:00Z' },
    { endedAt: '2999-01-01T00:00:00Z' },
    { startedAt: 'yesterday' },
  ])
    t.match(
      await ask('POST', 'log', { ...call, rev: 3, ...wrong }),
      { status: 422, body: { code: 'validation_failed' } },
      JSON.stringify(wrong),
    )
  t.match(await ask('POST', `${newCallId()}/notes`, { text: 'x' }), { status: 404, body: { code: 'call_unknown' } })
  t.match(await ask('PATCH', 'x%20y/end', {}), { status: 404, body: { code: 'call_unknown' } })
  for (const wrong of [
    {},
    { text: '' },
    { text: 'x'.repeat(8001) },
    { notes: [] },
    { text: 'x', notes: [{ text: 'y' }] },
    { noteId: 'a b', text: 'x' },
  ])
    t.match(await ask('POST', `${call.callId}/notes`, wrong), { status: 422 }, JSON.stringify(wrong).slice(0, 60))
  const large = { text: 'x', authorUserId: 'y'.repeat(1_100_000) }
  t.match(await ask('POST', `${call.callId}/notes`, large), { status: 413, body: { code: 'body_too_large' } })
})
