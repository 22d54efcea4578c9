/** pbx crm check: tests a customer's own CRM. */
import { CommandError, exitCode } from '../client.ts'
import type { Context } from '../command.ts'
import { dim, green, print, printJson, red, yellow } from '../output.ts'
import { tryAccess } from './access.ts'
import { tryCallers, tryKnown } from './callers.ts'
import { tryCalls } from './calls.ts'
import { tryCustomers } from './customers.ts'
import { mark, ownNumber } from './own.ts'
import { Peer, type PeerOptions } from './peer.ts'
import { Report, type Finding } from './report.ts'

export async function check(
  { json }: Context,
  url: string,
  { secret = '', token = '' }: { secret?: string; token?: string },
): Promise<number> {
  const base = baseOf(url)
  if (!json) {
    print(
      `Tests ${base} with the requests of the box: looks up the number ${ownNumber}, reads the customers, and writes one call with a note:`,
    )
    print(`"${mark}" No customer is changed.\n`)
  }
  const { findings, wrongs, wrote } = await tryCrm({ url: base, secret, token }, json ? undefined : show)
  const code = wrongs === 0 ? exitCode.done : exitCode.failed
  if (json) return (printJson({ url: base, wrongs, wrote, findings }), code)
  print()
  for (const callId of wrote) print(dim(`written: call ${callId}`))
  print(wrongs === 0 ? green('No faults.') : red(`${wrongs} ${wrongs === 1 ? 'fault' : 'faults'}.`))
  return code
}

const marks = {
  good: green('ok     '),
  wrong: red('WRONG  '),
  advice: yellow('better '),
  absent: yellow('absent '),
  skipped: dim('-      '),
} as const

function show({ state, check: what, message, fix }: Finding): void {
  print(`${marks[state]} ${what.padEnd(9)}  ${message}`)
  if (fix !== undefined) print(`                     -> ${fix}`)
}

/** What stands in front of /api/pbx. Throws CommandError. */
function baseOf(url: string): string {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new CommandError(`${url} is not an address such as http://crm.lan:3002`, { exit: exitCode.usage })
  return url.replace(/\/+$/, '').replace(/\/api\/pbx$/, '')
}

export interface Trial {
  readonly findings: readonly Finding[]
  readonly wrongs: number
  /** Calls that were written into the CRM. */
  readonly wrote: readonly string[]
}

/** `onFinding` gets each finding at once. */
export async function tryCrm(options: PeerOptions, onFinding?: (finding: Finding) => void): Promise<Trial> {
  const peer = new Peer(options)
  const report = new Report(onFinding)
  let wrote: string[] = []
  if (await tryAccess(peer, report)) {
    await tryCallers(peer, report)
    const known = await tryCustomers(peer, report, Date.now())
    if (known !== null) await tryKnown(peer, report, known)
    wrote = await tryCalls(peer, report, Date.now())
  }
  return { findings: report.findings, wrongs: report.wrongs, wrote }
}
