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
  t.match(tried.out, /Would be: 2 new, 0 changed.*\n +row 4: "12" is not a number/)
  t.match((await daemon.api('GET', '/api/pbx/lookup/caller/+15551230001')).body, { found: false })
  t.match((await daemon.pbx('crm', 'import', file)).out, /^2 new, 0 changed, 0 unchanged, 0 removed, of 2/)
  for (const number of ['+15551230001', '%2B15551230001', '555-123-0001', '(555)%20123%2F0002']) {
    const { status, body } = await daemon.api('GET', `/api/pbx/lookup/caller/${number}`)
    t.match([status, body], [200, { found: true, matchType: 'exact', customer: { id: 'p1', name: 'Ruiz, Ana' } }], number)
  }
  t.match(await daemon.api('GET', '/api/pbx/lookup/caller/hello'), { status: 422, body: { code: 'validation_failed' } })
  t.match((await daemon.api('GET', '/api/pbx/screen-pop/anonymous')).body, { found: false, name: '', recentCalls: [] })
  t.match(await daemon.pbx('crm', 'lookup', '5551230009'), { code: 1, out: /not in the directory/ })
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

t.test(
  'files of Excel and of telephones are taken in their own letters, and the people in them are found by every form of a number',
  async (t) => {
    const excel = join(daemon.dir, 'excel.csv')
    writeFileSync(
      excel,
      Buffer.from(
        'id;Vorname;Nachname;Mobiltelefon;Notiz\r\ne1;J\u00f6rg;M\u00fcller;+1 (555) 123-0021 x101;x\r\ne2;Ann;Lee;1,31056E+10;\r\n',
        'latin1',
      ),
    )
    const taken = await daemon.pbx('crm', 'import', excel)
    t.match(taken, { code: 1, out: /2 new.*\n +row 3: "1,31056E\+10" was rounded/ })
    t.match(taken.out, /row 1: these columns are not read: Notiz/)
    t.match(taken.out, /row 2: "Jörg Müller" was read as windows-1252/)
    const card = join(daemon.dir, 'phone.vcf')
    writeFileSync(
      card,
      'BEGIN:VCARD\r\nVERSION:2.1\r\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:=C3=91a=\r\n;Bo\r\nTEL;CELL:+44 7700 900123\r\nEND:VCARD\r\n',
    )
    t.match(await daemon.pbx('crm', 'import', card), { code: 0, out: /1 new/ })
    for (const [number, name] of [
      ['%2015551230021', 'Jörg Müller'],
      ['tel:+1-555-123-0021;ext=7', 'Jörg Müller'],
      ['%E2%80%8E555-123-0021%20x101', 'Jörg Müller'],
      ['%20447700900123', 'Bo Ña'],
      ['00447700900123', 'Bo Ña'],
      ['sip:+447700900123@provider.example', 'Bo Ña'],
    ] as const)
      t.match((await daemon.api('GET', `/api/pbx/lookup/caller/${number}`)).body, { found: true, customer: { name } }, number)
    t.match((await daemon.api('GET', '/api/pbx/lookup/enhanced/+15551230021')).body.customer.phones, [
      { number: '+15551230021', extension: '101' },
    ])
  },
)

t.test('a CRM sends its customers, one and all, and who is not among them is gone, also over a kill', async (t) => {
  const customer = (id: string, version: number, more = {}) => ({
    id,
    name: `Customer ${id}`,
    phones: [{ number: `+1555124000${id.slice(2)}`, label: 'work' }],
    version: String(version),
    updatedAt: `2026-03-02T14:00:0${version}Z`,
    ...more,
  })
  const one = (id: string, body: object) => daemon.api('POST', `/api/pbx/customers/${id}/sync`, body)
  t.match(await one('c_1', customer('c_1', 1)), { status: 200, body: { id: 'c_1', result: 'created', version: '1' } })
  t.match(await one('c_1', customer('c_1', 2)), { body: { result: 'updated', version: '2' } })
  t.match(await one('c_1', customer('c_1', 1)), { body: { result: 'conflict', version: '2' } })
  t.match(await one('c_2', customer('c_1', 1)), { status: 422, body: { details: [{ path: '/id' }] } })
  t.match(await one('c_2', { id: 'c_2', name: 'No Version', updatedAt: 'today' }), { status: 422 })
  const page = (customers: object[], more: object) => daemon.api('POST', '/api/pbx/sync/full', { syncId: 's1', customers, ...more })
  t.match(await page([customer('c_1', 2)], { last: false, cursor: 'c_1' }), { status: 200, body: { syncId: 's1', unchanged: 1 } })
  await daemon.kill()
  await daemon.start()
  t.match(await page([customer('c_3', 1)], { syncId: 's2', last: true }), { status: 409, body: { code: 'sync_running' } })
  t.match(await page([customer('c_3', 1)], { last: true }), { status: 200, body: { created: 1, deleted: 0 } })
  const list = (syncId: string, ...customers: object[]) => page(customers, { syncId, last: true })
  t.match(await list('s2', customer('c_1', 2)), { body: { unchanged: 1, deleted: 1 } })
  t.match((await daemon.api('GET', '/api/pbx/lookup/caller/+15551240003')).body, { found: false })
  t.match(await list('s3'), { body: { deleted: 0, warnings: [/suspicious shrink/] } })
  t.match((await daemon.api('GET', '/api/pbx/lookup/caller/+15551240001')).body, { found: true, customer: { id: 'c_1' } })
  t.match(await one('c_1', customer('c_1', 3, { deleted: true })), { body: { result: 'deleted', version: '3' } })
  t.match((await daemon.api('GET', '/api/pbx/lookup/caller/+15551240001')).body, { found: false })
  t.match((await daemon.pbx('status')).out, /none was removed/)
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
  const of = async (query: string) => (await daemon.api('GET', `/api/pbx/calls/history?${query}`)).body.items.length
  t.equal(await of('customerId=p1'), 1)
  t.equal(await of('customerId=p1&order=desc'), 1)
  t.equal(await of('customerId=p2&order=desc'), 0)
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
