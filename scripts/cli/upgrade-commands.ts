/** The commands of `pbx upgrade` and `pbx rollback`. */
import type { Command } from 'commander'
import type { Finish, Group } from './speech-commands.ts'

export function upgradeCommands(group: Group, finish: Finish): Command[] {
  const load = () => import('./commands/upgrade.ts')
  const upgrade = finish(
    group('upgrade', 'install another version; where it does not come up, this one comes back by itself')
      .argument('[files...]', 'packages: pbxd_VERSION_ARCH.deb and, where it is installed, pbxd-speech-engine of the same version')
      .option('--at <time>', 'install at this hour (02:00, in the time of the site) and not now; "off": not at all')
      .option('--status', 'the version in use, where pbx rollback leads, how the last upgrade ended')
      .option('--retry', 'try the version again that failed last; its package is still installed'),
    async () => (await load()).upgrade,
    ['pbx upgrade ./pbxd_1.1_amd64.deb', 'pbx upgrade ./pbxd_1.1_amd64.deb --at 02:00', 'pbx upgrade --status'],
  )
  const rollback = finish(
    group('rollback', 'go back to the newest good version before this one')
      .argument('[version]', 'go to this version, which may be one that failed; pbx upgrade --status names those that are here')
      .option(
        '--store',
        'put the store back as it was before the upgrade too: calls, faxes, texts and messages that came since are then not shown. Needed only where pbx rollback alone did not come up',
      ),
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
