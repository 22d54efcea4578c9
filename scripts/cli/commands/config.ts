/** pbx config check: the daemon's own loader, without the daemon. */
import { existsSync } from 'node:fs'
import { ConfigError, loadConfig, type ConfigFault } from '../../../daemon/config/load.ts'
import { CommandError, exitCode, installedConfig } from '../client.ts'
import type { Context } from '../context.ts'
import { green, print, printJson, red, yellow } from '../output.ts'

export async function check({ json, choice }: Context, given: string | undefined): Promise<number> {
  const file = given ?? choice.config ?? installedConfig
  if (!existsSync(file))
    throw new CommandError(`there is no file ${file}`, { exit: exitCode.usage, code: 'usage', fix: 'pbx config check FILE' })
  const { faults, warnings } = read(file)
  if (json) {
    printJson({ file, ok: faults.length === 0, faults, warnings })
  } else {
    for (const fault of faults) process.stderr.write(`${faultLine(fault)}\n`)
    for (const fault of warnings) process.stderr.write(`${faultLine(fault)} ${yellow('(warning)')}\n`)
    print(faults.length === 0 ? green(`${file} is good`) : red(`${file}: ${faults.length} ${faults.length === 1 ? 'fault' : 'faults'}`))
  }
  return faults.length === 0 ? exitCode.done : exitCode.failed
}

function read(file: string): { faults: ConfigFault[]; warnings: ConfigFault[] } {
  try {
    return { faults: [], warnings: loadConfig(file).warnings }
  } catch (error) {
    if (error instanceof ConfigError) return { faults: error.faults, warnings: [] }
    throw error
  }
}

function faultLine({ file, line, column, path, text }: ConfigFault): string {
  return `${file}:${line}:${column}: ${path}: ${text}`
}
