/**
 * A box on whose files and control socket the service's user does what he likes, and root who runs `pbx` there. Around it lies what belongs
 * to others: whatever happens, that stays as it is.
 */
import { execFileSync, fork, spawn, type ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeKeys, type KeyPair } from '../../daemon/backup/keys.ts'
import { createLog } from '../../daemon/base/log.ts'
import { openStore } from '../../daemon/store/store.ts'
import { root } from './daemon.ts'
import { endWithUs } from './processes.ts'

/** A user that no system has. */
export const serviceUser = 64_321
export const canarySecret = 'what-root-alone-may-read-9f3c'
const program = join(root, '.cache/program/scripts/cli/main.js')
const mostMs = 20_000
/** Of the machine itself, which others may use meanwhile. */
const sensitive = ['/etc/passwd', '/etc/shadow', '/etc/cron.d', '/etc/profile.d', '/etc/systemd/system'].filter((path) =>
  fs.existsSync(path),
)

/** What can be laid in the way. `to`: a file of root's, `folder`: a folder of his; `socket`: one where nobody answers. */
export const plants: Readonly<Record<string, (path: string, to: string, folder: string, socket: string) => void>> = {
  'a link to a file of root': (path, to) => fs.symlinkSync(to, path),
  'a link to a folder of root': (path, _to, folder) => fs.symlinkSync(folder, path),
  'a link to nothing in a folder of root': (path, _to, folder) => fs.symlinkSync(join(folder, 'made-by-root'), path),
  'a second name of a file of root': (path, to) => fs.linkSync(to, path),
  'a pipe': (path) => void spawnNow('mkfifo', [path]),
  'a socket': (path, _to, _folder, socket) => fs.linkSync(socket, path),
  'a folder': (path) => fs.mkdirSync(join(path, 'with', 'another'), { recursive: true }),
  nonsense: (path) => fs.writeFileSync(path, Buffer.alloc(70_000, '\u001b]0;\u0007{[\0')),
}

export interface Ran {
  readonly code: number | null
  /** Both outputs. */
  readonly text: string
  readonly late: boolean
}

export class HostileService {
  readonly dir: string
  readonly config: string
  readonly storage: string
  readonly socket: string
  readonly backups: string
  readonly keyFile: string
  /** Bodies of what root asked. */
  heard = ''
  /** What the daemon that was taken over answers to a path; undefined: nonsense. */
  answer: (path: string) => unknown = () => undefined
  #server: Server | undefined
  #silent: Server | undefined
  #served: ChildProcess | undefined
  /** How long commands wait; the usual where it is undefined. */
  readonly #patience: object | undefined
  readonly #open = new Set<Socket>()
  readonly #keys: KeyPair

  private constructor(dir: string, keys: KeyPair, patience: object | undefined) {
    this.dir = dir
    this.#patience = patience
    this.#keys = keys
    this.config = join(dir, 'etc/box/pbxd.yaml')
    this.storage = join(dir, 'var')
    this.socket = join(dir, 'run/pbxd.sock')
    this.backups = join(dir, 'backups')
    this.keyFile = join(dir, 'etc/key')
  }

  /** `patience`: of the commands that are served. */
  static async open(dir: string, patience?: object): Promise<HostileService> {
    const box = new HostileService(dir, await makeKeys(), patience)
    for (const name of ['etc/box', 'canary/folder', 'backups', 'out']) fs.mkdirSync(join(dir, name), { recursive: true })
    fs.writeFileSync(join(dir, 'canary/secret'), canarySecret, { mode: 0o600 })
    fs.writeFileSync(join(dir, 'canary/public'), 'anybody may read this', { mode: 0o644 })
    fs.writeFileSync(join(dir, 'canary/folder/inside'), canarySecret, { mode: 0o640 })
    fs.writeFileSync(box.keyFile, `${box.#keys.identity}\n`, { mode: 0o600 })
    const text = `storage: { dir: ${box.storage} }\ncontrol: { socket: ${box.socket} }\nspeech: { models: { dir: ${box.storage}/models } }\n`
    fs.writeFileSync(box.config, `${text}backup: { recoveryKey: ${box.#keys.recipient}, dir: ${box.backups}, keep: 3 }\n`, { mode: 0o640 })
    await box.#make()
    box.#layVersions()
    box.#silent = await silentSocket(join(dir, 'silent'))
    box.reset()
    return box
  }

