/** The extensions as clients outside the daemon see them, and the changes that their people make. */
import type { LineStatus } from '../../../drivers/line.ts'
import type { Calls } from '../../calls/calls.ts'
import { ApiError } from '../../base/errors.ts'
import type { Config, ExtensionConfig } from '../../schema/config.ts'
import type { ExtensionChange, ExtensionView } from '../../schema/extensions.ts'
import { type SettingsOfExtensions, type ExtensionSettings, isEngaged } from './settings.ts'
import { forwardTarget } from './extensions.ts'
import type { Feature, Features } from '../../routing/desks.ts'
import type { Attendant, PhraseName } from '../codes/attendant.ts'

/** Codes by which people set their own phone: do not disturb, and where its calls go. */
interface PhoneSettingsOptions {
  readonly config: Config
  readonly settings: SettingsOfExtensions
  readonly attendant: Attendant
}

type Forward = Extract<keyof ExtensionSettings, `forward${string}`>

export function phoneSettings({ config, settings, attendant }: PhoneSettingsOptions) {
  const change =
    (changes: Partial<ExtensionSettings>, said: PhraseName): Feature =>
    async (call, extension) => {
      await settings.change(extension, changes)
      await attendant.say(call, said)
      return null
    }
  const forward =
    (key: Forward): Feature =>
    async (call, number, argument) => {
      const extension = config.extensions.find((candidate) => candidate.number === number)
      const target = extension === undefined ? { refused: 'There is no such extension.' } : forwardTarget(config, extension, argument)
      if ('refused' in target) {
        call.note('warning', `not forwarded: ${target.refused}`)
        await attendant.say(call, 'numberRefused')
        return null
      }
      await settings.change(number, { [key]: argument })
      await attendant.say(call, key, argument)
      return null
    }
  return {
    doNotDisturbOn: change({ doNotDisturb: true }, 'doNotDisturbOn'),
    doNotDisturbOff: change({ doNotDisturb: false }, 'doNotDisturbOff'),
    forwardAll: forward('forwardAll'),
    forwardAllOff: change({ forwardAll: null }, 'forwardAllOff'),
    forwardBusy: forward('forwardBusy'),
    forwardBusyOff: change({ forwardBusy: null }, 'forwardBusyOff'),
    forwardNoAnswer: forward('forwardNoAnswer'),
    forwardNoAnswerOff: change({ forwardNoAnswer: null }, 'forwardNoAnswerOff'),
  } satisfies Partial<Features>
}

export interface ExtensionDeskOptions {
  readonly config: Config
  readonly calls: Pick<Calls, 'live'>
  readonly settings: SettingsOfExtensions
  readonly lines: () => readonly LineStatus[]
}

export class ExtensionDesk {
  readonly #options: ExtensionDeskOptions

  constructor(options: ExtensionDeskOptions) {
    this.#options = options
  }

  list(): readonly ExtensionView[] {
    const lines = this.#options.lines()
    return this.#options.config.extensions.map((extension) => this.#view(extension, lines))
  }

  /** `record` runs in the transaction. Throws ApiError: not_found, number_invalid. */
  async change(number: string, changes: ExtensionChange, record: () => void): Promise<ExtensionView> {
    const { config, settings } = this.#options
    const extension = config.extensions.find((candidate) => candidate.number === number)
    if (extension === undefined) throw new ApiError('not_found', `There is no extension ${number}.`)
    for (const dialled of [changes.forwardAll, changes.forwardBusy, changes.forwardNoAnswer]) {
      const target = dialled == null ? null : forwardTarget(config, extension, dialled)
      if (target !== null && 'refused' in target)
        throw new ApiError('number_invalid', `${number} cannot forward to ${dialled}. ${target.refused}`)
    }
    await settings.change(number, changes, record)
    return this.#view(extension)
  }

  #view({ number, name }: ExtensionConfig, lines = this.#options.lines()): ExtensionView {
    const { calls, settings, config } = this.#options
    const mailbox = config.mailboxes.some(({ ext }) => ext === number)
    const line = lines.find(({ id, kind }) => kind === 'extension' && id === number)
    return { number, name, state: line?.state ?? 'unknown', talking: isEngaged(calls.live(), number), mailbox, ...settings.of(number) }
  }
}
