/** Faxes through engines and readers of PDFs that are services of their own: what is posted to one box comes out of the other. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PDFDocument } from 'pdf-lib'
import t, { type Test } from 'tap'
import { Daemon } from '../harness/daemon.ts'
import { EngineService } from '../harness/engine-service.ts'
import { pagesService } from '../harness/pages-service.ts'
import { eventually } from '../harness/scene.ts'

t.setTimeout(300_000)
const reader = await pagesService()
t.teardown(() => reader.close())

async function box(t: Test, change: (settings: Record<string, any>) => void): Promise<{ daemon: Daemon; spool: string }> {
  const engine = new EngineService()
  const env = { ...engine.env, PBXD_PAGES_SOCKET: reader.socket }
  const daemon = await Daemon.create({ app: 'http://127.0.0.1:9', trunkPort: 9, settings: change, env })
  t.teardown(async () => {
    await daemon.close()
    await engine.close()
  })
  const spool = engine.share(daemon)
  await engine.start()
  return { daemon, spool }
}

function trunkTo({ daemon }: { daemon: Daemon }, port: number): void {
  writeFileSync(daemon.configFile, readFileSync(daemon.configFile, 'utf8').replace('server: 127.0.0.1:9', `server: 127.0.0.1:${port}`))
}

/** With little on its pages: a full one is on its way for half a minute. */
async function letter(pages: number): Promise<Buffer> {
  const document = await PDFDocument.create()
  for (let i = 1; i <= pages; i++) document.addPage([595, 842]).drawText(`Referral, page ${i}`, { x: 50, y: 750, size: 20 })
  return Buffer.from(await document.save())
}

t.test('a letter of two pages arrives, and the engines keep nothing of it', async (t) => {
  const sender = await box(t, () => undefined)
  const receiver = await box(t, (settings) => {
    settings.trunks[0].numbers = ['+15551230001']
    settings.inbound = [{ trunk: 'main', to: '+15551230001', destination: 'fax' }]
  })
  trunkTo(sender, receiver.daemon.sipPort)
  trunkTo(receiver, sender.daemon.sipPort)
  await Promise.all([sender.daemon.start(), receiver.daemon.start()])
  const pdfBase64 = (await letter(2)).toString('base64')
  const accepted = await sender.daemon.api('POST', '/api/fax', { to: '555-123-0001', pdfBase64 })
  t.equal(accepted.status, 202, JSON.stringify(accepted.body))
  let fax: any
  await eventually(
    'the end of the fax',
    async () => {
      fax = (await sender.daemon.api('GET', `/api/fax/${accepted.body.faxId}`)).body
      return ['sent', 'failed'].includes(fax.status)
    },
    180_000,
  )
  t.match(fax, { status: 'sent', pages: 2, pagesSent: 2 })
  t.ok(reader.started.length >= 2)
  let items: any[] = []
  await eventually(
    'the fax in the inbox',
    async () => (items = (await receiver.daemon.api('GET', '/api/inbox/faxes')).body.items).length > 0,
  )
  t.match(items, [{ pages: 2, status: 'complete' }])
  const left = (folder: string) => readdirSync(folder).filter((name) => name.includes('fax'))
  t.same([left(sender.spool), left(receiver.spool)], [[], []])
  t.same(readdirSync(join(receiver.daemon.dir, 'var/fax/in')), [])
})
