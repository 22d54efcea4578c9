/** Two daemons, each with a soft modem as its line: what is posted to one comes out of the inbox of the other. */
import { execFileSync, spawn } from 'node:child_process'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { PDFDocument } from 'pdf-lib'
import t, { type Test } from 'tap'
import { makePage, writeTiff } from '../fax-engine/tiff.ts'
import { Daemon, root } from '../harness/daemon.ts'
import { build, class2sim, efax, Rig } from '../modem/rig.ts'
import { found } from '../harness/waiting.ts'

const until = <T>(look: () => Promise<T | undefined> | T | undefined, what: string, ms = 100_000) => found(what, look, ms, 200)

t.jobs = 3
t.setTimeout(240_000)
await build()

const speed = 6

async function box(t: Test, rig: Rig, index: number, number: string): Promise<Daemon> {
  const daemon = await Daemon.create({
    app: 'http://127.0.0.1:9',
    trunkPort: 9,
    env: { PBXD_MODEM_SPEED: String(rig.speed) },
    settings: (settings) => {
      settings.trunks = []
      settings.inbound = []
      settings.lines = [{ id: 'line1', device: rig.device(index), number }]
      settings.fax = { header: 'Riverside Clinic', line: 'line1' }
    },
  })
  t.teardown(() => daemon.close())
  return daemon.start()
}

async function letter(pages = 1): Promise<string> {
  const document = await PDFDocument.create()
  for (let page = 1; page <= pages; page++) document.addPage([595, 842]).drawText(`Page ${page} of the letter`, { x: 50, y: 700, size: 16 })
  return Buffer.from(await document.save()).toString('base64')
}

const ready = (daemon: Daemon) =>
  until(async () => {
    const [modem] = JSON.parse((await daemon.pbx('modem', 'list', '--json')).out || '[]')
    return modem?.state === 'ready' ? modem : undefined
  }, 'a modem that is ready')

/** `pbx modem trace`, until the test has ended. */
function listen(t: Test, daemon: Daemon): { begun: Promise<void>; said(): string } {
  const child = spawn(join(root, 'scripts', 'pbx'), ['modem', 'trace', 'line1'], {
    env: { ...process.env, PBXD_CONFIG: daemon.configFile },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => void child.kill())
  let said = ''
  const begun = Promise.withResolvers<void>()
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text
    begun.resolve()
  })
  return { begun: begun.promise, said: () => said }
}

t.test('a fax goes from modem to modem, and both boxes tell how', { buffered: true }, async (t) => {
  const rig = await new Rig(speed, ['15550001999:CLINIC', '15551230001:OFFICE']).open()
  t.teardown(() => rig.close())
  const [sender, receiver] = await Promise.all([box(t, rig, 0, '+15550001999'), box(t, rig, 1, '+15551230001')])
  const [modem] = await Promise.all([ready(sender), ready(receiver)])
  t.match(modem, { id: 'line1', faxClass: '1', modems: ['v17', 'v29', 'v27ter'], number: '+15550001999' })

  const dialogue = listen(t, sender)
  await dialogue.begun
  const accepted = await sender.api('POST', '/api/fax', { to: '555-123-0001', pdfBase64: await letter() })
  t.equal(accepted.status, 202, JSON.stringify(accepted.body))
  const { faxId } = accepted.body
  const fax = await until(async () => {
    const { body } = await sender.api('GET', `/api/fax/${faxId}`)
    return ['sent', 'failed'].includes(body.status) ? body : undefined
  }, 'the end of the fax')
  const told = { status: 'sent', attempts: 1, pagesSent: 1, transport: 'modem', from: '+15550001999', remoteStationId: '+15551230001' }
  t.match(fax, told, JSON.stringify(fax))
  const item = await until(async () => (await receiver.api('GET', '/api/inbox/faxes?since=0')).body.items[0], 'the item', 10_000)
  t.match(item, { from: '+15550001999', to: '+15551230001', pages: 1, complete: true, ecm: true, remoteStationId: '+15550001999' })
  const pdf = await fetch(receiver.http + item.mediaUrl, { headers: { authorization: `Bearer ${receiver.token}` } })
  t.equal((await PDFDocument.load(await pdf.arrayBuffer())).getPageCount(), 1)

  t.match(dialogue.said(), /> ATDT\*{3}0001\n.*< CONNECT/, 'what was said to the modem')
  const trace = await sender.pbx('trace', fax.calls[0].callId)
  t.match(trace.out, /< DIS[\s\S]*> DCS[\s\S]*< MCF/, 'the frames of the call')
  t.match((await receiver.pbx('trace', 'last')).out, /> DIS[\s\S]*< DCS[\s\S]*> MCF/)
  t.match((await sender.pbx('lines')).out, /line\s+line1/)
  const metrics = await (await fetch(`${sender.http}/metrics`, { headers: { authorization: `Bearer ${sender.token}` } })).text()
  t.match(metrics, /pbx_modem_up\{line="line1"\} 1[\s\S]*pbx_modem_state\{line="line1",state="(ready|resetting)"\} 1/)
  t.match((await sender.pbx('doctor')).out, /pbx-fax: .* is built[\s\S]*line line1: /)
  await ready(sender)
  const tried = await sender.pbx('modem', 'test', 'line1')
  t.match(tried, { code: 0, out: /answers[\s\S]*class/ }, tried.error)
  await ready(sender)

  rig.order('unplug 1') // what the exchange calls busy
  const busy = await sender.api('POST', '/api/fax', { to: '555-123-0001', pdfBase64: await letter() })
  t.equal(busy.status, 202, JSON.stringify(busy.body))
  const waits = await until(async () => {
    const { body } = await sender.api('GET', `/api/fax/${busy.body.faxId}`)
    return body.status === 'retrying' ? body : undefined
  }, 'the next try')
  t.match(waits, { attempts: 1, calls: [{ outcome: 'busy', line: 'line1' }] })
  await ready(sender)

  rig.order('unplug 0')
  await until(async () => ((await sender.pbx('lines')).out.includes('unplugged') ? true : undefined), 'the warning')
  const health = await fetch(`${sender.http}/readyz`)
  t.match([health.status, await health.text()], [200, /modem line is down/])
  t.match((await sender.pbx('status')).out, /Line line1: .*(unplugged|no device)/)
  t.match((await sender.pbx('doctor')).out, /line line1: .*(unplugged|no device)/)
})

