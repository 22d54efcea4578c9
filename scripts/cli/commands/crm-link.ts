/** pbx crm status, sync, queue and retry: between the box and the CRM. */
import { setTimeout as pause } from 'node:timers/promises'
import type { PendingView, SyncStatusView } from '../../../daemon/schema/crm-status.ts'
import { CommandError, exitCode } from '../client.ts'
import type { Context } from '../context.ts'
import { age, dim, localTime, print, printJson, table } from '../output.ts'
import { patience } from '../patience.ts'

export async function status({ json, client }: Context): Promise<number> {
  const found = await (await client()).get<SyncStatusView>('/api/pbx/sync/status')
  const code = found.state === 'degraded' ? exitCode.failed : exitCode.done
  if (json) return (printJson(found), code)
  const { crm, queue, customers, currentSync } = found
  print(headline(found))
  if (crm.configured) {
    print(`answered last ${ago(crm.lastSuccessAt)}${crm.p95Ms === null ? '' : `, 95 of 100 answers within ${crm.p95Ms} ms`}`)
    if (crm.lastError !== null) print(`failed last   ${ago(crm.lastFailureAt)}: ${crm.lastError}`)
    const { count, last } = crm.answerFaults
    if (last !== null) print(`not as agreed ${ago(last.at)}: ${last.request} ${last.path} ${last.message} (${count} in all)`)
    if (crm.clockSkewMs !== null && Math.abs(crm.clockSkewMs) > 60_000)
      print(
        `its clock is ${Math.round(Math.abs(crm.clockSkewMs) / 1000)} s ${crm.clockSkewMs > 0 ? 'ahead' : 'behind'}: signatures are refused from 300 s on`,
      )
    print(
      `to be told    ${queue.pendingLogs} calls, ${queue.pendingNotes} notes${queue.oldestPendingAt === null ? '' : `, the oldest ${ago(queue.oldestPendingAt)}`}`,
    )
    if (queue.dead > 0) print(`given up      ${queue.dead}: see pbx crm queue --dead`)
  }
  print(
    `directory     ${customers.total} parties${customers.lastFullSyncAt === null ? '' : `, all of them read ${ago(customers.lastFullSyncAt)}`}`,
  )
  if (currentSync !== null)
    print(`reading       ${currentSync.processed}${currentSync.total === null ? '' : ` of ${currentSync.total}`} parties`)
  return code
}

function headline({ state, crm }: SyncStatusView): string {
  switch (state) {
    case 'unconfigured':
      return 'No CRM is configured: write crm.baseUrl.'
    case 'disabled':
      return 'The integration is switched off: POST /api/pbx/integration/enable switches it on.'
    case 'degraded':
      return crm.circuit === 'closed' ? 'The CRM is told late.' : 'The CRM is away; it is tried again by itself.'
    default:
      if (crm.configured && crm.lastError !== null && !crm.reachable)
        return `The CRM is there, and does not do what it is asked: ${crm.lastError}.`
      return state === 'syncing' ? 'The CRM is there, and the directory is being read.' : 'The CRM is there.'
  }
}

const ago = (at: string | null): string => (at === null ? 'never' : `${age(at)} ago`)

/** How often it is looked at how far it is. */
const lookMs = 500
/** The first page of a CRM that does not answer ends after 30 s. */
const mostBeginMs = 45_000
/** Of `patience.standstillMs`: the largest directory is read in an hour. */
const mostStandstills = 12

export async function sync({ json, client }: Context, { wait }: { wait?: true }): Promise<number> {
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
      else if (whole) print(`Read: ${customers.total} parties are in the directory, ${customers.conflicts} in conflict.`)
      else print(`Not read: ${crm.lastError ?? 'the CRM did not answer'}. It is tried again by itself.`)
      return whole ? exitCode.done : exitCode.failed
    }
    const now = performance.now()
    if (currentSync !== null && currentSync.processed !== last.processed) last = { processed: currentSync.processed, at: now }
    if (now - last.at > patience.standstillMs || now - began > mostStandstills * patience.standstillMs)
      throw new CommandError('the customers are still being read, and it does not get on', { code: 'no-end', fix: 'pbx crm status' })
    if (process.stderr.isTTY && currentSync !== null)
      process.stderr.write(
        `\r\u001b[K${Number(currentSync.processed)}${currentSync.total === null ? '' : ` of ${Number(currentSync.total)}`} customers`,
      )
    await pause(lookMs)
    if (process.stderr.isTTY) process.stderr.write('\r\u001b[K')
  }
}

export async function queue({ json, client }: Context, { dead, limit }: { dead?: true; limit: string }): Promise<number> {
  const query = new URLSearchParams({ limit, state: dead ? 'dead' : 'pending' })
  const rows = await (await client()).get<PendingView[]>(`/api/crm/queue?${query}`)
  if (json) return (printJson(rows), exitCode.done)
  if (rows.length === 0) print(dead ? 'Nothing was given up.' : 'The CRM was told of everything.')
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

export async function retry({ json, client }: Context): Promise<number> {
  const answer = await (await client()).post<{ retried: number }>('/api/crm/queue/retry')
  if (json) printJson(answer)
  else print(answer.retried === 0 ? 'Nothing was given up.' : `${answer.retried} are told again.`)
  return exitCode.done
}
