/** The commands of `pbx upgrade` and `pbx rollback`. */
import type { Command } from 'commander'
import type { Finish, Group } from './speech-commands.ts'

export function upgradeCommands(group: Group, finish: Finish): Command[] {
  const load = () => import('./commands/upgrade.ts')
  const upgrade = finish(
    group('upgrade', 'another version in the place of this one, which comes back by itself where the new one does not come up')
      .argument('[files...]', 'packages: pbxd_VERSION_ARCH.deb, and pbxd-speech-engine of the same version')
      .option('--at <time>', 'not now but at the next 02:00, say, in the time of the site; "off" takes that back')
      .option('--status', 'which versions are here, and how the last upgrade ended')
      .option('--retry', 'try the installed package again, which did not come up'),
    async () => (await load()).upgrade,
    ['pbx upgrade ./pbxd_1.1_amd64.deb', 'pbx upgrade ./pbxd_1.1_amd64.deb --at 02:00', 'pbx upgrade --status'],
  )
  const rollback = finish(
    group('rollback', 'the newest good version before this one runs again')
      .argument('[version]', 'another one that is kept, be it one that failed; see pbx upgrade --status')
      .option('--store', 'where the upgrade changed the shape of the store: put it back too; what came since is not seen any more'),
    async () => (await load()).rollback,
    ['pbx rollback', 'pbx rollback 1.0'],
  )
  const gate = finish(
    group('upgrade-gate', 'whether the daemon of this version is up, and all that was before; of scripts/upgrade').requiredOption(
      '--before <file>',
      'what pbx status --json said before',
    ),
    async () => (await import('./commands/upgrade-gate.ts')).gate,
    ['pbx upgrade-gate --before before.json'],
  )
  return [upgrade, rollback, gate]
}
