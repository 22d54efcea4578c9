/** pbx simulate inbound: an application's dialogue without a phone. */
import { type Command, InvalidArgumentError } from 'commander'
import { writeNamed } from '../../../daemon/base/owner.ts'
import type { SimulateEvent } from '../../../daemon/schema/simulate.ts'
import { wavBytes } from '../../../drivers/wav.ts'
import { CommandError, exitCode } from '../client.ts'
import { type Context, finish, group, positive } from '../command.ts'
import { bold, dim, duration, print } from '../output.ts'
import { readGiven } from '../owner.ts'
import { entryLine } from './calls.ts'

export function simulateCommand(): Command {
  const simulate = group('simulate', 'simulate calls without a phone')
  simulate.addCommand(
    finish(
      group('inbound', 'simulate a call from outside through the whole voice path; prints each event and document as they happen')
        .requiredOption('--from <number>', 'the caller')
        .requiredOption('--to <number>', 'the number that was dialled')
        .option('--keys <keys>', 'keys that the caller presses, one group for each prompt: 1,2,12#', keys)
        .option('--say <text>', 'what the caller says when asked to speak')
        .option('--play <file>', 'a WAV file that the caller plays once the call is answered, for example to a stream')
        .option('--save <file>', 'save what the caller hears as a WAV file')
        .option('--speed <factor>', 'how many times faster than real time', positive, 1),
      inbound,
      [
        'pbx simulate inbound --from +15551230001 --to +15550001000',
        'pbx simulate inbound --from 5551230001 --to 5550001000 --keys 1,2 --speed 20',
        'pbx simulate inbound --from 101 --to 700 --play question.wav --save answer.wav',
      ],
    ),
  )
  return simulate
}

function keys(text: string): string[] {
  const groups = text.split(',').filter((part) => part !== '')
  if (groups.some((part) => !/^[0-9*#A-D]{1,32}$/.test(part)))
    throw new InvalidArgumentError('Keys are 0-9 * # A-D; a comma separates the keys for the next prompt.')
  return groups
}

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

async function inbound({ json, client }: Context, options: Options): Promise<number> {
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
