/**
 * Proofs and measurements of faxing that take longer than a test. On bad lines, and how long a call takes: two fax sessions of
 * pbx-engine in virtual time. With whole daemons, in real time: every way a page can take, and kill -9 at any moment.
 *
 *   scripts/run test/proofs/fax/main.ts loss [--calls N] [--pages KIND,...] [--json]   who says "sent" and whose pages are complete, by loss
 *   scripts/run test/proofs/fax/main.ts lines [--calls N] [--json]                    the same on lines with delay and jitter
 *   scripts/run test/proofs/fax/main.ts overhead [--json]                             the time of a call and that of its bits
 *   scripts/run test/proofs/fax/main.ts netem [--calls N] [--delay MS] [--json]       two engines in real time, packets lost, late and out of order
 *   scripts/run test/proofs/fax/main.ts matrix [--peer NAME] [--what TEXT] [--at-once N] [--out FILE] [--json]   each transport, direction and peer, pixel by pixel
 *   scripts/run test/proofs/fax/main.ts crowd [--at-once N] [--runs N] [--audio]      faxes that begin together, each to be sent by its first call
 *   scripts/run test/proofs/fax/main.ts long [--minutes N] [--audio]                  one call that lasts so long, between two daemons in real time
 *   scripts/run test/proofs/fax/main.ts corpus [--only NAME] [--json]                 the rasteriser against Ghostscript's and poppler's on some 130 pages; needs tesseract
 *   scripts/run test/proofs/fax/main.ts public --folder DIR --out FILE                     the first page of each PDF in a folder against poppler, MuPDF and Ghostscript; FILE: a line of JSON each
 *   scripts/run test/proofs/fax/main.ts kill [--over sip|lines] [--rounds N] [--pairs N] [--minutes N] [--out FILE]   kill -9 of daemons, engines, pbx-fax; FILE: a line of JSON a round
 *
 * Ends with status 1 when a page is lost or differs, when a fax with error correction was called sent and is not complete, or a sender
 * never learned its end.
 */
import { parseArgs } from 'node:util'
import { compare } from './corpus.ts'
import { crowd } from './crowd.ts'
import { long } from './long.ts'
import { loss, lines } from './loss.ts'
import { kills } from './kill-command.ts'
import { matrix } from './matrix.ts'
import { netem } from './netem.ts'
import { overhead } from './overhead.ts'
import { publicFiles } from './public.ts'
import { build } from './study.ts'

const studies = { loss, lines, overhead }
const whole = { corpus: compare, public: publicFiles, netem, matrix, crowd, long, kill: kills }
const usage =
  'usage: scripts/run test/proofs/fax/main.ts loss|lines|overhead [--calls N] [--pages letter|report|form|photo|blank,...] [--json]\n' +
  '       scripts/run test/proofs/fax/main.ts netem [--calls N] [--delay MS] [--json]\n' +
  '       scripts/run test/proofs/fax/main.ts matrix [--peer NAME] [--what TEXT] [--at-once N] [--out FILE] [--json]\n' +
  '       scripts/run test/proofs/fax/main.ts corpus [--only NAME] [--json]|public --folder DIR --out FILE\n' +
  '       scripts/run test/proofs/fax/main.ts crowd [--at-once N] [--runs N] [--audio]|long [--minutes N] [--audio]\n' +
  '       scripts/run test/proofs/fax/main.ts kill [--over sip|lines] [--rounds N] [--pairs N] [--minutes N] [--out FILE]\n'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    calls: { type: 'string' },
    delay: { type: 'string', default: '60' },
    pages: { type: 'string', default: 'letter,form' },
    json: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '200' },
    pairs: { type: 'string', default: '8' },
    minutes: { type: 'string' },
    'at-once': { type: 'string' },
    peer: { type: 'string' },
    what: { type: 'string' },
    runs: { type: 'string', default: '20' },
    audio: { type: 'boolean', default: false },
    over: { type: 'string', default: 'sip' },
    out: { type: 'string' },
    only: { type: 'string' },
    folder: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})
const name = positionals[0] ?? ''
if (!values.help && positionals.length === 1 && Object.hasOwn(whole, name)) process.exit(await whole[name as keyof typeof whole](values))
const calls = Number(values.calls ?? '20')
if (values.help || positionals.length !== 1 || !Object.hasOwn(studies, name) || !Number.isInteger(calls) || calls < 1) {
  process.stderr.write(usage)
  process.exit(values.help ? 0 : 2)
}
await build()
const { text, faults } = await studies[name as keyof typeof studies]({ calls, pages: values.pages, json: values.json })
process.stdout.write(`${text}\n`)
for (const fault of faults) process.stdout.write(`FAULT: ${fault}\n`)
if (faults.length > 0) process.exitCode = 1
