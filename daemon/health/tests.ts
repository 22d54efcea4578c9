/** What the box can try by itself, step by step, with what a person does about a fault. */
import { lookup } from 'node:dns/promises'
import { connect, isIP } from 'node:net'
import type { BackupView } from '../schema/backup.ts'
import { ApiError, systemWords } from '../base/errors.ts'
import type { Config } from '../schema/config.ts'
import { trunkMend } from '../doctor/doctor.ts'
import { siteOfTrunk } from '../schema/config/sites.ts'
import { callLines } from '../schema/call-lines.ts'
import type { TestStep } from '../schema/health.ts'
import type { ModemTestView } from '../schema/modems.ts'
import type { CheckView, LineView } from '../schema/operation.ts'

export interface TestSources {
  readonly config: Config
  readonly lines: () => readonly LineView[]
  /** What `pbx doctor` looks at. */
  readonly doctor: () => Promise<readonly CheckView[]>
  /** Takes the modem for some seconds. Throws ApiError. */
  readonly testModem: (id: string) => Promise<ModemTestView>
  readonly backup: () => BackupView
}

const ok = (name: string, text: string): TestStep => ({ name, level: 'ok', text, fix: '' })
const failure = (name: string, text: string, fix: string): TestStep => ({ name, level: 'failure', text, fix })
const warning = (name: string, text: string, fix: string): TestStep => ({ name, level: 'warning', text, fix })

/** Throws ApiError `not_found`. */
export function lineTest(sources: TestSources, id: string): AsyncIterable<TestStep> {
  const line = sources.lines().find((one) => one.id === id)
  if (line === undefined) throw new ApiError('not_found', `There is no line ${id}.`)
  return stepsOf(sources, line)
}

async function* stepsOf(sources: TestSources, line: LineView): AsyncIterable<TestStep> {
  if (line.kind === 'extension') yield phoneStep(line)
  else if (line.kind === 'line') yield* modemSteps(sources, line)
  else yield* trunkSteps(sources, line)
}

function phoneStep({ id, ok: works, state, reason }: LineView): TestStep {
  if (works) return ok(`phone ${id}`, state)
  return warning(`phone ${id}`, reason === '' ? state : reason, 'check the phone: power, network, password')
}

async function* trunkSteps({ config }: TestSources, line: LineView): AsyncIterable<TestStep> {
  const { id, state, reason, activeCalls, channels } = line
  const trunk = config.trunks.find((one) => one.id === id) ?? siteOfTrunk(config, id)
  const mend = trunkMend({ id, state, server: trunk?.server, transport: trunk?.transport })
  if (trunk !== undefined) yield* wayTo(id, trunk.server, trunk.transport, mend)
  yield line.ok ? ok(`trunk ${id}`, state) : failure(`trunk ${id}`, reason === '' ? state : reason, mend)
  if (channels > 0) {
    const text = `${activeCalls} of ${channels} channels are in use`
    yield activeCalls < channels
      ? ok(`channels of ${id}`, text)
      : warning(`channels of ${id}`, text, `channels of trunk ${id} in the configuration`)
  }
}

/** That its name leads to an address, and that somebody is there where a connection shows it. */
async function* wayTo(id: string, server: string, transport: string, mend: string): AsyncIterable<TestStep> {
  const { host, port } = placeOf(server, transport)
  if (isIP(host) === 0) {
    const name = `name of ${id}`
    const found = await lookup(host, { all: true }).catch((error: unknown) => systemWords(error))
    if (typeof found === 'string') return yield failure(name, `${host} leads nowhere: ${found}`, mend)
    yield ok(name, `${host} is ${found.map(({ address }) => address).join(', ')}`)
  }
  if (transport === 'udp') return
  const fault = await tcpFault(host, port)
  yield fault === ''
    ? ok(`server of ${id}`, `${host}:${port} accepts connections`)
    : failure(`server of ${id}`, `${host}:${port}: ${fault}`, mend)
}

