/** The text of the configuration as people change it on a page: without its secrets, and so that nobody undoes what another one has done. */
import { createHash } from 'node:crypto'
import { ApiError } from '../base/errors.ts'
import type { ConfigChange, ConfigCheckView, ConfigTextView, ConfigUnderWayView } from '../schema/config/change.ts'
import type { ApplyOrder, ConfigDesk } from './desk.ts'
import { ConfigError, type ConfigFault } from './load.ts'
import { SecretMarks, withoutSecrets, type Unmasked } from './masked.ts'
import type { Revisions } from './revisions.ts'
import { faultInFile, faultsInFile } from './source.ts'

/** A revision, or that and the file as they were when somebody began to change them. */
export type Base = number | string

export interface ConfigTextsOptions {
  readonly desk: ConfigDesk
  readonly revisions: Pick<Revisions, 'get' | 'maskKey'>
}

export class ConfigTexts {
  readonly #options: ConfigTextsOptions
  #known: SecretMarks | undefined

  constructor(options: ConfigTextsOptions) {
    this.#options = options
  }

  /** What the file says now, or a revision. Throws ApiError `not_found`, `not_supported`. */
  read(revision?: number): ConfigTextView {
    const { desk } = this.#options
    const { text, unread } = revision === undefined ? this.#file() : { text: this.#revision(revision), unread: undefined }
    const checked = unread === undefined ? desk.check(text) : { ...nothing, faults: unread }
    const { revision: inUse, configFile, fileIsOther } = desk.state()
    const masked = this.#marks.masked(text)
    // Its marks are where the secrets were: what is found in the text is shown where that stands now.
    const { placeBefore } = this.#marks.unmasked(masked, [text], '')
    return {
      ...this.#shown(checked, placeBefore, [text]),
      configFile: configFile ?? '',
      revision: inUse,
      base: this.#base(),
      text: masked,
      fileIsOther,
    }
  }

  /** Throws ApiError `revision_changed`. */
  check({ text, base }: { readonly text?: string; readonly base?: Base }): ConfigCheckView {
    const { desk } = this.#options
    if (text === undefined) {
      this.#mustBeCurrent(base, undefined)
      return this.#shown(desk.check(), (place) => place, [this.#file().text])
    }
    const given = this.#given(text, base)
    this.#mustBeCurrent(base, given.text)
    if (given.faults.length > 0) return { ...nothing, faults: given.faults }
    return this.#shown(desk.check(given.text), given.placeBefore, [given.text])
  }

  /** Throws ApiError: revision_changed, and as `ConfigDesk.apply`. */
  apply({ base, ...order }: ApplyOrder & { readonly base?: Base }): ConfigUnderWayView {
    const { desk } = this.#options
    const { text } = order
    if (text === undefined) {
      this.#mustBeCurrent(base, undefined)
      return desk.apply(order)
    }
    const given = this.#given(text, base)
    this.#mustBeCurrent(base, given.text)
    const [unknown] = given.faults
    if (unknown !== undefined)
      throw new ApiError('validation_failed', faultInFile(unknown), { details: [{ path: unknown.path, message: unknown.text }] })
    const { ok, faults } = this.#shown(desk.check(given.text), given.placeBefore, [given.text])
    if (!ok) {
      const details = faults.slice(0, 20).map((fault) => ({ path: fault.path, message: fault.text }))
      throw new ApiError('validation_failed', faultsInFile(faults), { details })
    }
    return desk.apply({ ...order, text: given.text })
  }

  get #marks(): SecretMarks {
    return (this.#known ??= new SecretMarks(this.#options.revisions.maskKey()))
  }

  /** `unread`: why nobody can read it. */
  #file(): { readonly text: string; readonly unread: readonly ConfigFault[] | undefined } {
    try {
      return { text: this.#options.desk.fileText(), unread: undefined }
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      return { text: '', unread: error.faults }
    }
  }

  #revision(number: number): string {
    const found = this.#options.revisions.get(number)
    if (found === null) throw new ApiError('not_found', `There is no revision ${number}.`)
    return found.text
  }

  #given(text: string, base: Base | undefined): Unmasked {
    const { desk, revisions } = this.#options
    const before = base === undefined ? undefined : revisions.get(revisionOf(base))?.text
    const sources = [this.#file().text, desk.textInUse, before].filter((source) => typeof source === 'string')
    return this.#marks.unmasked(text, sources, desk.state().configFile ?? '')
  }

  #base(): string {
    return `${this.#options.desk.state().revision ?? 0}.${createHash('sha256').update(this.#file().text).digest('hex').slice(0, 16)}`
  }

  /** `text`: what is to take its place. */
  #mustBeCurrent(base: Base | undefined, text: string | undefined): void {
    const { desk } = this.#options
    const { revision } = desk.state()
    const now = this.#base()
    if (base === undefined || base === now || (typeof base === 'number' && base === (revision ?? 0))) return
    const sameRevision = revisionOf(base) === (revision ?? 0)
    // Of two who change the file itself, what is in use says nothing.
    const theirs = sameRevision ? desk.difference(this.#file().text) : this.#since(revisionOf(base))
    const yours = text === undefined ? [] : desk.difference(text)
    throw new ApiError('revision_changed', 'Somebody else has changed the configuration meanwhile; compare both before you go on.', {
      extra: { revision, base: now, theirs: theirs ?? [], yours: yours ?? [] },
    })
  }

  #since(revision: number): ConfigChange[] {
    try {
      return this.#options.desk.compare(revision)
    } catch (error) {
      // It is not kept any more, or this version refuses it.
      if (error instanceof ApiError) return []
      throw error
    }
  }

  #shown(checked: ConfigCheckView, placeBefore: Unmasked['placeBefore'], texts: readonly string[]): ConfigCheckView {
    const shown = (fault: ConfigFault): ConfigFault => ({ ...fault, ...placeBefore(fault), text: withoutSecrets(fault.text, texts) })
    return { ...checked, faults: checked.faults.map(shown), warnings: checked.warnings.map(shown) }
  }
}

const revisionOf = (base: Base): number => Number(String(base).split('.')[0])

const nothing: ConfigCheckView = { ok: false, faults: [], warnings: [], changes: [], effect: 'none', confirm: false }
