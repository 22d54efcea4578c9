/**
 * Files between the daemon and an engine that runs as another user and sees one folder alone, the spool. What the engine is to write
 * lies there and at its place at once, as two names of one file, so that whoever looks at the place finds what there is by now, also after
 * a crash. What it is to read is a second name, too; certificates, which may lie anywhere and belong to root, are copies.
 * A name in the spool is the file's place, so that a later run of the daemon knows where it belongs.
 */
import {
  chmodSync,
  closeSync,
  existsSync,
  fchmodSync,
  linkSync,
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
  /** The engine has written its recording, or has given up. */
  recorded(file: string, whole: boolean): void
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
const same = (file: string): string => file

const noSpool: Spool = {
  toRecord: same,
  recorded: nothing,
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
const forReading = 0o640

class SharedSpool implements Spool {
  readonly #dir: string
  readonly #home: string
  readonly #log: DriverLog

  constructor({ spool, home }: SharedFolders, log: DriverLog) {
    this.#dir = spool
    this.#home = home
    this.#log = log
    mkdirSync(spool, { recursive: true, mode: 0o770 })
  }

  toRecord(file: string): string {
    this.#lend(`${file}.part`)
    return this.#nameOf(file)
  }

  recorded(file: string, whole: boolean): void {
    this.#attempt(`${file}.part`, () => {
      if (whole) renameSync(`${file}.part`, file)
      else rmSync(`${file}.part`, { force: true })
      for (const name of [file, `${file}.part`]) rmSync(this.#nameOf(name), { force: true })
    })
  }

  toReceive(file: string): string {
    this.#lend(file)
    return this.#nameOf(file)
  }

  received(file: string): void {
    this.#attempt(file, () => {
      // The engine leaves no file without a page.
      if (existsSync(this.#nameOf(file))) rmSync(this.#nameOf(file))
      else rmSync(file, { force: true })
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
    const place = basename(name).replaceAll('+', '/')
    return place.startsWith('/') ? place : join(this.#home, place)
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

  #lend(file: string): void {
    this.#attempt(file, () => {
      const name = this.#nameOf(file)
      for (const old of [name, file]) rmSync(old, { force: true })
      const made = openSync(name, 'wx', 0o600)
      try {
        fchmodSync(made, forBoth)
      } finally {
        closeSync(made)
      }
      linkSync(name, file)
    })
  }

  /** One that cannot be read keeps its name, under which the engine says what is wrong with it. */
  #copy(file: string): string {
    const name = this.#nameOf(file)
    try {
      writeFileSync(`${name}.new`, readFileSync(file), { mode: 0o600 })
      chmodSync(`${name}.new`, forReading)
      renameSync(`${name}.new`, name)
      return name
    } catch (error) {
      this.#log.warn({ file, error: describe(error) }, 'A file could not be handed to pbx-engine')
      return file
    }
  }

  /** What comes to nothing here the engine meets as well, and tells of. */
  #attempt(file: string, work: () => void): void {
    try {
      work()
    } catch (error) {
      this.#log.error({ file, error: describe(error) }, 'A file of pbx-engine could not be put where it belongs')
    }
  }
}
