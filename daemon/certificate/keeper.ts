/** Watches the files of certificates, has the listeners read them again, and has the box's own renewed in time. */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { accessSync, constants, readFileSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Clock } from '../base/clock.ts'
import type { Log } from '../base/log.ts'
import type { Config } from '../schema/config.ts'
import { filesBeside, makeLeaf } from './issue.ts'
import { boxNames } from './names.ts'
import { certificateState, isDue, renewDays, dayMs, type CertificateState } from './state.ts'

export interface KeeperOptions {
  readonly config: Pick<Config, 'http' | 'sip' | 'provisioning'>
  readonly configFile: string
  readonly clock: Clock
  readonly log: Log
  /** Has the listeners read their files again. Throws where they cannot. */
  readonly reload: () => void
  /** Asks who may sign where this process may not. */
  readonly ask: () => void
}

const askAgainMs = 3_600_000

export class Keeper {
  readonly #options: KeeperOptions
  /** Of each listener. */
  readonly #pairs: readonly { readonly cert: string; readonly key: string }[]
  /** How the files were when they were read. */
  #seen: string
  #state: CertificateState | null
  /** What was looked at and is not due. */
  #settled = ''
  #askedAt = -Infinity
  /** Why the last renewal or the last reading failed; '' for neither. */
  #fault = ''

  constructor(options: KeeperOptions) {
    this.#options = options
    const { http, sip } = options.config
    this.#pairs = [http.tls, sip.tls].flatMap((pair) => pair ?? [])
    this.#seen = this.#stamp()
    this.#state = certificateState(options.configFile, http.tls)
  }

  get state(): CertificateState | null {
    return this.#state
  }

  get fault(): string {
    return this.#fault
  }

  /** Never rejects. */
  async look(): Promise<void> {
    const { log } = this.#options
    try {
      this.#readAgain()
      await this.#renew()
    } catch (error) {
      const fault = (error as Error).message
      if (fault !== this.#fault) log.error({ err: error }, 'the certificate could not be renewed or read')
      this.#fault = fault
    }
  }

  #readAgain(): void {
    const { configFile, config, reload, log } = this.#options
    const stamp = this.#stamp()
    // Of a certificate and a key that are being replaced one is first.
    if (stamp === this.#seen || !this.#pairs.every(isPair)) return
    reload()
    this.#seen = stamp
    this.#state = certificateState(configFile, config.http.tls)
    this.#fault = ''
    log.info({ until: this.#state?.leaf.validTo }, 'the certificate was replaced and is in use')
  }

  async #renew(): Promise<void> {
    const { configFile, config, clock, ask } = this.#options
    const state = this.#state
    const files = filesBeside(configFile)
    if (state?.maker !== 'box' || config.http.tls?.cert !== files.cert) return
    const wanted = boxNames(config)
    const now = clock.now()
    const looked = `${this.#seen} ${JSON.stringify(wanted)} ${state.until - renewDays * dayMs <= now}`
    if (looked === this.#settled) return
    if (!(await isDue(state, files, wanted, now))) this.#settled = looked
    else if (canSign(files.authorityKey)) {
      await makeLeaf(files, wanted, now)
      this.#readAgain()
    } else if (clock.elapsed() - this.#askedAt >= askAgainMs) {
      this.#askedAt = clock.elapsed()
      ask()
    }
  }

  #stamp(): string {
    return this.#pairs.flatMap(({ cert, key }) => [stampOf(cert), stampOf(key)]).join(' ')
  }
}

function stampOf(file: string): string {
  try {
    const { ino, size, mtimeMs } = statSync(file)
    return `${ino}:${size}:${mtimeMs}`
  } catch {
    return 'none'
  }
}

function isPair({ cert, key }: { readonly cert: string; readonly key: string }): boolean {
  try {
    return new X509Certificate(readFileSync(cert)).checkPrivateKey(createPrivateKey(readFileSync(key)))
  } catch {
    return false
  }
}

function canSign(key: string): boolean {
  try {
    accessSync(key, constants.R_OK)
    accessSync(dirname(key), constants.W_OK)
    return true
  } catch {
    return false
  }
}
