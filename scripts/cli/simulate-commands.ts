/** The commands of `pbx simulate`. */
import { InvalidArgumentError, type Command } from 'commander'
import { positive } from './numbers.ts'
import type { Finish, Group } from './speech-commands.ts'

export function simulateCommand(group: Group, finish: Finish): Command {
  const simulate = group('simulate', 'calls without a phone')
  simulate.addCommand(
    finish(
      group('inbound', 'a call from outside through the whole voice path; prints each event and document as they happen')
        .requiredOption('--from <number>', 'the caller')
        .requiredOption('--to <number>', 'the number that was dialled')
        .option('--keys <keys>', 'keys the caller presses, one group for each prompt: 1,2,12#', keys)
        .option('--say <text>', 'what the caller says when asked to speak')
        .option('--play <file>', 'a WAV file that the caller plays once the call is answered, to a stream for example')
        .option('--save <file>', 'a WAV file of what the caller hears')
        .option('--speed <factor>', 'how much faster than real time', positive, 1),
      async () => (await import('./commands/simulate.ts')).inbound,
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
    throw new InvalidArgumentError('Keys are 0-9 * # A-D; a comma goes to the next prompt.')
  return groups
}
