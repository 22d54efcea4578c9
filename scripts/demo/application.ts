/**
 * A call that an application drives: a daemon on free ports, the sample application, and a scripted caller over real SIP and RTP. Shows the
 * conversation as it happens, checks it, and leaves what the caller heard as var/demo/call.wav. Exit code 0: all went well.
 */
import type { ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { bold, print } from '../cli/output.ts'
import { Caller } from './caller.ts'
import { accepts, answersReady, freePort, startProgram, stopProgram, until } from './processes.ts'
import { startRelay, statusPage, type Json, type Relay } from './relay.ts'
import { loudness, Show } from './show.ts'

const root = resolve(import.meta.dirname, '../..')
const engine = join(root, '.cache/engine/pbx-engine')
const recording = join(root, 'var/demo/call.wav')
const secret = 'whsec_demo_0123456789abcdef'
const from = '+15551230001'
const to = '+15550001000'
/** The whole conversation takes about half a minute. */
const patienceMs = 90_000

const dir = mkdtempSync(join(tmpdir(), 'pbxd-demo-'))
const show = new Show()
const events: Json[] = []
const overdue = Promise.withResolvers<never>()
const callEnded = Promise.withResolvers<void>()
let relay: Relay | undefined
let caller: Caller | undefined
let application: ChildProcess | undefined
let daemon: ChildProcess | undefined

function configuration(ports: { http: number; sip: number }, phone: string, applicationUrl: string): string {
  return `site: { name: Riverside Clinic, country: US, timeZone: America/New_York, language: en-US, number: "${to}" }
storage: { dir: ${dir} }
control: { socket: ${join(dir, 'run/pbxd.sock')} }
http: { listen: 127.0.0.1:${ports.http} }
callbacks: { secret: ${secret}, allowLoopback: true }
sip: { udp: 127.0.0.1:${ports.sip}, tcp: off, rtpPorts: 31000-31999 }
trunks:
  - { id: main, kind: sip, server: "${phone}", transport: udp, register: false, numbers: ["${to}"], channels: 4, default: true }
voice:
  endpoints:
    - { id: reception, controlUrl: "${applicationUrl}/voice", secret: ${secret}, statusCallbackUrl: "${applicationUrl}${statusPage}" }
inbound:
  - { trunk: main, to: "${to}", destination: "endpoint:reception" }
`
}

/** What the caller does at each document, as a person would: once while the box still speaks, otherwise after it has. */
const turns: ((phone: Caller) => Promise<void>)[] = [
  async (phone) => {
    await phone.hearsVoice()
    await pause(2000)
    phone.press('1')
  },
  async (phone) => {
    await phone.hearsPromptEnd()
    phone.press('2')
  },
  async (phone) => {
    await phone.hearsPromptEnd()
    await phone.say('Hello, this is Ann Lee. Please call me back about my appointment.')
    phone.press('#')
  },
]

function takesTurn(document: unknown): void {
  const waits = Array.isArray(document) && document.some((verb: object) => 'gather' in verb || 'record' in verb)
  if (waits && caller)
    turns
      .shift()?.(caller)
      .catch((error: unknown) => overdue.reject(error))
}

async function run(): Promise<boolean> {
  mkdirSync(join(root, 'var/demo'), { recursive: true })
  rmSync(recording, { force: true })
  print(bold('Setting the stage'))
  const ports = { http: await freePort(), sip: await freePort(), application: await freePort() }
  application = startProgram(join(root, 'scripts/examples/app.ts'), [], join(dir, 'app.log'), {
    PORT: String(ports.application),
    SECRET: secret,
  })
  await until(() => accepts(ports.application), application, 'the sample application', 10_000)
  show.step(`the sample application (scripts/examples/app.ts) listens on 127.0.0.1:${ports.application}`)
  relay = await startRelay(ports.application, {
    event(event) {
      events.push(event)
      show.event(event)
    },
    answered(status, document, tookMs) {
      show.answer(status, document, tookMs)
      takesTurn(document)
    },
    status(event) {
      events.push(event)
      show.event(event)
      if (event['event'] === 'call.ended') callEnded.resolve()
    },
  })
  caller = await Caller.start(engine, `127.0.0.1:${ports.sip}`, { shows: (kind, text) => show.caller(kind, text) })
  show.step(`the caller's phone (a second pbx-engine) speaks SIP on ${caller.address}`)
  const file = join(dir, 'pbxd.yaml')
  writeFileSync(file, configuration(ports, caller.address, relay.url))
  daemon = startProgram(join(root, 'daemon/main.ts'), ['--config', file], join(dir, 'pbxd.log'))
  await until(() => answersReady(`http://127.0.0.1:${ports.http}`), daemon, 'pbxd', 20_000)
  show.step(`pbxd is ready: HTTP on 127.0.0.1:${ports.http}, SIP on 127.0.0.1:${ports.sip}`)

  print(bold('\nThe call'))
  const timer = setTimeout(() => overdue.reject(new Error(`the call was not over after ${patienceMs / 1000} s`)), patienceMs)
  show.start()
  caller.call(from, to, recording)
  const end = await Promise.race([caller.ended, overdue.promise])
  const heard = await Promise.race([caller.recorded, overdue.promise])
  await Promise.race([callEnded.promise, overdue.promise])
  clearTimeout(timer)
  return judge(end.by === 'remote' && end.reason === 'hangup', heard)
}

function judge(boxHungUp: boolean, heard: { file: string; durationMs: number }): boolean {
  print(bold('\nWhat became of it'))
  const kinds = events.map((event) => String(event['event']))
  const keys = events.filter((event) => event['event'] === 'gather.completed').map((event) => String(event['digits']))
  const level = loudness(readFileSync(heard.file))
  const checks: [boolean, string][] = [
    [kinds[0] === 'call.inbound.pre_route', 'the application was asked before the call was answered'],
    [keys.join() === '1,2', `both keys arrived (${keys.join(', ') || 'none'})`],
    [kinds.includes('record.completed'), 'the message was recorded'],
    [boxHungUp, 'the box hung up when the application said so'],
    [kinds.at(-1) === 'call.ended', 'call.ended came last'],
    [level > 100, `the caller heard ${(heard.durationMs / 1000).toFixed(1)} s of audio: ${heard.file}`],
  ]
  for (const [ok, text] of checks) show.result(ok, text)
  return checks.every(([ok]) => ok)
}

let ok = false
try {
  ok = await run()
  if (!ok) show.log(join(dir, 'pbxd.log'))
} catch (error) {
  show.result(false, (error as Error).message)
  show.log(join(dir, 'pbxd.log'))
} finally {
  caller?.hangup()
  await caller?.stop()
  await stopProgram(daemon)
  await stopProgram(application)
  relay?.close()
  rmSync(dir, { recursive: true, force: true })
}
process.exit(ok ? 0 : 1)
