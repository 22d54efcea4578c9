/** The commands of `pbx crm`. */
import { Option, type Command } from 'commander'
import type { Finish, Group } from './speech-commands.ts'

export function crmCommand(group: Group, finish: Finish): Command {
  const load = () => import('./commands/crm.ts')
  const loadLink = () => import('./commands/crm-link.ts')
  const crm = group('crm', 'the directory, and the CRM')
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
  crm.addCommand(
    finish(
      group('name', 'give a number a name; that of a customer of the CRM is proposed to it')
        .argument('<number>', 'as people write it')
        .argument('<name>', '"" takes back one that was typed'),
      async () => (await load()).name,
      ['pbx crm name "(555) 123-0001" "Ana Ruiz"', 'pbx crm name +15551230001 ""'],
    ),
  )
  crm.addCommand(
    finish(group('status', 'how it stands between the box and the CRM'), async () => (await loadLink()).status, [
      'pbx crm status',
      'pbx crm status --json',
    ]),
  )
  crm.addCommand(
    finish(
      group('sync', 'read all customers from the CRM into the directory').addOption(new Option('--wait', 'until they are read')),
      async () => (await loadLink()).sync,
      ['pbx crm sync', 'pbx crm sync --wait'],
    ),
  )
  crm.addCommand(
    finish(
      group('queue', 'calls of which the CRM is still to be told, the oldest first')
        .addOption(new Option('--dead', 'those that were given up'))
        .addOption(new Option('--limit <n>', 'at most so many').default('50')),
      async () => (await loadLink()).queue,
      ['pbx crm queue', 'pbx crm queue --dead'],
    ),
  )
  crm.addCommand(
    finish(
      group('retry', 'tell the CRM again what was given up').addOption(new Option('--dead', 'what was given up').makeOptionMandatory()),
      async () => (await loadLink()).retry,
      ['pbx crm retry --dead'],
    ),
  )
  crm.addCommand(
    finish(
      group('check', 'try a CRM of your own: play every request that the box will ever send to it, and say what is wrong')
        .argument('<url>', 'what stands in front of /api/pbx')
        .addOption(new Option('--secret <secret>', 'with which requests are signed').env('PBX_CRM_SECRET'))
        .addOption(new Option('--token <token>', 'sent as a bearer token').env('PBX_CRM_TOKEN')),
      async () => (await import('./commands/crm-check.ts')).check,
      ['pbx crm check http://127.0.0.1:3002 --secret whsec_example_0123456789', 'pbx crm check https://crm.example.com --token T --json'],
    ),
  )
  return crm
}
