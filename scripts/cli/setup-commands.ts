/** `pbx setup`. */
import type { Command } from 'commander'
import type { Finish, Group } from './speech-commands.ts'

export function setupCommand(group: Group, finish: Finish): Command {
  return finish(
    group('setup', 'from a first start to a working house: site, provider, phones, modems, mail, certificate, recovery key')
      .option('--answers <file>', 'do not ask: the answers as YAML, "-" for standard input (docs/setup.md)')
      .option('--sheet <file>', 'where the sheet with the passwords of the phones goes', 'pbxd-sheet.html')
      .option('--print', 'only print the configuration that the answers mean')
      .option('--force', 'begin anew where there are phones or trunks already'),
    async () => (await import('./commands/setup.ts')).setup,
    ['pbx setup', 'pbx setup --answers clinic.yaml', 'pbx setup --answers clinic.yaml --print'],
  )
}
