/** What the console says of a text while it is typed is how it is split when it is sent. */
import fc from 'fast-check'
import t from 'tap'
import { partsOf } from '../../daemon/console/pages/texts/parts.ts'
import { splitText } from '../../daemon/messaging/segments.ts'

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
