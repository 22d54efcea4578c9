/** The commands of `pbx phones`. */
import type { Command } from 'commander'
import type { Finish, Group } from './speech-commands.ts'

const awaited = (command: Command): Command =>
  command
    .option('--minutes <n>', 'how long the code holds, at most 10080 (a week)', '30')
    .option('--qr', 'the address as a QR code, for the camera of a softphone')

export function phonesCommand(group: Group, finish: Finish): Command {
  const phones = group('phones', 'phones that fetch their settings from the box: which there are, new ones, codes').addHelpText(
    'after',
    '\nKinds: yealink, grandstream, snom, polycom, fanvil, linphone, baresip, manual.\nSee docs/provisioning.md.',
  )
  phones.addCommand(
    finish(
      group('list', 'each phone, whether it is awaited, and strangers that asked (what "pbx phones" alone shows)'),
      async () => (await import('./commands/phones.ts')).list,
      ['pbx phones'],
    ),
    { isDefault: true },
  )
  phones.addCommand(
    finish(
      awaited(group('add', 'await a new phone of an extension: prints the address to enter into it').argument('<extension>', 'number'))
        .option('--mac <address>', 'then a phone that already knows the address of the box needs no code')
        .option('--kind <kind>', 'by default what it shows itself to be')
        .option('--keys <numbers>', 'numbers of its keys with lamps, with commas; by default all colleagues'),
      async () => (await import('./commands/phones.ts')).add,
      ['pbx phones add 101', 'pbx phones add 101 --mac 00:15:65:12:34:56 --keys 102,103,701', 'pbx phones add 101 --kind linphone --qr'],
    ),
  )
  phones.addCommand(
    finish(
      awaited(group('code', 'await a phone again, with a new code').argument('<phone>', 'id, MAC address or extension')),
      async () => (await import('./commands/phones.ts')).code,
      ['pbx phones code 101'],
    ),
  )
  phones.addCommand(
    finish(
      group('settings', 'what a phone is told, with its passwords').argument('<phone>', 'id, MAC address or extension'),
      async () => (await import('./commands/phones.ts')).settings,
      ['pbx phones settings 101'],
    ),
  )
  phones.addCommand(
    finish(
      group('remove', 'give a phone no more settings').argument('<phone>', 'id, MAC address or extension'),
      async () => (await import('./commands/phones.ts')).remove,
      ['pbx phones remove k7m2qx'],
    ),
  )
  return phones
}
