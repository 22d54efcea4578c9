import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { PDFDocument } from 'pdf-lib'
import t, { type Test } from 'tap'
import { accessTokens } from '../../daemon/http/auth.ts'
import { faxRoutes } from '../../daemon/http/routes/fax.ts'
import { inboxRoutes } from '../../daemon/http/routes/inbox.ts'
import { startHttp } from '../../daemon/http/server.ts'
import { newId } from '../../daemon/ids.ts'
import { limits, tokenRow } from '../http/serve.ts'
import { log, Stage, takes } from './stage.ts'

const token = 'the-token'

interface Answer {
  status: number
  headers: Headers
  text: string
  body: any
}

type Ask = (method: string, path: string, options?: { json?: unknown; headers?: Record<string, string>; token?: string }) => Promise<Answer>

async function served(t: Test): Promise<{ stage: Stage; ask: Ask }> {
  const stage = await Stage.open(t)
  const { fax, inbox, store, clock } = stage
  const http = await startHttp({
    listen: '127.0.0.1:0',
    routes: [...faxRoutes({ queue: fax.queue, desk: fax.desk, hasLine: () => fax.hasLine() }), ...inboxRoutes(inbox)],
    tokens: accessTokens([tokenRow('all', token, ['send', 'inbox']), tokenRow('voice', 'voice-only', ['voice'])], store.tables.tokens),
    limits,
    store,
    log,
    clock,
  })
  t.teardown(() => http.close(500))
  const ask: Ask = async (method, path, options = {}) => {
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
  return { stage, ask }
}

async function letter(pages = 1): Promise<string> {
  const document = await PDFDocument.create()
  for (let page = 1; page <= pages; page++) document.addPage([595, 842]).drawText(`Page ${page}`, { x: 50, y: 700 })
  return Buffer.from(await document.save()).toString('base64')
}

t.test('a PDF is accepted, drawn with its cover page and sent', async (t) => {
  const { stage, ask } = await served(t)
  stage.fax.queue.start()
  const json = {
    to: '(555) 123-0001',
    pdfBase64: `data:application/pdf;base64,${(await letter()).replaceAll(/(.{60})/g, '$1\n')}`,
    cover: { subject: 'Referral' },
    statusCallbackUrl: 'http://127.0.0.1:9/done',
    unknown: 1,
  }
  const headers = { 'idempotency-key': 'once' }
  const accepted = await ask('POST', '/api/fax', { json, headers })
  t.equal(accepted.status, 202, accepted.text)
  const { faxId } = accepted.body as { faxId: string }
  t.same(accepted.body, { faxId, status: 'queued' })
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
  t.match((await ask('DELETE', `/api/fax/${faxId}`)).body, { code: 'already_finished' })
  t.match(stage.callbacks(), [{ event: 'fax.sent', pages: 2, status: 'sent' }])
})

t.test('what cannot be sent is refused before it is accepted', async (t) => {
  const { stage, ask } = await served(t)
  const pdfBase64 = await letter()
  const refused = async (change: Record<string, unknown>, status: number, code: string): Promise<void> => {
    const answer = await ask('POST', '/api/fax', { json: { to: '+15551230001', pdfBase64, ...change } })
    t.match(answer, { status, body: { code } }, `${JSON.stringify(change).slice(0, 60)}: ${answer.text.slice(0, 160)}`)
  }
  await refused({ to: '12' }, 422, 'number_invalid')
  await refused({ to: '123456789012345678901' }, 422, 'number_invalid')
  await refused({ to: '++15551230001' }, 422, 'number_invalid')
  await refused({ to: 'sip:me@example.com' }, 422, 'number_invalid')
  await refused({ to: '911' }, 403, 'destination_denied')
  await refused({ to: undefined }, 422, 'validation_failed')
  await refused({ pdfBase64: '' }, 422, 'validation_failed')
  await refused({ pdfBase64: '***' }, 422, 'validation_failed')
  await refused({ pdfBase64: 'abc' }, 422, 'validation_failed')
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
