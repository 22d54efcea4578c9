import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { PDFDocument } from 'pdf-lib'
import t from 'tap'
import { renderJob } from '../../daemon/fax/pages/pages.ts'
import type { InboxFaxRow } from '../../daemon/store/tables.ts'
import { Stage } from './stage.ts'

/** What a fax machine would send: two pages as the engine writes them. */
async function twoPages(stage: Stage): Promise<string> {
  const document = await PDFDocument.create()
  for (const text of ['Page one', 'Page two']) document.addPage([595, 842]).drawText(text, { x: 50, y: 700 })
  const pdf = join(stage.dir, 'source.pdf')
  writeFileSync(pdf, await document.save())
  return (await renderJob({ pdf, directory: join(stage.dir, 'source') })).fine
}

async function items(stage: Stage): Promise<readonly InboxFaxRow[]> {
  return (await stage.inbox.faxes.page(0, 50)).items.map(({ item }) => item)
}

const empty = (stage: Stage): boolean => [...stage.store.tables.faxReceiving.range()].length === 0

t.test('a fax that comes in is in the inbox when its PDF is on the disk', async (t) => {
  const stage = await Stage.open(t)
  const tiff = await twoPages(stage)
  const leg = stage.driver.call({ callerName: 'Dr. Hay' })
  await stage.until(() => leg.received !== null, 'receiveFax')
  t.match(leg.received, { stationId: '+15550001999', ecm: true, t38: true })
  t.equal([...stage.store.tables.faxReceiving.range()].length, 1, 'known before it was answered')
  copyFileSync(tiff, leg.received!.file)
  leg.progress({ phase: 'confirmed', pages: 2, bitRate: 14_400, ecm: true, resolution: 'fine', remoteId: '+1 555 123 9999' })
  leg.result(0)
  await stage.until(() => empty(stage), 'the item')
  const [item, ...more] = await items(stage)
  t.same(more, [])
  t.match(item, {
    from: '+15551239999',
    to: '+15550001999',
    pages: 2,
    status: 'complete',
    callerName: 'Dr. Hay',
    trunkId: 'main',
    remoteStationId: '+1 555 123 9999',
    bitRate: 14_400,
    ecm: true,
    resolution: 'fine',
  })
  const media = stage.inbox.media('faxes', item!.id)
  if (media === undefined || media === 'purged') throw new Error('no media')
  const pdf = readFileSync(media.file)
  t.equal(pdf.length, item!.bytes)
  t.equal(createHash('sha256').update(pdf).digest('hex'), item!.sha256)
  t.equal((await PDFDocument.load(pdf)).getPageCount(), 2)
  await stage.until(() => !existsSync(leg.received!.file), 'the pages are removed')
  t.ok(leg.over)
})

t.test('what arrived before the call broke off is delivered; a call without a page is not', async (t) => {
  const stage = await Stage.open(t)
  const tiff = await twoPages(stage)
  const leg = stage.driver.call({ from: 'anonymous' })
  await stage.until(() => leg.received !== null)
  copyFileSync(tiff, leg.received!.file)
  leg.progress({ phase: 'page', pages: 1, remoteId: '+1 555 777' })
  leg.end()
  await stage.until(() => empty(stage))
  t.match(await items(stage), [{ status: 'partial', from: '1555777', t30Code: 49 }])
  const silent = stage.driver.call()
  await stage.until(() => silent.received !== null)
  silent.result(2)
  await stage.until(() => empty(stage))
  t.equal((await items(stage)).length, 1)
  t.match(stage.inbox.missed.newest(5), [{ from: '+15551239999', to: '+15550001999', text: String }], 'but it is known who called')
  t.same(readdirSync(join(stage.config.storage.dir, 'fax', 'in')), [])
  stage.clock.advance(91 * 86_400_000)
  await stage.inbox.sweep()
  t.equal(stage.inbox.missed.count(), 0)
})

t.test('pages that a dead daemon left are delivered at the next start, once', async (t) => {
  const stage = await Stage.open(t)
  const tiff = await twoPages(stage)
  const leg = stage.driver.call()
  await stage.until(() => leg.received !== null)
  const { file } = leg.received!
  copyFileSync(tiff, file)
  truncateSync(file, statSync(file).size - 100)
  await stage.crash()
  stage.fax.start()
  await stage.until(() => empty(stage))
  const found = await items(stage)
  t.match(found, [{ status: 'partial', from: '+15551239999', to: '+15550001999' }], `${found[0]?.pages} of 2 pages`)
  await stage.until(() => !existsSync(file))
  await stage.crash()
  stage.fax.start()
  stage.clock.advance(1000)
  t.equal((await items(stage)).length, 1)
})

t.test('a fax that the disk does not take is tried for as long as that lasts, and told', async (t) => {
  const stage = await Stage.open(t)
  const tiff = await twoPages(stage)
  const leg = stage.driver.call()
  await stage.until(() => leg.received !== null)
  copyFileSync(tiff, leg.received!.file)
  const folder = join(stage.config.storage.dir, 'inbox', 'faxes')
  rmSync(folder, { recursive: true })
  writeFileSync(folder, 'in the way')
  leg.result(0)
  const tries = () => stage.alerts.filter((code) => code === 'fax_undelivered').length
  await stage.until(() => tries() === 1, 'the alert')
  t.equal(stage.routing.trunks.used('main'), 0, 'its line is free')
  for (let minutes = 1; minutes <= 7; minutes += 1) {
    stage.clock.advance(60_000)
    await stage.until(() => tries() > minutes, 'another try')
  }
  t.same(stage.cleared, [])
  rmSync(folder)
  mkdirSync(folder)
  stage.clock.advance(60_000)
  await stage.until(() => empty(stage), 'the item')
  t.equal((await items(stage)).length, 1)
  await stage.until(() => stage.cleared.includes('fax_undelivered'), 'the alert is taken back')
})

t.test('with a full disk, or a caller who leaves, nothing is answered', async (t) => {
  const stage = await Stage.open(t)
  stage.config.fax.freeMegabytes = 1_000_000_000
  await stage.crash()
  const leg = stage.driver.call()
  await stage.until(() => leg.over)
  t.equal(leg.rejected, 486)
  t.equal(leg.received, null)
  t.equal(stage.fax.receiver.ready(), false)
})

t.test('items leave after their time; their cursor stays valid and their media is known to be gone', async (t) => {
  const stage = await Stage.open(t)
  const tiff = await twoPages(stage)
  const leg = stage.driver.call()
  await stage.until(() => leg.received !== null)
  copyFileSync(tiff, leg.received!.file)
  leg.result(0)
  await stage.until(() => empty(stage))
  const { items: before, nextSince } = await stage.inbox.faxes.page(0, 50)
  const { id } = before[0]!.item
  t.equal(await stage.inbox.sweep(), 0)
  stage.clock.advance(91 * 86_400_000)
  t.equal(await stage.inbox.sweep(), 1)
  t.equal(stage.inbox.media('faxes', id), 'purged')
  t.same(readdirSync(join(stage.config.storage.dir, 'inbox', 'faxes')), [])
  t.same(await stage.inbox.faxes.page(nextSince, 50), { items: [], nextSince })
  t.equal(stage.inbox.media('faxes', '../../store'), undefined)
})
