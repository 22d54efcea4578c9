/** pbx crm: the directory of the house. */
import { extname } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Command, Option } from 'commander'
import type { PendingView, SyncStatusView } from '../../../daemon/schema/crm-status.ts'
import type { EnhancedLookupView, ImportAnswer, TypedNameView } from '../../../daemon/schema/crm.ts'
import { CommandError, exitCode } from '../client.ts'
import { type Context, finish, group, late } from '../command.ts'
import { age, dim, localTime, print, printJson, table } from '../output.ts'
import { readGiven } from '../owner.ts'
import { patience } from '../patience.ts'

export function crmCommand(): Command {
  const crm = group('crm', 'the directory of customers, and the CRM')
  crm.addCommand(
    finish(
      group('lookup', 'find the customer with this number, and their last calls').argument('<number>', 'a phone number in any usual form'),
      lookup,
      ['pbx crm lookup +15551230001', 'pbx crm lookup "(555) 123-0001" --json'],
    ),
  )
  crm.addCommand(
    finish(
      group('import', 'import customers from a CSV, vCard or JSON file into the directory')
        .argument('<file>', 'a .csv, .vcf or .json file')
        .addOption(new Option('--replace', 'delete imported customers that are not in the file'))
        .addOption(new Option('--dry-run', 'show what would change, without writing it')),
      importFile,
      ['pbx crm import patients.csv --dry-run', 'pbx crm import patients.csv', 'pbx crm import contacts.vcf --replace'],
    ),
  )
  crm.addCommand(
    finish(
      group('name', 'give a number a name; a name for a customer of the CRM is proposed to the CRM')
        .argument('<number>', 'a phone number in any usual form')
        .argument('<name>', '"" removes the name that was given'),
      name,
      ['pbx crm name "(555) 123-0001" "Ana Ruiz"', 'pbx crm name +15551230001 ""'],
    ),
  )
  crm.addCommand(
    finish(group('status', 'show the state of the connection to the CRM'), status, ['pbx crm status', 'pbx crm status --json']),
  )
  crm.addCommand(
    finish(
      group('sync', 'read all customers from the CRM into the directory').addOption(
        new Option('--wait', 'wait until all customers are read'),
      ),
      sync,
      ['pbx crm sync', 'pbx crm sync --wait'],
    ),
  )
  crm.addCommand(
    finish(
      group('queue', 'list calls and notes that the CRM has not received yet, oldest first')
        .addOption(new Option('--dead', 'list the items that were given up'))
        .addOption(new Option('--limit <n>', 'show at most this many').default('50')),
      queue,
      ['pbx crm queue', 'pbx crm queue --dead'],
    ),
  )
  crm.addCommand(
    finish(
      group('retry', 'send the items that were given up to the CRM again').addOption(
        new Option('--dead', 'the items that were given up').makeOptionMandatory(),
      ),
      retry,
      ['pbx crm retry --dead'],
    ),
  )
  crm.addCommand(
    finish(
      group('check', 'test your own CRM: send every kind of request that the box sends, and report what is wrong')
        .argument('<url>', 'the address of the CRM, without /api/pbx')
        .addOption(new Option('--secret <secret>', 'the secret that signs the requests').env('PBX_CRM_SECRET'))
        .addOption(new Option('--token <token>', 'sent as a bearer token').env('PBX_CRM_TOKEN')),
      late(async () => (await import('../crm-check/check.ts')).check),
      ['pbx crm check http://127.0.0.1:3002 --secret whsec_example_0123456789', 'pbx crm check https://crm.example.com --token T --json'],
    ),
  )
  return crm
}

const types: Readonly<Record<string, string>> = {
  '.csv': 'text/csv',
  '.tsv': 'text/csv',
  '.txt': 'text/csv',
  '.vcf': 'text/vcard',
  '.vcard': 'text/vcard',
  '.json': 'application/json',
}

