/** A box is backed up while it works, and comes back from the file: with its messages, its media, its secrets, and cursors that miss nothing. */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { concat, rate, rms, silence, tone, toneLevel } from '../harness/audio.ts'
import { root, oftenAsked } from '../harness/daemon.ts'
import { eventually, Scene } from '../harness/scene.ts'
import type { Phone } from '../harness/sipp.ts'

type Tree = Record<string, any>

t.setTimeout(400_000)
const scene = await Scene.open(
  {
    settings(base) {
      const settings = base as Tree
      settings['extensions'][0].password = { file: 'phone.secret' }
      settings['limits'] = oftenAsked
      settings['backup'] = { dir: 'backups', keep: 2 }
      settings['mailboxes'] = [{ ext: '101', greeting: 'Hello.' }]
      settings['inbound'].push({ trunk: 'main', to: '+15550001001', destination: 'voicemail:101' })
    },
  },
  false,
)
const { daemon } = scene
t.teardown(() => scene.close())
const secretFile = join(daemon.dir, 'phone.secret')
writeFileSync(secretFile, 'the-password-of-101\n', { mode: 0o600 })
await daemon.start()

const backups = join(daemon.dir, 'backups')
const storage = join(daemon.dir, 'var')
const keyFile = join(daemon.dir, 'key.txt')
const otherKey = join(daemon.dir, 'other.txt')
writeFileSync(otherKey, 'AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX')

const made = (): string[] =>
  readdirSync(backups)
    .filter((name) => name.endsWith('.tar.age'))
    .toSorted()
    .map((name) => join(backups, name))
const parts = (): string[] => readdirSync(backups).filter((name) => name.endsWith('.part'))
const warned = async (code: string): Promise<boolean> =>
  (JSON.parse((await daemon.pbx('status', '--json')).out) as Tree)['warnings'].some((one: Tree) => one['code'] === code)

async function messages(since: number): Promise<Tree> {
  return (await daemon.api('GET', `/api/inbox/voicemails?ext=101&since=${since}`)).body as Tree
}

/** 100 ms of nothing but 1000 Hz. */
function beeped(samples: Int16Array): boolean {
  const window = rate / 10
  for (let at = 0; at + window <= samples.length; at += window / 5) {
    const part = samples.subarray(at, at + window)
    if (toneLevel(part, 1000) > Math.max(-25, 20 * Math.log10(rms(part) / 32768) + 2)) return true
  }
  return false
}

async function toTheTone(): Promise<Phone> {
  const caller = await scene.call({ to: '+15550001001', from: '+15551230077' })
  await caller.rtp.until('the tone', () => beeped(caller.rtp.heard()), 30_000)
  return caller
}

async function speak(caller: Phone, since: number): Promise<Tree> {
  caller.rtp.say(concat(tone(330, 3000, 9000), silence(200)))
  await caller.rtp.said()
  await caller.hangup()
  let page: Tree = {}
  await eventually('the message is there', async () => ((page = await messages(since)), page['items'].length > 0))
  return page
}

async function audio(item: Tree): Promise<Buffer> {
  const answer = await fetch(daemon.http + String(item['mediaUrl']), { headers: { authorization: `Bearer ${daemon.token}` } })
  t.equal(answer.status, 200)
  return Buffer.from(await answer.arrayBuffer())
}

t.test('without a recovery key there is no backup; the private half is printed once and is nowhere on the box', async (t) => {
  const none = await daemon.pbx('backup')
  t.equal(none.code, 1)
  t.match(none.error, /no recovery key yet[\s\S]*pbx backup key/)
  t.equal((await daemon.pbx('backup', '--nightly')).code, 0, 'at night nothing is said of it')
  const { code, out, error } = await daemon.pbx('backup', 'key')
  t.equal(code, 0, out + error)
  const [identity] = /AGE-SECRET-KEY-1[0-9A-Z]{58}/.exec(out) ?? []
  t.ok(identity)
  t.match(readFileSync(daemon.configFile, 'utf8'), /recoveryKey: age1/)
  t.throws(() => execFileSync('grep', ['-ra', identity!, daemon.dir]), 'grep finds nothing')
  t.notOk(daemon.log.some((line) => JSON.stringify(line).includes('AGE-SECRET')))
  writeFileSync(keyFile, `${identity}\n`, { mode: 0o600 })
  t.match((await daemon.pbx('backup', 'key')).error, /already a recovery key/)
})

