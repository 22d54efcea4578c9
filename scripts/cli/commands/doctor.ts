/** pbx doctor: asks the daemon to look at itself; when it is down, looks at the machine from here. */
import { join } from 'node:path'
import type { CheckView } from '../../../daemon/control/services.ts'
import { CommandError, exitCode, root } from '../client.ts'
import type { Context } from '../context.ts'
import { bold, dim, green, print, printJson, red, yellow } from '../output.ts'

export async function doctor(context: Context): Promise<number> {
  const { checks, exit } = await gather(context)
  if (context.json) {
    printJson(checks)
    return exit
  }
  const signs = { ok: green('✓'), warning: yellow('!'), failure: red('✗') }
  for (const { name, level, text, fix } of checks) {
    print(`${signs[level]} ${name}: ${text}`)
    if (fix) print(`  ${dim('mend:')} ${bold(fix)}`)
  }
  return exit
}

async function gather(context: Context): Promise<{ checks: readonly CheckView[]; exit: number }> {
  try {
    const checks = await (await context.client()).get<CheckView[]>('/doctor')
    const running: CheckView = { name: 'daemon', level: 'ok', text: 'runs and answers', fix: '' }
    return { checks: [running, ...checks], exit: checks.some(({ level }) => level === 'failure') ? exitCode.failed : exitCode.done }
  } catch (error) {
    if (!(error instanceof CommandError) || error.exit !== exitCode.unreachable) throw error
    const down: CheckView = { name: 'daemon', level: 'failure', text: error.message, fix: error.fix }
    const { doctorChecks } = await import('../../../daemon/control/doctor.ts')
    const facts = { engine: join(root, '.cache/engine/pbx-engine'), storageDir: join(root, 'var'), endpoints: [] }
    return { checks: [down, ...(await doctorChecks(facts))], exit: exitCode.unreachable }
  }
}
