/** The commands of `pbx modem`. */
import type { Command } from 'commander'
import type { Finish, Group } from './speech-commands.ts'

export function modemCommand(group: Group, finish: Finish): Command {
  const modem = group('modem', 'lines on serial modems')
  modem.addCommand(
    finish(group('list', 'each modem, what it is and what it does'), async () => (await import('./commands/modem.ts')).list, [
      'pbx modem list',
    ]),
  )
  modem.addCommand(
    finish(
      group('scan', 'what is plugged in: each serial device, what answers there, and the line for the configuration').argument(
        '[devices...]',
        'only these',
      ),
      async () => (await import('./commands/modem-scan.ts')).scan,
      ['pbx modem scan', 'pbx modem scan /dev/ttyS0'],
    ),
  )
  modem.addCommand(
    finish(
      group('test', 'try a modem out: whether it answers, what it is, whether there is a dial tone; takes it for some seconds')
        .argument('<id>', 'id of the line')
        .option('--voice', 'also how loud the line is, and how much of what is said comes back'),
      async () => (await import('./commands/modem.ts')).test,
      ['pbx modem test line1', 'pbx modem test line1 --voice'],
    ),
  )
  modem.addCommand(
    finish(
      group('trace', 'every command and answer as they happen, long numbers masked; Ctrl-C ends it').argument('<id>', 'id of the line'),
      async () => (await import('./commands/modem.ts')).trace,
      ['pbx modem trace line1'],
    ),
  )
  return modem
}
