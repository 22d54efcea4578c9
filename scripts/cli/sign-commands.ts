/** The commands `pbx sign` and `pbx verify`. */
import { Option, type Command } from 'commander'
import { positive } from './numbers.ts'
import type { Finish, Group } from './speech-commands.ts'

export function signCommands(group: Group, finish: Finish): Command[] {
  return [
    finish(
      group('sign', 'headers of a signed request: body from a file or standard input')
        .argument('[file]', 'the body', '-')
        .addOption(new Option('--secret <secret>', 'the shared secret').env('PBX_SECRET').makeOptionMandatory())
        .option('--timestamp <seconds>', 'Unix seconds (default: now)', positive),
      async () => (await import('./commands/sign.ts')).sign,
      [
        'pbx sign --secret whsec_example body.json',
        'printf \'{"event":"fax.sent"}\' | pbx sign --secret whsec_example --timestamp 1772460311',
      ],
    ),
    finish(
      group('verify', 'check the signature of a request; exit 1 when it is not right')
        .argument('[file]', 'the body', '-')
        .addOption(new Option('--secret <secret>', 'the shared secret').env('PBX_SECRET').makeOptionMandatory())
        .requiredOption('--timestamp <seconds>', 'value of X-Service-Timestamp')
        .requiredOption('--signature <value>', 'value of X-Service-Signature'),
      async () => (await import('./commands/sign.ts')).verify,
      ['pbx verify --secret whsec_example --timestamp 1772460311 --signature sha256=9186... body.json'],
    ),
  ]
}
