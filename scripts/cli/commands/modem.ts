/** pbx modem: the modem lines, one of them tried out, the dialogue with one. */
import type { Command } from 'commander'
import type { ModemTestView, ModemTraceLine, ModemView } from '../../../daemon/schema/modems.ts'
import { exitCode } from '../client.ts'
import { type Context, finish, group, late } from '../command.ts'
import { age, bold, dim, green, print, printJson, printRaw, red, table, yellow } from '../output.ts'

export function modemCommand(): Command {
  const modem = group('modem', 'lines on serial modems')
  modem.addCommand(finish(group('list', 'each modem, what it is and what it does'), list, ['pbx modem list']))
  modem.addCommand(
    finish(
      group('scan', 'what is plugged in: each serial device, what answers there, and the line for the configuration').argument(
        '[devices...]',
        'only these',
      ),
      late(async () => (await import('../modem-scan.ts')).scan),
      ['pbx modem scan', 'pbx modem scan /dev/ttyS0'],
    ),
  )
  modem.addCommand(
    finish(
      group('test', 'try a modem out: whether it answers, what it is, whether there is a dial tone; takes it for some seconds')
        .argument('<id>', 'id of the line')
        .option('--voice', 'also how loud the line is, and how much of what is said comes back'),
      test,
      ['pbx modem test line1', 'pbx modem test line1 --voice'],
    ),
  )
  modem.addCommand(
    finish(
      group('trace', 'every command and answer as they happen, long numbers masked; Ctrl-C ends it').argument('<id>', 'id of the line'),
      trace,
      ['pbx modem trace line1'],
    ),
  )
  return modem
}

const words: Readonly<Record<string, string>> = {
  starting: 'being opened',
  ready: 'ready, waits for calls',
  ringing: 'rings',
  dialing: 'dials',
  sending: 'sends a fax',
  receiving: 'receives a fax',
  resetting: 'is being set up',
  unplugged: 'not plugged in',
  faulty: 'of no use',
  stopped: 'stopped',
}

async function list({ json, client }: Context): Promise<void> {
  const view = await (await client()).get<ModemView[]>('/api/modems')
  if (json) return printJson(view)
  if (view.length === 0) return print(dim('none configured: add lines to the configuration'))
  print(
    table(
      ['', 'ID', 'NUMBER', 'DEVICE', 'STATE', 'FOR', 'WHAT IT IS', 'REASON'],
      view.map((modem) => [
        modem.ok ? '✓' : '✗',
        modem.id,
        modem.number,
        modem.device,
        words[modem.state] ?? modem.state,
        age(modem.since),
        whatItIs(modem),
        modem.reason,
      ]),
    ),
  )
}

function whatItIs({ model, faxClass, modems }: ModemView): string {
  if (faxClass === '') return '-'
  return `${model === '' ? 'a modem' : model}, fax class ${faxClass}, ${modems.join(' ')}`
}

export async function test({ json, client }: Context, id: string, { voice }: { readonly voice?: true } = {}): Promise<number> {
  const view = await (await client()).post<ModemTestView>(`/api/modems/${encodeURIComponent(id)}/test`, { voice: voice === true })
  const { test: found } = view
  const toneMissing = found?.dialTone === 'none' && !view.blindDial
  const well = found !== null && found.answered && !toneMissing
  if (json) {
    printJson(view)
    return well ? exitCode.done : exitCode.failed
  }
  print(`${bold(view.id)}  ${view.device}`)
  if (found === null) {
    print(`${red('✗')} cannot be tried now: ${words[view.state] ?? view.state}${view.reason === '' ? '' : ` (${view.reason})`}`)
    return exitCode.failed
  }
  if (!found.answered) {
    print(`${red('✗')} does not answer: is it switched on, and is ${view.device} the modem?`)
    return exitCode.failed
  }
  print(`${green('✓')} answers`)
  if (found.identification.length > 0) print(`${green('✓')} it is ${found.identification.join(', ')}`)
  print(`${green('✓')} fax classes ${found.classes}; used: ${view.faxClass}, ${view.modems.join(' ')}`)
  if (found.dialTone === 'heard') print(`${green('✓')} the line gives a dial tone`)
  else if (found.dialTone === 'unknown') print(`${yellow('!')} the modem does not say whether there is a dial tone`)
  else if (toneMissing) print(`${red('✗')} no dial tone: is the telephone cable plugged in? An exchange without one needs blindDial: true`)
  else print(`${yellow('!')} no dial tone; blindDial is on, so the line dials all the same`)
  if (voice === true) showLevels(found.levels)
  return well ? exitCode.done : exitCode.failed
}

type Levels = NonNullable<ModemTestView['test']>['levels']

function showLevels(levels: Levels): void {
  if (levels === null) return print(`${yellow('!')} no levels: the modem has no voice, or the line is not for it (roles)`)
  const { dialTone, noise, echoLoss } = levels
  const said = (db: number | null): string => (db === null ? 'not heard' : `${db} dB`)
  const loud = dialTone !== null && dialTone > -6
  const quiet = dialTone === null || dialTone < -30
  print(`${loud || quiet ? yellow('!') : green('✓')} dial tone ${said(dialTone)}${gainFor(loud, quiet)}`)
  const near = noise !== null && dialTone !== null && dialTone - noise < 20
  print(
    `${near ? yellow('!') : green('✓')} without it ${said(noise)}${near ? ': less than 20 dB quieter, so callers are hard to tell from the line' : ''}`,
  )
  if (echoLoss === null) return print(`${dim('-')} no echo: the modem does not hear while it speaks`)
  const echo = echoLoss < 6 ? ": much; a smaller AT+VGT in the line's setup lessens it" : ''
  print(`${echo === '' ? green('✓') : yellow('!')} of what is said ${said(-echoLoss)} comes back${echo}`)
}

function gainFor(loud: boolean, quiet: boolean): string {
  if (loud) return ': too loud; setup: [AT+VGR=120] on the line makes it quieter'
  return quiet ? ': too quiet; setup: [AT+VGR=140] on the line makes it louder' : ''
}

async function trace({ json, client }: Context, id: string): Promise<void> {
  if (!json) print(dim(`the dialogue with ${id}; Ctrl-C ends it`))
  await (
    await client()
  ).stream<ModemTraceLine>(`/api/modems/${encodeURIComponent(id)}/trace`, undefined, (line) => {
    if (json) return printRaw(JSON.stringify(line))
    print(`${dim(line.at.slice(11, 23))} ${line.sent ? bold(`> ${line.text}`) : `< ${line.text}`}`)
  })
}