let first: Tree = {}
let sound: Buffer = Buffer.alloc(0)
t.test('made while somebody leaves a message; whole, and for the right key alone', async (t) => {
  first = await speak(await toTheTone(), 0)
  sound = await audio(first['items'][0])
  const caller = await toTheTone()
  const { code, out, error } = await daemon.pbx('backup')
  t.equal(code, 0, out + error)
  t.equal((await speak(caller, first['nextSince']))['items'].length, 1, 'the call was not cut')
  const [file] = made()
  t.equal(statSync(file!).mode & 0o777, 0o600)
  t.notOk(existsSync(join(storage, 'backup-work')), 'the copy of the store is gone')
  t.match((await daemon.pbx('backup', 'check', file!)).out, /the checksum is right/)
  t.match((await daemon.pbx('backup', 'check', file!, '--key', keyFile)).out, /complete: \d+ files/)
  const wrong = await daemon.pbx('backup', 'check', file!, '--key', otherKey)
  t.equal(wrong.code, 1)
  t.match(wrong.error, /recovery[\s\S]*key/)
  t.match((await daemon.pbx('backup', 'list')).out, /✓/)
  t.match((await daemon.pbx('audit', 'list')).out, /backup\.end/)
})

t.test('kill -9 in the middle: the next one is as if nothing had been, and clears away', async (t) => {
  mkdirSync(join(storage, 'recordings'), { recursive: true })
  const large = join(storage, 'recordings', 'large.wav')
  writeFileSync(large, Buffer.alloc(150_000_000, 1))
  const before = made()
  const child = spawn(join(root, 'scripts', 'pbx'), ['backup'], {
    env: { ...process.env, PBXD_CONFIG: daemon.configFile, PBXD_SOCKET: join(daemon.dir, 'run', 'pbxd.sock') },
    stdio: 'ignore',
  })
  const gone = new Promise((done) => child.once('close', done))
  await eventually('it is being written', () => parts().length > 0)
  const second = await daemon.pbx('backup')
  t.equal(second.code, 1)
  t.match(second.error, /A backup is already running/)
  child.kill('SIGKILL')
  await gone
  t.same(made(), before)
  rmSync(large)
  const { code, error } = await daemon.pbx('backup')
  t.equal(code, 0, error)
  t.same(parts(), [])
})

t.test('so many are kept as keep says', async (t) => {
  for (let n = 0; n < 2; n++) t.equal((await daemon.pbx('backup')).code, 0)
  t.ok(made().length <= 2)
  t.same(readdirSync(backups).filter((name) => name.endsWith('.sha256')).length, made().length)
})

const small = join(daemon.dir, 'small')
mkdirSync(small)
let mounted = false
try {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', small], { stdio: 'ignore' })
  mounted = true
} catch {
  t.comment('a small file system cannot be mounted here')
}
t.teardown(() => mounted && execFileSync('umount', ['--lazy', small]))

t.test('a full disk: a sentence, nothing half-made, and a warning until one succeeds', { skip: !mounted }, async (t) => {
  const { code, error } = await daemon.pbx('backup', '--to', small, '--nightly')
  t.equal(code, 1)
  t.match(error, /the disk is full/)
  t.same(readdirSync(small), [])
  t.notOk(existsSync(join(storage, 'backup-work')))
  await eventually('it is warned of', () => warned('backup-failed'))
  t.equal((await daemon.pbx('backup')).code, 0)
  await eventually('it is over', async () => !(await warned('backup-failed')))
})

