/**
 * What `pbx doctor` looks at. The checks need nothing of the running daemon but the facts they are given, so the same
 * ones run in the daemon (with its limits and its view of the lines) and, when it is down, in the `pbx` program.
 */
import { execFile } from 'node:child_process'
import { constants } from 'node:fs'
import { access, readFile, statfs } from 'node:fs/promises'
import { connect, isIP } from 'node:net'
import { delimiter, join } from 'node:path'
import { confinementState } from '../../drivers/confine.ts'
import { pagesFix, startOf } from '../base/services.ts'
import { bindFault } from '../base/bindable.ts'
import { atRestChecks } from './at-rest.ts'
import { isSiteTrunk, nameOfTrunk } from '../schema/config/sites.ts'
import type { CheckView, LineView } from '../schema/operation.ts'

/** What a person does about a trunk that is down, by what is the matter with it. */
interface DownTrunk {
  readonly id: string
  /** As lines have it. */
  readonly state: string
  /** As configured; undefined where nobody knows. */
  readonly server?: string | undefined
  readonly transport?: string | undefined
}

export function trunkMend({ id, state, server = '', transport = 'udp' }: DownTrunk): string {
  const host = server.replace(/:\d+$/, '').replace(/^\[|\]$/g, '')
  const name = nameOfTrunk(id)
  const there = isSiteTrunk(id) ? 'pbx status at that box' : 'the provider'
  switch (state) {
    case 'refused':
      return `correct username and password of trunk ${id} in the configuration; you find them in your account at the provider`
    case 'untrusted':
      return `set caFile of ${name}, or set server to the name in the certificate`
    case 'unreachable':
      return isIP(host) > 0 || host === ''
        ? `ping ${host === '' ? 'its server' : host}; if it answers, check the firewall (${transport}), the port in server, and ${there}`
        : `getent hosts ${host}; if it prints nothing, check the name and the DNS of this machine; otherwise ping it, and check the firewall (${transport}) and ${there}`
    default:
      return isSiteTrunk(id) ? `pbx doctor, then ${there}` : `pbx doctor, then ask the provider of trunk ${id}`
  }
}

export interface DoctorFacts {
  /** Where pbx-engine's program should be. */
  readonly engine: string
  readonly storageDir: string
  /** Where pbx-fax should be; given only where modem lines need it. */
  readonly faxProgram?: string
  /** Where the service that reads PDFs listens; given only where there is one. */
  readonly pagesSocket?: string
  /** Space below which no fax is received; 500 unless given. */
  readonly faxMegabytes?: number
  /** Control URLs of the configured voice endpoints. */
  readonly endpoints: readonly { readonly id: string; readonly url: string }[]
  /** What goes over the network without TLS. */
  readonly cleartext?: readonly { readonly text: string; readonly fix: string }[]
  /** Undefined when the daemon is down and nobody knows. */
  readonly lines?: readonly LineView[]
  /** Trunks as configured. */
  readonly trunks?: readonly { readonly id: string; readonly server: string; readonly transport: string }[]
  /** Whether the running engine is well, such as a listener it could not open; undefined when it does not run. */
  readonly engineHealth?: { readonly ok: boolean; readonly reason: string }
  /** Where the daemon will listen; given only when it is down, for they are taken when it runs. */
  readonly ports?: readonly Port[]
  /** What this process sees of it is not so for the daemon, which is a service with rights of its own. */
  readonly confinement?: 'unknown'
  /** What the engine itself said at its start; overrides the guess from this process's limits. `unknown`: it is a service, and does not run. */
  readonly realtime?: { readonly ok: boolean; readonly reason: string } | 'unknown'
}

export interface Port {
  /** Key of the configuration. */
  readonly name: string
  readonly protocol: 'tcp' | 'udp'
  readonly host: string
  readonly port: number
}

const megabyte = 1_000_000
const capSysNice = 1n << 23n

