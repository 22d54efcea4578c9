/** Parts of the console that need no browser: what it says of a text while it is typed, and how it reads answers that come line by line. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import fc from 'fast-check'
import t, { type Test } from 'tap'
import { partsOf } from '../../daemon/console/pages/texts/parts.ts'
import { errorTable } from '../../daemon/base/errors.ts'
import { warningWords } from '../../daemon/fax/pages/child-protocol.ts'
import { splitText } from '../../daemon/messaging/segments.ts'
import { root } from '../harness/daemon.ts'

type Follow = (method: 'POST', path: string, body: unknown, onRow: (row: unknown) => void, stop?: AbortSignal) => Promise<void>
// Its types are those of a browser.
const { Fault, follow } = (await import(join(root, 'daemon/console/frame/api.ts'))) as {
  readonly Fault: ErrorConstructor
  readonly follow: Follow
}

interface Said {
  readonly catalogue: { readonly en: Record<string, string>; readonly es: Record<string, string> }
}
const inPages = async (file: string) => (await import(join(root, 'daemon/console', file))) as any
const { language } = (await inPages('frame/words.ts')) as { readonly language: { value: string } }

/** Runs it for a Spanish person. */
function inSpanish<T>(run: () => T): T {
  language.value = 'es'
  try {
    return run()
  } finally {
    language.value = 'en'
  }
}

t.test('each code that the box may answer has its sentence in both languages; in English the box is more exact', async (t) => {
  const { sayFault, sentence } = await inPages('frame/faults.ts')
  const { en, es } = (sayFault as Said).catalogue
  for (const code of Object.keys(errorTable)) {
    t.ok(en[code] && es[code] && en[code] !== es[code], code)
    t.equal(sentence({ code, message: 'The exact words.' }), code === 'internal' ? en[code] : 'The exact words.', code)
    t.equal(sentence({ code, message: '' }), en[code], code)
    t.equal(
      inSpanish(() => sentence({ code, message: 'The exact words.' })),
      es[code],
      code,
    )
  }
  t.equal(
    inSpanish(() => sentence({ code: 'of_tomorrow', message: 'New.' })),
    'El equipo no lo permite (of_tomorrow).',
  )
})

t.test('each warning about a PDF is said in Spanish, with the file and the page', async (t) => {
  const { warningText } = await inPages('pages/faxes/warnings.ts')
  const other = inSpanish(() => warningText('Something of tomorrow.'))
  for (const [kind, words] of Object.entries(warningWords)) {
    const warning = kind === 'attached' || kind === 'order' ? `${words} a.pdf, page 3.pdf.` : `scan.pdf, page 12: ${words}.`
    const said = inSpanish(() => warningText(warning))
    t.not(said, other, kind)
    if (kind !== 'attached' && kind !== 'order') t.match(said, /^scan\.pdf, Página 12: /)
    t.equal(warningText(warning), warning)
  }
})

t.test('parts are counted as they are sent, whatever is typed', async (t) => {
  const letters = fc.constantFrom(...'abc €^{}|é\nñł😀\ud800'.split(''), '😀', 'x'.repeat(40))
  fc.assert(
    fc.property(fc.array(letters, { maxLength: 900 }), (typed) => {
      const text = typed.join('')
      const { encoding, segments } = splitText(text)
      const parts = partsOf(text)
      return parts.encoding === encoding && parts.count === segments.length && parts.left >= 0
    }),
    { numRuns: 500 },
  )
  t.match(partsOf(''), { count: 1, left: 160 })
  t.match(partsOf('a'.repeat(160)), { encoding: 'GSM-7', count: 1, left: 0 })
  t.match(partsOf('a'.repeat(161)), { count: 2, left: 145 })
  t.match(partsOf('€'.repeat(80)), { count: 1, left: 0 })
  t.match(partsOf('ł'.repeat(71)), { encoding: 'UCS-2', count: 2, left: 63 })
})

/** Answers with these pieces, one write each; without an end where `breaks`. */
async function answering(t: Test, pieces: readonly Buffer[], { status = 200, breaks = false } = {}): Promise<string> {
  const server: Server = createServer(async (request, response) => {
    response.writeHead(status, { 'Content-Type': 'application/x-ndjson' })
    for (const piece of pieces) await new Promise((written) => response.write(piece, () => setImmediate(written)))
    if (breaks) request.socket.destroy()
    else response.end()
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  t.teardown(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

const cut = (text: string, at: readonly number[]): Buffer[] => {
  const bytes = Buffer.from(text)
  const places = [0, ...at.map((one) => one % bytes.length).toSorted((a, b) => a - b), bytes.length]
  return places.slice(1).map((end, n) => bytes.subarray(places[n], end))
}

t.test('an answer of lines is read row by row, in whatever pieces it comes, up to the end that the box writes', async (t) => {
  const rows = [{ text: 'línea principal 😀' }, { text: 'a\\nb' }, { text: '' }]
  const text = [...rows, { done: true }].map((row) => `${JSON.stringify(row)}\n`).join('')
  for (const at of [[], [1, 2, 3, 4], [20, 21, 22, 23, 24, 25, 26, 27], [text.length - 1]]) {
    const got: unknown[] = []
    await follow('POST', await answering(t, cut(text, at)), { wanted: 1 }, (row) => got.push(row))
    t.same(got, rows, `cut at ${at.join()}`)
  }
})

t.test('an answer of lines that fails on the way, breaks off or is refused is a fault, and the rows before it were given', async (t) => {
  const row = '{"n":1}\n'
  const failed = '{"failed":{"error":"The disk is full.","code":"storage_full"}}\n'
  const refused = '{"error":"Your role may not do this.","code":"role_denied","requestId":"r1"}'
  for (const { text, options, is, before } of [
    { text: row + failed, options: {}, is: { code: 'storage_full', message: 'The disk is full.' }, before: 1 },
    { text: row, options: {}, is: { code: 'unreachable', status: 0 }, before: 1 },
    { text: `${row}{"n":`, options: { breaks: true }, is: { code: 'unreachable', status: 0 }, before: 1 },
    { text: refused, options: { status: 403 }, is: { code: 'role_denied', status: 403, requestId: 'r1' }, before: 0 },
  ]) {
    let rows = 0
    const fault = await follow('POST', await answering(t, [Buffer.from(text)], options), undefined, () => rows++).then(
      () => undefined,
      (error: unknown) => error,
    )
    t.ok(fault instanceof Fault)
    t.match(fault, is)
    t.equal(rows, before)
  }
})

t.test('a page that no longer wants an answer of lines ends it without a fault', async (t) => {
  const stop = new AbortController()
  await follow('POST', await answering(t, cut('{"n":1}\n{"n":2}\n', [8])), undefined, () => stop.abort(), stop.signal)
  t.pass()
})
