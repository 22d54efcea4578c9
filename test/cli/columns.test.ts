/** Columns that fit a terminal: no line is too long, no word is broken, none is lost. */
import fc from 'fast-check'
import t from 'tap'
import { breadth, columns, folded, shortTime, withShortIds } from '../../scripts/cli/columns.ts'

const now = Date.parse('2026-03-04T12:00:00Z')
const word = fc.stringMatching(/^[a-z+0-9]{1,38}$/)
const cell = fc.array(word, { maxLength: 6 }).map((words) => words.join(' '))

t.test('any table fits any terminal', async (t) => {
  fc.assert(
    fc.property(
      fc
        .integer({ min: 1, max: 10 })
        .chain((count) => fc.array(fc.array(cell, { minLength: count, maxLength: count }), { minLength: 2, maxLength: 5 })),
      fc.integer({ min: 60, max: 160 }),
      ([head, ...rows], width) => {
        const lines = columns(head!, rows, width, now)
        const words = (texts: readonly string[]): string[] => texts.flatMap((text) => text.split(' ')).filter((one) => one !== '')
        const short = [head!, ...rows].flat().map((text) => withShortIds(text))
        return lines.every((line) => breadth(line) <= width) && words(lines).toSorted().join() === words(short).toSorted().join()
      },
    ),
  )
  t.pass('all fit')
})

t.test('a table that fits is left as it is; one that does not has short ids and times first', async (t) => {
  const id = '019aa4c1-7d2e-7b11-8000-3f6a2d9c0b55'
  const rows = [[id, '2026-03-02 14:05:31', 'sent']]
  t.same(columns(['ID', 'AT', 'STATE'], rows, 80, now), [
    'ID                                    AT                   STATE',
    `${id}  2026-03-02 14:05:31  sent`,
  ])
  t.same(columns(['ID', 'AT', 'STATE'], rows, 60, now), ['ID        AT         STATE', '2d9c0b55  Mon 14:05  sent'])
  t.same(columns(['A', 'WHAT'], [['x', 'the server says that it takes no more of these today']], 30, now), [
    'A  WHAT',
    'x  the server says that it',
    '   takes no more of these',
    '   today',
  ])
})

t.test('times and lines', async (t) => {
  t.equal(shortTime('2026-03-02 14:05:31', now), 'Mon\u00a014:05', 'in one piece')
  t.equal(shortTime('2026-02-02 14:05:31', now), '2026-02-02')
  t.equal(shortTime('sent 2026-03-02 14:05:31', now), 'sent 2026-03-02 14:05:31')
  t.same(folded('  mend: write it into the file', 20), ['  mend: write it', '    into the file'])
  t.same(folded('[{"say":{"text":"a"}},{"hangup":{}}]', 20), ['[{"say":{"text":', '  "a"}},{"hangup":', '  {}}]'])
  t.equal(breadth('\u001b[31mred\u001b[0m'), 3)
})
