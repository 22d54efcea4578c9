/** Pictures of fax pages: what a person sees before Send is what the far end prints, dot for dot; what cannot be sent is refused there. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { newId } from '../../daemon/base/ids.ts'
import { PagePictures } from '../../daemon/fax/page-pictures.ts'
import { pdfOfFax } from '../../daemon/fax/pages/pages.ts'
import { listAudit } from '../../daemon/audit/look.ts'
import { runPageProgram } from '../../drivers/modem/class2/page-program.ts'
import { utcOffsetMinutes } from '../../drivers/fax.ts'
import { readTiff } from '../fax-engine/tiff.ts'
import { readFax } from '../fax-pages/fax-file.ts'
import { encrypted, manyPages } from '../fax-pages/hostile.ts'
import { blackOf, dotsOf, readPng } from '../fax-pages/png.ts'
import { build, faxProgram } from '../modem/rig.ts'
import { Stage, takes } from './stage.ts'
import { textOf } from '../harness/printed.ts'
import { letter, pagesOf, served } from './pictured.ts'

t.setTimeout(240_000)

/** The pages as the far end gets them: encoded and decoded by spandsp, with its header line. */
async function farEnd(t: Test, tiff: string, pages: number, stage: Stage): Promise<Buffer[]> {
  await build()
  const folder = mkdtempSync(join(tmpdir(), 'far-end-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const got = join(folder, 'got.tif')
  const { site } = stage.config
  const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined }
  const offset = utcOffsetMinutes(site.timeZone, new Date())
  const order = {
    t: 'pagesOut',
    file: tiff,
    standardFile: '',
    stationId: '+15550001999',
    header: site.name,
    utcOffsetMinutes: offset,
    rtc: true,
  }
  const out = runPageProgram(faxProgram, order, quiet)
  const into = runPageProgram(faxProgram, { t: 'pagesIn', file: got }, quiet)
  for (let page = 0; page < pages; page++) {
    const { code, data } = await out.encode(page, true)
    if (code !== 0) throw new Error(`spandsp says ${code}`)
    await into.read(data, 'mh', true, false)
    await into.keep()
  }
  await Promise.all([out.close(), into.close()])
  return readTiff(got)
}

t.test('every page of a preview is what a spandsp far end prints, header line and all (40 pages)', async (t) => {
  const { stage, ask } = await served(t)
  const made = await ask('POST', '/api/fax/previews', { pdf: await letter(40), as: 'maria' })
  t.match(made, { status: 201, body: { pages: 40, warnings: [], to: '', cover: null } }, made.bytes.toString())
  t.ok(made.body.estimatedSeconds > 150 && made.body.estimatedSeconds < 600, `${made.body.estimatedSeconds} s`)
  const { previewId } = made.body as { previewId: string }
  const sent = await farEnd(t, pagesOf(stage, previewId), 40, stage)
  const shown = await Promise.all(
    sent.map(async (_, n) =>
      readPng((await ask('GET', `/api/fax/previews/${previewId}/pages/${n + 1}.png?width=1728`, { as: 'maria' })).bytes),
    ),
  )
  const headerBytes = 32 * 216
  // The line has its minute: where one has passed since, the times alone differ.
  const time = { from: 13 * 2, to: 20 * 2 }
  const withoutTime = (dots: Buffer): Buffer => {
    const copy = Buffer.from(dots)
    for (let row = 0; row < 32; row++) copy.fill(0, row * 216 + time.from, row * 216 + time.to)
    return copy
  }
  t.ok(shown.every(({ width, depth }) => width === 1728 && depth === 1))
  t.same(
    shown.flatMap((png, n) => (withoutTime(dotsOf(png)).equals(withoutTime(sent[n]!)) ? [] : [n + 1])),
    [],
    'pages that differ',
  )
  t.ok(blackOf(shown[0]!) > 0.001, 'and they are not empty')
  t.ok(
    dotsOf(shown[0]!)
      .subarray(0, headerBytes)
      .some((byte) => byte !== 0),
    'nor is the line above them',
  )
})

t.test('what was looked at is sent as it is: nothing is drawn a second time, and its cover goes with it', async (t) => {
  const { stage, ask } = await served(t)
  const plain = await ask('POST', '/api/fax/previews', { json: { pdfBase64: (await letter(1)).toString('base64') } })
  t.match(plain, { status: 201, body: { pages: 1 } }, plain.bytes.toString())
  const cover = { to: 'Records', subject: 'Referral' }
  const made = await ask('POST', '/api/fax/previews', { json: { previewId: plain.body.previewId, to: '(555) 123-0001', cover } })
  t.match(made, { status: 201, body: { pages: 2, to: '+15551230001', cover } }, made.bytes.toString())
  const { previewId } = made.body as { previewId: string }
  const stale = await ask('POST', '/api/fax', { json: { to: '+15551230002', previewId } })
  t.match(stale, { status: 409, body: { code: 'preview_stale' } }, 'the cover names another number')
  t.match(await ask('POST', '/api/fax', { json: { to: '+15551230001', previewId, cover: { subject: 'Other' } } }), { status: 409 })
  const accepted = await ask('POST', '/api/fax', { json: { to: '+15551230001', previewId } })
  t.match(accepted, { status: 202, body: { status: 'queued', pages: 2 } }, accepted.bytes.toString())
  const { faxId } = accepted.body as { faxId: string }
  const pages = readFileSync(stage.documents.of(faxId).fine)
  t.ok(pages.equals(readFileSync(pagesOf(stage, previewId))))
  const shown = await ask('GET', `/api/fax/${faxId}/pages/1.png?width=1728`)
  t.equal(shown.status, 200)
  stage.fax.queue.start()
  const leg = await stage.dialled(1)
  await takes(stage, leg, 2)
  leg.result(0)
  await stage.until(() => stage.fax.queue.waiting === 0)
  t.match((await ask('GET', `/api/fax/${faxId}`)).body, { status: 'sent', pages: 2 })
  t.ok(readFileSync(stage.documents.of(faxId).fine).equals(pages), 'what went stays to be looked at')
  t.equal((await ask('GET', `/api/fax/${faxId}/pages/2.png?width=200`)).status, 200)
  const again = await ask('POST', '/api/fax', { json: { to: '+15551230001', previewId } })
  t.match(again, { status: 409, body: { code: 'fax_repeated', faxId } }, 'the same within the hour is asked')
  t.match(await ask('POST', '/api/fax', { json: { to: '+15551230001', previewId, repeat: true } }), { status: 202 })
})

t.test('what cannot be sent is refused before Send, and nothing of it is kept', async (t) => {
  const { stage, ask } = await served(t)
  const folder = join(stage.config.storage.dir, 'cache', 'fax-previews')
  const big = Buffer.concat([await letter(1), Buffer.alloc(21 * 1024 * 1024)])
  const table: [string, Uint8Array, number, string][] = [
    ['a password', encrypted('secret'), 422, 'pdf_encrypted'],
    ['201 pages', manyPages(201), 413, 'pdf_too_many_pages'],
    ['21 MB', big, 413, 'attachment_too_large'],
    ['no PDF', Buffer.from('PK\u0003\u0004 a letter of another program'), 422, 'pdf_unreadable'],
    ['nothing', new Uint8Array(0), 422, 'pdf_unreadable'],
  ]
  for (const [what, pdf, status, code] of table) {
    t.match(await ask('POST', '/api/fax/previews', { pdf, as: 'maria' }), { status, body: { code } }, what)
    const json = { pdfBase64: Buffer.from(pdf).toString('base64') }
    if (pdf.length > 0)
      t.match(await ask('POST', '/api/fax/previews', { json, as: 'maria' }), { status, body: { code } }, `${what}, as Base64`)
    t.same(readdirSync(folder), [], `${what}: nothing is stored`)
  }
  t.match(await ask('POST', '/api/fax/previews', { json: {} }), {
    status: 422,
    body: { code: 'validation_failed', details: [{ path: '/pdfBase64' }] },
  })
  t.match(await ask('POST', '/api/fax', { json: { to: '+15551230001' } }), {
    status: 422,
    body: { code: 'validation_failed', details: [{ path: '/pdfBase64' }] },
  })
  t.match(await ask('POST', '/api/fax/previews', { json: { previewId: newId() } }), { status: 404, body: { code: 'preview_unknown' } })
})

t.test('a preview is kept for an hour', async (t) => {
  const { stage, ask } = await served(t)
  const { previewId } = (await ask('POST', '/api/fax/previews', { pdf: await letter(1) })).body as { previewId: string }
  stage.clock.advance(59 * 60_000)
  t.equal((await ask('GET', `/api/fax/previews/${previewId}`)).status, 200)
  stage.clock.advance(2 * 60_000)
  t.equal((await ask('GET', `/api/fax/previews/${previewId}`)).status, 404)
  t.equal((await ask('GET', `/api/fax/previews/${previewId}/pages/1.png`)).status, 404)
  t.match(await ask('POST', '/api/fax', { json: { to: '+15551230001', previewId } }), { status: 404, body: { code: 'preview_unknown' } })
})

t.test('pages of a received fax, in any width: the same dots, or shades of them; gone with the fax', async (t) => {
  const { stage, ask, trail } = await served(t)
  const id = newId()
  const folder = join(stage.config.storage.dir, 'inbox', 'faxes')
  mkdirSync(folder, { recursive: true })
  const { previewId } = (await ask('POST', '/api/fax/previews', { pdf: await letter(2) })).body as { previewId: string }
  const tiff = pagesOf(stage, previewId)
  await pdfOfFax(tiff, join(folder, `${id}.pdf`))
  const facts = {
    id,
    from: '+15551230009',
    to: '+15550001999',
    receivedAt: stage.clock.now(),
    callerName: '',
    trunkId: 'main',
    callId: `CA${'0'.repeat(32)}`,
  }
  const more = {
    pages: 2,
    status: 'complete',
    remoteStationId: '',
    durationSeconds: 70,
    bitRate: 14_400,
    ecm: true,
    resolution: 'fine',
    transport: 't38',
    badRows: 0,
    t30Code: 0,
  } as const
  await stage.inbox.publishFax({ ...facts, ...more }, join('inbox', 'faxes', `${id}.pdf`), () => undefined)
  const path = `/api/inbox/faxes/${id}/pages`
  const whole = await ask('GET', `${path}/2.png?width=1728`, { as: 'mona' })
  t.ok(dotsOf(readPng(whole.bytes)).equals(Buffer.from(readFax(tiff)[1]!.bitmap.data)), 'dot for dot')
  t.match(Object.fromEntries(whole.headers), {
    'content-type': 'image/png',
    'cache-control': 'private, no-store',
    'x-content-type-options': 'nosniff',
  })
  const etag = whole.headers.get('etag')!
  t.equal((await ask('GET', `${path}/2.png?width=1728`, { as: 'mona', headers: { 'if-none-match': etag } })).status, 304)
  for (const width of [80, 864, 1000]) {
    const png = readPng((await ask('GET', `${path}/2.png?width=${width}`, { as: 'maria' })).bytes)
    t.match(png, { width, depth: 4 })
    t.equal(png.rows, Math.round((readFax(tiff)[1]!.rows * width) / 1728))
    t.ok(Math.abs(blackOf(png) - blackOf(readPng(whole.bytes))) < 0.004, `${width}: as much ink`)
  }
  t.equal((await ask('GET', `${path}/3.png`)).status, 404, 'there is no third page')
  for (const [n, width] of [
    ['0', 200],
    ['x', 200],
    ['1', 79],
    ['1', 1729],
    ['../1', 200],
  ] as const)
    t.ok((await ask('GET', `${path}/${n}.png?width=${width}`)).status >= 404, `${n}, ${width}`)
  t.equal((await ask('GET', `${path}/1.png`, { as: 'tom' })).status, 403, 'no pictures for a technician')
  await trail.stop()
  const rows = await listAudit(stage.store, { deed: 'inbox.media', object: id }, { limit: 50 })
  const seen = rows.map(({ actor, outcome }) => `${actor} ${outcome}`)
  for (const row of ['person:maria done', 'person:mona done']) t.ok(seen.includes(row), row)
  t.ok(rows.some(({ actor, address }) => actor === 'person:maria' && address === '127.0.0.1'))
  t.equal((await ask('DELETE', `/api/inbox/faxes/${id}`, { as: 'maria' })).status, 403)
  t.equal((await ask('DELETE', `/api/inbox/faxes/${id}`, { as: 'mona' })).status, 204)
  await stage.until(() => !readdirSync(join(stage.config.storage.dir, 'cache', 'fax-pictures')).includes(id), 'the pictures go with it')
  t.equal((await ask('GET', `${path}/1.png`)).status, 410)
})

t.test('a page that somebody reads comes before the thumbnails of a long list, and what is asked for twice is drawn once', async (t) => {
  const { stage, ask } = await served(t)
  const { previewId } = (await ask('POST', '/api/fax/previews', { pdf: await letter(2) })).body as { previewId: string }
  const pictures = new PagePictures({ dir: join(stage.config.storage.dir, 'cache', 'order'), clock: stage.clock })
  const source = (id: string) => ({ id, version: 'v', file: pagesOf(stage, previewId), pages: 2, header: null })
  const done: string[] = []
  const draw = (id: string, page: number, width: number) =>
    pictures.picture(source(id), page, width).then(() => void done.push(`${id} ${width}`))
  const thumbnails = ['a', 'b', 'c', 'd'].map((id) => draw(id, 1, 80))
  // The first of them is being drawn by now.
  for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate)
  await Promise.all([...thumbnails, draw('e', 1, 864), draw('e', 1, 864), draw('e', 2, 112)])
  t.ok(done.indexOf('e 864') <= 1, done.join(', '))
  t.ok(done.indexOf('e 112') <= 3, 'with the thumbnails of its own document')
})