t.test('kill -9 in the middle: the line is free after the restart, and the fax goes on where it was', { buffered: true }, async (t) => {
  const rig = await new Rig(speed, ['15550001999:CLINIC', '15551230001:OFFICE']).open()
  t.teardown(() => rig.close())
  const [sender, receiver] = await Promise.all([box(t, rig, 0, '+15550001999'), box(t, rig, 1, '+15551230001')])
  await Promise.all([ready(sender), ready(receiver)])
  const { body } = await sender.api('POST', '/api/fax', { to: '555-123-0001', pdfBase64: await letter(4) })
  const now = async () => (await sender.api('GET', `/api/fax/${body.faxId}`)).body
  await until(async () => ((await now()).pagesSent >= 1 ? true : undefined), 'the first page')
  await sender.kill()
  await sender.start()
  const { pagesSent } = await until(async () => {
    const fax = await now()
    return fax.status === 'retrying' ? fax : undefined
  }, 'what was broken off waits')
  await Promise.all([ready(sender), ready(receiver)])
  t.match(await sender.pbx('fax', 'retry', 'last'), { code: 0 })
  const fax = await until(async () => {
    const view = await now()
    return ['sent', 'failed'].includes(view.status) ? view : undefined
  }, 'the end of the fax')
  t.match(fax, { status: 'sent', pagesSent: 4, attempts: 2 }, JSON.stringify(fax))
  const items = await until(async () => {
    const { items: found } = (await receiver.api('GET', '/api/inbox/faxes?since=0')).body
    return found.length >= 2 ? found : undefined
  }, 'both parts')
  t.match(items.at(-1), { pages: 4 - pagesSent, complete: true })
  t.match(items[0], { complete: false })
})

t.test('a modem that runs the fax itself (class 2): to efax and from it, and both ways between boxes', { buffered: true }, async (t) => {
  const rig = await new Rig(speed, ['15550001999:CLINIC:classes=0/2', '15551230001:OFFICE:classes=0/2.0'], class2sim).open()
  t.teardown(() => rig.close())
  const sender = await box(t, rig, 0, '+15550001999')
  t.match(await ready(sender), { id: 'line1', faxClass: '2', modems: ['v17', 'v29', 'v27ter'] })
  const send = async () => {
    const accepted = await sender.api('POST', '/api/fax', { to: '555-123-0001', pdfBase64: await letter() })
    t.equal(accepted.status, 202, JSON.stringify(accepted.body))
    return until(async () => {
      const { body } = await sender.api('GET', `/api/fax/${accepted.body.faxId}`)
      return ['sent', 'failed'].includes(body.status) ? body : undefined
    }, 'the end of the fax')
  }
  const told = { status: 'sent', attempts: 1, pagesSent: 1, transport: 'modem', from: '+15550001999' }

  const taker = efax(['-d', rig.device(1), '-o0', '-w', '-jS0=1', '-l', '+1 555 123 0001', '-r', rig.file('got')])
  await new Promise((resolve) => setTimeout(resolve, 3000)) // efax says nothing when it begins to wait
  t.match(await send(), { ...told, ecm: false, resolution: 'fine', remoteStationId: '+1 555 123 0001' })
  const { code, said } = await taker
  t.equal(code, 0, said)
  t.ok(statSync(rig.file('got.001')).size > 1000, 'the page is there')
  await ready(sender)

  const page = makePage(250, 4)
  writeTiff(rig.file('plain.tif'), [page])
  execFileSync('tiffcp', ['-c', 'g3', '-r', '10000', rig.file('plain.tif'), rig.file('doc.tif')])
  const caller = await efax(['-d', rig.device(1), '-o0', '-l', '+1 555 123 0001', '-t', 'T15550001999', rig.file('doc.tif')])
  t.equal(caller.code, 0, caller.said)
  const item = await until(async () => (await sender.api('GET', '/api/inbox/faxes?since=0')).body.items[0], 'the item', 10_000)
  t.match(item, { to: '+15550001999', pages: 1, complete: true, badRows: 0, remoteStationId: '+1 555 123 0001', resolution: 'fine' })

  const receiver = await box(t, rig, 1, '+15551230001')
  t.match(await ready(receiver), { faxClass: '2.0' })
  await ready(sender)
  const fax = await send()
  t.match(fax, { ...told, ecm: true, remoteStationId: '+15551230001' })
  const other = await until(async () => (await receiver.api('GET', '/api/inbox/faxes?since=0')).body.items[0], 'the other item', 10_000)
  t.match(other, { from: '+15550001999', pages: 1, complete: true, ecm: true })
  t.match((await sender.pbx('trace', fax.calls[0].callId)).out, /< DIS[\s\S]*> DCS[\s\S]*< MCF/, 'the frames of the call')
  t.match((await sender.pbx('modem', 'list')).out, /fax class 2, v17/)
  await ready(sender)
  t.match(await sender.pbx('modem', 'test', 'line1'), { code: 0, out: /in use: 2, v17/ })
})
