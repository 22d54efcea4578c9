/** Codes by which people set their own phone: do not disturb, and where its calls go. */
import type { Config } from '../../schema/config.ts'
import type { ExtensionSettings, SettingsOfExtensions } from './settings.ts'
import { forwardTarget } from './forwards.ts'
import type { Feature, Features } from '../../routing/desks.ts'
import type { Attendant, PhraseName } from '../codes/attendant.ts'

export interface PhoneSettingsOptions {
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
