/** The commands of `pbx extensions`. */
import type { Command } from 'commander'
import type { Finish, Group } from './speech-commands.ts'

export function extensionsCommand(group: Group, finish: Finish): Command {
  return finish(
    group('extensions', 'the phones of the house: state, do not disturb, forwards')
      .argument('[number]', 'only this one')
      .argument('[setting...]', 'dnd on|off, or forward all|busy|no-answer NUMBER|off'),
    async () => (await import('./commands/extensions.ts')).extensions,
    [
      'pbx extensions',
      'pbx extensions 101',
      'pbx extensions 101 dnd on',
      'pbx extensions 101 forward all +15551230000',
      'pbx extensions 101 forward no-answer off',
    ],
  )
}
