/** `pbx setup`. */
import type { Command } from 'commander'
import { finish, group, late, type Context } from '../command.ts'
import type { SetupStep } from '../setup/step.ts'

/** What capabilities bring, in the order in which they are asked. */
const steps = async (): Promise<readonly SetupStep[]> => [
  (await import('../setup/office.ts')).otherSiteSetup,
  (await import('../setup/mail.ts')).mailSetup,
]

export function setupCommand(): Command {
  return finish(
    group('setup', 'set up a new box by questions: site, provider, phones, modems, accounts, certificate, recovery key')
      .option('--answers <file>', 'take the answers from a YAML file instead of asking, "-" for standard input (docs/setup.md)')
      .option('--sheet <file>', 'the file for the sheet with the passwords of the phones', 'pbxd-sheet.html')
      .option('--print', 'only print the configuration that results from the answers')
      .option('--test', 'only test what is set up: calls, a fax, accounts, a backup; changes nothing')
      .option('--force', 'start from scratch although phones or trunks are configured'),
    late(async () => {
      const [{ setup }, brought] = await Promise.all([import('../setup/setup.ts'), steps()])
      return (context: Context, wanted: Parameters<typeof setup>[2]) => setup(brought, context, wanted)
    }),
    ['pbx setup', 'pbx setup --answers clinic.yaml', 'pbx setup --answers clinic.yaml --print', 'pbx setup --test'],
  )
}
