/** pbx crm: the directory of the house. */
import { extname } from 'node:path'
import type { EnhancedLookupView, ImportAnswer, TypedNameView } from '../../../daemon/schema/crm.ts'
import { CommandError, exitCode } from '../client.ts'
import type { Context } from '../context.ts'
import { dim, localTime, print, printJson, table } from '../output.ts'
import { readGiven } from '../owner.ts'

const types: Readonly<Record<string, string>> = {
  '.csv': 'text/csv',
  '.tsv': 'text/csv',
  '.txt': 'text/csv',
  '.vcf': 'text/vcard',
  '.vcard': 'text/vcard',
  '.json': 'application/json',
}

export async function lookup({ json, client }: Context, number: string): Promise<number> {
  const found = await (await client()).get<EnhancedLookupView>(`/api/pbx/lookup/enhanced/${encodeURIComponent(number)}`)
  const code = found.found ? exitCode.done : exitCode.failed
  if (json) return (printJson(found), code)
  const { customer, matchType, candidates = [], recentCalls } = found
  print(`${found.number === '' ? 'withheld' : found.number}  ${headline(found)}`)
  for (const { id, name } of candidates) print(`  ${name}  ${dim(id)}`)
  if (matchType === 'ambiguous') print(dim('  several have this number: no name is shown at the phones'))
  if (customer !== null) {
    const { phones, email, company, externalRef } = customer
    print(
      table(
        ['NUMBER', 'LABEL'],
        phones.map(({ number, extension, label }) => [extension === undefined ? number : `${number} x${extension}`, label]),
      ),
    )
    for (const [what, value] of [
      ['mail', email],
      ['company', company],
      ['reference', externalRef],
    ] as const)
      if (value !== undefined) print(`${what}: ${value}`)
  }
  if (recentCalls.length > 0)
    print(
      table(
        ['CALLED', 'DIRECTION', 'OUTCOME'],
        recentCalls.map((call) => [localTime(call.startedAt), call.direction, call.outcome]),
      ),
    )
  return code
}

function headline({ found, customer, matchType, source }: EnhancedLookupView): string {
  if (!found) return dim('nobody in the directory')
  if (customer === null) return dim('not one person')
  return `${customer.name}${matchType === 'suffix' ? ' (probably)' : ''}  ${dim(`${customer.status}, ${source}, ${customer.id}`)}`
}

export async function name({ json, client }: Context, number: string, given: string): Promise<number> {
  const answer = await (await client()).post<TypedNameView>(`/api/crm/names/${encodeURIComponent(number)}`, { name: given })
  if (json) printJson(answer)
  else print(`${answer.number}  ${became[answer.result](answer.name)}`)
  return exitCode.done
}

const became: Readonly<Record<TypedNameView['result'], (name: string) => string>> = {
  created: (shown) => `is ${shown} from now on.`,
  updated: (shown) => `is ${shown} from now on.`,
  unchanged: (shown) => `was ${shown} before.`,
  deleted: () => 'has no typed name any more.',
  proposed: (shown) => `belongs to a customer of the CRM, which is asked to call them ${shown}.`,
}

export async function importFile(
  { json, client }: Context,
  file: string,
  { replace, dryRun }: { replace?: true; dryRun?: true },
): Promise<number> {
  const type = types[extname(file).toLowerCase()]
  if (type === undefined) throw new CommandError(`${file} must end with .csv, .vcf or .json.`, { exit: exitCode.usage })
  const body = readGiven(file)
  const query = new URLSearchParams({ ...(replace ? { mode: 'replace' } : {}), ...(dryRun ? { dryRun: 'true' } : {}) })
  const box = await client()
  const upload = { type, bytes: body.length, chunks: () => [body] }
  const answer = await box.send<ImportAnswer>(`/api/pbx/import/pbx-export?${query}`, upload)
  if (json) printJson(answer)
  else {
    const { rows, created, updated, skipped, deleted, errors, errorCount, warnings, warningCount } = answer
    print(`${dryRun ? 'Would be: ' : ''}${created} new, ${updated} changed, ${skipped} as before, ${deleted} removed, of ${rows}`)
    for (const { row, error } of errors) print(`  row ${row}: ${error}`)
    if (errorCount > errors.length) print(`  and ${errorCount - errors.length} more faults`)
    for (const { row, warning } of warnings) print(dim(`  row ${row}: ${warning}`))
    if (warningCount > warnings.length) print(dim(`  and ${warningCount - warnings.length} more warnings`))
  }
  return answer.errors.length === 0 ? exitCode.done : exitCode.failed
}
