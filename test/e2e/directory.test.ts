/** The directory of a real box: imported by the technician, asked by a program, shown at a real phone, kept in the history, there after a kill. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { eventually, Scene } from '../harness/scene.ts'
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
const file = join(daemon.dir, 'patients.csv')

t.test('a CSV file is tried, taken, and answers programs', async (t) => {
  writeFileSync(file, 'id,name,phone,label\np1,"Ruiz, Ana",(555) 123-0001,mobile\np1,,555-123-0002,home\np2,Bo Li,12,work\n')
  const tried = await daemon.pbx('crm', 'import', file, '--dry-run')
  t.equal(tried.code, 1, 'a line is not as it should be')
  t.match(tried.out, /Would be: 2 new, 0 changed.*\n +row 4: "12" is no number/)
  t.match((await daemon.api('GET', '/api/pbx/lookup/caller/+15551230001')).body, { found: false })
  t.match((await daemon.pbx('crm', 'import', file)).out, /^2 new, 0 changed, 0 as before, 0 removed, of 2/)
  for (const number of ['+15551230001', '%2B15551230001', '555-123-0001', '(555)%20123%2F0002']) {
    const { status, body } = await daemon.api('GET', `/api/pbx/lookup/caller/${number}`)
    t.match([status, body], [200, { found: true, matchType: 'exact', customer: { id: 'p1', name: 'Ruiz, Ana' } }], number)
  }
  t.match(await daemon.api('GET', '/api/pbx/lookup/caller/hello'), { status: 422, body: { code: 'validation_failed' } })
  t.match((await daemon.api('GET', '/api/pbx/screen-pop/anonymous')).body, { found: false, name: '', recentCalls: [] })
  t.match(await daemon.pbx('crm', 'lookup', '5551230009'), { code: 1, out: /nobody in the directory/ })
  const wrong = await daemon.api('POST', '/api/pbx/import/pbx-export', { customers: 7 })
  t.match(wrong, { status: 422, body: { code: 'validation_failed' } })
  const key = { 'idempotency-key': 'import-1' }
  const party = { customers: [{ id: 'p3', name: 'Cy Fox', phones: [] }] }
  const imported = () => daemon.api('POST', '/api/pbx/import/pbx-export', party, key)
  t.match((await imported()).body, { created: 1 })
  const again = await imported()
  t.match([again.headers.get('idempotent-replayed'), again.body], ['true', { created: 1 }])
  t.match(await daemon.api('POST', '/api/pbx/import/pbx-export?dryRun=true', party, key), {
    status: 422,
    body: { code: 'idempotency_mismatch' },
  })
})

t.test('the phone shows the name, and the history has the party', async (t) => {
  const phone = scene.keep(await HandPhone.register(daemon.sipPort, '101', 400))
  const caller = await scene.call({ from: '+15551230001', name: 'PROVIDER' })
  const invite = await phone.peer.request('INVITE')
  t.match(invite.header('From'), /^"Ruiz, Ana" <sip:\+?15551230001@/)
  phone.peer.answer(invite, 486)
  await caller.sip.exit
  await eventually('it is in the history', async () => {
    const { body } = await daemon.api('GET', '/api/pbx/calls/history')
    return (body as { items: object[] }).items.length === 1
  })
  t.match((await daemon.api('GET', '/api/pbx/calls/history')).body, {
    items: [{ callerName: 'Ruiz, Ana', customerId: 'p1', matchType: 'exact' }],
  })
})

t.test('after a kill everything is there; calls by any number of the party are on the card', async (t) => {
  await daemon.kill()
  await daemon.start()
  const { body } = await daemon.api('GET', '/api/pbx/lookup/enhanced/+15551230002')
  t.match(body, {
    customer: { id: 'p1', phones: [{ number: '+15551230001' }, { number: '+15551230002' }] },
    recentCalls: [{ direction: 'inbound' }],
  })
  const shown = await daemon.pbx('crm', 'lookup', '+1 555 123 0002')
  t.equal(shown.code, 0)
  t.match(shown.out, /Ruiz, Ana.*p1/)
})
