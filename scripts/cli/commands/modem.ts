/** pbx modem: the modem lines, one of them tried out, the dialogue with one. */
import type { Command } from 'commander'
import type { ModemTestView, ModemTraceLine, ModemView } from '../../../daemon/schema/modems.ts'
import { exitCode } from '../client.ts'
import { type Context, finish, group, late } from '../command.ts'
import { age, bold, dim, green, print, printJson, printRaw, red, table, yellow } from '../output.ts'

export function modemCommand(): Command {
  const modem = group('modem', 'telephone lines on modems')
  modem.addCommand(finish(group('list', 'list the modems with model and state'), list, ['pbx modem list']))
  modem.addCommand(
    finish(
      group('scan', 'find modems: each serial device, what answers there, and the line for the configuration').argument(
        '[devices...]',
        'only these devices',
      ),
      late(async () => (await import('../modem-scan.ts')).scan),
      ['pbx modem scan', 'pbx modem scan /dev/ttyS0'],
    ),
  )
  modem.addCommand(
    finish(
      group('test', 'test a modem: does it answer, which model is it, is there a dial tone; the modem is busy for some seconds')
        .argument('<id>', 'id of the line')
        .option('--voice', 'also measure the levels and the echo of the line'),
      test,
      ['pbx modem test line1', 'pbx modem test line1 --voice'],
    ),
  )
  modem.addCommand(
    finish(
      group('trace', 'print every command and answer as they happen, with long numbers masked; Ctrl-C ends it').argument(
        '<id>',
        'id of the line',
      ),
      trace,
      ['pbx modem trace line1'],
    ),
  )
  return modem
}

const words: Readonly<Record<string, string>> = {
  starting: 'being opened',
  ready: 'ready for calls',
  ringing: 'ringing',
  dialing: 'dialing',
  sending: 'sending a fax',
  receiving: 'receiving a fax',
  resetting: 'being set up',
  unplugged: 'not plugged in',
  faulty: 'faulty',
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

async function test({ json, client }: Context, id: string, { voice }: { readonly voice?: true } = {}): Promise<number> {
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
    print(`${red('✗')} cannot be tested now: ${words[view.state] ?? view.state}${view.reason === '' ? '' : ` (${view.reason})`}`)
    return exitCode.failed
  }
  if (!found.answered) {
    print(`${red('✗')} does not answer: is it switched on, and is ${view.device} the modem?`)
    return exitCode.failed
  }
  print(`${green('✓')} answers`)
  if (found.identification.length > 0) print(`${green('✓')} model: ${found.identification.join(', ')}`)
  print(`${green('✓')} fax classes ${found.classes}; in use: ${view.faxClass}, ${view.modems.join(' ')}`)
  if (found.dialTone === 'heard') print(`${green('✓')} the line gives a dial tone`)
  else if (found.dialTone === 'unknown') print(`${yellow('!')} the modem does not report whether there is a dial tone`)
  else if (toneMissing)
    print(`${red('✗')} no dial tone: is the telephone cable plugged in? For a line without dial tone, set blindDial: true`)
  else print(`${yellow('!')} no dial tone; blindDial is on, so the line dials anyway`)
  if (voice === true) showLevels(found.levels)
  return well ? exitCode.done : exitCode.failed
}

type Levels = NonNullable<ModemTestView['test']>['levels']

function showLevels(levels: Levels): void {
  if (levels === null) return print(`${yellow('!')} no levels: the modem has no voice mode, or voice is not in the roles of the line`)
  const { dialTone, noise, echoLoss } = levels
  const said = (db: number | null): string => (db === null ? 'not heard' : `${db} dB`)
  const loud = dialTone !== null && dialTone > -6
  const quiet = dialTone === null || dialTone < -30
  print(`${loud || quiet ? yellow('!') : green('✓')} dial tone ${said(dialTone)}${gainFor(loud, quiet)}`)
  const near = noise !== null && dialTone !== null && dialTone - noise < 20
  print(
    `${near ? yellow('!') : green('✓')} noise ${said(noise)}${near ? ': less than 20 dB below the dial tone, so callers are hard to hear' : ''}`,
  )
  if (echoLoss === null) return print(`${dim('-')} echo not measured: the modem is half duplex`)
  const echo = echoLoss < 6 ? ": strong; a smaller AT+VGT in the line's setup reduces it" : ''
  print(`${echo === '' ? green('✓') : yellow('!')} echo ${said(-echoLoss)}${echo}`)
}

function gainFor(loud: boolean, quiet: boolean): string {
  if (loud) return ': too loud; setup: [AT+VGR=120] on the line makes it quieter'
  return quiet ? ': too quiet; setup: [AT+VGR=140] on the line makes it louder' : ''
}

async function trace({ json, client }: Context, id: string): Promise<void> {
  if (!json) print(dim(`commands and answers of ${id}; Ctrl-C ends it`))
  await (
    await client()
  ).stream<ModemTraceLine>(`/api/modems/${encodeURIComponent(id)}/trace`, undefined, (line) => {
    if (json) return printRaw(JSON.stringify(line))
    print(`${dim(line.at.slice(11, 23))} ${line.sent ? bold(`> ${line.text}`) : `< ${line.text}`}`)
  })
}
