/** Bytes that no honest service sends: split, cut, lying about their length, or nothing but noise. More cases: PBX_PROPERTY_RUNS. */
import fc from 'fast-check'
import { createServer, type Server, type Socket } from 'node:net'
import t from 'tap'
import { decodeText, encodeText } from '../../drivers/smpp/alphabet.ts'
import { decode, encode, largestPdu } from '../../drivers/smpp/codec.ts'
import { FrameReader } from '../../drivers/smpp/session.ts'
import { readText } from '../../drivers/smpp/inbound.ts'
import { ReceiptIdBook } from '../../drivers/smpp/receipt-ids.ts'
import { readReceipt } from '../../drivers/smpp/receipts.ts'
import { submission } from '../../drivers/smpp/submit.ts'
import { text, trunkAt } from './service.ts'
import { KeptTexts } from '../harness/kept-texts.ts'

const numRuns = Number(process.env.PBX_PROPERTY_RUNS ?? 300)
const bytes = fc.uint8Array({ maxLength: 120 }).map((array) => Buffer.from(array))

const delivery = fc
  .record({ content: bytes, esm: fc.nat(255), coding: fc.nat(255), payload: fc.boolean(), from: fc.stringMatching(/^\d{0,15}$/) })
  .map(({ content, esm, coding, payload, from }) =>
    encode('deliver_sm', 7, {
      source_addr: from,
      source_addr_ton: 1,
      esm_class: esm,
      data_coding: coding,
      [payload ? 'message_payload' : 'short_message']: content,
    }),
  )

function pieces(whole: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.map((cut) => cut % (whole.length + 1)).toSorted((a, b) => a - b), whole.length]
  return places.slice(1).map((end, index) => whole.subarray(places[index], end))
}

t.test('PDUs are found however the stream is cut', async (t) => {
  fc.assert(
    fc.property(fc.array(delivery, { maxLength: 5 }), fc.array(fc.nat(2000), { maxLength: 20 }), (frames, cuts) => {
      const reader = new FrameReader()
      const found = pieces(Buffer.concat(frames), cuts).flatMap((piece) => reader.push(piece))
      return Buffer.concat(found).equals(Buffer.concat(frames)) && found.length === frames.length
    }),
    { numRuns },
  )
  const reader = new FrameReader()
  const frame = encode('enquire_link', 1)
  t.same(
    [...frame].flatMap((byte) => reader.push(Buffer.from([byte]))),
    [frame],
    'byte by byte',
  )
})

t.test('a length that cannot be ends the reading before anything is set aside', async (t) => {
  for (const length of [0, 4, 15, largestPdu + 1, 0x7fffffff, 0xffffffff]) {
    const head = Buffer.alloc(16)
    head.writeUInt32BE(length)
    const before = process.memoryUsage().arrayBuffers
    t.throws(() => new FrameReader().push(head), { message: /a PDU of/ }, String(length))
    t.ok(process.memoryUsage().arrayBuffers - before < 1_000_000)
  }
})

t.test('whatever a PDU carries, it is read or refused', async (t) => {
  const damage = fc.array(fc.tuple(fc.nat(400), fc.nat(255)), { maxLength: 8 })
  fc.assert(
    fc.property(fc.oneof(delivery, bytes.map(framed)), damage, (frame, changes) => {
      const damaged = Buffer.from(frame)
      for (const [at, value] of changes) if (at >= 4 && at < damaged.length) damaged[at] = value
      let pdu
      try {
        pdu = decode(damaged)
      } catch (error) {
        return error instanceof Error
      }
      readReceipt(pdu, 0)
      const { body, part } = readText(pdu, '+1', 'gsm')
      return typeof body === 'string' && (part === undefined || (part.index >= 1 && part.index <= part.total))
    }),
    { numRuns: numRuns * 3 },
  )
  t.pass()
})

/** Noise behind a head that is right. */
function framed(body: Buffer): Buffer {
  const frame = Buffer.concat([Buffer.alloc(16), body])
  frame.writeUInt32BE(frame.length)
  frame.writeUInt32BE([5, 0x103, 4, 0x21, 0x80000004, 0x15, 0x102][body.length % 7]!, 4)
  frame.writeUInt32BE(9, 12)
  return frame
}

t.test('a message that is cut off is not half a text', async (t) => {
  for (const field of ['short_message', 'message_payload']) {
    const whole = encode('deliver_sm', 1, { source_addr: '1', destination_addr: '2', [field]: Buffer.from('take no more than two') })
    t.equal(bodyOf(whole), 'take no more than two')
    for (let length = 17; length < whole.length; length++) {
      const cut = Buffer.from(whole.subarray(0, length))
      cut.writeUInt32BE(length)
      t.ok(['', undefined].includes(bodyOf(cut)), `${field} cut at ${length}`)
    }
  }
})

function bodyOf(frame: Buffer): string | undefined {
  try {
    return readText(decode(frame), '', 'gsm').body
  } catch {
    return undefined
  }
}

t.test('texts come back as they went', async (t) => {
  const gsm = fc.string({ unit: fc.constantFrom(...'@£$¥èΔ_Ω !"#¤%09:?¡AZÄÖÑÜ§¿azäöñüà\n\r^{}\\[~]|€\f') })
  fc.assert(
    fc.property(gsm, (body) => decodeText(encodeText(body, 'GSM-7'), 0).body === body),
    { numRuns },
  )
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (body) => decodeText(encodeText(body, 'UCS-2'), 8).body === body),
    { numRuns },
  )
  fc.assert(
    fc.property(gsm, fc.integer({ min: 1, max: 10 }), fc.nat(65535), (body, total, reference) => {
      const segments = Array.from({ length: total }, () => body.slice(0, 70))
      return segments.every((segment, index) => {
        const pdu = decode(encode('deliver_sm', 1, submission(text({ body, segments, reference }), index, { receipts: true })))
        const read = readText(pdu, '', 'gsm')
        return read.body === segment && (total === 1 ? read.part === undefined : read.part?.index === index + 1)
      })
    }),
    { numRuns },
  )
  t.pass()
})

