/** `pbx setup`. */
import type { Command } from 'commander'
import { finish, group, late, type Context } from '../command.ts'
import type { SetupStep } from '../setup/step.ts'

/** `steps`: what capabilities bring, in the order in which they are asked. */
export function setupCommand(steps: () => Promise<readonly SetupStep[]>): Command {
  return finish(
    group('setup', 'from a first start to a working house: site, provider, phones, modems, accounts, certificate, recovery key')
      .option('--answers <file>', 'do not ask: the answers as YAML, "-" for standard input (docs/setup.md)')
      .option('--sheet <file>', 'where the sheet with the passwords of the phones goes', 'pbxd-sheet.html')
      .option('--print', 'only print the configuration that the answers mean')
      .option('--test', 'only try everything that is set up: calls, a fax, accounts, a backup; changes nothing')
      .option('--force', 'begin anew where there are phones or trunks already'),
    late(async () => {
      const [{ setup }, brought] = await Promise.all([import('../setup/setup.ts'), steps()])
      return (context: Context, wanted: Parameters<typeof setup>[2]) => setup(brought, context, wanted)
    }),
    ['pbx setup', 'pbx setup --answers clinic.yaml', 'pbx setup --answers clinic.yaml --print', 'pbx setup --test'],
  )
}
