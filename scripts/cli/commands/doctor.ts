/** pbx doctor: asks the daemon to look at itself; when it is down, looks at the machine from here. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import type { DoctorFacts, Port } from '../../../daemon/doctor/doctor.ts'
import type { CheckView } from '../../../daemon/schema/operation.ts'
import { CommandError, exitCode, installedConfig, root } from '../client.ts'
import { finish, group, type Context } from '../command.ts'
import { bold, dim, green, print, printJson, red, yellow } from '../output.ts'

export function doctorCommand(): Command {
  return finish(group('doctor', 'check this machine and say how to repair what is wrong; exit 1 when a check fails'), doctor, [
    'pbx doctor',
    'pbx doctor --json | jq \'.[] | select(.level != "ok")\'',
  ])
}

async function doctor(context: Context): Promise<number> {
  const { checks, exit } = await gather(context)
  if (context.json) {
    printJson(checks)
    return exit
  }
  const signs = { ok: green('✓'), warning: yellow('!'), failure: red('✗') }
  for (const { name, level, text, fix } of checks) {
    print(`${signs[level]} ${name}: ${text}`)
    if (fix) print(`  ${dim('fix:')} ${bold(fix)}`)
  }
  return exit
}

async function gather(context: Context): Promise<{ checks: readonly CheckView[]; exit: number }> {
  try {
    const checks = await (await context.client()).get<CheckView[]>('/api/doctor')
    const running: CheckView = { name: 'daemon', level: 'ok', text: 'runs and answers', fix: '' }
    return { checks: [running, ...checks], exit: checks.some(({ level }) => level === 'failure') ? exitCode.failed : exitCode.done }
  } catch (error) {
    if (!(error instanceof CommandError) || error.exit !== exitCode.unreachable) throw error
    const down: CheckView = { name: 'daemon', level: 'failure', text: error.message, fix: error.fix }
    return { checks: [down, ...(await fromHere(context))], exit: exitCode.unreachable }
  }
}

async function fromHere(context: Context): Promise<CheckView[]> {
  const { doctorChecks } = await import('../../../daemon/doctor/doctor.ts')
  const plan = await planOf(context.choice.config)
  // Root has rights that the service does not have: what holds here says nothing of it.
  const service = existsSync(installedConfig) ? ({ realtime: 'unknown', confinement: 'unknown' } as const) : {}
  // A daemon of a checkout is no service.
  const unit = existsSync(installedConfig) ? await unitFault() : null
  const seen = await doctorChecks({ engine: join(root, '.cache/engine/pbx-engine'), ...plan.facts, ...service })
  return [...plan.checks, ...seen, ...(unit === null ? [] : [unit])]
}

/** What keeps the daemon from starting: its configuration, a web port that another program has (the engine may well have those of SIP), or what it said last. */
export async function faultsFromHere(context: Context): Promise<CheckView[]> {
  const found = await fromHere(context)
  return found.filter(({ name, level }) => level === 'failure' && /^(configuration|http|service)/.test(name))
}

type Places = Omit<DoctorFacts, 'engine'>

/** What the daemon would run with: the configuration that is named, the installed one, or the embedded default. */
async function planOf(named: string | undefined): Promise<{ facts: Places; checks: CheckView[] }> {
  const { parseListen } = await import('../../../daemon/schema/config/forms.ts')
  const port = (name: string, protocol: 'tcp' | 'udp', listen: string | null): Port[] => {
    const place = listen === null ? undefined : parseListen(listen)
    return place ? [{ name, protocol, ...place }] : []
  }
  const ports = (http: string, udp: string | null, tcp: string | null): Port[] => [
    ...port('http.listen', 'tcp', http),
    ...port('sip.udp', 'udp', udp),
    ...port('sip.tcp', 'tcp', tcp),
  ]
  const embedded: Places = {
    storageDir: join(root, 'var'),
    endpoints: [],
    ports: ports('127.0.0.1:8080', '127.0.0.1:5060', '127.0.0.1:5060'),
  }
  const file = named ?? (existsSync(installedConfig) ? installedConfig : undefined)
  if (file === undefined) return { facts: embedded, checks: [] }
  const { ConfigError, loadConfig } = await import('../../../daemon/config/load.ts')
  try {
    const { storage, voice, http, sip, fax, lines } = loadConfig(file).config
    const endpoints = voice.endpoints.map(({ id, controlUrl }) => ({ id, url: controlUrl }))
    const listeners = ports(http.listen, sip.udp, sip.tcp)
    const modems = lines.length === 0 ? {} : { faxProgram: join(root, '.cache/fax/pbx-fax') }
    return { facts: { storageDir: storage.dir, faxMegabytes: fax.freeMegabytes, endpoints, ports: listeners, ...modems }, checks: [] }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const refused: CheckView = { name: 'configuration', level: 'failure', text: `${file} has faults`, fix: `pbx config check ${file}` }
    return { facts: embedded, checks: [refused] }
  }
}

const patienceMs = 3000
const longestWords = 300

/** null: there is no service manager, or it says that all is well. */
export async function unitFault(unit = 'pbxd.service'): Promise<CheckView | null> {
  const shown = await output('systemctl', ['show', unit, '--property=ActiveState,Result,NRestarts'])
  const facts = new Map(shown.split('\n').map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)] as const))
  const state = facts.get('ActiveState') ?? ''
  if (state !== 'failed' && state !== 'activating') return null
  const restarts = Number(facts.get('NRestarts') ?? 0)
  const words = lastWords(await output('journalctl', ['--unit', unit, '--priority=err', '--lines=10', '--output=cat', '--no-pager']))
  const often = restarts === 0 ? '' : `, restarted ${restarts} times`
  return {
    name: 'service',
    level: 'failure',
    text: `systemd says ${state} (${facts.get('Result') ?? ''})${often}${words === '' ? '' : `: ${words}`}`,
    fix: `journalctl -u ${unit.replace('.service', '')} -p warning`,
  }
}

/** Of the newest line that says something: lines of the log are JSON, those of the service manager are not. */
function lastWords(journal: string): string {
  const lines = journal.split('\n').filter((line) => line.trim() !== '')
  const own = lines.flatMap((line) => {
    try {
      const { msg = '', err, reason } = JSON.parse(line) as { msg?: string; err?: { message?: string }; reason?: string }
      return [[msg, err?.message ?? reason ?? ''].filter((part) => part !== '').join(': ')]
    } catch {
      return []
    }
  })
  return (own.at(-1) ?? lines.at(-1) ?? '').slice(0, longestWords)
}

/** '' where it cannot be had. */
function output(program: string, words: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(program, words, { timeout: patienceMs }, (error, stdout) => resolve(error === null ? stdout : ''))
  })
}
