/** Faxes that begin together between two daemons, run after run: each must be sent by its first call, and each page be its own. */
import type { Outcome } from './matrix.ts'
import { drawn, isTerminal, isSame, Pair, slips, until, type Document, type FaxView } from './boxes.ts'

interface Together {
  readonly sent: number
  readonly same: number
  readonly seconds: readonly number[]
  /** What became of those that were not sent by their first call, or came with a page that is not theirs. */
  readonly faults: readonly string[]
}

/** Each of `documents` to a number of its own, all at once. */
async function together(pair: Pair, run: number, documents: readonly Document[]): Promise<Together> {
  const numbers = documents.map((_, i) => `+1555${String(1000 + run)}${String(100 + i)}`)
  const ids = await Promise.all(
    documents.map(async (document, i) => {
      const { status, body } = await pair.sender.api('POST', '/api/fax', { to: numbers[i]!, pdfBase64: document.pdf.toString('base64') })
      if (status !== 202) throw new Error(`POST /api/fax: ${status} ${JSON.stringify(body)}`)
      return body.faxId as string
    }),
  )
  const faxes = await Promise.all(
    ids.map((id) =>
      until<FaxView>(
        async () => {
          const fax = await pair.show(id)
          return isTerminal(fax) || fax.attempts > 0 ? fax : undefined
        },
        'the end of a first call',
        240_000,
        1000,
      ),
    ),
  )
  const faults: string[] = []
  let same = 0
  for (const [i, fax] of faxes.entries()) {
    if (fax.status !== 'sent') {
      faults.push(`to ${fax.to}: ${fax.status}: ${fax.calls.map((call) => `${call.outcome} ${call.text}`).join('; ')}`)
      continue
    }
    const item = await until(async () => (await pair.received(numbers[i]!))[0], 'the item', 15_000)
    const pages = await pair.pagesOf(item)
    const { fine } = documents[i]!
    if (pages.length === fine.length && fine.every((page, at) => isSame(pages[at]!, page))) same++
    else faults.push(`to ${fax.to}: the pages are not those that were sent`)
  }
  return {
    sent: faxes.filter((fax) => fax.status === 'sent' && fax.attempts === 1).length,
    same,
    seconds: faxes.map((fax) => fax.durationSeconds),
    faults,
  }
}

const documentsOf = (calls: number): Promise<Document[]> =>
  Promise.all(Array.from({ length: calls }, async (_, i) => drawn(await slips(2, i + 1))))

/** One run, as a cell of the matrix. */
export async function atOnce(calls: number, t38: boolean): Promise<Outcome> {
  const documents = await documentsOf(calls)
  const pair = await Pair.open({ t38, channels: 200, calls: 100 })
  try {
    const { sent, same, seconds, faults } = await together(pair, 1, documents)
    const good = sent === calls && same === calls
    return { good, pages: `${same} of ${calls} faxes`, how: faults.join('; ') || 'each by its first call', seconds: Math.max(...seconds) }
  } finally {
    await pair.close()
  }
}

/** The command: a line for each run; gives the exit status. */
export async function crowd(values: { 'at-once'?: string | undefined; runs: string; audio: boolean }): Promise<number> {
  const [calls, runs] = [Number(values['at-once'] ?? '16'), Number(values.runs)]
  const documents = await documentsOf(calls)
  const pair = await Pair.open({ t38: !values.audio, channels: 200, calls: 100 })
  let good = 0
  try {
    for (let run = 1; run <= runs; run++) {
      const { sent, same, seconds, faults } = await together(pair, run, documents)
      if (sent === calls && same === calls) good++
      const calm = `calls of ${Math.min(...seconds)} to ${Math.max(...seconds)} s`
      console.log(`${String(run).padStart(3)}  ${sent} of ${calls} sent by the first call, ${same} page by page the same, ${calm}`)
      for (const fault of faults) console.log(`     FAULT ${fault}`)
    }
  } finally {
    await pair.close()
  }
  console.log(`\n${good} of ${runs} runs of ${calls} at once over ${values.audio ? 'G.711' : 'T.38'} without a fault`)
  return good === runs ? 0 : 1
}