t.test('a person types a new number twice; a program, and a number that answered before, need it once', async (t) => {
  const { stage, ask } = await served(t)
  const { previewId } = (await ask('POST', '/api/fax/previews', { pdf: await letter(1), as: 'maria' })).body as { previewId: string }
  const to = '+15551230001'
  const send = (more: object, as?: 'maria') =>
    ask('POST', '/api/fax', { json: { to, previewId, ...more }, ...(as === undefined ? {} : { as }) })
  t.match(await ask('GET', `/api/fax/numbers/${encodeURIComponent('(555) 123-0001')}`, { as: 'maria' }), {
    status: 200,
    body: { number: to, answers: 0, answeredAt: null },
  })
  t.match(await send({}, 'maria'), { status: 422, body: { code: 'number_unconfirmed' } })
  t.match(await send({ toAgain: '+15551230011' }, 'maria'), { status: 422, body: { code: 'number_unconfirmed' } })
  t.equal(stage.fax.queue.waiting, 0, 'nothing is sent')
  t.match(
    await send({ toAgain: '555-123-0001' }, 'maria'),
    { status: 202, body: { sentBy: 'person:maria' } },
    'written otherwise, the same number',
  )
  stage.fax.queue.start()
  const leg = await stage.dialled(1)
  await takes(stage, leg, 1)
  leg.result(0)
  await stage.until(() => stage.fax.queue.waiting === 0)
  t.match(await ask('GET', `/api/fax/numbers/${to}`, { as: 'maria' }), { body: { answers: 1, remoteStationId: '+1 555 123 0001' } })
  t.match(await send({ repeat: true }, 'maria'), { status: 202 }, 'a fax machine has answered there')
  const other = await ask('POST', '/api/fax/previews', { pdf: await letter(2) })
  t.match(await ask('POST', '/api/fax', { json: { to: '+15551230099', previewId: other.body.previewId } }), { status: 202 }, 'a program')
  t.match(await ask('GET', '/api/fax/numbers/911', { as: 'maria' }), { status: 403, body: { code: 'destination_denied' } })
})

