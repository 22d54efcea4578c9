/** Routes behind the pages of managers and technicians, against a whole daemon: who sees what, and of patients only who may. */
import t from 'tap'
import { freePort, oftenAsked } from '../harness/daemon.ts'
import { eventually, Scene } from '../harness/scene.ts'
import { signedIn, type AskAsPerson } from '../harness/signed-in.ts'

type Json = Record<string, any>

t.setTimeout(300_000)
const closed = await freePort()
const scene = await Scene.open({
  settings: (base) => {
    base['limits'] = oftenAsked
    base['console'] = { secondStep: 'off' }
    const { endpoints } = base['voice'] as { endpoints: Json[] }
    const broken = { ...endpoints[0], id: 'broken', controlUrl: `http://127.0.0.1:${closed}/voice`, fallbackDestination: 'hangup' }
    base['voice'] = { trace: 'full', endpoints: [...endpoints, broken] }
    base['inbound'] = [...(base['inbound'] as Json[]), { trunk: 'main', to: '+15550001001', destination: 'endpoint:broken' }]
    base['sms'] = { trunks: [{ id: 'texts', kind: 'sim', number: '+15550001003' }] }
  },
})
const { daemon } = scene
t.teardown(() => scene.close())
const caller = '+12125550177'

const person = (login: string, role: string): Promise<AskAsPerson> => signedIn(daemon, login, role)
const [desk, manager, technician] = await Promise.all([person('dora', 'desk'), person('mona', 'manager'), person('ted', 'technician')])

t.test('a call of a patient: the manager exports it, the technician finds its trace without the patient', async (t) => {
  t.equal((await manager('POST', `/api/crm/names/${encodeURIComponent(caller)}`, { name: 'Zelda Quist' })).status, 200)
  const { code, out, error } = await daemon.pbx('simulate', 'inbound', '--from', caller, '--to', '+15550001000')
  t.equal(code, 0, `${out} ${error}`)
  await eventually('the call is in the history', async () => (await manager('GET', '/api/calls/history.csv')).text.includes(caller))
  const csv = await manager('GET', '/api/calls/history.csv?q=555017')
  t.equal(csv.type, 'text/csv; charset=utf-8')
  t.ok(csv.text.includes(caller), 'with the filters of the list')
  t.notOk((await manager('GET', '/api/calls/history.csv?q=999999')).text.includes(caller))
  t.equal((await desk('GET', '/api/calls/history.csv')).status, 403)
  t.equal((await technician('GET', '/api/calls/history.csv')).status, 403)
  const rows = (await manager('GET', '/api/audit?deed=history.export')).lines[0] as Json[]
  t.match(rows[0], { actor: 'person:mona', deed: 'history.export' })
  const {
    lines: [calls],
    text,
  } = await technician('GET', '/api/voice/calls')
  const trace = await technician('GET', `/api/voice/calls/${calls.items[0].callId}/trace`)
  t.equal(trace.status, 200)
  t.ok(trace.lines[0].entries.length > 0)
  for (const [what, shown] of [
    ['calls', text],
    ['trace', trace.text],
  ] as const) {
    t.notOk(shown.includes('Zelda') || shown.includes('2125550177'), `${what}: no name, no whole number`)
    t.ok(shown.includes('0177'), `${what}: the last digits`)
  }
  const figures = (await technician('GET', '/api/figures/calls?bucket=all')).lines[0]
  t.equal(figures.buckets[0].inbound, 1)
})

t.test('walked over, no answer to a technician has the patient', async (t) => {
  const document = (await daemon.api('GET', '/openapi.json')).body as Json
  let asked = 0
  for (const [path, methods] of Object.entries<Json>(document['paths'])) {
    if (
      methods['get'] === undefined ||
      path.includes('{') ||
      path === '/api/live' ||
      path === '/openapi.json' ||
      path === '/api/pbx/events'
    )
      continue
    const { status, text } = await technician('GET', path)
    if (status === 200) asked++
    t.notOk(text.includes('Zelda Quist') || text.includes('2125550177'), `${path}: ${status}`)
  }
  t.ok(asked > 20, `${asked} answers`)
})