export async function doctorChecks(facts: DoctorFacts): Promise<CheckView[]> {
  const atRest = await atRestChecks(facts.storageDir)
  const found = await Promise.all([
    engineCheck(facts),
    ...(facts.realtime === 'unknown' ? [] : [realtimeCheck(facts.realtime)]),
    programCheck('flite', 'the embedded English voice'),
    programCheck('espeak-ng', 'the embedded voice of the other languages'),
    diskCheck(facts),
    clockCheck(),
    ...(facts.confinement === 'unknown' ? [] : [confinementCheck()]),
    ...atRest,
    ...(facts.faxProgram === undefined ? [] : [faxProgramCheck(facts.faxProgram)]),
    ...(facts.pagesSocket === undefined ? [] : [pagesCheck(facts.pagesSocket)]),
    ...(facts.ports ?? []).map(portCheck),
    ...(facts.cleartext ?? []).map(({ text, fix }) => warning('no TLS', text, fix)),
    ...facts.endpoints.map(endpointCheck),
  ])
  const lines = facts.lines ?? []
  const modems = lines.filter((line) => line.kind === 'line').map(modemCheck)
  // Without the engine every trunk is down, and for no reason of its own.
  const trunks = found[0]?.level === 'failure' ? [] : lines.filter(({ kind }) => kind === 'trunk').map((line) => trunkCheck(line, facts))
  return [...found, ...trunks, ...modems]
}

const ok = (name: string, text: string): CheckView => ({ name, level: 'ok', text, fix: '' })
const warning = (name: string, text: string, fix: string): CheckView => ({ name, level: 'warning', text, fix })
const failure = (name: string, text: string, fix: string): CheckView => ({ name, level: 'failure', text, fix })

function present(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  )
}

async function engineCheck({ engine, engineHealth }: DoctorFacts): Promise<CheckView> {
  if (!(await present(engine))) return failure('engine', `${engine} is missing, so there are no SIP calls`, 'scripts/setup')
  if (!engineHealth) return ok('engine', `${engine} is built`)
  if (engineHealth.ok) return ok('engine', 'runs, and its listeners are open')
  return failure('engine', engineHealth.reason, engineMend(engineHealth.reason))
}

/** Shared libraries that the engine is built with, as Debian 12 packs them. */
const packages: readonly (readonly [library: RegExp, name: string])[] = [
  [/^libsrtp2\.so/, 'libsrtp2-1'],
  [/^libspandsp\.so/, 'libspandsp2'],
  [/^libspeexdsp\.so/, 'libspeexdsp1'],
  [/^libtiff\.so/, 'libtiff6'],
  [/^lib(ssl|crypto)\.so/, 'libssl3'],
  [/^libuuid\.so/, 'libuuid1'],
]

function engineMend(reason: string): string {
  const start = startOf(reason)
  if (start !== undefined) return start
  const library = /shared library (\S+) is not installed/.exec(reason)?.[1]
  if (library === undefined) return 'if a port is in use: stop the other program, or set another port in sip.udp, sip.tcp or sip.tls'
  const name = packages.find(([known]) => known.test(library))?.[1]
  return name === undefined ? `apt-file search ${library}` : `apt-get install ${name}`
}

/** It is not connected to: systemd would start a reader for that. */
async function pagesCheck(socket: string): Promise<CheckView> {
  const there = await access(socket, constants.W_OK).then(
    () => true,
    () => false,
  )
  if (there) return ok('PDF reader', 'its service starts when there is a PDF to read')
  return failure('PDF reader', `no program listens on ${socket}: PDFs cannot be read`, pagesFix)
}

async function portCheck({ name, protocol, host, port }: Port): Promise<CheckView> {
  const taken = await bindFault(protocol, host, port)
  const address = `${protocol} ${host}:${port}`
  if (taken === '') return ok(name, `${address} is free`)
  return failure(name, `${address} is not available: ${taken}`, `stop the program that uses it, or set another address in ${name}`)
}

async function programCheck(program: string, use: string): Promise<CheckView> {
  const places = (process.env['PATH'] ?? '/usr/bin:/bin').split(delimiter).map((dir) => join(dir, program))
  const found = await Promise.all(places.map(present))
  if (found.includes(true)) return ok(program, `${use} is installed`)
  return failure(program, `${program} is missing: ${use} cannot speak`, `apt-get install ${program}`)
}

/** Real-time priority needs CAP_SYS_NICE or an RLIMIT_RTPRIO above zero (setrlimit(2)). */
async function realtimeCheck(seen?: { ok: boolean; reason: string }): Promise<CheckView> {
  const allowed = seen ? seen.ok : (await realtimeLimit()) > 0 || (await hasSysNice())
  if (allowed) return ok('real time', 'the media clock may run with real-time priority')
  const why = seen?.reason ? ` (${seen.reason})` : ''
  return warning(
    'real time',
    `the media clock has no real-time priority${why}: audio may stutter when the machine is busy`,
    'use systemd/pbxd-engine.service (LimitRTPRIO=20), or add "* - rtprio 20" to /etc/security/limits.d/pbxd.conf and log in again',
  )
}

