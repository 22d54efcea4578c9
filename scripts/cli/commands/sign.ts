/** pbx sign, pbx verify: the signature scheme at hand for who writes an application. */
import { readFileSync } from 'node:fs'
import * as signing from '../../../daemon/base/signing.ts'
import { exitCode } from '../client.ts'
import type { Context } from '../context.ts'
import { green, print, printJson, printRaw, red } from '../output.ts'

const body = (file: string): Buffer => readFileSync(file === '-' ? 0 : file)

export async function sign({ json }: Context, file: string, options: { secret: string; timestamp?: number }): Promise<void> {
  const nowMs = options.timestamp === undefined ? Date.now() : options.timestamp * 1000
  const headers = signing.signedHeaders(options.secret, nowMs, body(file))
  if (json) return printJson(headers)
  for (const [name, value] of Object.entries(headers)) printRaw(`${name}: ${value}`)
}

const meanings = {
  ok: 'the signature is right',
  missing: 'a header is missing',
  invalid: 'the signature is wrong: the secrets differ, or the body is not the bytes that were sent',
  stale: 'the signature is right, but its timestamp is more than 300 s away from now',
}

export async function verify(
  { json }: Context,
  file: string,
  options: { secret: string; timestamp: string; signature: string },
): Promise<number> {
  const { secret, timestamp, signature } = options
  const result = signing.verify([secret], { signature, timestamp }, body(file), Date.now())
  if (json) printJson({ result, text: meanings[result] })
  else print(result === 'ok' ? green(meanings.ok) : red(meanings[result]))
  return result === 'ok' ? exitCode.done : exitCode.failed
}
