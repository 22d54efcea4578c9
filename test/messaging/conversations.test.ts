/** Texts as conversations: every one in its place and once, whichever way it went, page by page. */
import fc from 'fast-check'
import t from 'tap'
import { newId } from '../../daemon/base/ids.ts'
import { Stage } from './stage.ts'

const numbers = ['+12025550114', '+12025550115', '+12025550116', 'PHARMACY'] as const

t.test('any mixture of texts: the pages of a conversation are all of its texts, newest first', async (t) => {
  const stage = await Stage.open(t)
  const { store, inbox, messaging, clock } = stage
  const came = (from: string, body: string): Promise<unknown> =>
    store.transaction(() => {
      const facts = { id: newId(), from, to: '+15550001999', receivedAt: clock.now(), sha256: '', bytes: 0 }
      inbox.sms.insert({ ...facts, body, segments: 1, encoding: 'GSM-7', trunkId: 'main' })
    })
  const said = new Map<string, string[]>(numbers.map((number) => [number, []]))
  const mixture = fc.sample(fc.record({ number: fc.constantFrom(...numbers), out: fc.boolean() }), { numRuns: 120, seed: 7 })
  for (const [n, { number, out }] of mixture.entries()) {
    clock.advance(1000)
    const isOut = out && number.startsWith('+')
    if (isOut) await stage.text(`${n}`, number)
    else await came(number, `${n}`)
    said.get(number)!.unshift(`${isOut ? 'out' : 'in'} ${n}`)
  }
  for (const limit of [1, 7, 200])
    for (const number of numbers) {
      const found: string[] = []
      for (let before: number | undefined = undefined, more = true; more;) {
        const { items, next } = await messaging.conversations.with(number, limit, before)
        found.push(...items.map(({ direction, row }) => `${direction} ${row.body}`))
        more = next !== null
        before = next ?? undefined
      }
      t.same(found, said.get(number), `${number}, ${limit} at once`)
    }
  const order = numbers.toSorted((a, b) => Number(said.get(b)![0]!.split(' ')[1]) - Number(said.get(a)![0]!.split(' ')[1]))
  const whole = await messaging.conversations.list(50)
  t.same(
    whole.items.map(({ number }) => number),
    order,
    'the one with the newest text first',
  )
  const first = await messaging.conversations.list(2)
  const second = await messaging.conversations.list(2, first.next ?? 0)
  t.same(
    [...first.items, ...second.items].map(({ number }) => number),
    order,
    'and page by page',
  )
  t.equal(messaging.conversations.numberOf('(202) 555-0114'), '+12025550114')
  t.equal(messaging.conversations.numberOf('PHARMACY'), 'PHARMACY')
})

t.test('a number that asked for no texts is there with what it wrote', async (t) => {
  const stage = await Stage.open(t)
  await stage.text('See you tomorrow', '+12025550114')
  await stage.messaging.suppression.add('+12025550114')
  const { items } = await stage.messaging.conversations.list(10)
  t.match(items, [{ number: '+12025550114', stopped: { by: 'command' }, last: { direction: 'out' } }])
})
