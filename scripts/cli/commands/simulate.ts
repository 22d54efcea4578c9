/** pbx simulate inbound: an application's dialogue without a phone. */
import { wavBytes } from '../../../drivers/wav.ts'
import type { SimulateEvent } from '../../../daemon/schema/simulate.ts'
import { writeNamed } from '../../../daemon/base/owner.ts'
import { CommandError, exitCode } from '../client.ts'
import type { Context } from '../context.ts'
import { bold, dim, duration, print } from '../output.ts'
import { readGiven } from '../owner.ts'
import { entryLine } from './trace.ts'

interface Options {
  from: string
  to: string
  keys?: string[]
  say?: string
  play?: string
  save?: string
  speed: number
}

/** Ends with 1 when the call ended in a way an application's author would call a failure. */
const failures: readonly string[] = ['app-error', 'failed', 'media-timeout', 'rejected']

export async function inbound({ json, client }: Context, options: Options): Promise<number> {
  const { from, to, keys = [], say = '', speed, save } = options
  const play = options.play === undefined ? {} : { play: readGiven(options.play).toString('base64') }
  const hear = save === undefined ? {} : { hear: true }
  const heard: Buffer[] = []
  let endReason = ''
  await (
    await client()
  ).stream<SimulateEvent>('/api/simulate', { from, to, keys, say, speed, ...play, ...hear }, (event) => {
    if (event.type === 'heard') return void heard.push(Buffer.from(event.payload, 'base64'))
    if (event.type === 'ended') endReason = event.endReason
    print(json ? JSON.stringify(event) : eventLine(event))
  })
  if (save !== undefined) saveWav(save, Buffer.concat(heard))
  if (endReason === '') throw new CommandError('the simulated call did not end')
  return failures.includes(endReason) ? exitCode.failed : exitCode.done
}

function saveWav(path: string, audio: Buffer): void {
  try {
    writeNamed(path, wavBytes(new Int16Array(new Uint8Array(audio).buffer)))
  } catch (error) {
    throw new CommandError(`${path} cannot be written: ${(error as Error).message}`)
  }
  print(dim(`${path}: ${duration(audio.length / 16_000)} of what the caller heard`))
}

function eventLine(event: Exclude<SimulateEvent, { type: 'heard' }>): string {
  if (event.type === 'started') return dim(`simulated call ${event.callId}`)
  if (event.type === 'trace') return entryLine(event.entry)
  return `${bold(event.endReason)}: talked ${duration(event.talkSeconds)}`
}
