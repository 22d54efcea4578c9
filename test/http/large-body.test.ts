/** Bodies over 1 MiB go to their thread while they arrive: what the loop holds of them is nothing. */
import { createHash, randomBytes } from 'node:crypto'
import t from 'tap'
import { LargeBodyReader, type LargeBody } from '../../daemon/http/large-body.ts'

const place = { path: ['file'], mostBytes: 8 * 1024 * 1024 }

function pushed(body: LargeBody, text: Buffer, pieces = 7): Uint8Array<ArrayBuffer>[] {
  const size = Math.ceil(text.length / pieces)
  const chunks = Array.from({ length: pieces }, (_, at) => new Uint8Array(text.subarray(at * size, (at + 1) * size)))
  for (const chunk of chunks) body.push(chunk)
  return chunks
}

t.test('bodies that arrive at once', async (t) => {
  const reader = new LargeBodyReader()
  t.teardown(() => reader.stop())
  const files = Array.from({ length: 3 }, () => randomBytes(1_500_000))
  const texts = files.map((file, at) => Buffer.from(JSON.stringify({ at, file: file.toString('base64') })))
  const bodies = texts.map(() => reader.open())
  const half = Math.floor(texts[0]!.length / 2)
  for (const [at, body] of bodies.entries()) body.push(new Uint8Array(texts[at]!.subarray(0, half)))
  for (const [at, body] of bodies.entries()) body.push(new Uint8Array(texts[at]!.subarray(half)))
  const read = await Promise.all(bodies.map((body) => body.read('POST /x\n', place)))
  for (const [at, { value, file, fingerprint }] of read.entries()) {
    t.same(value, { at, file: '=' })
    t.ok(files[at]!.equals(file as Uint8Array))
    t.equal(fingerprint, createHash('sha256').update('POST /x\n').update(texts[at]!).digest('hex'))
  }
})

t.test('the memory of what arrived is given away at once', async (t) => {
  const reader = new LargeBodyReader()
  t.teardown(() => reader.stop())
  const body = reader.open()
  const chunks = pushed(body, Buffer.from(JSON.stringify({ file: 'x'.repeat(2_000_000) })))
  t.ok(chunks.every(({ byteLength }) => byteLength === 0))
  t.match(await body.read('', undefined), { value: { file: /^x+$/ } })
})

t.test('a body whose client leaves is forgotten; what is wrong with others is told', async (t) => {
  const reader = new LargeBodyReader()
  t.teardown(() => reader.stop())
  const left = reader.open()
  pushed(left, Buffer.from('{"file":"'))
  left.drop()
  const many = reader.open()
  pushed(many, Buffer.from(JSON.stringify(Array(20_000).fill(0))))
  await t.rejects(many.read('', undefined), { code: 'validation_failed' })
  const cut = reader.open()
  pushed(cut, Buffer.from('{"file":"abc'))
  await t.rejects(cut.read('', undefined), { code: 'invalid_json' })
  const lost = reader.open()
  reader.stop()
  await t.rejects(lost.read('', undefined), { code: 'overloaded' })
})