t.test('what cannot be restored touches nothing', async (t) => {
  const file = made().at(-1)!
  const running = await daemon.pbx('restore', file, '--key', keyFile)
  t.equal(running.code, 1)
  t.match(running.error, /pbxd is running: stop it first/)
  await daemon.stop()
  const tree = (): string =>
    execFileSync('sh', ['-c', 'cd "$1" && find . -type f ! -name store.lock -exec sha256sum {} + | sort', 'sh', storage], {
      encoding: 'utf8',
    })
  const before = tree()
  const cut = join(daemon.dir, 'cut.tar.age')
  writeFileSync(cut, readFileSync(file))
  truncateSync(cut, Math.floor(statSync(file).size / 2))
  for (const [words, told] of [
    [[file, '--key', keyFile], /already holds a box/],
    [[file, '--key', otherKey, '--force'], /needs another[\s\S]*recovery key/],
    [[cut, '--key', keyFile, '--force'], /damaged or incomplete/],
    [[keyFile, '--key', keyFile, '--force'], /is not a backup/],
    [[join(daemon.dir, 'nothing'), '--key', keyFile], /does not exist/],
  ] as const) {
    const { code, error } = await daemon.pbx('restore', ...words)
    t.equal(code, 1)
    t.match(error.replaceAll(/\s+/g, ' '), told)
    t.equal(tree(), before, String(told))
  }
})

t.test('a restore that was cut short once it was decided: the daemon does not start before it is finished', async (t) => {
  writeFileSync(join(storage, 'restore.json'), JSON.stringify({ old: [], next: [], outer: [] }))
  await daemon.start(false)
  await eventually('it ends', () => daemon.exit !== undefined)
  t.equal(daemon.exit?.code, 1)
  t.match(daemon.stderr, /a restore of this box was interrupted: run as root: pbx restore --finish/)
  t.match((await daemon.pbx('restore', made()[0]!, '--key', keyFile, '--force')).error, /a restore was interrupted/)
  const { code, out, error } = await daemon.pbx('restore', '--finish')
  t.equal(code, 0, out + error)
  t.equal((await daemon.pbx('restore', '--finish')).code, 1, 'there is nothing more to finish')
})

t.test('a blank machine becomes the box: messages, media, secrets, and cursors of before miss nothing', async (t) => {
  const file = made()[0]!
  const config = readFileSync(daemon.configFile, 'utf8')
  // The reader's cursor is later than the backup: this message is in none, and the reader has it already.
  await daemon.start()
  const late = await speak(await toTheTone(), (await messages(0))['nextSince'])
  const cursor = Number(late['nextSince'])
  await daemon.stop()
  for (const path of [storage, daemon.configFile, secretFile]) rmSync(path, { recursive: true })
  const { code, out, error } = await daemon.pbx('restore', file, '--key', keyFile)
  t.equal(code, 0, out + error)
  t.equal(readFileSync(daemon.configFile, 'utf8'), config)
  t.equal(readFileSync(secretFile, 'utf8'), 'the-password-of-101\n')
  t.equal(statSync(secretFile).mode & 0o777, 0o600)
  t.same(
    readdirSync(storage).filter((name) => name.startsWith('restore')),
    ['restored.json'],
  )
  await daemon.start()
  const all = await messages(0)
  t.match(all['items'][0], first['items'][0])
  t.ok((await audio(all['items'][0])).equals(sound))
  t.notOk(
    all['items'].some((item: Tree) => item['id'] === late['items'][0]['id']),
    'what came after the backup is not in it',
  )
  const page = await speak(await toTheTone(), cursor)
  t.equal(page['items'].length, 1, 'the reader gets what came after the restore, once')
  t.same((await messages(page['nextSince']))['items'], [])
  t.match((await daemon.pbx('audit', 'list')).out, /backup\.restored/)
  t.equal((await daemon.pbx('audit', 'verify')).code, 0)
})