  /** What a box holds, made once. */
  async #make(): Promise<void> {
    const pristine = this.#pristine
    fs.mkdirSync(join(pristine, 'recordings'), { recursive: true })
    fs.writeFileSync(join(pristine, 'recordings/a.wav'), 'sound')
    fs.writeFileSync(join(pristine, 'log'), '{"level":30}\n')
    const site =
      'site: { name: Clinic, country: US, timeZone: America/New_York }\nnetwork: none\nextensions: [{ number: "101", name: Desk }]\n'
    fs.writeFileSync(join(pristine, 'answers.yaml'), `${site}certificate: false\nbackup: false\n`)
    const packed = join(this.dir, 'packed')
    fs.mkdirSync(join(packed, 'DEBIAN'), { recursive: true })
    fs.writeFileSync(
      join(packed, 'DEBIAN/control'),
      'Package: pbxd\nVersion: 9\nArchitecture: amd64\nMaintainer: x <x@example.com>\nDescription: x\n',
    )
    spawnNow('dpkg-deb', ['--build', packed, join(pristine, 'pbxd_9_amd64.deb')])
    const store = await openStore(join(pristine, 'store'), createLog({ level: 'silent' }), { reserveBytes: 0 })
    await store.transaction(() => store.tables.meta.put('box', 'of the test'))
    fs.mkdirSync(join(pristine, 'backup-work/credentials'), { recursive: true })
    await store.backup(join(pristine, 'backup-work/store'))
    await store.close()
  }

  /** Two versions of the program from a package, on a machine whose systemd and apt do nothing. */
  #layVersions(): void {
    for (const name of ['bin', 'units', 'lib/package/scripts']) fs.mkdirSync(join(this.dir, name), { recursive: true })
    for (const name of ['systemctl', 'apt-get']) fs.writeFileSync(join(this.dir, 'bin', name), '#!/bin/sh\nexit 0\n', { mode: 0o755 })
    fs.copyFileSync(join(root, 'scripts/upgrade'), join(this.dir, 'lib/package/scripts/upgrade'))
    for (const version of ['1', '2']) {
      const scripts = join(this.dir, 'lib/versions', version, 'scripts')
      fs.mkdirSync(scripts, { recursive: true })
      fs.writeFileSync(join(scripts, 'pbx'), `#!/bin/sh\nexec ${process.execPath} ${program} "$@"\n`, { mode: 0o755 })
    }
    fs.symlinkSync('versions/2', join(this.dir, 'lib/current'))
  }

  get #pristine(): string {
    return join(this.dir, 'pristine')
  }

  /** The folders of the service as they are without an attacker. */
  reset(): void {
    for (const name of [this.storage, join(this.dir, 'run')]) fs.rmSync(name, { recursive: true, force: true })
    fs.mkdirSync(join(this.dir, 'run'), { mode: 0o755 })
    fs.cpSync(this.#pristine, this.storage, { recursive: true })
    this.give()
    this.heard = ''
  }

  /** All of it is the service's. */
  give(): void {
    // A second name of a file of root stays root's.
    const ofRoot = new Set(['secret', 'public', 'folder/inside'].map((name) => fs.lstatSync(join(this.dir, 'canary', name)).ino))
    const own = (path: string): void => {
      const found = fs.lstatSync(path)
      if (ofRoot.has(found.ino)) return
      fs.lchownSync(path, serviceUser, serviceUser)
      if (found.isDirectory()) for (const name of fs.readdirSync(path)) own(join(path, name))
    }
    for (const name of [this.storage, join(this.dir, 'run')]) own(name)
  }

  /** Takes away what is at `path`, below the service's folders, and lays that there. */
  plant(path: string, kind: string): void {
    fs.rmSync(path, { recursive: true, force: true })
    fs.mkdirSync(join(path, '..'), { recursive: true })
    plants[kind]!(path, join(this.dir, 'canary/secret'), join(this.dir, 'canary/folder'), join(this.dir, 'silent'))
    this.give()
  }

  /** Everything outside of the service's folders and of `but`: content, mode, owner, names. */
  outside(but: readonly string[] = []): string {
    const lines: string[] = []
    const look = (path: string): void => {
      if ([this.storage, join(this.dir, 'run'), ...but].includes(path)) return
      const found = fs.lstatSync(path)
      const content = found.isFile() ? hashOf(path) : ''
      lines.push([path, found.mode.toString(8), found.uid, found.gid, found.isFile() ? found.size : '', content].join(' '))
      if (found.isDirectory()) for (const name of fs.readdirSync(path).toSorted()) look(join(path, name))
    }
    look(this.dir)
    return [...lines, ...sensitive.flatMap((path) => [path, ...entriesOf(path)]).map(faceOf)].join('\n')
  }

  get #env(): NodeJS.ProcessEnv {
    return {
      PATH: `${join(this.dir, 'bin')}:${process.env['PATH']}`,
      PBXD_ROOT: root,
      NODE_COMPILE_CACHE: join(root, '.cache/compiled'),
      PBXD_CONFIG: this.config,
      EDITOR: 'true',
      PBXD_UPGRADE_NOTES: join(this.dir, 'notes'),
      PBXD_UPGRADE_BASE: join(this.dir, 'lib'),
      PBXD_UPGRADE_CONFIG: this.config,
      PBXD_UPGRADE_UNITS: join(this.dir, 'units'),
      PBXD_UPGRADE_SYSTEMD: join(this.dir, 'none'),
      PBXD_UPGRADE_SECONDS: '1',
      ...(this.#patience === undefined ? {} : { PBX_TEST_PATIENCE: JSON.stringify(this.#patience) }),
    }
  }

  /** Root runs `pbx`, the compiled program. */
  pbx(...words: string[]): Promise<Ran> {
    const child = spawn(process.execPath, [program, ...words], {
      ...{ cwd: join(this.dir, 'out'), env: this.#env, stdio: ['ignore', 'pipe', 'pipe'] },
    })
    let text = ''
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('latin1').on('data', (piece: string) => (text += piece))
    return inTime(child, (done) => child.once('close', (code) => done({ code, text })))
  }

  /** The same in a program that runs many commands, one after the other; a new one after each that gave root's rights up. */
  served(...words: string[]): Promise<Ran> {
    if (this.#served?.connected !== true) {
      this.#served = fork(join(import.meta.dirname, 'pbx-served.ts'), [], {
        ...{ cwd: join(this.dir, 'out'), env: this.#env, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] },
        execArgv: ['--import', join(root, 'scripts', 'test-ahead.mjs')],
      })
      endWithUs(this.#served)
    }
    const child = this.#served
    return inTime(child, (done) => {
      const ended = (code: number | null): void => done({ code, text: 'the program ended' })
      child.once('exit', ended).once('message', (ran: { code: number; out: string; error: string; uid: number }) => {
        child.off('exit', ended)
        if (ran.uid !== 0) child.disconnect()
        done({ code: ran.code, text: ran.out + ran.error })
      })
      child.send(words)
    })
  }

  /**
   * The service's user exchanges each of these below the data's folder with a link to a folder of root, and back, all the time. In one program: a shell
   * would start four for each turn, and turn less often. Returns what ends it.
   */
  flip(names: readonly string[]): () => Promise<void> {
    const turns = `$| = 1; my ($at, $to, @names) = @ARGV; for (;;) { for my $name (@names) { rename("$at/$name", "$at/.aside"); symlink($to, "$at/$name");
      unlink("$at/$name"); rename("$at/.aside", "$at/$name"); select(undef, undef, undef, 0.0005) } }`
    const as = [`--reuid=${serviceUser}`, `--regid=${serviceUser}`, '--clear-groups', 'perl', '-e', turns]
    const child = spawn('setpriv', [...as, this.storage, join(this.dir, 'canary/folder'), ...names], { stdio: 'ignore' })
    endWithUs(child)
    const gone = new Promise<void>((done) => child.once('close', () => done()))
    return () => (child.kill('SIGKILL'), gone)
  }

  /** The daemon that was taken over. */
  async listen(nonsense: () => string): Promise<void> {
    this.#server = createServer((connection) => {
      this.#open.add(connection)
      connection.on('error', () => undefined).once('close', () => this.#open.delete(connection))
      connection.setEncoding('latin1').once('data', (first: string) => {
        this.heard += first
        connection.on('data', (more: string) => (this.heard += more))
        const path = /^\S+ (\S+)/.exec(first)?.[1] ?? ''
        const said = this.answer(path)
        const body = said === undefined ? nonsense() : `${JSON.stringify(said)}\n`
        connection.end(`HTTP/1.1 200 OK\r\nX-Time-Zone: Moon/\u001b[2J\r\n\r\n${body}`)
      })
    })
    await new Promise<void>((done) => this.#server?.listen(this.socket, done))
    fs.chownSync(this.socket, serviceUser, serviceUser)
  }

  async close(): Promise<void> {
    for (const connection of this.#open) connection.destroy()
    await new Promise<void>((done) => (this.#server === undefined ? done() : this.#server.close(() => done())))
    this.#server = undefined
  }

  async end(): Promise<void> {
    await this.close()
    this.#silent?.close()
    if (this.#served?.connected === true) this.#served.disconnect()
  }
}

/** Of what `begin` waits for; `child` is ended when that is late. */
async function inTime(child: ChildProcess, begin: (done: (ran: Omit<Ran, 'late'>) => void) => void): Promise<Ran> {
  let late = false
  const timer = setTimeout(() => {
    late = true
    child.kill('SIGKILL')
  }, mostMs)
  const ran = await new Promise<Omit<Ran, 'late'>>(begin)
  clearTimeout(timer)
  return { ...ran, late }
}

/** One that takes connections and says nothing. A long path would be none of a socket; a file can be renamed. */
async function silentSocket(path: string): Promise<Server> {
  const folder = fs.mkdtempSync(join(tmpdir(), 'pbx-'))
  const server = createServer((connection) => void connection.on('error', () => undefined).resume())
  await new Promise<void>((done) => server.listen(join(folder, 's'), done))
  fs.renameSync(join(folder, 's'), path)
  fs.rmdirSync(folder)
  return server.unref()
}

const hashes = new Map<string, { seen: string; hash: string }>()

/** Of a file's content. One that the kernel says was not changed since is not read again: nobody can set the time of the last change (ctime). */
function hashOf(path: string): string {
  const { ino, size, ctimeNs } = fs.lstatSync(path, { bigint: true })
  const seen = `${ino} ${size} ${ctimeNs}`
  const known = hashes.get(path)
  if (known?.seen === seen) return known.hash
  const hash = createHash('sha256').update(fs.readFileSync(path)).digest('hex')
  // What was changed just now may be changed again within the same tick of the kernel's clock.
  if (BigInt(Date.now()) * 1_000_000n - ctimeNs > settledNs) hashes.set(path, { seen, hash })
  return hash
}
const settledNs = 100_000_000n

function entriesOf(path: string): string[] {
  return fs.statSync(path).isDirectory() ? fs.readdirSync(path, { recursive: true, encoding: 'utf8' }).map((name) => join(path, name)) : []
}

function faceOf(path: string): string {
  const { mode, uid, gid, size } = fs.lstatSync(path)
  return [path, mode.toString(8), uid, gid, size].join(' ')
}

function spawnNow(command: string, words: readonly string[]): string {
  return execFileSync(command, words, { encoding: 'utf8', maxBuffer: 1 << 28 })
}
