/** pbx simulate inbound: an application's dialogue without a phone. */
import type { SimulateEvent } from '../../../daemon/schema/simulate.ts'
import { CommandError, exitCode } from '../client.ts'
import type { Context } from '../context.ts'
import { bold, dim, duration, print } from '../output.ts'
import { entryLine } from './trace.ts'

interface Options {
  from: string
  to: string
  keys?: string[]
  say?: string
  speed: number
}

/** Ends with 1 when the call ended in a way an application's author would call a failure. */
const failures: readonly string[] = ['app-error', 'failed', 'media-timeout', 'rejected']

export async function inbound({ json, client }: Context, options: Options): Promise<number> {
  const { from, to, keys = [], say = '', speed } = options
  let endReason = ''
  await (
    await client()
  ).stream<SimulateEvent>('/api/simulate', { from, to, keys, say, speed }, (event) => {
    if (event.type === 'ended') endReason = event.endReason
    print(json ? JSON.stringify(event) : eventLine(event))
  })
  if (endReason === '') throw new CommandError('the simulated call did not end')
  return failures.includes(endReason) ? exitCode.failed : exitCode.done
}

function eventLine(event: SimulateEvent): string {
  if (event.type === 'started') return dim(`simulated call ${event.callId}`)
  if (event.type === 'trace') return entryLine(event.entry)
  return `${bold(event.endReason)}: talked ${duration(event.talkSeconds)}`
}