async function lookup({ json, client }: Context, number: string): Promise<number> {
  const found = await (await client()).get<EnhancedLookupView>(`/api/pbx/lookup/enhanced/${encodeURIComponent(number)}`)
  const code = found.found ? exitCode.done : exitCode.failed
  if (json) return (printJson(found), code)
  const { customer, matchType, candidates = [], recentCalls } = found
  print(`${found.number === '' ? 'withheld' : found.number}  ${partyLine(found)}`)
  for (const { id, name } of candidates) print(`  ${name}  ${dim(id)}`)
  if (matchType === 'ambiguous') print(dim('  several customers have this number: the phones show no name'))
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

function partyLine({ found, customer, matchType, source }: EnhancedLookupView): string {
  if (!found) return dim('not in the directory')
  if (customer === null) return dim('several customers')
  return `${customer.name}${matchType === 'suffix' ? ' (probably)' : ''}  ${dim(`${customer.status}, ${source}, ${customer.id}`)}`
}

async function name({ json, client }: Context, number: string, given: string): Promise<number> {
  const answer = await (await client()).post<TypedNameView>(`/api/crm/names/${encodeURIComponent(number)}`, { name: given })
  if (json) printJson(answer)
  else print(`${answer.number}  ${became[answer.result](answer.name)}`)
  return exitCode.done
}

const became: Readonly<Record<TypedNameView['result'], (name: string) => string>> = {
  created: (shown) => `is ${shown} from now on.`,
  updated: (shown) => `is ${shown} from now on.`,
  unchanged: (shown) => `already was ${shown}.`,
  deleted: () => 'no longer has a name of its own.',
  proposed: (shown) => `belongs to a customer of the CRM, and the name ${shown} is proposed to the CRM.`,
}

async function importFile(
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
    print(`${dryRun ? 'Would be: ' : ''}${created} new, ${updated} changed, ${skipped} unchanged, ${deleted} removed, of ${rows} rows`)
    for (const { row, error } of errors) print(`  row ${row}: ${error}`)
    if (errorCount > errors.length) print(`  and ${errorCount - errors.length} more errors`)
    for (const { row, warning } of warnings) print(dim(`  row ${row}: ${warning}`))
    if (warningCount > warnings.length) print(dim(`  and ${warningCount - warnings.length} more warnings`))
  }
  return answer.errors.length === 0 ? exitCode.done : exitCode.failed
}

async function status({ json, client }: Context): Promise<number> {
  const found = await (await client()).get<SyncStatusView>('/api/pbx/sync/status')
  const code = found.state === 'degraded' ? exitCode.failed : exitCode.done
  if (json) return (printJson(found), code)
  const { crm, queue, customers, currentSync } = found
  print(headline(found))
  if (crm.configured) {
    print(`answered last ${ago(crm.lastSuccessAt)}${crm.p95Ms === null ? '' : `, 95 of 100 answers within ${crm.p95Ms} ms`}`)
    if (crm.lastError !== null) print(`failed last   ${ago(crm.lastFailureAt)}: ${crm.lastError}`)
    const { count, last } = crm.answerFaults
    if (last !== null) print(`wrong answer  ${ago(last.at)}: ${last.request} ${last.path} ${last.message} (${count} in all)`)
    if (crm.clockSkewMs !== null && Math.abs(crm.clockSkewMs) > 60_000)
      print(
        `its clock is ${Math.round(Math.abs(crm.clockSkewMs) / 1000)} s ${crm.clockSkewMs > 0 ? 'ahead' : 'behind'}: the box refuses signatures that differ by 300 s or more`,
      )
    print(
      `to be sent    ${queue.pendingLogs} calls, ${queue.pendingNotes} notes${queue.oldestPendingAt === null ? '' : `, the oldest ${ago(queue.oldestPendingAt)}`}`,
    )
    if (queue.dead > 0) print(`given up      ${queue.dead}: see pbx crm queue --dead`)
  }
  print(
    `directory     ${customers.total} customers${customers.lastFullSyncAt === null ? '' : `, last full read ${ago(customers.lastFullSyncAt)}`}`,
  )
  if (currentSync !== null)
    print(`reading       ${currentSync.processed}${currentSync.total === null ? '' : ` of ${currentSync.total}`} customers`)
  return code
}

