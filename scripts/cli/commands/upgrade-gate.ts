/** pbx upgrade-gate: what another version has to show before it stays. */
import { readFileSync } from 'node:fs'
import { programVersion } from '../../../daemon/base/root.ts'
import type { StatusView } from '../../../daemon/schema/operation.ts'
import { exitCode, root } from '../client.ts'
import type { Context } from '../context.ts'
import { print, printJson } from '../output.ts'

/** A daemon that is started over and over is up for a moment each time. */
const settledSeconds = 10

export async function gate({ json, client }: Context, { before }: { before: string }): Promise<number> {
  const earlier = JSON.parse(readFileSync(before, 'utf8')) as Partial<StatusView>
  const faults = faultsOf(earlier, await (await client()).get<StatusView>('/api/status'), programVersion(root))
  if (json) printJson({ faults })
  else for (const fault of faults) print(fault)
  return faults.length === 0 ? exitCode.done : exitCode.failed
}

/** What keeps `now` from being as good as it was before; what was not well then may stay so. */
export function faultsOf(before: Partial<StatusView>, now: StatusView, version: string): string[] {
  const { pid, uptimeSeconds = 0, parts = [], lines = [] } = before
  if (pid === now.pid && now.uptimeSeconds >= uptimeSeconds) return ['the daemon from before still runs']
  if (now.version !== version) return [`the daemon that runs is of version ${now.version}`]
  const wasWell = new Set(parts.filter(({ ok }) => ok).map(({ name }) => name))
  const wasUp = new Set(lines.filter(({ ok, kind }) => ok && kind !== 'extension').map(({ id }) => id))
  const faults = [
    ...now.parts.flatMap(({ name, ok, reason }) => (ok || !wasWell.has(name) ? [] : [`${name}: ${reason}`])),
    ...now.lines.flatMap(({ id, kind, ok, state, reason }) =>
      ok || kind === 'extension' || !wasUp.has(id) ? [] : [`${kind} ${id} was up and is not: ${reason || state}`],
    ),
    ...[...wasUp].flatMap((id) => (now.lines.some((line) => line.id === id) ? [] : [`${id} was up and is not there any more`])),
  ]
  if (!now.ready && faults.length === 0 && parts.length === 0)
    faults.push(now.parts.find(({ ok }) => !ok)?.reason ?? 'the daemon is not ready')
  if (faults.length === 0 && now.uptimeSeconds < settledSeconds) return [`the daemon has run for ${now.uptimeSeconds} s`]
  return faults
}
