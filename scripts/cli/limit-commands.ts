/** The commands of `pbx limits`. */
import type { Command } from 'commander'
import type { Finish, Group } from './speech-commands.ts'

export function limitsCommand(group: Group, finish: Finish): Command {
  const load = () => import('./commands/limits.ts')
  const limits = finish(
    group('limits', 'what the box and each token used of the day: texts, faxes, call minutes'),
    async () => (await load()).list,
    ['pbx limits', 'pbx limits --json', 'pbx limits reset --token booking-system'],
  )
  limits.enablePositionalOptions()
  limits.addCommand(
    finish(
      group('reset', 'let today begin anew, once you know what used it up').option('--token <name>', 'only for this access token'),
      async () => (await load()).reset,
      ['pbx limits reset', 'pbx limits reset --token booking-system'],
    ),
  )
  return limits
}
