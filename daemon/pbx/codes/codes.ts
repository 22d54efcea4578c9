/** The feature codes of the house, put together: a code of a further capability is a line of `features` and one of the catalogue. */
import type { Config } from '../../schema/config.ts'
import type { Store } from '../../store/store.ts'
import type { SettingsOfExtensions } from '../extension-settings.ts'
import { Attendant, type AttendantOptions } from './attendant.ts'
import { callCodes } from './call-codes.ts'
import { FeatureCodes } from './features.ts'
import { queueCodes, type QueueCodesOptions } from './queue-codes.ts'
import { hoursCodes, type HoursCodesOptions } from './hours-codes.ts'
import { mailboxCodes, type MailboxCodesOptions } from './mailbox-codes.ts'
import { phoneSettings } from './phone-settings.ts'

export interface CodesOptions extends AttendantOptions, HoursCodesOptions, MailboxCodesOptions {
  readonly config: Config
  readonly store: Store
  readonly settings: SettingsOfExtensions
  readonly queues: QueueCodesOptions['queues']
}

export interface HouseCodes {
  readonly codes: FeatureCodes
  readonly attendant: Attendant
}

export function createCodes(options: CodesOptions): HouseCodes {
  const attendant = new Attendant(options)
  const tools = { ...options, attendant }
  const features = {
    ...phoneSettings(tools),
    ...callCodes(tools),
    ...queueCodes(tools),
    ...mailboxCodes(options),
    ...hoursCodes(tools),
  }
  return { attendant, codes: new FeatureCodes(options.config.featureCodes, features, attendant) }
}
