/**
 * Changes of the configuration while the daemon runs: checked as the daemon's own user, put to use, examined, and rolled back where
 * something that worked before no longer works or nobody confirms the change. The file is written when a change has stood: whatever happens
 * before that, the next start uses the former configuration.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { statOf } from '../../drivers/stat.ts'
import { isoTime, pause, type Clock } from '../base/clock.ts'
import { ApiError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { ConfigChange, ConfigCheckView, ConfigStateView, ConfigUnderWayView } from '../schema/config/change.ts'
import type { Config } from '../schema/config.ts'
import { compareConfigs, inWords, planOf, type Plan } from './compare.ts'
import { faultInFile, faultsInFile, writeConfigFile } from './source.ts'
import { isRefused, lost, type Facts } from './gate.ts'
import { ConfigError, parseConfig, readConfigFile, type Loaded } from './load.ts'
import { stampOf, type Revision, type Revisions } from './revisions.ts'

/** The daemon as it runs now, from one start to the next. */
export interface Run {
  /** In use. */
  readonly config: Config
  /** Puts to use what takes effect live. */
  reconfigure(next: Config): void
  facts(): Facts
  /** How many calls a restart would cut; `engine`: one of the SIP engine, too. */
  wouldCut(engine: boolean): number
  /** The configuration of the file is in use, and safe mode over. */
  settled(): void
  /** A change was taken back by itself. */
  takenBack(revision: number): void
}

export interface ConfigDeskOptions {
  /** Null on the embedded default, which nothing changes. */
  readonly configFile: string | null
  readonly revisions: Revisions
  readonly clock: Clock
  readonly log: Log
  /** Restarts in this process; resolves when another `Run` is attached. `leave`: current conversations go on. */
  readonly restart: (config: Config, leave: boolean) => Promise<void>
  /** Called with a configuration that has stood. */
  readonly keep: (config: Config) => void
}

export interface ApplyOrder {
  /** By default what the file says now. */
  readonly text?: string
  readonly by: string
  readonly note?: string
  readonly confirmed?: boolean
  readonly waitSeconds?: number
  readonly now?: boolean
}

interface Text {
  readonly text: string | null
  readonly revision: number | null
}

const lookMs = 250
/** A restart closes the connection on which its client is answered, so it waits this long. */
const answerMs = 500
/** A change must look well so many times in a row. */
const wellLooks = 3
const gateMs = 30_000
const confirmMs = 60_000
const usualWaitSeconds = 600
const dueFile = 'config-due'

export class ConfigDesk {
  readonly #options: ConfigDeskOptions
  #run: Run | null = null
  /** What is in use; the text is null in safe mode. */
  #inUse: Text = { text: null, revision: null }
  #change: ConfigUnderWayView | null = null
  #underWay = false
  #answer: (reason: string | null) => void = () => undefined
  #seen: { readonly stamp: string; readonly fault: FileFault | null } = { stamp: '', fault: null }

  constructor(options: ConfigDeskOptions) {
    this.#options = options
  }

  /** The text that the configuration in use was read from, when the daemon was started. */
  found(text: string): void {
    const { revisions, clock } = this.#options
    const last = revisions.list().find(({ outcome }) => outcome === 'applied')
    this.#inUse = { text, revision: last?.text === text ? last.revision : null }
    if (last?.text === text) return
    const facts = { at: clock.now(), by: 'start', note: '', outcome: 'applied', reason: '', changes: 0, summary: [], text } as const
    this.#inUse = { text, revision: this.#kept(facts) }
  }

  attach(run: Run): void {
    this.#run = run
  }

