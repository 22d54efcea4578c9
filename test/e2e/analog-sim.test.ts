/** Lines of kind `sim`: analog lines without hardware, as docs/analog.md shows them. What goes out on one comes in on the other. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PDFDocument } from 'pdf-lib'
import t from 'tap'
import { eventually, Scene } from '../harness/scene.ts'

const temporary = mkdtempSync(join(tmpdir(), 'pbxd-analog-sim-'))
const terminals = (): string[] => readdirSync(temporary).filter((name) => name.startsWith('pbx-sim-analog-'))
const scene = await Scene.open({
  env: { TMPDIR: temporary },
  settings: (base) => {
    base['lines'] = [
      { id: 'line1', kind: 'sim', roles: ['voice', 'fax'], number: '+15551230001' },
      { id: 'line2', kind: 'sim', roles: ['voice', 'fax'], number: '+15551230002' },
    ]
    base['inbound'] = [{ trunk: '*', to: '*', destination: 'endpoint:reception' }]
    base['fax'] = { line: 'line1', header: 'Riverside Clinic' }
    base['limits'] = { requestsPerSecond: 1000, burst: 1000 }
  },
})
const { app, daemon } = scene
t.setTimeout(180_000)
t.teardown(async () => {
  await scene.close()
  rmSync(temporary, { recursive: true, force: true })
})

interface Modem {
  readonly id: string
  readonly device: string
  readonly state: string
}
const modems = async () => JSON.parse((await daemon.pbx('modem', 'list', '--json')).out) as Modem[]
/** By which the other side hears that somebody has answered. */
const welcome = { say: { text: 'Welcome to Riverside Clinic. Please enter the number of your appointment.' } }
const allReady = async () => (await modems()).every(({ state }) => state === 'ready')

t.test('two lines of one box: what one application says is what the other records', async (t) => {
  await eventually('both are ready', allReady)
  t.match(await modems(), [
    { id: 'line1', device: 'simulated' },
    { id: 'line2', device: 'simulated' },
  ])
  app.script = (e) => {
    if (e.event === 'call.inbound.pre_route')
      return [welcome, { record: { maxSeconds: 4, silenceTimeout: 10, playBeep: false, actionUrl: `${app.url}/said` } }]
    if (e.event === 'call.answered') return Array.from({ length: 5 }, () => welcome)
    return e.event === 'record.completed' ? [{ hangup: {} }] : []
  }
  const placed = await daemon.api('POST', '/api/voice/originate', { to: '+15551230002', trunkId: 'line1', endpoint: 'reception' })
  t.equal(placed.status, 200, JSON.stringify(placed.body))
  t.match((await app.until('call.inbound.pre_route')).event, { from: '+15551230001', to: '+15551230002', trunkId: 'line2' })
  t.match((await app.until('call.answered', () => true, 60_000)).event, { to: '+15551230002', trunkId: 'line1' })
  const waits = await daemon.api('POST', '/api/voice/originate', { to: '+15551230002', trunkId: 'line1', endpoint: 'reception' })
  t.match(waits.body, { state: 'queued' }, 'a line has one channel')
  await daemon.api('POST', `/api/voice/calls/${(waits.body as { callId: string }).callId}`, { status: 'completed' })
  const said = (await app.until('record.completed', () => true, 60_000)).event
  t.equal(said.durationMs, 4000)
  await eventually('both calls have ended', () => app.received.filter(({ event }) => event.event === 'call.ended').length >= 2)
  await eventually('both are ready again', allReady)
})

t.test('a fax that goes out on one line is received on the other, where an application had taken the call', async (t) => {
  app.reset()
  app.script = (e) => (e.event === 'call.inbound.pre_route' ? [welcome, { pause: { seconds: 60 } }] : [])
  const document = await PDFDocument.create()
  document.addPage([595, 842]).drawText('Referral', { x: 50, y: 700, size: 20 })
  const pdfBase64 = Buffer.from(await document.save()).toString('base64')
  const { faxId } = (await daemon.api('POST', '/api/fax', { to: '+15551230002', pdfBase64 })).body
  const fax = async () => (await daemon.api('GET', `/api/fax/${faxId}`)).body
  await eventually('the fax', async () => ['sent', 'failed'].includes((await fax()).status), 120_000)
  const told = await fax()
  t.match(told, { status: 'sent', pagesSent: 1, transport: 'modem' }, JSON.stringify(told))
  const { items } = (await daemon.api('GET', '/api/inbox/faxes?since=0')).body
  t.match(items, [{ from: '+15551230001', to: '+15551230002', trunkId: 'line2', pages: 1, complete: true }])
  await eventually('both are ready again', allReady)
})

t.test('the terminals are gone with the daemon', async (t) => {
  t.equal(terminals().length, 2)
  await daemon.stop()
  t.same(terminals(), [])
})
