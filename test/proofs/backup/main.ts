/**
 * A life-sized backup: gigabytes of media while calls and mails go on, the daemon as a user of its own, and the way back onto a blank folder.
 * `sh scripts/run test/proofs/backup/main.ts [GIGABYTES]`, as root. Prints what it saw as JSON; exit 1 where a call or a mail was lost.
 */
import { spawn } from 'node:child_process'
import { chownSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { randomBytes } from 'node:crypto'
import { MailServer } from '../../mail/server.ts'
import { root } from '../../harness/daemon.ts'
import { eventually, pause, Scene } from '../../harness/scene.ts'

type Tree = Record<string, any>

/** nobody, on every Debian. */
const uid = 65_534
const gigabytes = Number(process.argv[2] ?? 2)
const fileBytes = 4_000_000

const mails = new MailServer()
await mails.start()
const scene = await Scene.open({
  uid,
  settings(base) {
    const settings = base as Tree
    settings['backup'] = { dir: 'backups' }
    settings['mail'] = { server: `127.0.0.1:${mails.port}`, tls: 'off', username: 'clinic', password: 'secret', from: 'clinic@example.com' }
  },
})
const { daemon, app } = scene
app.script = () => [{ say: { text: 'Good morning, this is the clinic.' } }, { hangup: {} }]

function fill(): void {
  const dir = join(daemon.dir, 'var', 'recordings', 'proof')
  mkdirSync(dir, { recursive: true })
  const sound = randomBytes(fileBytes)
  for (let n = 0; n < (gigabytes * 1e9) / fileBytes; n++) {
    sound.writeUInt32BE(n)
    writeFileSync(join(dir, `${n}.wav`), sound, { mode: 0o600 })
  }
  for (const name of ['', ...readdirSync(dir)]) chownSync(join(dir, name), uid, uid)
}

interface Run {
  readonly seconds: number
  /** The most memory it had, by the kernel's word. */
  readonly megabytes: number
  readonly code: number | null
  readonly out: string
}

async function pbx(...words: string[]): Promise<Run> {
  const began = performance.now()
  const child = spawn(join(root, 'scripts', 'pbx'), words, {
    env: { ...process.env, PBXD_CONFIG: daemon.configFile, PBXD_SOCKET: join(daemon.dir, 'run', 'pbxd.sock') },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  let megabytes = 0
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (out += text))
  const watching = setInterval(() => {
    try {
      const [, kilobytes = '0'] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? []
      megabytes = Math.max(megabytes, Math.round(Number(kilobytes) / 1000))
    } catch {
      // It has ended.
    }
  }, 100)
  const code = await new Promise<number | null>((done) => child.once('close', done))
  clearInterval(watching)
  return { seconds: Math.round((performance.now() - began) / 100) / 10, megabytes, code, out }
}

const done = { calls: 0, lostCalls: 0, mails: 0, refusedMails: 0, slowestAnswerMs: 0 }
let going = true

async function life(): Promise<void> {
  while (going) {
    const caller = await scene.call({ from: '+15551230001' })
    if ((await caller.sip.exit) === 0) done.calls++
    else done.lostCalls++
    const asked = performance.now()
    const { status } = await daemon.api('POST', '/api/email', { to: 'a@example.com', subject: 'Hello', text: 'Hello' })
    done.slowestAnswerMs = Math.max(done.slowestAnswerMs, Math.round(performance.now() - asked))
    if (status === 200 || status === 202) done.mails++
    else done.refusedMails++
    await pause(200)
  }
}

const identity = /AGE-SECRET-KEY-1\w+/.exec((await pbx('backup', 'key')).out)?.[0] ?? ''
const keyFile = join(daemon.dir, 'key.txt')
writeFileSync(keyFile, identity, { mode: 0o600 })
fill()
const living = [life(), life()]
const backup = await pbx('backup')
going = false
await Promise.all(living)
const arrived = await eventually('every mail has gone', () => mails.received.length >= done.mails, 60_000).then(
  () => true,
  () => false,
)
const file = readdirSync(join(daemon.dir, 'backups'))
  .filter((name) => name.endsWith('.age'))
  .map((name) => join(daemon.dir, 'backups', name))[0]
const check = await pbx('backup', 'check', file ?? 'none', '--key', keyFile)
const other = join(daemon.dir, 'other')
mkdirSync(join(other, daemon.dir, 'var'), { recursive: true })
chownSync(join(other, daemon.dir, 'var'), uid, uid)
const restore = await pbx('restore', file ?? 'none', '--key', keyFile, '--root', other)
const owner = statSync(join(other, daemon.dir, 'var', 'store', 'store.mdb'), { throwIfNoEntry: false })?.uid
const bytes = file === undefined ? 0 : statSync(file).size
process.stdout.write(
  `${JSON.stringify({ gigabytes, bytes, ...done, mailsThatArrived: mails.received.length, backup, check, restore, ownerOfTheRestored: owner }, null, 2)}\n`,
)
const well =
  [backup, check, restore].every(({ code }) => code === 0) && done.lostCalls === 0 && done.refusedMails === 0 && owner === uid && arrived
await scene.close()
await mails.stop()
process.exit(well ? 0 : 1)
