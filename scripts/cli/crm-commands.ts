/** The commands of `pbx crm`. */
import { Option, type Command } from 'commander'
import type { Finish, Group } from './speech-commands.ts'

export function crmCommand(group: Group, finish: Finish): Command {
  const load = () => import('./commands/crm.ts')
  const crm = group('crm', 'the directory: who has which number')
  crm.addCommand(
    finish(
      group('lookup', 'who has this number, and their last calls').argument('<number>', 'as people write it'),
      async () => (await load()).lookup,
      ['pbx crm lookup +15551230001', 'pbx crm lookup "(555) 123-0001" --json'],
    ),
  )
  crm.addCommand(
    finish(
      group('import', 'take parties from a CSV, vCard or JSON file into the directory')
        .argument('<file>', 'ends with .csv, .vcf or .json')
        .addOption(new Option('--replace', 'imported parties that are not in the file go'))
        .addOption(new Option('--dry-run', 'write nothing, say what would be done')),
      async () => (await load()).importFile,
      ['pbx crm import patients.csv --dry-run', 'pbx crm import patients.csv', 'pbx crm import contacts.vcf --replace'],
    ),
  )
  return crm
}