t.test('applications: the circuit, and the last fault in words', async (t) => {
  const [before] = (await technician('GET', '/api/applications')).lines[0] as Json[]
  t.match(before, { id: 'reception', circuit: 'closed', answered: 1, failed: 0, lastFailure: null, calls: 0, fallback: '101' })
  for (let calls = 0; calls < 5; calls++) await daemon.pbx('simulate', 'inbound', '--from', caller, '--to', '+15550001001')
  const broken = ((await technician('GET', '/api/applications')).lines[0] as Json[]).find(({ id }) => id === 'broken')!
  t.match(broken, { circuit: 'open', failuresInRow: 5, failed: 5, answered: 0, lastAnswerAt: null, lastFailure: { reason: 'connect' } })
  t.ok(Date.parse(broken['openUntil']) > Date.parse(broken['lastFailure'].at))
  t.equal((await desk('GET', '/api/applications')).status, 403)
})

t.test('a text counts as what has become of it', async (t) => {
  t.equal((await daemon.api('POST', '/api/sms', { to: '+12125550188', message: 'Your appointment is on Monday.' })).status, 200)
  const sum = async (): Promise<number> => {
    const [all] = (await manager('GET', '/api/figures/texts?bucket=all')).lines[0].buckets as Json[]
    return all!['sent'] + all!['delivered'] + all!['failed'] + all!['unknown']
  }
  await eventually('it is counted', async () => (await sum()) === 1)
})

t.test('an awaited phone has a QR code until it has come; its password is shown once', async (t) => {
  const added = (await technician('POST', '/api/phones', { extension: '101' })).lines[0]
  const qr = await technician('GET', `/api/phones/${added.phone.id}/qr.svg`)
  t.equal(qr.status, 200)
  t.match(qr.type, /svg/)
  t.ok(qr.text.startsWith('<svg'))
  t.notOk(qr.text.includes(added.code), 'it is a picture')
  t.not(added.phone.adminPassword, '')
  t.equal((await technician('GET', '/api/phones')).lines[0].phones[0].adminPassword, '')
  t.equal((await manager('GET', `/api/phones/${added.phone.id}/qr.svg`)).status, 403)
  const again = (await technician('POST', `/api/phones/${added.phone.id}/code`, {})).lines[0]
  t.not((await technician('GET', `/api/phones/${again.phone.id}/qr.svg`)).text, qr.text, 'a new code, a new picture')
  await technician('DELETE', `/api/phones/${added.phone.id}`)
  t.equal((await technician('GET', `/api/phones/${added.phone.id}/qr.svg`)).status, 404)
})

t.test('the audit trail: own deeds for the desk, all for the manager, no ids of patients for the technician', async (t) => {
  await desk('GET', '/api/pbx/calls/history')
  const own = (await desk('GET', '/api/audit?limit=100')).lines[0] as Json[]
  t.ok(own.length > 0 && own.every(({ actor }) => actor === 'person:dora'))
  t.ok((await desk('GET', '/api/audit?actor=person:mona')).lines[0].every(({ actor }: Json) => actor === 'person:dora'))
  const all = (await manager('GET', '/api/audit?limit=200')).lines[0] as Json[]
  t.ok(all.some(({ actor }) => actor === 'person:ted') && all.some(({ actor }) => actor === 'person:dora'))
  const seen = (await technician('GET', '/api/audit?limit=200')).lines[0] as Json[]
  t.ok(seen.filter(({ deed }) => /^(call|trace|history)\./.test(deed)).every(({ object }) => object === ''))
  t.ok(seen.some(({ deed, object }) => deed === 'phone.add' && object !== ''))
  t.equal((await technician('POST', '/api/audit/export')).status, 403)
  t.equal((await manager('POST', '/api/audit/export')).status, 200)
  t.equal((await technician('GET', '/api/audit/verdict')).lines[0].intact ?? true, true)
})
