import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PDFDocument } from 'pdf-lib'
import t, { type Test } from 'tap'
import { eraseFax } from '../../daemon/fax/part.ts'
import { eraseItem } from '../../daemon/inbox/part.ts'
import { accessTokens } from '../../daemon/http/auth.ts'
import { faxRoutes } from '../../daemon/fax/routes.ts'
import { inboxRoutes } from '../../daemon/inbox/routes.ts'
import { startHttp } from '../../daemon/http/server.ts'
import { newId } from '../../daemon/base/ids.ts'
import { portfolioOf } from '../fax-pages/papers.ts'
import { limits, tokenRow } from '../http/serve.ts'
import { log, Stage, takes } from './stage.ts'

const token = 'the-token'

interface Answer {
  status: number
  headers: Headers
  text: string
  body: any
}

interface Ask {
  (method: string, path: string, options?: { json?: unknown; headers?: Record<string, string>; token?: string }): Promise<Answer>
  url: string
}

async function served(t: Test): Promise<{ stage: Stage; ask: Ask }> {
  const stage = await Stage.open(t)
  const { fax, inbox, store, clock } = stage
  const forget = (): undefined => undefined
  const http = await startHttp({
    listen: '127.0.0.1:0',
    routes: [
      ...faxRoutes({ queue: fax.queue, desk: fax.desk, hasLine: () => fax.hasLine() }, eraseFax(store, fax)),
      ...inboxRoutes(inbox, eraseItem(store, inbox, forget)),
    ],
    tokens: accessTokens([tokenRow('all', token, ['send', 'inbox']), tokenRow('voice', 'voice-only', ['voice'])], store.tables.tokens),
    limits,
    store,
    log,
    clock,
  })
  t.teardown(() => http.close(500))
  const ask = async (method: string, path: string, options: Parameters<Ask>[2] = {}): Promise<Answer> => {
    const answer = await fetch(`http://127.0.0.1:${http.port}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${options.token ?? token}`,
        ...(options.json === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      },
      ...(options.json === undefined ? {} : { body: JSON.stringify(options.json) }),
    })
    const text = await answer.text()
    const isJson = answer.headers.get('content-type')?.includes('json') && text !== ''
    return { status: answer.status, headers: answer.headers, text, body: isJson ? (JSON.parse(text) as unknown) : undefined }
  }
  return { stage, ask: Object.assign(ask, { url: `http://127.0.0.1:${http.port}/api/fax` }) }
}

async function letter(pages = 1): Promise<string> {
  const document = await PDFDocument.create()
  for (let page = 1; page <= pages; page++) document.addPage([595, 842]).drawText(`Page ${page}`, { x: 50, y: 700 })
  return Buffer.from(await document.save()).toString('base64')
}

t.test('a PDF is accepted, drawn with its cover page and sent', async (t) => {
  const { stage, ask } = await served(t)
  stage.fax.queue.start()
  const letterPdf = Buffer.from(await letter(), 'base64')
  const padded = letterPdf.length % 3 === 0 ? Buffer.concat([letterPdf, Buffer.from('\n')]) : letterPdf
  const json = {
    to: '(555) 123-0001',
    pdfBase64: `data:application/pdf;base64,${padded
      .toString('base64')
      .replace(/=+$/, '')
      .replaceAll(/(.{60})/g, '$1\n')}`,
    cover: { subject: 'Referral' },
    statusCallbackUrl: 'http://127.0.0.1:9/done',
    unknown: 1,
  }
  const headers = { 'idempotency-key': 'once' }
  const accepted = await ask('POST', '/api/fax', { json, headers })
  t.equal(accepted.status, 202, accepted.text)
  const { faxId } = accepted.body as { faxId: string }
  t.match(accepted.body, { status: 'queued', warnings: [], pages: 2, to: '+15551230001', attempts: 0, progress: null })
  t.match(accepted.body.warning, /numbering plan/, 'nobody has a number with 555 in its middle')
  const again = await ask('POST', '/api/fax', { json, headers })
  t.same([again.status, again.body, again.headers.get('idempotent-replayed')], [202, accepted.body, 'true'])
  t.match((await ask('GET', `/api/fax/${faxId}`)).body, { faxId, pages: 2, to: '+15551230001', reason: null, calls: [] })
  const leg = await stage.dialled(1)
  const drawn = (await ask('GET', `/api/fax/${faxId}`)).body
  t.ok(drawn.estimatedSeconds > 15 && drawn.estimatedSeconds < 120, `${drawn.estimatedSeconds} s`)
  await takes(stage, leg, 1)
  t.match((await ask('GET', `/api/fax/${faxId}`)).body, {
    status: 'sending',
    pagesSent: 1,
    progress: { phase: 'confirmed', page: 2, bitRate: 14_400 },
  })
  leg.progress({ phase: 'confirmed', pages: 2 })
  leg.result(0)
  await stage.until(() => stage.fax.queue.waiting === 0)
  t.match((await ask('GET', `/api/fax/${faxId}`)).body, { status: 'sent', pages: 2, calls: [{ outcome: 'sent', t30Code: 0, pages: 2 }] })
  t.match(await ask('DELETE', `/api/fax/${faxId}`), { status: 204 }, 'one that is over is deleted')
  t.match(await ask('GET', `/api/fax/${faxId}`), { status: 404, body: { code: 'fax_unknown' } })
  t.match(stage.callbacks(), [{ event: 'fax.sent', pages: 2, status: 'sent' }])
})