async function realtimeLimit(): Promise<number> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '')
  const hard = /^Max realtime priority\s+\S+\s+(\S+)/m.exec(limits)?.[1] ?? '0'
  return hard === 'unlimited' ? 99 : Number(hard)
}

async function hasSysNice(): Promise<boolean> {
  const status = await readFile('/proc/self/status', 'utf8').catch(() => '')
  const effective = /^CapEff:\s+([0-9a-f]+)/m.exec(status)?.[1] ?? '0'
  return (BigInt(`0x${effective}`) & capSysNice) !== 0n
}

async function diskCheck({ storageDir: dir, faxMegabytes = 500 }: DoctorFacts): Promise<CheckView> {
  const fs = await statfs(dir).catch(() => undefined)
  if (!fs) return warning('disk', `${dir} does not exist yet`, 'the first start creates it: npm start')
  const free = Math.floor((fs.bavail * fs.bsize) / megabyte)
  const text = `${free < 1000 ? `${free} MB` : `${(free / 1000).toFixed(1)} GB`} free for ${dir}`
  if (free < 100) return failure('disk', `${text}: new work will be refused`, `free space on the file system of ${dir}`)
  if (free < faxMegabytes) {
    return failure('disk', `${text}: fax calls are not answered below ${faxMegabytes} MB`, `free space on the file system of ${dir}`)
  }
  if (free < 1024) return warning('disk', text, `free space on the file system of ${dir}`)
  return ok('disk', text)
}

/** Whether the system clock follows a time server; null where the system does not say. */
export function clockSynchronised(): Promise<boolean | null> {
  return new Promise((resolve) => {
    execFile('timedatectl', ['show', '--property=NTPSynchronized', '--value'], { timeout: 2000 }, (error, stdout) => {
      resolve(error ? null : stdout.trim() === 'yes')
    })
  })
}

async function clockCheck(): Promise<CheckView> {
  const state = await clockSynchronised()
  if (state) return ok('clock', 'follows a time server')
  const fix = 'apt-get install systemd-timesyncd, then timedatectl set-ntp true'
  if (state === null) return warning('clock', 'it is not known whether the clock follows a time server', fix)
  return warning('clock', 'does not follow a time server: signatures fail when the clock is wrong by more than 300 s', fix)
}

async function endpointCheck({ id, url }: { id: string; url: string }): Promise<CheckView> {
  const name = `endpoint ${id}`
  const { hostname, port, protocol, host } = new URL(url)
  const reason = await tcpFault(hostname.replace(/^\[|\]$/g, ''), Number(port) || (protocol === 'https:' ? 443 : 80))
  if (!reason) return ok(name, `${host} accepts connections`)
  return failure(
    name,
    `${host} does not accept connections: ${reason}`,
    `start that application, or correct voice.endpoints (${id}) controlUrl`,
  )
}

/** '' when a connection was made within 2 s. */
function tcpFault(host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 2000 })
    const end = (reason: string): void => {
      socket.destroy()
      resolve(reason)
    }
    socket.once('connect', () => end(''))
    socket.once('timeout', () => end('no answer in 2 s'))
    socket.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message))
  })
}

function modemCheck({ id, ok: works, state, reason }: LineView): CheckView {
  const name = `line ${id}`
  if (works) return ok(name, state)
  const fix =
    state === 'unplugged'
      ? `connect the modem, or correct the device of line "${id}" in the configuration; ls -l /dev/pbx-modem*`
      : `pbx modem test ${id}; if the device may not be opened: adduser pbx dialout`
  return failure(name, reason || state, fix)
}

async function faxProgramCheck(program: string): Promise<CheckView> {
  if (await present(program)) return ok('pbx-fax', `${program} is built`)
  return failure('pbx-fax', `${program} is missing, so modem lines carry no faxes`, 'scripts/setup')
}

function confinementCheck(): CheckView {
  const { filtered, reason, fix } = confinementState()
  if (reason === '') return ok('confinement', 'the programs that read PDFs and speech have no access to the network and to other files')
  if (!filtered) return failure('confinement', `${reason}: PDFs are not read, and speech programs run with the rights of the daemon`, fix)
  return warning(
    'confinement',
    `${reason}: the programs that read PDFs and speech have no network and write nothing, but could read other files`,
    fix,
  )
}

function trunkCheck(line: LineView, { trunks = [] }: DoctorFacts): CheckView {
  const name = `${line.kind} ${line.id}`
  if (line.ok) return ok(name, line.state)
  const { server, transport } = trunks.find(({ id }) => id === line.id) ?? {}
  return failure(name, line.reason || line.state, trunkMend({ id: line.id, state: line.state, server, transport }))
}
