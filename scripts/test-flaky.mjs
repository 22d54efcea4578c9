/**
 * Writes docs/figures/flaky.md: what of the last whole runs of `npm test` on this machine needed a second try, and how often. A file that fails and
 * passes when it runs again hides a fault of the test or of the product; the page counts them, so that none is forgotten.
 *   node scripts/test-flaky.mjs
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
/** One whole run a line, the newest last (scripts/test.mjs). */
export const runsFile = join(root, '.cache', 'test-runs.jsonl')
const page = join(root, 'docs', 'figures', 'flaky.md')
const shown = 10

/** `runs`: as scripts/test.mjs keeps them. */
export function pageOf(runs) {
  const last = runs.slice(-shown).toReversed()
  const rows = last.map(
    ({ at, processors, minutes, passed, failed, skipped, secondTries, late, seconds }) =>
      `| ${at.slice(0, 16).replace('T', ' ')} | ${processors} | ${minutes} | ${passed} | ${failed} | ${skipped} | ${secondTries.length} | ${late} of ${seconds} s |`,
  )
  const times = new Map()
  for (const text of last.flatMap(({ secondTries }) => secondTries)) {
    const [file] = text.split(': ')
    times.set(file, [...(times.get(file) ?? []), text.slice(file.length + 2)])
  }
  const files = [...times].toSorted(([, a], [, b]) => b.length - a.length)
  const table = [
    '| run (UTC) | processors free | minutes | passed | failed | skipped | second tries | what plays was late |',
    '|---|---|---|---|---|---|---|---|',
    ...rows,
  ]
  return [
    '# Tests that needed a second try',
    '',
    'Written by `node scripts/test-flaky.mjs` from the last whole runs of `npm test` on one machine. The goal is none in five',
    'runs in a row.',
    '',
    ...(last.length === 0 ? ['No whole run is kept on this machine.'] : table),
    ...(files.length === 0 ? [] : ['', '| file | times | first failure, the newest |', '|---|---|---|']),
    ...files.map(([file, texts]) => `| ${file} | ${texts.length} | ${texts[0].replaceAll('|', '\\|')} |`),
    '',
  ].join('\n')
}

if (process.argv[1] === import.meta.filename) {
  const lines = existsSync(runsFile) ? readFileSync(runsFile, 'utf8').split('\n').filter(Boolean) : []
  writeFileSync(page, pageOf(lines.map((line) => JSON.parse(line))))
}
