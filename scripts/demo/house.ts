/**
 * A call through the house, by configuration alone: a menu, a queue with music, a phone that answers, a colleague who is asked back and
 * takes the call over (attended transfer), and a mailbox. Shows it as a ladder, checks it, and leaves what the caller heard as
 * var/demo/house.wav. Exit code 0: all went well.
 */
import type { ChildProcess } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { bold, print, dim, seconds } from '../cli/output.ts'
import { Caller } from './caller.ts'
import { DeskPhone } from './desk-phone.ts'
import { answersReady, freePort, startProgram, stopProgram, until } from './processes.ts'
import { loudness, Show } from './show.ts'

/** A call as a ladder: who says what to whom, from top to bottom. */
interface Rung {
  readonly atMs: number
  readonly from: string
  /** The same as `from`: something that happens there alone. */
  readonly to: string
  readonly text: string
}

const width = 15

/** `columns`: the parties, from left to right. */
function printLadder(columns: readonly string[], rungs: readonly Rung[]): void {
  const centre = (text: string): string => text.padStart(Math.ceil((width + text.length) / 2)).padEnd(width)
  print(`${' '.repeat(9)}${columns.map(centre).join('')}`)
  for (const { atMs, from, to, text } of rungs) {
    print(`${dim(seconds(atMs).padStart(8))} ${line(columns.length, columns.indexOf(from), columns.indexOf(to))}  ${text}`)
  }
}

function line(count: number, from: number, to: number): string {
  const cells: string[] = Array.from({ length: count * width }, (_, at) => (at % width === Math.floor(width / 2) ? '│' : ' '))
  const place = (column: number): number => column * width + Math.floor(width / 2)
  if (from === to) cells[place(from)] = '●'
  else {
    const [left, right] = [Math.min(place(from), place(to)), Math.max(place(from), place(to))]
    for (let at = left + 1; at < right; at++) cells[at] = '─'
    cells[to > from ? right - 1 : left + 1] = to > from ? '▶' : '◀'
  }
  return cells.join('')
}

const root = resolve(import.meta.dirname, '../..')
const enginePath = join(root, '.cache/engine/pbx-engine')
const recording = join(root, 'var/demo/house.wav')
const password = 'a-long-password'
const from = '+15551230001'
const to = '+15550001000'
const patienceMs = 80_000
const columns = ['caller', 'box', 'nurse 101', 'doctor 102', 'mailbox 103'] as const
type Column = (typeof columns)[number]

const dir = mkdtempSync(join(tmpdir(), 'pbxd-demo-'))
const show = new Show()
const rungs: Rung[] = []
const overdue = Promise.withResolvers<never>()
const closed: (() => Promise<unknown>)[] = []
let began = 0

function happens(who: Column, whom: Column, text: string): void {
  rungs.push({ atMs: performance.now() - began, from: who, to: whom, text })
  show.step(who === whom ? `${who}: ${text}` : `${who} -> ${whom}: ${text}`)
}

function configuration(ports: { http: number; sip: number }, phone: string): string {
  return `site: { name: Riverside Clinic, country: US, timeZone: America/New_York, language: en-US, number: "${to}" }
storage: { dir: ${dir} }
control: { socket: ${join(dir, 'run/pbxd.sock')} }
http: { listen: 127.0.0.1:${ports.http} }
sip: { udp: 127.0.0.1:${ports.sip}, tcp: off, rtpPorts: 31000-31999 }
trunks:
  - { id: main, kind: sip, server: "${phone}", transport: udp, register: false, numbers: ["${to}"], channels: 4, default: true }
extensions:
  - { number: "101", name: Nurse, password: ${password} }
  - { number: "102", name: Doctor, password: ${password} }
  - { number: "103", name: Front desk, password: ${password}, onUnreachable: "voicemail:103" }
menus:
  - { id: main, say: "Riverside Clinic. For a nurse, press 1.", keys: { "1": "queue:nurses" }, onNothing: "103" }
queues:
  - { id: nurses, name: Nurse line, members: ["101"], onEmpty: "voicemail:103", onTimeout: "voicemail:103" }
mailboxes:
  - { ext: "103", greeting: "You have reached the front desk. Please leave a message after the tone.", transcribe: false }
inbound:
  - { trunk: main, to: "${to}", destination: "menu:main" }
`
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  return Promise.race([work, overdue.promise])
}

