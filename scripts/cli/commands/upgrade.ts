/** pbx upgrade-gate: what another version has to show before it stays. */
import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { programVersion } from '../../../daemon/base/root.ts'
import type { StatusView } from '../../../daemon/schema/operation.ts'
import { exitCode, root } from '../client.ts'
import { type Context, finish, group, late } from '../command.ts'
import { print, printJson } from '../output.ts'

export function upgradeCommands(): Command[] {
  const upgrade = finish(
    group('upgrade', 'install another version; if it does not come up healthy, the current one is restored')
      .argument('[files...]', 'packages: pbxd_VERSION_ARCH.deb and, if it is installed, pbxd-speech-engine of the same version')
      .option('--at <time>', 'install at this time instead of now (02:00, local time); "off" cancels the upgrade')
      .option('--status', 'show the version in use, the version that "pbx rollback" restores, and the result of the last upgrade')
      .option('--retry', 'try the version that failed last again; its package is still installed'),
    late(async () => (await import('../upgrade/upgrade.ts')).upgrade),
    ['pbx upgrade ./pbxd_1.1_amd64.deb', 'pbx upgrade ./pbxd_1.1_amd64.deb --at 02:00', 'pbx upgrade --status'],
  )
  const rollback = finish(
    group('rollback', 'go back to the last good version before this one')
      .argument('[version]', 'go to this version, even one that failed; "pbx upgrade --status" lists the installed ones')
      .option(
        '--store',
        'also restore the store from before the upgrade: calls, faxes, texts and messages since then are no longer shown. Needed only if "pbx rollback" alone did not come up',
      ),
    late(async () => (await import('../upgrade/upgrade.ts')).rollback),
    ['pbx rollback', 'pbx rollback 1.0'],
  )
  const gating = finish(
    group('upgrade-gate', 'for scripts/upgrade: check that this version is up, with everything that was up before').requiredOption(
      '--before <file>',
      'the output of "pbx status --json" before the upgrade',
    ),
    gate,
    ['pbx upgrade-gate --before before.json'],
  )
  return [upgrade, rollback, gating]
}

/** A daemon that is started over and over is up for a moment each time. */
const settledSeconds = 10

async function gate({ json, client }: Context, { before }: { before: string }): Promise<number> {
  const earlier = JSON.parse(readFileSync(before, 'utf8')) as Partial<StatusView>
  const faults = faultsOf(earlier, await (await client()).get<StatusView>('/api/status'), programVersion(root))
  if (json) printJson({ faults })
  else for (const fault of faults) print(fault)
  return faults.length === 0 ? exitCode.done : exitCode.failed
}

/** What keeps `now` from being as good as it was before; what was not well then may stay so. */
export function faultsOf(before: Partial<StatusView>, now: StatusView, version: string): string[] {
  const { pid, uptimeSeconds = 0, parts = [], lines = [] } = before
  if (pid === now.pid && now.uptimeSeconds >= uptimeSeconds) return ['the previous daemon still runs']
  if (now.version !== version) return [`the running daemon has version ${now.version}`]
  const wasWell = new Set(parts.filter(({ ok }) => ok).map(({ name }) => name))
  const wasUp = new Set(lines.filter(({ ok, kind }) => ok && kind !== 'extension').map(({ id }) => id))
  const faults = [
    ...now.parts.flatMap(({ name, ok, reason }) => (ok || !wasWell.has(name) ? [] : [`${name}: ${reason}`])),
    ...now.lines.flatMap(({ id, kind, ok, state, reason }) =>
      ok || kind === 'extension' || !wasUp.has(id) ? [] : [`${kind} ${id} was up and is not: ${reason || state}`],
    ),
    ...[...wasUp].flatMap((id) => (now.lines.some((line) => line.id === id) ? [] : [`${id} was up and no longer exists`])),
  ]
  if (!now.ready && faults.length === 0 && parts.length === 0)
    faults.push(now.parts.find(({ ok }) => !ok)?.reason ?? 'the daemon is not ready')
  if (faults.length === 0 && now.uptimeSeconds < settledSeconds) return [`the daemon has run for ${now.uptimeSeconds} s`]
  return faults
}
