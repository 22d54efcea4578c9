/** pbx crm check: tries a CRM of somebody's own. */
import { CommandError, exitCode } from '../client.ts'
import type { Context } from '../context.ts'
import { mark, ownNumber } from '../crm-check/own.ts'
import type { Finding } from '../crm-check/report.ts'
import { tryCrm } from '../crm-check/trial.ts'
import { dim, green, print, printJson, red, yellow } from '../output.ts'

export async function check(
  { json }: Context,
  url: string,
  { secret = '', token = '' }: { secret?: string; token?: string },
): Promise<number> {
  const base = baseOf(url)
  if (!json) {
    print(
      `Tries ${base} as the box would ask it. It looks up the number ${ownNumber}, reads the customers, and writes one call with a note:`,
    )
    print(`"${mark}" No customer is changed.\n`)
  }
  const { findings, wrongs, wrote } = await tryCrm({ url: base, secret, token }, json ? undefined : show)
  const code = wrongs === 0 ? exitCode.done : exitCode.failed
  if (json) return (printJson({ url: base, wrongs, wrote, findings }), code)
  print()
  for (const callId of wrote) print(dim(`written: call ${callId}`))
  print(wrongs === 0 ? green('Nothing is wrong.') : red(`${wrongs} ${wrongs === 1 ? 'thing is' : 'things are'} wrong.`))
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
    throw new CommandError(`${url} is no address such as http://crm.lan:3002`, { exit: exitCode.usage })
  return url.replace(/\/+$/, '').replace(/\/api\/pbx$/, '')
}