t.test('a failed fax goes to the corrected number as a new one; each names the other, and the receipt has both numbers', async (t) => {
  const { stage, ask } = await served(t)
  stage.fax.queue.start()
  const json = { to: '+15551230001', pdfBase64: (await letter(1)).toString('base64'), cover: { subject: 'Referral' } }
  const { faxId } = (await ask('POST', '/api/fax', { json })).body as { faxId: string }
  const waits = await ask('POST', `/api/fax/${faxId}/retry`, { json: { to: '+15551230002' }, as: 'mona' })
  t.match(waits, { status: 409, body: { code: 'being_sent' } }, waits.bytes.toString())
  const leg = await stage.dialled(1)
  leg.end({ by: 'remote', reason: 'rejected', sipCode: 404 })
  await stage.over(faxId)
  const wrong = await ask('POST', `/api/fax/${faxId}/retry`, { json: { to: '+15551230002', toAgain: '+15551230003' }, as: 'mona' })
  t.match(wrong, { status: 422, body: { code: 'number_unconfirmed' } })
  const again = await ask('POST', `/api/fax/${faxId}/retry`, { json: { to: '+15551230002', toAgain: '555 123 0002' }, as: 'mona' })
  t.match(again, { status: 200, body: { to: '+15551230002', replaces: faxId, pages: 2 } }, again.bytes.toString())
  const newFax = again.body.faxId as string
  t.match((await ask('GET', `/api/fax/${faxId}`)).body, { status: 'failed', to: '+15551230001', replacedBy: newFax })
  const second = await stage.dialled(2)
  await takes(stage, second, 2)
  second.result(0)
  await stage.over(newFax)
  const receipt = await ask('GET', `/api/fax/${newFax}/receipt.pdf`, { as: 'maria' })
  t.match([receipt.status, receipt.headers.get('content-type')], [200, 'application/pdf'])
  const text = await textOf(receipt.bytes)
  t.match(text, /Fax receipt/)
  t.match(text, /\+15551230002/)
  t.match(text, /\+15551230001/, 'the number that was tried first')
  t.match(text, /\+1 555 123 0001/, 'what the machine called itself')
  t.match(text, /2 of 2/)
  t.match(text, /Sent: the other machine confirmed every page/)
  t.match(text, /· Printed by maria, \w{3} \d+, \d{4}/i, 'the box, the person and the time at its foot')
  t.equal((await ask('GET', `/api/fax/${newFax}/receipt.pdf`, { as: 'tom' })).status, 403)
  const masked = (await ask('GET', '/api/fax', { as: 'tom' })).body
  t.ok(masked.items.length === 2 && !/1555123000/.test(JSON.stringify(masked)), 'a technician sees no whole number')
})
