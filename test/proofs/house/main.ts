/**
 * npm run house [-- --before REV] [--files] [--json]: how the house is built, in numbers. What a capability, a verb and a record touch, how
 * much there is, and what stands there twice; compared with an older commit where one is named. `--files` names the files that were
 * counted.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { measureHouse, type Source, type Measure } from './measures.ts'

const root = join(import.meta.dirname, '../../..')
const git = (...words: string[]): string => execFileSync('git', words, { cwd: root, encoding: 'utf8', maxBuffer: 256 << 20 })
const isSource = (name: string): boolean => /\.(ts|mjs|cc|c|h)$/.test(name)

function sourcesIn(folder: string, names: readonly string[]): Source[] {
  return names.filter(isSource).map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }))
}

function ofThisCheckout(): Source[] {
  const gone = new Set(git('ls-files', '-z', '--deleted').split('\0'))
  const names = git('ls-files', '-z', '--cached', '--others', '--exclude-standard').split('\0')
  return sourcesIn(
    root,
    names.filter((name) => !gone.has(name)),
  )
}

/** Its files are laid out apart: the checkout stays as it is. */
function ofRevision(revision: string): Source[] {
  const folder = mkdtempSync(join(tmpdir(), 'pbxd-house-'))
  try {
    const names = git('ls-tree', '-r', '-z', '--name-only', revision).split('\0')
    const archive = execFileSync('git', ['archive', revision], { cwd: root, maxBuffer: 1024 << 20 })
    execFileSync('tar', ['-x', '-C', folder], { input: archive })
    return sourcesIn(folder, names)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const { values } = parseArgs({ options: { before: { type: 'string' }, files: { type: 'boolean' }, json: { type: 'boolean' } } })
const now = measureHouse(ofThisCheckout())
const before = values.before === undefined ? undefined : measureHouse(ofRevision(values.before))

function table(): string {
  const head = ['', ...(before === undefined ? [] : [String(values.before)]), 'now', 'goal']
  const of = (measures: readonly Measure[], what: string): string => String(measures.find((one) => one.what === what)?.count ?? '')
  const rows = now.map(({ what, count, goal }) => [what, ...(before === undefined ? [] : [of(before, what)]), String(count), goal ?? ''])
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((cells) => cells[column]!.length)))
  const line = (cells: readonly string[]): string =>
    cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join('  ')
  return [head, ...rows].map((cells) => line(cells).trimEnd()).join('\n')
}

function named(title: string, measures: readonly Measure[]): string {
  return measures
    .flatMap(({ what, files }) => (files === undefined ? [] : [`\n${title}, ${what}:`, ...files.map((file) => `  ${file}`)]))
    .join('\n')
}

if (values.json === true) console.log(JSON.stringify({ now, ...(before === undefined ? {} : { before }) }, null, 2))
else {
  console.log(table())
  if (values.files === true) console.log(named('now', now) + (before === undefined ? '' : `\n${named(String(values.before), before)}`))
}
