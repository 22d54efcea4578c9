/** Ended calls as a table: what a spreadsheet reads is what happened, and nothing in it runs. */
import fc from 'fast-check'
import t from 'tap'
import { csvOf } from '../../daemon/history/csv-route.ts'
import type { HistoryRow } from '../../daemon/store/tables.ts'

const row = (more: Partial<HistoryRow> = {}): HistoryRow => ({
  ...{ callId: 'CA1', direction: 'inbound', outcome: 'missed', from: '+15551234567', to: '+15550001000', callerName: 'Ana Ruiz' },
  ...{
    trunkId: 'main',
    extension: '',
    endpointId: '',
    startedAt: Date.UTC(2026, 2, 8, 12),
    answeredAt: null,
    endedAt: Date.UTC(2026, 2, 8, 12, 1),
  },
  ...{ ringSeconds: 60, talkSeconds: 0, endedBy: 'caller', sipCode: 487, legs: [], recordings: [] },
  steps: [{ at: 0, to: 'queue:nurses', endedAt: null, outcome: '' }],
  ...more,
})

t.test('times are those of the clinic, and queues, notes and voicemail are there', async (t) => {
  const text = csvOf(
    [row({ voicemailId: 'x', notes: [{ noteId: '1', text: 'call back', createdAt: 0, origin: 'pbx' }] })],
    'America/New_York',
  )
  t.ok(text.startsWith('\uFEFFbegan,'))
  t.ok(text.includes('2026-03-08T08:00:00-04:00,inbound,missed,+15551234567,Ana Ruiz,+15550001000,,nurses,60,0,yes,call back,CA1\r\n'))
})

t.test('every text comes back as it was, and none is a formula', async (t) => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.constantFrom('=HYPERLINK("http://evil")', '@SUM(A1)', '-1', '+cmd|x', '\t=1', 'a,b', 'x"y', 'l\r\nm'),
        ),
        { maxLength: 8 },
      ),
      (names) => {
        const text = csvOf(
          names.map((callerName) => row({ callerName })),
          'UTC',
        )
        const table = cellsOf(text)
        t.equal(table.length, names.length + 1)
        for (const [at, name] of names.entries()) {
          const cell = table[at + 1]![4]!
          t.equal(cell.replace(/^'(?=[=+\-@\t\r])/, ''), name)
          t.notOk(/^[=+\-@\t\r]/.test(cell) && !/^\+\d+$/.test(cell), JSON.stringify(cell))
        }
      },
    ),
    { numRuns: 100 },
  )
})

/** A reader of RFC 4180. */
function cellsOf(text: string): string[][] {
  const rows: string[][] = [[]]
  let [at, cell] = [1, '']
  for (; at < text.length; at++) {
    if (text[at] === '"') {
      for (at++; text[at] !== '"' || text[at + 1] === '"'; at++) cell += text[at] === '"' ? text[at++] : text[at]
    } else if (text[at] === ',') {
      rows.at(-1)!.push(cell)
      cell = ''
    } else if (text[at] === '\r' && text[at + 1] === '\n') {
      rows.at(-1)!.push(cell)
      rows.push([])
      cell = ''
      at++
    } else cell += text[at]
  }
  return rows.slice(0, -1)
}
