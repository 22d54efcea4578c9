/**
 * pbx config check: the daemon's own loader, by the daemon itself where it runs on the file; otherwise here, and whether its listeners could
 * be opened on this machine.
 * pbx config schema: the file's form, for editors.
 */
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import { resolve } from 'node:path'
import { bindFault } from '../../../daemon/base/bindable.ts'
import { configJsonSchema } from '../../../daemon/config/json-schema.ts'
import { faultLine } from '../../../daemon/config/source.ts'
import { ConfigError, loadConfig, type ConfigFault, type Loaded } from '../../../daemon/config/load.ts'
import type { ConfigCheckView, ConfigStateView } from '../../../daemon/schema/config/change.ts'
import type { StatusView } from '../../../daemon/schema/operation.ts'
import { parseListen } from '../../../daemon/schema/config/forms.ts'
import { CommandError, exitCode, installedConfig } from '../client.ts'
import type { Context } from '../command.ts'
import { green, print, printJson, printNote, red, yellow } from '../output.ts'

export async function check(context: Context, given: string | undefined, { here }: { here?: true }): Promise<number> {
  const { json, choice } = context
  const file = given ?? choice.config ?? installedConfig
  if (!existsSync(file))
    throw new CommandError(`the file ${file} does not exist`, { exit: exitCode.usage, code: 'usage', fix: 'pbx config check FILE' })
  const { faults, warnings } = await (here === true ? read(file, null) : judged(context, file))
  if (json) {
    printJson({ file, ok: faults.length === 0, faults, warnings })
  } else {
    for (const fault of faults) printNote(faultLine(fault))
    for (const fault of warnings) printNote(`${faultLine(fault)} ${yellow('(warning)')}`)
    print(
      faults.length === 0 ? green(`${file} has no faults`) : red(`${file}: ${faults.length} ${faults.length === 1 ? 'fault' : 'faults'}`),
    )
  }
  return faults.length === 0 ? exitCode.done : exitCode.failed
}

export async function schema(): Promise<void> {
  printJson(configJsonSchema())
}

/** The daemon that runs on this very file sees it, and its secrets, as its own user; otherwise it is checked here. */
async function judged({ client }: Context, file: string): Promise<{ faults: readonly ConfigFault[]; warnings: readonly ConfigFault[] }> {
  let held: readonly string[] = []
  try {
    const daemon = await client()
    const { configFile } = await daemon.get<ConfigStateView>('/api/config')
    if (configFile === resolve(file)) return await daemon.post<ConfigCheckView>('/api/config/check', {})
    held = listenersOf(await daemon.get<StatusView>('/api/status'))
  } catch (error) {
    if (!(error instanceof CommandError) || error.exit !== exitCode.unreachable) throw error
  }
  return read(file, held)
}

/** `tcp:PORT` and `udp:PORT` of the daemon that runs: they are free for whatever takes its place. */
function listenersOf({ addresses: { http, sip } }: StatusView): string[] {
  const all = [...(http === null ? [] : [`tcp ${http}`]), ...sip]
  return all.map((text) => `${text.startsWith('udp ') ? 'udp' : 'tcp'}:${/:(\d+)\/?$/.exec(text)?.[1] ?? ''}`)
}

/** `held`: listeners that a daemon has; null: they are not looked at. */
async function read(file: string, held: readonly string[] | null): Promise<{ faults: ConfigFault[]; warnings: ConfigFault[] }> {
  let loaded: Loaded
  try {
    loaded = loadConfig(file)
  } catch (error) {
    if (error instanceof ConfigError) return { faults: error.faults, warnings: [] }
    throw error
  }
  return { faults: [], warnings: [...loaded.warnings, ...(held === null ? [] : await closedListeners(loaded, held))] }
}

/** Listeners of the configuration that this machine would not open now. A daemon that runs with it has them itself. */
async function closedListeners({ config, at }: Loaded, held: readonly string[]): Promise<ConfigFault[]> {
  if (await answers(config.control.socket)) return []
  const listeners = [
    [['http', 'listen'], 'tcp', config.http.listen],
    [['sip', 'udp'], 'udp', config.sip.udp],
    [['sip', 'tcp'], 'tcp', config.sip.tcp],
    [['sip', 'tls', 'listen'], 'tcp', config.sip.tls?.listen ?? null],
  ] as const
  const found = listeners.map(async ([path, protocol, listen]): Promise<ConfigFault[]> => {
    const place = listen === null ? undefined : parseListen(listen)
    if (place === undefined) return []
    const fault = await bindFault(protocol, place.host, place.port)
    const why = fault === 'EADDRINUSE' && held.includes(`${protocol}:${place.port}`) ? '' : whyClosed(fault, place.host)
    return why === '' ? [] : [at([...path], `${protocol.toUpperCase()} ${listen} cannot be opened on this machine: ${why}`)]
  })
  return (await Promise.all(found)).flat()
}

function whyClosed(code: string, host: string): string {
  switch (code) {
    case 'EADDRINUSE':
      return 'another program uses it'
    case 'EADDRNOTAVAIL':
      return `the machine has no address ${host}`
    // The service may be allowed what this user is not.
    case 'EACCES':
      return ''
    default:
      return code
  }
}

function answers(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = connect(socket, () => {
      connection.destroy()
      resolve(true)
    })
    // A socket that this user may not open belongs to a daemon of another user.
    connection.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'EACCES'))
  })
}