t.test('a portfolio is faxed as its files when that is asked for', async (t) => {
  const { stage, ask } = await served(t)
  stage.fax.queue.start()
  const pdf = async (pages: number): Promise<Buffer> => Buffer.from(await letter(pages), 'base64')
  const pdfBase64 = portfolioOf({ 'scan 10.pdf': await pdf(1), 'scan 2.pdf': await pdf(2) }).toString('base64')
  const json = { to: '+15551230001', pdfBase64, cover: {} }
  t.match(await ask('POST', '/api/fax', { json }), { status: 422, body: { code: 'pdf_unreadable' } }, 'unasked')
  t.match(await ask('POST', '/api/fax', { json: { ...json, portfolio: 'all' } }), { status: 422, body: { code: 'validation_failed' } })
  const accepted = await ask('POST', '/api/fax', { json: { ...json, portfolio: 'files' } })
  t.match(accepted, { status: 202, body: { warnings: ['The files of the portfolio are faxed in this order: scan 2.pdf, scan 10.pdf.'] } })
  const leg = await stage.dialled(1)
  t.match((await ask('GET', `/api/fax/${accepted.body.faxId}`)).body, { pages: 4 })
  await takes(stage, leg, 4)
  leg.result(0)
  await stage.until(() => stage.fax.queue.waiting === 0)
  const again = await stage.fax.desk.again(stage.fax.queue.find(accepted.body.faxId)!.row)
  t.match(again, { pages: 4, portfolio: 'files' }, 'and so once more')
  await stage.dialled(2)
})

t.test('what cannot be sent is refused before it is accepted', async (t) => {
  const { stage, ask } = await served(t)
  const pdfBase64 = await letter()
  const refused = async (change: Record<string, unknown>, status: number, code: string): Promise<void> => {
    const answer = await ask('POST', '/api/fax', { json: { to: '+15551230001', pdfBase64, ...change } })
    t.match(answer, { status, body: { code } }, `${JSON.stringify(change).slice(0, 60)}: ${answer.text.slice(0, 160)}`)
  }
  await refused({ to: '12' }, 403, 'destination_denied')
  await refused({ to: '+881612345678' }, 403, 'destination_denied')
  await refused({ to: '123456789012345678901' }, 422, 'number_invalid')
  await refused({ to: '++15551230001' }, 422, 'number_invalid')
  await refused({ to: 'sip:me@example.com' }, 422, 'number_invalid')
  await refused({ to: '911' }, 403, 'destination_denied')
  await refused({ to: undefined }, 422, 'validation_failed')
  await refused({ pdfBase64: '' }, 422, 'validation_failed')
  await refused({ pdfBase64: '***' }, 422, 'validation_failed')
  await refused({ pdfBase64: 'abcde' }, 422, 'validation_failed')
  await refused({ pdfBase64: 'abc==' }, 422, 'validation_failed')
  await refused({ pdfBase64: Buffer.from('hello').toString('base64') }, 422, 'pdf_unreadable')
  await refused({ pdfBase64: Buffer.from('%PDF-1.4 and then nothing').toString('base64') }, 422, 'pdf_unreadable')
  await refused({ pdfBase64: await letter(201) }, 413, 'pdf_too_many_pages')
  await refused({ cover: {}, pdfBase64: await letter(200) }, 413, 'pdf_too_many_pages')
  await refused({ cover: { subject: 'x'.repeat(201) } }, 422, 'validation_failed')
  await refused({ statusCallbackUrl: 'ftp://example.com' }, 422, 'validation_failed')
  await refused({ statusCallbackUrl: 'http://user:pass@example.com' }, 422, 'validation_failed')
  await refused({ statusCallbackUrl: 'http://169.254.1.1/' }, 422, 'validation_failed')
  await refused(
    { pdfBase64: Buffer.concat([Buffer.from('%PDF-1.4'), Buffer.alloc(21 * 1024 * 1024)]).toString('base64') },
    413,
    'attachment_too_large',
  )
  await refused({ pdfBase64: 'A'.repeat(33 * 1024 * 1024) }, 413, 'body_too_large')
  t.same(readdirSync(join(stage.config.storage.dir, 'fax', 'out')), [], 'nothing is left of them')
  t.equal((await ask('POST', '/api/fax', { json: {}, token: 'voice-only' })).status, 403)
  t.equal((await ask('POST', '/api/fax', { json: {}, token: 'none' })).status, 401)
  t.equal((await ask('GET', '/api/fax/nothing')).body.code, 'fax_unknown')
  t.equal((await ask('DELETE', `/api/fax/${newId()}`)).body.code, 'fax_unknown')
  stage.config.fax.line = 'off'
  t.match(await ask('POST', '/api/fax', { json: {} }), { status: 503, body: { code: 'no_fax_line' } })
})

