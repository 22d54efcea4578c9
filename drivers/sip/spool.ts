/**
 * Files between the daemon and an engine that runs as another user and sees one folder alone, the spool. A file that the engine is to write
 * lies there and at its final place at once, as two names of one file, so that a reader of the final place finds what has been written so
 * far, also after a crash. What it is to read is a second name, too; certificates, which may lie anywhere and belong to root, are copies. A
 * name in the spool is the file's place, so that a later run of the daemon knows where it belongs. An attacker who has taken the engine
 * over can put anything there: nothing in the spool is opened except what was just created, and only the very file that was created gets a
 * place.
 */
import {
  chmodSync,
  closeSync,
  existsSync,
  fchmodSync,
  fstatSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, join, relative } from 'node:path'
import type { SipConfiguration } from './configuration.ts'
import { describe } from './reading.ts'
import type { DriverLog } from './engine-log.ts'

/** Where an engine that runs as this user, and sees what the daemon sees, has its files: at their places. */
export interface Spool {
  /** The name under which the engine writes a recording to `file`, and to `file` with `.part` until it is whole. */
  toRecord(file: string): string
  /** The engine has written its recording, which it calls so, or has given up. Whether it is at its place now. */
  recorded(name: string, whole: boolean): boolean
  /** The name under which it writes what it receives. */
  toReceive(file: string): string
  received(file: string): void
  /** The name under which it reads; '' stays ''. */
  toRead(file: string): string
  read(file: string): void
  /** The place of a file that the engine names. */
  placeOf(name: string): string
  /** With certificates that the engine can read. */
  configuration(configuration: SipConfiguration): SipConfiguration
  /** Nobody writes or reads there any more. */
  clear(): void
}

export interface SharedFolders {
  /** The spool. */
  readonly spool: string
  /** What lies below it has its place there; on the same file system. */
  readonly home: string
}

export function spoolOf(shared: SharedFolders | undefined, log: DriverLog): Spool {
  return shared === undefined ? noSpool : new SharedSpool(shared, log)
}

const nothing = (): void => undefined
const asTold = (_: string, whole: boolean): boolean => whole
const same = (file: string): string => file

const noSpool: Spool = {
  toRecord: same,
  recorded: asTold,
  toReceive: same,
  received: nothing,
  toRead: same,
  read: nothing,
  placeOf: same,
  configuration: (configuration) => configuration,
  clear: nothing,
}

/** The group of the folder is that of the engine, which the files in it get (setgid). */
const forBoth = 0o660
const forUs = 0o600
const forReading = 0o640

class SharedSpool implements Spool {
  readonly #dir: string
  readonly #home: string
  readonly #log: DriverLog

  constructor({ spool, home }: SharedFolders, log: DriverLog) {
    this.#dir = spool
    this.#home = home
    this.#log = log
    this.#attempt(spool, () => mkdirSync(spool, { recursive: true, mode: 0o770 }))
  }

  toRecord(file: string): string {
    return this.#lend(`${file}.part`) ? this.#nameOf(file) : file
  }

  recorded(name: string, whole: boolean): boolean {
    const file = this.placeOf(name)
    // Begun by an engine that was the daemon's child: it is where it belongs.
    if (file === name) return whole
    const part = `${file}.part`
    const home = this.#attempt(part, () => {
      if (whole) {
        chmodSync(part, forUs)
        renameSync(part, file)
      } else rmSync(part, { force: true })
    })
    this.#attempt(file, () => [file, part].forEach((one) => rmSync(this.#nameOf(one), { force: true })))
    return whole && home
  }

  toReceive(file: string): string {
    return this.#lend(file) ? this.#nameOf(file) : file
  }

  received(file: string): void {
    this.#attempt(file, () => {
      // The engine leaves no file without a page.
      if (!existsSync(this.#nameOf(file))) return rmSync(file, { force: true })
      chmodSync(file, forUs)
      rmSync(this.#nameOf(file))
    })
  }

  toRead(file: string): string {
    if (file === '') return ''
    this.#attempt(file, () => {
      rmSync(this.#nameOf(file), { force: true })
      // Its own folder is closed to everybody else: by its name in the spool alone others get to it.
      chmodSync(file, 0o644)
      linkSync(file, this.#nameOf(file))
    })
    return this.#nameOf(file)
  }

  read(file: string): void {
    if (file !== '') this.#attempt(file, () => rmSync(this.#nameOf(file), { force: true }))
  }

  placeOf(name: string): string {
    if (relative(this.#dir, name) !== basename(name)) return name
    const place = join(this.#home, basename(name).replaceAll('+', '/'))
    return relative(this.#home, place).startsWith('..') ? name : place
  }

  configuration(configuration: SipConfiguration): SipConfiguration {
    const { tls, trunks } = configuration
    return {
      ...configuration,
      tls: tls === null ? null : { ...tls, cert: this.#copy(tls.cert), key: this.#copy(tls.key) },
      trunks: trunks.map((trunk) => (trunk.caFile === undefined ? trunk : { ...trunk, caFile: this.#copy(trunk.caFile) })),
    }
  }

  clear(): void {
    this.#attempt(this.#dir, () => {
      for (const name of readdirSync(this.#dir)) rmSync(join(this.#dir, name), { force: true })
    })
  }

  #nameOf(file: string): string {
    const place = relative(this.#home, file)
    return join(this.#dir, (place.startsWith('..') ? file : place).replaceAll('/', '+'))
  }

  /** False where it could not be: under its own name the engine cannot write it, and says so. */
  #lend(file: string): boolean {
    return this.#attempt(file, () => {
      const name = this.#nameOf(file)
      for (const old of [name, file]) rmSync(old, { force: true })
      const made = openSync(name, 'wx', forUs)
      try {
        fchmodSync(made, forBoth)
        linkSync(name, file)
        if (lstatSync(file).ino !== fstatSync(made).ino) throw new Error('somebody else has put a file there')
      } catch (error) {
        for (const half of [name, file]) rmSync(half, { force: true })
        throw error
      } finally {
        closeSync(made)
      }
    })
  }

  /** One that cannot be read keeps its name, under which the engine says what is wrong with it. */
  #copy(file: string): string {
    const name = this.#nameOf(file)
    try {
      const content = readFileSync(file)
      rmSync(name, { force: true })
      const made = openSync(name, 'wx', forUs)
      try {
        fchmodSync(made, forReading)
        writeFileSync(made, content)
      } finally {
        closeSync(made)
      }
      return name
    } catch (error) {
      this.#log.warn({ file, error: describe(error) }, 'A file could not be handed to pbx-engine')
      return file
    }
  }

  /** The engine meets the same failure, and reports it. */
  #attempt(file: string, work: () => void): boolean {
    try {
      work()
      return true
    } catch (error) {
      this.#log.error({ file, error: describe(error) }, 'A file of pbx-engine could not be put where it belongs')
      return false
    }
  }
}
