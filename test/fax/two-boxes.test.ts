/** Two daemons, each the other's trunk: what is posted to one comes out of the inbox of the other. */
import { readFileSync, writeFileSync } from 'node:fs'
import { PDFDocument, StandardFonts } from 'pdf-lib'
import t, { type Test } from 'tap'
import { application } from '../outbox/bench.ts'
import { Daemon } from '../harness/daemon.ts'
import { found } from '../harness/waiting.ts'

const until = <T>(look: () => Promise<T | undefined> | T | undefined, what: string, ms = 120_000) => found(what, look, ms, 250)

t.jobs = 3
t.setTimeout(300_000)

async function box(t: Test, change: (settings: Record<string, any>) => void): Promise<Daemon> {
  const daemon = await Daemon.create({ app: 'http://127.0.0.1:9', trunkPort: 9, settings: change })
  t.teardown(() => daemon.close())
  return daemon
}

function trunkTo(daemon: Daemon, port: number): void {
  writeFileSync(daemon.configFile, readFileSync(daemon.configFile, 'utf8').replace('server: 127.0.0.1:9', `server: 127.0.0.1:${port}`))
}

async function letter(pages: number): Promise<Buffer> {
  const document = await PDFDocument.create()
  const font = await document.embedFont(StandardFonts.Helvetica)
  for (let page = 1; page <= pages; page++) {
    document.addPage([595, 842]).drawText(`Page ${page} of the referral letter`, { x: 50, y: 700, size: 16, font })
  }
  return Buffer.from(await document.save())
}

/** A box that sends and one that receives. */
async function pair(t: Test): Promise<{ sender: Daemon; receiver: Daemon }> {
  const sender = await box(t, (settings) => {
    settings.fax = { stationId: '+1 555 000 1000', header: 'Riverside Clinic' }
  })
  const receiver = await box(t, (settings) => {
    settings.trunks[0].numbers = ['+15551230001']
    settings.inbound = [{ trunk: 'main', to: '+15551230001', destination: 'fax' }]
    settings.fax = { stationId: '+1 555 123 0001' }
  })
  trunkTo(sender, receiver.sipPort)
  trunkTo(receiver, sender.sipPort)
  await Promise.all([sender.start(), receiver.start()])
  return { sender, receiver }
}

async function send(sender: Daemon, body: Record<string, unknown>): Promise<string> {
  const accepted = await sender.api('POST', '/api/fax', { to: '555-123-0001', ...body })
  if (accepted.status !== 202) throw new Error(JSON.stringify(accepted.body))
  return (accepted.body as { faxId: string }).faxId
}

const over = (sender: Daemon, faxId: string) =>
  until(async () => {
    const { body } = await sender.api('GET', `/api/fax/${faxId}`)
    return ['sent', 'failed', 'canceled'].includes(body.status) ? body : undefined
  }, 'the end of the fax')

const firstPageThrough = (sender: Daemon, faxId: string) =>
  until(async () => {
    const { body } = await sender.api('GET', `/api/fax/${faxId}`)
    return body.pagesSent >= 1 ? body : undefined
  }, 'the first page')

t.test('a PDF posted to one box is a PDF in the inbox of the other', { buffered: true, timeout: 240_000 }, async (t) => {
  const app = await application(t, (_, response) => void response.end())
  const { sender, receiver } = await pair(t)
  const faxId = await send(sender, {
    pdfBase64: (await letter(1)).toString('base64'),
    cover: { subject: 'Referral' },
    statusCallbackUrl: `${app.url}/fax`,
  })
  const fax = await over(sender, faxId)
  t.match(fax, { status: 'sent', pages: 2, pagesSent: 2, attempts: 1, ecm: true, remoteStationId: '+1 555 123 0001' }, JSON.stringify(fax))
  const item = await until(async () => (await receiver.api('GET', '/api/inbox/faxes?since=0')).body.items[0], 'the item', 10_000)
  t.match(item, {
    from: '+15550001000',
    to: '+15551230001',
    pages: 2,
    complete: true,
    ecm: true,
    resolution: 'fine',
    remoteStationId: '+1 555 000 1000',
  })
  const pdf = await fetch(receiver.http + item.mediaUrl, { headers: { authorization: `Bearer ${receiver.token}` } })
  t.equal((await PDFDocument.load(await pdf.arrayBuffer())).getPageCount(), 2)
  await app.until(1)
  t.match(JSON.parse(app.received[0]!.body), { event: 'fax.sent', faxId, pages: 2, pagesSent: 2 })
  t.ok(app.received[0]!.headers['x-service-signature'])
  const shown = await sender.pbx('fax', 'show', 'last')
  t.match(shown, { code: 0, out: /sent.*2 pages/ }, shown.error)
  const listed = await sender.pbx('fax', 'list', '--json')
  t.match(JSON.parse(listed.out), [{ faxId, status: 'sent' }])
  const trace = await sender.pbx('trace', fax.calls[0].callId)
  t.match(trace.out, /< DIS[\s\S]*> DCS[\s\S]*< MCF/, 'the frames of the call')
})

t.test('kill -9 of the sending box: the fax goes on after its restart where it was', { buffered: true, timeout: 240_000 }, async (t) => {
  const { sender, receiver } = await pair(t)
  const faxId = await send(sender, { pdfBase64: (await letter(3)).toString('base64') })
  await firstPageThrough(sender, faxId)
  await sender.kill()
  await sender.start()
  // It is taken up again when it is known that its call is not there any more.
  const waiting = await until(async () => {
    const { body } = await sender.api('GET', `/api/fax/${faxId}`)
    return body.status === 'sending' ? undefined : body
  }, 'the end of the attempt')
  // A page that was shown as sent may have been on its way to the disk: it goes again then, and is named.
  t.match(waiting, { status: 'retrying', attempts: 1, possibleDuplicatePages: [waiting.pagesSent + 1] })
  t.match(await sender.pbx('fax', 'retry', 'last'), { code: 0 })
  const fax = await over(sender, faxId)
  t.match(fax, { status: 'sent', pagesSent: 3, attempts: 2 }, JSON.stringify(fax))
  const items = await until(async () => {
    const { body } = await receiver.api('GET', '/api/inbox/faxes?since=0')
    return body.items.length >= 2 ? body.items : undefined
  }, 'both parts')
  const pages = items.map((item: { pages: number }) => item.pages)
  t.match(items.at(-1), { pages: 3 - waiting.pagesSent, complete: true })
  t.ok(items[0].pages >= waiting.pagesSent && !items[0].complete, `pages of the two calls: ${pages.join(' and ')}`)
  t.ok(items[0].pages - waiting.pagesSent <= fax.possibleDuplicatePages.length, 'none came twice that was not named')
})

t.test(
  'kill -9 of the receiving box: pages that arrived are in its inbox after the restart',
  { buffered: true, timeout: 240_000 },
  async (t) => {
    const { sender, receiver } = await pair(t)
    const faxId = await send(sender, { pdfBase64: (await letter(3)).toString('base64') })
    const { pagesSent } = await firstPageThrough(sender, faxId)
    await receiver.kill()
    await receiver.start()
    const item = await until(async () => (await receiver.api('GET', '/api/inbox/faxes?since=0')).body.items[0], 'the item', 20_000)
    t.match(item, { complete: false, from: '+15550001000', to: '+15551230001' })
    t.ok(item.pages >= pagesSent, `${item.pages} pages`)
    t.match(await sender.pbx('fax', 'cancel', 'last'), { code: 0, out: /canceled/ })
    t.match(await over(sender, faxId), { status: 'canceled', reason: 'canceled' })
  },
)
