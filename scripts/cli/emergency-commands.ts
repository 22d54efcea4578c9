/** The commands of `pbx emergency`. */
import type { Command } from 'commander'
import type { Finish, Group } from './speech-commands.ts'

export function emergencyCommand(group: Group, finish: Finish): Command {
  const emergency = group('emergency', 'calls for help')
  emergency.addCommand(
    finish(
      group('test', "call the provider's test number (933), hear what it reads back and keep it; takes up to two minutes").option(
        '--trunk <id>',
        'through this trunk; by default the first one of calls for help',
      ),
      async () => (await import('./commands/emergency.ts')).test,
      ['pbx emergency test', 'pbx emergency test --trunk backup'],
    ),
  )
  return emergency
}