function headline({ state, crm }: SyncStatusView): string {
  switch (state) {
    case 'unconfigured':
      return 'No CRM is configured: set crm.baseUrl in the configuration.'
    case 'disabled':
      return 'The CRM integration is switched off. POST /api/pbx/integration/enable switches it on.'
    case 'degraded':
      return crm.circuit === 'closed' ? 'The CRM receives calls late.' : 'The CRM does not answer. The box retries automatically.'
    default:
      if (crm.configured && crm.lastError !== null && !crm.reachable) return `The CRM answers, but refuses requests: ${crm.lastError}.`
      return state === 'syncing' ? 'The CRM answers. Its customers are being read.' : 'The CRM answers.'
  }
}

const ago = (at: string | null): string => (at === null ? 'never' : `${age(at)} ago`)

/** How often it is looked at how far it is. */
const lookMs = 500
/** The first page of a CRM that does not answer ends after 30 s. */
const mostBeginMs = 45_000
/** Of `patience.standstillMs`: the largest directory is read in an hour. */
const mostStandstills = 12

async function sync({ json, client }: Context, { wait }: { wait?: true }): Promise<number> {
  const box = await client()
  const { customers: before } = await box.get<SyncStatusView>('/api/pbx/sync/status')
  const { syncId } = await box.post<{ syncId: string }>('/api/pbx/sync/full', {})
  if (!wait) {
    if (json) printJson({ syncId, state: 'running' })
    else print('The customers are being read: see pbx crm status.')
    return exitCode.done
  }
  const began = performance.now()
  let last = { processed: -1, at: began }
  for (let seen = false; ;) {
    const { currentSync, customers, crm } = await box.get<SyncStatusView>('/api/pbx/sync/status')
    seen ||= currentSync !== null
    const whole = customers.lastFullSyncAt !== before.lastFullSyncAt
    if (currentSync === null && (whole || seen || performance.now() - began > mostBeginMs)) {
      if (json) printJson({ syncId, whole, customers })
      else if (whole) print(`Done: the directory has ${customers.total} customers, ${customers.conflicts} in conflict.`)
      else print(`Failed: ${crm.lastError ?? 'the CRM did not answer'}. The box retries automatically.`)
      return whole ? exitCode.done : exitCode.failed
    }
    const now = performance.now()
    if (currentSync !== null && currentSync.processed !== last.processed) last = { processed: currentSync.processed, at: now }
    if (now - last.at > patience.standstillMs || now - began > mostStandstills * patience.standstillMs)
      throw new CommandError('reading the customers makes no progress', { code: 'no-end', fix: 'pbx crm status' })
    if (process.stderr.isTTY && currentSync !== null)
      process.stderr.write(
        `\r\u001b[K${Number(currentSync.processed)}${currentSync.total === null ? '' : ` of ${Number(currentSync.total)}`} customers`,
      )
    await pause(lookMs)
    if (process.stderr.isTTY) process.stderr.write('\r\u001b[K')
  }
}

async function queue({ json, client }: Context, { dead, limit }: { dead?: true; limit: string }): Promise<number> {
  const query = new URLSearchParams({ limit, state: dead ? 'dead' : 'pending' })
  const rows = await (await client()).get<PendingView[]>(`/api/crm/queue?${query}`)
  if (json) return (printJson(rows), exitCode.done)
  if (rows.length === 0) print(dead ? 'Nothing was given up.' : 'The CRM has received everything.')
  else
    print(
      table(
        ['CALL', 'KIND', 'ENDED', 'TRIES', 'AGAIN', 'LAST'],
        rows.map((row) => [
          row.callId.slice(0, 10),
          row.kind,
          localTime(row.endedAt),
          String(row.attempts),
          localTime(row.nextAt),
          dim(row.lastError),
        ]),
      ),
    )
  return exitCode.done
}

async function retry({ json, client }: Context): Promise<number> {
  const answer = await (await client()).post<{ retried: number }>('/api/crm/queue/retry')
  if (json) printJson(answer)
  else print(answer.retried === 0 ? 'Nothing was given up.' : `${answer.retried} will be sent again.`)
  return exitCode.done
}
