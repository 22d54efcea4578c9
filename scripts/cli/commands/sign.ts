/** pbx sign, pbx verify: the signature scheme at hand for who writes an application. */
import { readFileSync } from 'node:fs'
import { type Command, Option } from 'commander'
import { exitCode } from '../client.ts'
import { type Context, finish, group, positive } from '../command.ts'
import { green, print, printJson, printRaw, red } from '../output.ts'

export function signCommands(): Command[] {
  return [
    finish(
      group('sign', 'print the headers of a signed request; the body comes from a file or standard input')
        .argument('[file]', 'the body', '-')
        .addOption(new Option('--secret <secret>', 'the shared secret').env('PBX_SECRET').makeOptionMandatory())
        .option('--timestamp <seconds>', 'Unix seconds (default: now)', positive),
      sign,
      [
        'pbx sign --secret whsec_example body.json',
        'printf \'{"event":"fax.sent"}\' | pbx sign --secret whsec_example --timestamp 1772460311',
      ],
    ),
    finish(
      group('verify', 'check the signature of a request; exit 1 when it is wrong')
        .argument('[file]', 'the body', '-')
        .addOption(new Option('--secret <secret>', 'the shared secret').env('PBX_SECRET').makeOptionMandatory())
        .requiredOption('--timestamp <seconds>', 'value of X-Service-Timestamp')
        .requiredOption('--signature <value>', 'value of X-Service-Signature'),
      verify,
      ['pbx verify --secret whsec_example --timestamp 1772460311 --signature sha256=9186... body.json'],
    ),
  ]
}

const body = (file: string): Buffer => readFileSync(file === '-' ? 0 : file)

async function sign({ json }: Context, file: string, options: { secret: string; timestamp?: number }): Promise<void> {
  const nowMs = options.timestamp === undefined ? Date.now() : options.timestamp * 1000
  const { signedHeaders } = await import('../../../daemon/base/signing.ts')
  const headers = signedHeaders(options.secret, nowMs, body(file))
  if (json) return printJson(headers)
  for (const [name, value] of Object.entries(headers)) printRaw(`${name}: ${value}`)
}

const meanings = {
  ok: 'the signature is right',
  missing: 'a header is missing',
  invalid: 'the signature is wrong: the secrets differ, or the body is not exactly as it was sent',
  stale: 'the signature is right, but its timestamp differs from now by more than 300 s',
}

async function verify({ json }: Context, file: string, options: { secret: string; timestamp: string; signature: string }): Promise<number> {
  const { secret, timestamp, signature } = options
  const { verify: verified } = await import('../../../daemon/base/signing.ts')
  const result = verified([secret], { signature, timestamp }, body(file), Date.now())
  if (json) printJson({ result, text: meanings[result] })
  else print(result === 'ok' ? green(meanings.ok) : red(meanings[result]))
  return result === 'ok' ? exitCode.done : exitCode.failed
}