t.test('a fax of several megabytes is read apart from everything else, and kept as it was sent', async (t) => {
  const { stage, ask } = await served(t)
  const document = await PDFDocument.create()
  document.addPage([595, 842]).drawText('Page 1', { x: 50, y: 700 })
  document.context.register(document.context.stream(new Uint8Array(3 * 1024 * 1024)))
  const pdf = Buffer.from(await document.save())
  const json = { to: '+15551230001', pdfBase64: pdf.toString('base64').replaceAll(/(.{76})/g, '$1\r\n'), cover: { subject: 'Scan' } }
  const headers = { 'idempotency-key': 'large' }
  const accepted = await ask('POST', '/api/fax', { json, headers })
  t.equal(accepted.status, 202, accepted.text)
  const { faxId } = accepted.body as { faxId: string }
  t.ok(readFileSync(join(stage.config.storage.dir, 'fax', 'out', faxId, 'document.pdf')).equals(pdf))
  const again = await ask('POST', '/api/fax', { json, headers })
  t.same([again.status, again.body, again.headers.get('idempotent-replayed')], [202, accepted.body, 'true'])
  t.match(await ask('POST', '/api/fax', { json: { ...json, to: '+15551230002' }, headers }), { body: { code: 'idempotency_mismatch' } })
  const long = 'A'.repeat(2 * 1024 * 1024)
  for (const [wrong, status, code] of [
    [{ ...json, pdfBase64: `${long}*` }, 422, 'validation_failed'],
    [{ ...json, pdfBase64: long }, 422, 'pdf_unreadable'],
    [{ ...json, to: undefined }, 422, 'validation_failed'],
    [{ ...json, other: Array.from({ length: 10_000 }, () => 0) }, 422, 'validation_failed'],
    [{ ...json, pdfBase64: [long] }, 422, 'validation_failed'],
    [Array.from({ length: 700_000 }, () => 0), 422, 'validation_failed'],
  ] as const)
    t.match(await ask('POST', '/api/fax', { json: wrong }), { status, body: { code } }, JSON.stringify(wrong).slice(0, 60))
  const broken = {
    method: 'POST',
    body: `{"to":"${long}`,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  }
  const answer = await fetch(ask.url, broken)
  t.match([answer.status, await answer.json()], [400, { code: 'invalid_json' }])
  t.equal((await ask('POST', '/api/fax', { json })).status, 202, 'and the next one is read as ever')
})

t.test('faxes are listed page by page, by state, and canceled', async (t) => {
  const { stage, ask } = await served(t)
  const pdfBase64 = await letter()
  const ids: string[] = []
  for (let n = 0; n < 3; n++)
    ids.push(((await ask('POST', '/api/fax', { json: { to: '5551230001', pdfBase64 } })).body as { faxId: string }).faxId)
  const canceled = await ask('DELETE', `/api/fax/${ids[1]}`)
  t.match(canceled, { status: 200, body: { status: 'canceled', reason: 'canceled' } })
  const first = (await ask('GET', '/api/fax?limit=2')).body
  t.same(
    first.faxes.map((fax: { faxId: string }) => fax.faxId),
    [ids[2], ids[1]],
  )
  const second = (await ask('GET', `/api/fax?limit=2&cursor=${first.nextCursor}`)).body
  t.same([second.faxes.length, second.faxes[0].faxId, second.nextCursor], [1, ids[0], null])
  t.equal((await ask('GET', '/api/fax?state=queued')).body.faxes.length, 2)
  t.equal((await ask('GET', '/api/fax?state=bogus')).status, 422)
  t.equal(stage.callbacks().length, 0, 'nobody asked to be told')
})
