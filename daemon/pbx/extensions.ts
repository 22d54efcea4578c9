/** A call to an extension: its phones ring, and where nobody takes the call it goes on as the configuration says. */
import type { Call } from '../calls/call.ts'
import type { Calls } from '../calls/calls.ts'
import type { Clock } from '../clock.ts'
import type { Destinations, TakeRequest } from '../routing/destinations.ts'
import { takeToExtension } from '../routing/extension.ts'
import type { Outcome, Taken } from '../routing/taken.ts'
import type { Trunks } from '../routing/trunks.ts'
import type { Config, ExtensionConfig } from '../schema/config.ts'
import { isEngaged } from './presence.ts'
import { sendAfter } from './send-after.ts'

export interface ExtensionsOptions {
  readonly config: Config
  readonly calls: Pick<Calls, 'live'>
  readonly trunks: Trunks
  readonly send: Destinations['send']
  readonly clock: Clock
}

export async function takeToHouseExtension(options: ExtensionsOptions, call: Call, number: string, request: TakeRequest): Promise<Taken> {
  const { config, calls, send } = options
  const extension = config.extensions.find((candidate) => candidate.number === number)
  const engaged = extension?.callWaiting === false && isEngaged(calls.live(), number)
  if (engaged) call.note('leg', `extension ${number} is on the telephone`)
  const taken: Taken = engaged
    ? { outcome: 'busy', sipCode: 486, text: 'on the telephone' }
    : await takeToExtension(options, call, number, { ...request, timeoutSeconds: request.timeoutSeconds ?? extension?.ringSeconds ?? 25 })
  return sendAfter(send, call, request, taken, extension && onwards(extension, taken.outcome), `extension ${number}`)
}

/** A phone that answers with an error is as good as none. */
function onwards({ onBusy, onNoAnswer, onUnreachable }: ExtensionConfig, outcome: Outcome): string | undefined {
  switch (outcome) {
    case 'busy':
    case 'refused':
      return onBusy
    case 'no-answer':
      return onNoAnswer
    case 'unreachable':
    case 'failed':
      return onUnreachable
    case 'answered':
    case 'canceled':
      return undefined
  }
}
