/** pbx pair: two machines that are one box. */
import { type Command, InvalidArgumentError } from 'commander'
import { finish, group, late } from '../command.ts'

export function pairCommand(): Command {
  const pair = group('pair', 'two machines that are one box: which serves, whether the other could, and a switch; see docs/pair.md')
  pair.addCommand(
    finish(
      group('status', 'show which machine serves and which stands by; exit code 1 if one of them could not'),
      late(async () => (await import('../pair/run.ts')).status),
      ['pbx pair status', 'pbx pair status --json'],
    ),
  )
  pair.addCommand(
    finish(
      group('switch', 'let the other machine serve; it waits until no call is in progress')
        .option('--wait <time>', 'how long it waits: 90s, 30m, 2h; then it gives up', seconds, 1800)
        .option('--now', 'do not wait: calls in progress end'),
      late(async () => (await import('../pair/run.ts')).change),
      ['pbx pair switch', 'pbx pair switch --wait 2h', 'pbx pair switch --now'],
    ),
  )
  pair.addCommand(
    finish(
      group('test', 'check what a takeover needs: witness, watchdog or fence, disk, files, versions, clocks; exit code 1 if one fails'),
      late(async () => (await import('../pair/check.ts')).check),
      ['pbx pair test'],
    ),
  )
  pair.addCommand(
    finish(
      group('start', 'serve on this machine without a majority, after the other and the witness have been lost')
        .requiredOption('--alone', 'you have switched the other machine off; if it serves, both will')
        .option('--yes', 'do not ask'),
      late(async () => (await import('../pair/run.ts')).startAlone),
      ['pbx pair start --alone'],
    ),
  )
  return pair
}

const units: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 }

function seconds(text: string): number {
  const [, count = '', unit = 's'] = /^(\d{1,5})([smh])?$/.exec(text) ?? []
  const total = Number(count) * (units[unit] ?? 1)
  if (count === '' || total > 86_400) throw new InvalidArgumentError('Give a time of at most one day, such as 90s, 30m or 2h.')
  return total
}