t.test('an id is found however the receipt writes it', async (t) => {
  fc.assert(
    fc.property(
      fc.array(fc.bigInt({ min: 0x100000n, max: 1n << 64n }), { minLength: 2, maxLength: 30 }),
      fc.boolean(),
      (ids, hexadecimal) => {
        const book = new ReceiptIdBook('auto')
        const given = [...new Set(ids)].map((id) => (hexadecimal ? id.toString(16).toUpperCase() : id.toString()))
        for (const id of given) book.remember(id)
        const receipts = [...new Set(ids)].map((id) => (hexadecimal ? id.toString().padStart(20, '0') : id.toString(16)))
        return receipts.every((receipt, index) => book.find(receipt) === given[index])
      },
    ),
    { numRuns },
  )
  t.equal(new ReceiptIdBook('decimal').find('6699'), '1a2b', 'told so, an id of before the last start too')
  t.equal(new ReceiptIdBook('hexadecimal').find('1A2B'), '6699')
  t.equal(new ReceiptIdBook('auto').find('6699'), '6699')
})

async function listening(t: { teardown(end: () => void): void }, talk: (socket: Socket, connection: number) => void): Promise<number> {
  let connections = 0
  const server: Server = createServer((socket) => {
    socket.on('error', () => undefined)
    talk(socket, ++connections)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  return (server.address() as { port: number }).port
}

t.test('noise on the line ends the session and nothing else', async (t) => {
  const noise = fc.sample(fc.uint8Array({ minLength: 1, maxLength: 600 }), { numRuns: 40, seed: 5 }).map((array) => Buffer.from(array))
  const lies = [0, 3, 0xffffffff, largestPdu + 1].map((length) => Buffer.from(length.toString(16).padStart(8, '0').repeat(5), 'hex'))
  const attacks = [...lies, ...noise]
  let done: () => void = () => undefined
  const all = new Promise<void>((resolve) => (done = resolve))
  const port = await listening(t, (socket, connection) => {
    socket.once('data', (bind: Buffer) => {
      if (connection > attacks.length) done()
      socket.write(encode('bind_transceiver_resp', bind.readUInt32BE(12), { system_id: 'x' }))
      socket.end(attacks[(connection - 1) % attacks.length]!)
    })
  })
  const trunk = trunkAt(port, { times: { retryFirst: 1, retryMost: 2 } })
  const kept = new KeptTexts()
  trunk.start(kept)
  await all
  await trunk.stop()
  t.equal(trunk.status().state, 'stopped')
})

t.test('PDUs that cannot be read are refused for good; the session goes on', async (t) => {
  const answers: Buffer[] = []
  let finished: () => void = () => undefined
  const over = new Promise<void>((resolve) => (finished = resolve))
  const broken = encode('deliver_sm', 41, { source_addr: '1' }).subarray(0, 24)
  broken.writeUInt32BE(24)
  const unknown = encode('query_sm', 42)
  unknown.writeUInt32BE(0x777, 4)
  const good = encode('deliver_sm', 43, { source_addr: '1', data_coding: 1, short_message: Buffer.from('still here') })
  const port = await listening(t, (socket) => {
    const reader = new FrameReader()
    socket.on('data', (chunk: Buffer) => {
      for (const frame of reader.push(chunk)) {
        const pdu = decode(frame)
        if (pdu.command === 'bind_transceiver') {
          socket.write(encode('bind_transceiver_resp', pdu.sequence_number))
          socket.write(Buffer.concat([broken, unknown, good, encode('submit_sm_resp', 99)]))
        } else answers.push(frame)
        if (answers.length === 3) finished()
      }
    })
  })
  const trunk = trunkAt(port)
  const kept = new KeptTexts()
  trunk.start(kept)
  await over
  const read = answers
    .map((frame) => decode(frame))
    .map(({ command, command_status, sequence_number }) => [command, command_status, sequence_number])
  t.same(read, [
    ['generic_nack', 0x66, 41],
    ['generic_nack', 0x03, 42],
    ['deliver_sm_resp', 0, 43],
  ])
  t.match(kept.texts, [{ body: 'still here' }])
  t.ok(trunk.status().ok)
  await trunk.stop()
})

t.test('a service that floods and does not read gets no memory', async (t) => {
  const flood = Buffer.concat(Array.from({ length: 2000 }, (_, index) => encode('enquire_link', index + 1)))
  const port = await listening(t, (socket) => {
    socket.once('data', (bind: Buffer) => {
      socket.pause()
      socket.write(encode('bind_transceiver_resp', bind.readUInt32BE(12)))
      const more = (): void => {
        while (!socket.destroyed && socket.write(flood)) continue
      }
      socket.on('drain', more)
      more()
    })
  })
  const trunk = trunkAt(port, { times: { retryMost: 60_000, retryFirst: 60_000 } })
  const kept = new KeptTexts()
  trunk.start(kept)
  await kept.until(() => trunk.status().ok)
  await kept.until(() => !trunk.status().ok)
  t.match(trunk.status().text, /does not read/)
  await trunk.stop()
})