  state(): ConfigStateView {
    const { configFile } = this.#options
    const fault = this.fileFault()
    return {
      ...{ configFile, revision: this.#inUse.revision, change: this.#change },
      ...{ fileIsOther: fault !== null, fileIsBehind: fault?.kind === 'behind' },
    }
  }

  /** The text in use; null in safe mode and on the embedded default. */
  get textInUse(): string | null {
    return this.#inUse.text
  }

  /**
   * What the file says now, or was to say where it could not be written. Throws ConfigError where it cannot be read, ApiError
   * `not_supported` where there is none.
   */
  fileText(): string {
    return this.#textOf()
  }

  /** What a text has otherwise than what is in use; null where it is refused. */
  difference(text: string): ConfigChange[] | null {
    try {
      return compareConfigs(this.#running.config, this.#parse(text).config)
    } catch (error) {
      if (error instanceof ConfigError) return null
      throw error
    }
  }

  /** What would be wrong with a configuration, and what it would change. */
  check(text?: string): ConfigCheckView {
    try {
      const { config, warnings } = this.#parse(this.#textOf(text))
      return { ok: true, faults: [], warnings, ...planOf(compareConfigs(this.#running.config, config)) }
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      return { ok: false, faults: error.faults, warnings: [], changes: [], effect: 'none', confirm: false }
    }
  }

  /** What one revision has otherwise than another; by default what the file has otherwise than what is in use. Throws ApiError. */
  compare(from?: number, to?: number): ConfigChange[] {
    const before = from === undefined ? this.#running.config : this.#load(this.#revision(from).text).config
    const after = to !== undefined ? this.#load(this.#revision(to).text) : from === undefined ? this.#load() : this.#running
    return compareConfigs(before, after.config)
  }

  /** Begins a change, which `state` reports from then on. Throws ApiError: validation_failed, config_change_running, not_supported. */
  apply(order: ApplyOrder): ConfigUnderWayView {
    if (this.#underWay)
      throw new ApiError('config_change_running', 'A configuration change is in progress: run pbx config confirm, or pbx config revert.')
    const { text, config } = this.#load(order.text)
    const plan = planOf(compareConfigs(this.#running.config, config))
    this.#change = { state: 'applying', reason: '', until: null, revision: null, file: '', ...plan }
    this.#underWay = true
    void this.#carryOut(order, text, config, plan).finally(() => (this.#underWay = false))
    return this.#change
  }

  confirm(): ConfigUnderWayView {
    if (this.#change?.state !== 'unconfirmed') throw new ApiError('not_found', 'No configuration change waits for confirmation.')
    this.#answer(null)
    return this.#change
  }

  /** Takes back what is under way; else goes back to an earlier revision, by default the one before. Throws ApiError as `apply`. */
  revert(revision: number | undefined, order: Omit<ApplyOrder, 'text' | 'note'>): ConfigUnderWayView {
    if (this.#underWay && this.#change !== null) {
      this.#answer('undone by hand')
      return this.#change
    }
    const { text, revision: number } = revision === undefined ? this.#before() : this.#revision(revision)
    return this.apply({ ...order, text, note: `back to revision ${number}` })
  }

  /** Resolves when nothing is under way. */
  get isIdle(): boolean {
    return !this.#underWay
  }

  /** What is otherwise with the file than with what is in use; null: nothing. */
  fileFault(): FileFault | null {
    const { configFile } = this.#options
    if (configFile === null || this.#underWay || this.#inUse.text === null) return null
    const { mtimeMs = 0, size = 0, ino = 0, mode = 0, uid = 0 } = statOf(configFile) ?? {}
    const stamp = [mtimeMs, size, ino, mode, uid, this.#inUse.revision].join()
    if (stamp !== this.#seen.stamp) this.#seen = { stamp, fault: this.#fileFault(configFile) }
    return this.#seen.fault
  }

  #fileFault(file: string): FileFault | null {
    try {
      const text = readConfigFile(file)
      if (text === this.#inUse.text) return null
      if (this.#options.revisions.laterThan(text) !== null)
        return { kind: 'behind', text: 'what was applied last could not be written into it' }
      const changes = compareConfigs(this.#running.config, this.#parse(text).config)
      return changes.length === 0 ? null : { kind: 'other', text: `${changes.length} ${changes.length === 1 ? 'key' : 'keys'} changed` }
    } catch (error) {
      const [first] = error instanceof ConfigError ? error.faults : []
      return { kind: 'refused', text: first === undefined ? String(error) : faultInFile(first) }
    }
  }

  get #running(): Run {
    if (this.#run === null) throw new ApiError('starting', 'The daemon is starting.')
    return this.#run
  }

  async #carryOut(order: ApplyOrder, text: string, next: Config, plan: Plan): Promise<void> {
    const { log } = this.#options
    const before = { config: structuredClone(this.#running.config), ...this.#inUse }
    const leave = !plan.changes.some(({ path, effect }) => effect === 'restart' && /^(sip|storage)\b/.test(path))
    const use = (config: Config): void | Promise<void> =>
      plan.effect === 'live' ? this.#running.reconfigure(config) : this.#options.restart(config, leave)
    let used = false
    try {
      if (plan.effect === 'restart') await this.#quiet(order, !leave)
      const facts = this.#running.facts()
      if (plan.effect !== 'none') {
        this.#set({ state: 'applying', reason: '', until: null })
        used = true
        await use(next)
        await this.#gate(facts)
        if (order.confirmed === undefined ? plan.confirm : !order.confirmed) await this.#confirmation()
      }
      this.#commit(order, text, plan)
    } catch (error) {
      const reason =
        error instanceof TakenBack ? error.message : `it could not be applied: ${error instanceof Error ? error.message : String(error)}`
      log.error({ reason }, used ? 'a configuration change is rolled back' : 'a configuration change was given up')
      if (used) {
        // On its way back it is not there to be confirmed any more.
        this.#set({ state: 'applying', reason, until: null })
        await use(before.config)
      }
      const revision = used ? this.#kept({ ...this.#facts(order, text, plan), outcome: 'reverted', reason }) : null
      if (revision !== null) this.#running.takenBack(revision)
      this.#set({ state: 'reverted', reason, until: null, revision })
    }
  }

  /** Waits for a moment without calls that a restart would cut. */
  async #quiet({ now, waitSeconds = usualWaitSeconds }: ApplyOrder, engine: boolean): Promise<void> {
    const { clock } = this.#options
    await pause(clock, answerMs)
    if (now === true) return
    const deadline = clock.elapsed() + waitSeconds * 1000
    let given: string | null = null
    this.#answer = (reason) => (given = reason)
    for (let calls = this.#running.wouldCut(engine); calls > 0; calls = this.#running.wouldCut(engine)) {
      const reason = `${calls} ${calls === 1 ? 'call' : 'calls'} would be cut off by a restart`
      if (given !== null) throw new TakenBack(given)
      if (clock.elapsed() >= deadline) throw new TakenBack(`${reason}; nothing was changed`)
      this.#set({ state: 'waiting', reason, until: isoTime(clock.now() + deadline - clock.elapsed()) })
      await pause(clock, lookMs)
    }
  }

  /** What worked before works again, and goes on doing so for a moment. */
  async #gate(before: Facts): Promise<void> {
    const { clock } = this.#options
    const deadline = clock.elapsed() + gateMs
    let [well, refused] = [0, 0]
    for (;;) {
      const now = this.#running.facts()
      const missing = lost(before, now, this.#running.config)
      well = missing.length === 0 ? well + 1 : 0
      refused = isRefused(before, now, this.#running.config) ? refused + 1 : 0
      if (well === wellLooks) return
      if (refused === wellLooks || clock.elapsed() >= deadline) throw new TakenBack(missing.join('; '))
      this.#set({ state: 'checking', reason: missing.join('; '), until: isoTime(clock.now() + deadline - clock.elapsed()) })
      await pause(clock, lookMs)
    }
  }

  async #confirmation(): Promise<void> {
    const { clock } = this.#options
    const { promise, resolve } = Promise.withResolvers<string | null>()
    this.#answer = resolve
    const timer = clock.after(confirmMs, () => resolve(`it was not confirmed within ${confirmMs / 1000} s`))
    this.#set({ state: 'unconfirmed', reason: 'pbx config confirm', until: isoTime(clock.now() + confirmMs) })
    const reason = await promise
    timer.cancel()
    if (reason !== null) throw new TakenBack(reason)
  }

  #commit(order: ApplyOrder, text: string, plan: Plan): void {
    const { configFile, keep, log, revisions } = this.#options
    const { file, over } = this.#written(configFile!, text)
    const known = over === undefined || revisions.get(this.#inUse.revision ?? 0)?.over === over
    const same = this.#inUse.text === text && plan.changes.length === 0 && known
    const facts = { ...this.#facts(order, text, plan), outcome: 'applied', reason: '', ...(over === undefined ? {} : { over }) } as const
    this.#inUse = { text, revision: same ? this.#inUse.revision : this.#kept(facts) }
    const { revision } = this.#inUse
    if (file !== '') this.#askRoot()
    keep(this.#running.config)
    this.#running.settled()
    log.info({ revision, changes: plan.changes.length }, 'the configuration was changed')
    this.#set({ state: 'applied', reason: '', until: null, revision, file })
  }

  /** A service may not write below /etc: root does it, or the program that applied the change. `over`: what the file says until then. */
  #written(file: string, text: string): { readonly file: string; readonly over?: string } {
    let before = ''
    try {
      before = readFileSync(file, 'utf8')
    } catch {
      // The file cannot be read: it is written below.
    }
    const fault = before === text ? '' : writeConfigFile(file, text)
    return fault === '' ? { file: '' } : { file: fault, over: stampOf(before) }
  }

  /** By the change of a file that says nothing, pbxd-config.path has root write what was applied: pbx config write. */
  #askRoot(): void {
    try {
      writeFileSync(join(dirname(this.#running.config.control.socket), dueFile), '')
    } catch (error) {
      this.#options.log.warn({ err: error }, 'nobody could be asked to write the configuration file')
    }
  }

  #facts({ by, note = '' }: ApplyOrder, text: string, { changes }: Plan) {
    return { at: this.#options.clock.now(), by, note, changes: changes.length, summary: changes.slice(0, 5).map(inWords), text }
  }

  /** null where it could not be kept: the change itself is not held up by that. */
  #kept(revision: Omit<Revision, 'revision'>): number | null {
    const { revisions, log } = this.#options
    try {
      return revisions.add(revision).revision
    } catch (error) {
      log.error({ err: error }, 'a revision of the configuration could not be kept')
      return null
    }
  }

  #set(change: Partial<ConfigUnderWayView>): void {
    if (this.#change !== null) this.#change = { ...this.#change, ...change }
  }

  #textOf(given?: string): string {
    const { configFile } = this.#options
    if (configFile === null)
      throw new ApiError(
        'not_supported',
        'The daemon runs on its built-in configuration: start it with a file, npm start -- --config FILE.',
      )
    return given ?? (this.fileFault()?.kind === 'behind' ? this.#inUse.text! : readConfigFile(configFile))
  }

  #parse(text: string): Loaded {
    return parseConfig(text, this.#options.configFile ?? '')
  }

  /** By default what the file says now. */
  #load(text?: string): Loaded {
    try {
      return this.#parse(this.#textOf(text))
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      const details = error.faults.slice(0, 20).map(({ path, text: message }) => ({ path, message }))
      throw new ApiError('validation_failed', faultsInFile(error.faults), { details })
    }
  }

  #revision(number: number): Revision {
    const found = this.#options.revisions.get(number)
    if (found === null) throw new ApiError('not_found', `There is no revision ${number}: see "pbx config history".`)
    return found
  }

  #before(): Revision {
    const older = this.#options.revisions
      .list()
      .filter(({ outcome, text }) => outcome === 'applied' && text !== this.#inUse.text)
      .find(({ revision }) => revision < (this.#inUse.revision ?? Infinity))
    if (older === undefined) throw new ApiError('not_found', 'There is no earlier revision: see "pbx config history".')
    return older
  }
}

/**
 * Otherwise with the file: it would change something at the next start, or it would be refused. `behind`: it could not be written, and the
 * next start uses what was applied.
 */
export interface FileFault {
  readonly kind: 'other' | 'refused' | 'behind'
  readonly text: string
}

class TakenBack extends Error {}
