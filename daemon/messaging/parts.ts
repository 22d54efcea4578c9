/** Parts of a text from outside, made one: the bytes of parts that follow each other are read together, so that no character is cut. */
import type { SmsEncoding } from '../../drivers/sms.ts'
import { readCoded } from '../../drivers/sms-content.ts'
import type { SmsPartRow } from '../store/tables.ts'

export const partMissing = '…[part missing]'

export interface JoinedText {
  readonly from: string
  readonly body: string
  readonly encoding: SmsEncoding
}

type Part = Pick<SmsPartRow, 'from' | 'index' | 'total' | 'body' | 'encoding' | 'alphabet' | 'bytes'>

/** `rows`: of one text, in the order of their numbers; some may be missing. */
export function joinParts(rows: readonly [Part, ...Part[]]): JoinedText {
  const { total } = rows[0]
  let { from } = rows[0]
  let body = ''
  let wide = false
  let next = 1
  for (const run of runsOf(rows)) {
    if (run[0].index !== next) body += partMissing
    next = run.at(-1)!.index + 1
    const read = readRun(run)
    body += read.body
    from = read.from ?? from
    wide ||= read.encoding === 'UCS-2'
  }
  // Of several missing in a row one mark says enough.
  if (next <= total) body += partMissing
  return { from, body, encoding: wide ? 'UCS-2' : 'GSM-7' }
}

/** Neighbours whose bytes are of one alphabet; a part whose bytes nobody kept is a run of its own. */
function runsOf(rows: readonly Part[]): [Part, ...Part[]][] {
  const runs: [Part, ...Part[]][] = []
  for (const row of rows) {
    const run = runs.at(-1)
    const last = run?.at(-1)
    if (last !== undefined && row.alphabet !== undefined && last.alphabet === row.alphabet && last.index + 1 === row.index) run!.push(row)
    else runs.push([row])
  }
  return runs
}

function readRun(run: readonly [Part, ...Part[]]): { body: string; encoding: SmsEncoding; from?: string } {
  const { alphabet, body, encoding, from } = run[0]
  if (alphabet === undefined) return { body, encoding }
  const bytes = Buffer.concat(run.map((part) => Buffer.from(part.bytes ?? '', 'base64')))
  return readCoded({ alphabet, bytes }, from)
}
