/** Ids of a box among several carry its number, and are otherwise what they were: unique, in the order of their creation, of the same form. */
import t from 'tap'
import { boxOf, callIdPattern, idPattern, idsOfBox, newCallId, newId, newStreamSid } from '../../daemon/base/ids.ts'

t.teardown(() => idsOfBox(undefined))

for (const box of ['000', '001', '00c', 'fff']) {
  t.test(`ids of box ${box}`, async (t) => {
    idsOfBox(box)
    const made = Array.from({ length: 20_000 }, newId)
    t.ok(
      made.every((id) => idPattern.test(id) && boxOf(id) === box),
      'each carries it, in the form of every id',
    )
    t.equal(new Set(made).size, made.length)
    t.same(made.toSorted(), made, 'they sort by their creation')
    const call = newCallId()
    t.match(call, callIdPattern)
    t.equal(boxOf(call), box)
    t.equal(call.slice(2).slice(17, 20), box, 'digits 18 to 20')
    t.equal(newStreamSid().slice(2).slice(17, 20), box)
  })
}

t.test('a box that is alone makes ids with random digits', async (t) => {
  idsOfBox(undefined)
  const seen = new Set(Array.from({ length: 1000 }, () => boxOf(newId())))
  t.ok(seen.size > 500, `${seen.size}`)
})

t.test('what is no id has no box', async (t) => {
  for (const text of ['', 'CA', 'last', '019a5b3c', `CA${'g'.repeat(32)}`, `XX${'0'.repeat(32)}`]) t.equal(boxOf(text), undefined, text)
})
