/** The code by which members log in to their queues, and out. */
import type { Queues } from './queues.ts'
import type { Attendant } from '../codes/attendant.ts'
import type { Features } from '../../routing/desks.ts'

export interface QueueCodesOptions {
  readonly attendant: Attendant
  readonly queues: Pick<Queues, 'toggle'>
}

export function queueCodes({ attendant, queues }: QueueCodesOptions) {
  return {
    queueLogin: async (call, extension) => {
      const now = await queues.toggle(extension)
      await attendant.say(call, now === null ? 'noQueue' : now === 'in' ? 'queueIn' : 'queueOut')
      return null
    },
  } satisfies Partial<Features>
}