async function stage(): Promise<{ caller: Caller; nurse: DeskPhone; doctor: DeskPhone; ask: (...words: string[]) => Promise<string> }> {
  mkdirSync(join(root, 'var/demo'), { recursive: true })
  rmSync(recording, { force: true })
  print(bold('Setting the stage'))
  const ports = { http: await freePort(), sip: await freePort() }
  const box = `127.0.0.1:${ports.sip}`
  const caller = await Caller.start(enginePath, box, { shows: (kind, text) => show.caller(kind, text) })
  closed.push(() => caller.stop())
  const file = join(dir, 'pbxd.yaml')
  writeFileSync(file, configuration(ports, caller.address))
  const daemon = startProgram(join(root, 'daemon/main.ts'), ['--config', file], join(dir, 'pbxd.log'))
  closed.push(() => stopProgram(daemon))
  await until(() => answersReady(`http://127.0.0.1:${ports.http}`), daemon, 'pbxd', 20_000)
  const phone = async (number: string, rtpPort: number): Promise<DeskPhone> => {
    const desk = await inTime(DeskPhone.start({ enginePath, box, number, password, rtpPort }))
    closed.push(() => desk.stop())
    show.step(`the phone of extension ${number} is registered`)
    return desk
  }
  const ask = (...words: string[]): Promise<string> => pbx(file, words)
  return { caller, nurse: await phone('101', 32_000), doctor: await phone('102', 33_000), ask }
}

/** What the program says to the technician. */
async function pbx(config: string, words: readonly string[]): Promise<string> {
  const output = join(dir, 'pbx.out')
  const child: ChildProcess = startProgram(join(root, 'scripts/cli/main.ts'), [...words, '--config', config], output)
  await new Promise((ended) => child.once('exit', ended))
  return readFileSync(output, 'utf8')
}

async function run(): Promise<boolean> {
  const { caller, nurse, doctor, ask } = await stage()
  print(bold('\nThe call'))
  const timer = setTimeout(() => overdue.reject(new Error(`the call was not over after ${patienceMs / 1000} s`)), patienceMs)
  began = performance.now()
  caller.call(from, to, recording)
  happens('caller', 'box', `INVITE ${to}`)
  await inTime(caller.hearsVoice())
  happens('box', 'caller', 'menu: "Riverside Clinic. For a nurse, press 1."')
  await pause(2500)
  caller.press('1')
  happens('caller', 'box', 'key 1: into the queue')
  const atNurse = await inTime(nurse.rung)
  happens('box', 'nurse 101', 'rings; the caller hears music')
  await pause(5000)
  await inTime(nurse.answer(atNurse))
  happens('nurse 101', 'caller', 'answers: "Nurse line, how can I help?"')
  await inTime(nurse.say(atNurse, 'Nurse line, how can I help?'))
  await inTime(caller.say('I have a question for the doctor.'))
  happens('caller', 'nurse 101', '"I have a question for the doctor."')
  nurse.hold(atNurse)
  happens('nurse 101', 'caller', 'holds: music')
  const consulting = nurse.consult('102')
  const atDoctor = await inTime(doctor.rung)
  await inTime(doctor.answer(atDoctor))
  const asked = await inTime(consulting)
  happens('nurse 101', 'doctor 102', '"May I put somebody through?"')
  await inTime(nurse.say(asked, 'May I put somebody through?'))
  happens('nurse 101', 'box', `REFER with Replaces: ${await inTime(nurse.transfer(atNurse, asked))}`)
  happens('doctor 102', 'caller', '"Hello, this is the doctor. The front desk will note it."')
  await inTime(doctor.say(atDoctor, 'Hello, this is the doctor. The front desk will note it.'))
  happens('doctor 102', 'box', `REFER to 103: ${await inTime(doctor.transfer(atDoctor, '103'))}`)
  await inTime(caller.hearsPromptEnd())
  happens('mailbox 103', 'caller', '103 has no phone: greeting and tone')
  await pause(1200)
  await inTime(caller.say('This is Ann Lee. Please call me back about my appointment.'))
  happens('caller', 'mailbox 103', 'leaves a message')
  await pause(500)
  caller.hangup()
  happens('caller', 'box', 'BYE')
  const heard = await inTime(caller.recorded)
  clearTimeout(timer)
  return judge(heard, ask)
}

async function judge(heard: { file: string; durationMs: number }, ask: (...words: string[]) => Promise<string>): Promise<boolean> {
  print(bold('\nThe ladder'))
  printLadder(columns, rungs)
  print(bold('\nWhat the box wrote down (pbx history show last)'))
  let messages = ''
  for (let tries = 0; tries < 40 && !messages.includes(from); tries++) {
    await pause(250)
    messages = await ask('inbox', 'voicemails')
  }
  const history = await ask('history', '--json')
  print(await ask('history', 'show', 'last'))
  const checks: [boolean, string][] = [
    [history.includes('queue:nurses') && history.includes('menu:main'), 'the history has menu and queue'],
    [messages.includes(from), 'the message is in the inbox'],
    [loudness(readFileSync(heard.file)) > 100, `the caller heard ${(heard.durationMs / 1000).toFixed(1)} s of audio: ${heard.file}`],
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
  for (const close of closed.toReversed()) await close().catch(() => undefined)
  rmSync(dir, { recursive: true, force: true })
}
process.exit(ok ? 0 : 1)
