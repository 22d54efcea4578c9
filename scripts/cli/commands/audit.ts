/** pbx audit list, verify, export. */
import { closeSync, writeSync } from 'node:fs'
import type { Command } from 'commander'
import { openNew } from '../../../daemon/base/owner.ts'
import type { AuditRowView, AuditVerdictView } from '../../../daemon/schema/audit.ts'
import { CommandError, exitCode } from '../client.ts'
import { type Context, finish, group, rows } from '../command.ts'
import { dim, green, localTime, print, printJson, red, table } from '../output.ts'
import { patience } from '../patience.ts'

export function auditCommand(): Command {
  const audit = group('audit', 'the audit trail: who did what, and when')
  const chosen = (command: Command): Command =>
    command
      .option('--since <time>', 'show entries since this time: 2026-03-02, 2026-03-02T14:05Z')
      .option('--actor <name>', 'show entries of this token or user')
      .option('--deed <deed>', 'show this deed, such as inbox.media; "fax" shows all deeds about faxes')
      .option('--object <id>', 'show entries about this id')
  audit.addCommand(
    finish(chosen(group('list', 'list entries, newest first')).option('--limit <n>', 'show at most this many', rows, 50), list, [
      'pbx audit list --actor booking-system --since 2026-03-02',
      'pbx audit list --deed recording',
    ]),
  )
  audit.addCommand(
    finish(
      group('verify', 'check that no row was changed, removed, inserted or moved; exit 1 when one was').option(
        '--known <row>',
        'number and hash of a row that you noted down earlier (1234:8f3a...): detects a trail that was written again from the start',
      ),
      verify,
      ['pbx audit verify', 'pbx audit verify --json'],
    ),
  )
  audit.addCommand(
    finish(
      chosen(group('export', 'write the whole trail as JSON lines, oldest first')).requiredOption('--out <file>', 'the new file to write'),
      exportTrail,
      ['pbx audit export --out audit.jsonl', 'pbx audit export --since 2026-01-01 --out audit-2026.jsonl'],
    ),
  )
  return audit
}

interface Query {
  since?: string
  actor?: string
  deed?: string
  object?: string
}

function queryOf(options: Query & { limit?: number; known?: string }): string {
  const query = new URLSearchParams()
  for (const name of ['since', 'actor', 'deed', 'object', 'limit', 'known'] as const) {
    const value = options[name]
    if (value !== undefined) query.set(name, String(value))
  }
  return query.size === 0 ? '' : `?${query.toString()}`
}

/** Of an object with many ids, as much as a line has room for. */
const longestObject = 60

async function list({ json, client }: Context, options: Query & { limit: number }): Promise<void> {
  const rows = await (await client()).get<AuditRowView[]>(`/api/audit${queryOf(options)}`)
  if (json) return printJson(rows)
  if (rows.length === 0) return print(dim('no entry matches'))
  const shown = rows.map((row) => [
    String(row.seq),
    localTime(row.time),
    row.actor,
    row.address,
    row.deed,
    row.outcome,
    String(row.count),
    row.object.length > longestObject ? `${row.object.slice(0, longestObject)}...` : row.object,
  ])
  print(table(['ROW', 'TIME', 'ACTOR', 'ADDRESS', 'DEED', 'OUTCOME', 'COUNT', 'OBJECT'], shown))
}

async function verify({ json, client }: Context, options: { known?: string }): Promise<number> {
  const verdict = await (await client()).get<AuditVerdictView>(`/api/audit/verdict${queryOf(options)}`, patience.workMs)
  const code = verdict.ok ? exitCode.done : exitCode.failed
  if (json) {
    printJson(verdict)
    return code
  }
  for (const { text } of verdict.faults) print(red(text))
  const { first, last, rows } = verdict
  if (verdict.ok)
    print(green(`${rows} rows${first === null ? '' : `, ${first.seq} to ${last!.seq}`}: no row was changed, removed, inserted or moved`))
  if (verdict.ok && last !== null) print(dim(`To detect a trail that is rewritten later, note this down: ${last.seq}:${last.hash}`))
  return code
}

async function exportTrail({ json, client }: Context, options: Query & { out: string }): Promise<void> {
  const to = openOut(options.out)
  let rows = 0
  try {
    await (
      await client()
    ).stream<AuditRowView>(`/api/audit/export${queryOf(options)}`, undefined, (row) => {
      writeSync(to, `${JSON.stringify(row)}\n`)
      rows++
    })
  } finally {
    closeSync(to)
  }
  if (json) printJson({ file: options.out, rows })
  else print(`${rows} rows written to ${options.out}`)
}

function openOut(file: string): number {
  try {
    return openNew(file)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new CommandError(code === 'EEXIST' ? `${file} already exists` : `${file} cannot be written: ${message}`)
  }
}
