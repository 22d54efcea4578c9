/** What any answer of a provider means for a text, and how the exchange with the engine holds together. */
import fc from 'fast-check'
import t from 'tap'
import { FrameDecoder, parseMessage, type Message } from '../../drivers/sip/frames.ts'
import { outcomeOf } from '../../drivers/sip/messages.ts'
import { TextExchange } from '../../drivers/sip/texts.ts'

const numRuns = Number(process.env['PBX_PROPERTY_RUNS'] ?? 300)
const heard = { reason: 'Said', sent: true, retryAfterSeconds: 0, sipCallId: 'c1' }
const kindOf = (code: number): string => outcomeOf({ ...heard, code }).kind

t.test('the table', async (t) => {
  const table: Record<string, number[]> = {
    accepted: [200, 202],
    temporary: [408, 429, 480, 486, 487, 491, 500, 502, 503, 504, 580, 600],
    refused: [301, 302, 400, 401, 403, 404, 405, 407, 410, 413, 415, 416, 484, 488, 501, 505, 513, 603, 604, 606],
  }
  for (const [kind, codes] of Object.entries(table)) for (const code of codes) t.equal(kindOf(code), kind, String(code))
  t.same(outcomeOf({ ...heard, code: 200 }), { kind: 'accepted', accepted: ['c1'] })
  t.same(outcomeOf({ ...heard, code: 603 }), {
    kind: 'refused',
    text: 'The recipient declined the text (603 Said)',
    code: 'sip_603',
    accepted: [null],
  })
  t.match(outcomeOf({ ...heard, code: 413 }), { code: 'message_too_long' })
  t.match(outcomeOf({ ...heard, code: 503, retryAfterSeconds: 30 }), { kind: 'temporary', retryAfterSeconds: 30 })
  t.match(outcomeOf({ ...heard, code: 0 }), { kind: 'unknown' })
  t.match(outcomeOf({ ...heard, code: 0, sent: false }), { kind: 'temporary' })
})

t.test('every answer has one meaning, with words for a person', async (t) => {
  const outcomes = fc.record({
    code: fc.oneof(fc.constant(0), fc.integer({ min: 200, max: 699 })),
    reason: fc.string(),
    sent: fc.boolean(),
    retryAfterSeconds: fc.nat(86_400),
    sipCallId: fc.string(),
  })
  fc.assert(
    fc.property(outcomes, (outcome) => {
      const { kind, ...rest } = outcomeOf(outcome)
      t.equal(kind === 'accepted', outcome.code >= 200 && outcome.code < 300)
      t.equal(kind === 'unknown', outcome.code === 0 && outcome.sent)
      t.equal(rest.accepted.length, 1)
      t.equal(kind === 'accepted', typeof rest.accepted[0] === 'string' && rest.accepted[0] !== '')
      if (kind !== 'accepted') t.ok('text' in rest && rest.text.length > 10)
    }),
    { numRuns },
  )
})

/** Orders to the engine, and texts, answers and losses in any order. */
const steps = fc.array(
  fc.oneof(
    fc.constant({ do: 'send' as const }),
    fc.record({ do: fc.constant('answer' as const), which: fc.nat(8) }),
    fc.record({ do: fc.constant('text' as const), trunk: fc.constantFrom('main', 'early', 'calls'), kept: fc.boolean() }),
    fc.constant({ do: 'lost' as const }),
  ),
  { maxLength: 30 },
)

t.test('every text sent gets one outcome, every text that came one answer', async (t) => {
  await fc.assert(
    fc.asyncProperty(steps, async (list) => {
      const orders: Message[] = []
      const decoder = new FrameDecoder((_, payload) => orders.push(parseMessage(payload)))
      const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }
      const exchange = new TextExchange({ log, send: (frame) => decoder.push(frame), isUp: () => true })
      exchange.claim('early')
      exchange.onText('main', ({ body }) => (body === 'kept' ? Promise.resolve() : Promise.reject(new Error('full'))))
      const outcomes: Promise<unknown>[] = []
      const ended = new Map<number, string>()
      const asked = new Map<number, number>()
      let [sent, incoming] = [0, 0]
      for (const step of list) {
        const open = orders.filter((order) => order.t === 'textSend' && !ended.has(Number(order['id'])))
        if (step.do === 'send') {
          sent++
          outcomes.push(exchange.send({ trunkId: 'main', to: '1', from: '2', body: String(sent) }))
        } else if (step.do === 'answer') {
          const order = open[step.which % Math.max(1, open.length)]
          if (order === undefined) continue
          ended.set(Number(order['id']), `call-${String(order['body'])}`)
          exchange.receive({
            t: 'textSent',
            id: order['id'],
            code: 200,
            reason: '',
            sent: true,
            sipCallId: `call-${String(order['body'])}`,
          })
          exchange.receive({ t: 'textSent', id: order['id'], code: 404, reason: '', sent: true })
        } else if (step.do === 'text') {
          incoming++
          asked.set(incoming, step.trunk === 'calls' ? 405 : step.trunk === 'early' || !step.kept ? 503 : 200)
          exchange.receive({ t: 'text', id: incoming, trunk: step.trunk, body: step.kept ? 'kept' : 'lost' })
          await new Promise(setImmediate)
        } else {
          for (const order of open) ended.set(Number(order['id']), '')
          exchange.lost('gone')
        }
      }
      exchange.lost('the end')
      const known = (await Promise.all(outcomes)) as { code: number; sipCallId: string; sent: boolean }[]
      t.equal(known.length, sent)
      const sends = orders.filter((order) => order.t === 'textSend')
      for (const [index, outcome] of known.entries()) {
        const callId = ended.get(Number(sends[index]?.['id'])) ?? ''
        t.match(outcome, callId === '' ? { code: 0, sent: true } : { code: 200, sipCallId: callId })
      }
      const replies = orders.filter((order) => order.t === 'textReply')
      t.same(
        replies.map((reply) => [reply['id'], reply['code']]),
        [...asked],
      )
      t.equal(exchange.receive({ t: 'ended', leg: 1 }), false)
    }),
    { numRuns: Math.ceil(numRuns / 3) },
  )
})

t.test('what is answered after the engine is gone reaches no other engine', async (t) => {
  const orders: Message[] = []
  const decoder = new FrameDecoder((_, payload) => orders.push(parseMessage(payload)))
  const log = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }
  const exchange = new TextExchange({ log, send: (frame) => decoder.push(frame), isUp: () => true })
  let kept: () => void = () => undefined
  exchange.onText('main', () => new Promise((resolve) => (kept = resolve)))
  exchange.receive({ t: 'text', id: 1, trunk: 'main' })
  exchange.lost('gone')
  kept()
  await new Promise(setImmediate)
  t.same(orders, [])
})