function placeOf(server: string, transport: string): { readonly host: string; readonly port: number } {
  const [, v6, name, port] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d+))?$/.exec(server) ?? []
  return { host: v6 ?? name ?? server, port: Number(port ?? (transport === 'tls' ? 5061 : 5060)) }
}

/** '' when a connection was made within 3 s. */
function tcpFault(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 3000 })
    const end = (reason: string): void => {
      socket.destroy()
      resolve(reason)
    }
    socket.once('connect', () => end(''))
    socket.once('timeout', () => end('no answer in 3 s'))
    socket.once('error', (error) => end(systemWords(error)))
  })
}

async function* modemSteps({ testModem }: TestSources, { id, activeCalls }: LineView): AsyncIterable<TestStep> {
  const name = `modem of ${id}`
  if (activeCalls > 0) return yield warning(name, 'it is in a call; its test would end that', 'test it when nobody talks')
  const { test, ok: works, state, reason } = await testModem(id)
  if (test === null) return yield warning(name, `it was not free: ${reason === '' ? state : reason}`, 'test it when nobody talks')
  if (!test.answered) return yield failure(name, 'it does not answer', `pbx modem test ${id}; check its cable`)
  yield works ? ok(name, test.identification.join(' ')) : failure(name, reason === '' ? state : reason, `pbx modem test ${id}`)
  if (test.dialTone === 'none')
    yield failure(`dial tone of ${id}`, 'there is none', 'check the cable to the telephone line, and the line itself')
  else yield ok(`dial tone of ${id}`, test.dialTone === 'heard' ? 'heard' : 'the modem cannot say')
}

/** All that the box can try alone; what needs a person is named. In the order in which a house is tried. */
export async function* everything(sources: TestSources): AsyncIterable<TestStep> {
  const { config, lines, doctor } = sources
  const own = new Set(lines().map(({ kind, id }) => `${kind} ${id}`))
  for (const check of await doctor()) if (!own.has(check.name)) yield check
  for (const line of lines()) yield* stepsOf(sources, line)
  yield backupStep(sources)
  yield alarmStep(config)
  yield* byHand(config)
}

function backupStep({ config, backup }: TestSources): TestStep {
  if (config.backup.recoveryKey === undefined)
    return warning('backup', 'there are no backups: no recovery key is configured', 'pbx backup key')
  const { last, good } = backup()
  if (last !== null && !last.ok) return failure('backup', `the last one failed: ${last.error}`, 'pbx backup')
  if (good === null) return warning('backup', 'there is none yet', 'pbx backup')
  return ok('backup', `the last good one is from ${good.at}`)
}

function alarmStep({ alarms: rules }: Config): TestStep {
  if (rules.length > 0)
    return { ...ok('alarms', `${rules.length} ${rules.length === 1 ? 'rule' : 'rules'}`), byHand: 'POST /api/alarms/test' }
  return warning('alarms', 'nobody is notified of faults', 'add alarms to the configuration')
}

function* byHand(config: Config): Iterable<TestStep> {
  const step = (name: string, how: string): TestStep => ({ ...ok(name, ''), byHand: how })
  const outside = callLines(config)
  if (outside.length > 0 || config.extensions.length > 0)
    yield step('a call out', outside.length > 0 ? 'call a mobile phone from one of the phones' : 'call one phone from another')
  for (const { id, numbers } of outside)
    if (numbers.length > 0) yield step(`a call in over ${id}`, `call ${numbers[0]} from a mobile phone`)
  if (outside.length > 0) yield step('calls for help', 'POST /api/emergency/test')
  if (config.trunks.length > 0 || config.lines.some(({ roles }) => roles.includes('fax')))
    yield step('a fax', 'send a page, and have one sent back')
  if (config.mail !== undefined) yield step('a mail', 'POST /api/email/test')
}
