/** pbx extensions: the phones of the house, and what is set of them. */
import type { Command } from 'commander'
import type { ExtensionChange, ExtensionView } from '../../../daemon/schema/extensions.ts'
import { CommandError, exitCode } from '../client.ts'
import { type Context, finish, group } from '../command.ts'
import { dim, print, printJson, table } from '../output.ts'

export function extensionsCommand(): Command {
  return finish(
    group('extensions', 'show extensions: state, do not disturb, forwards; or change them')
      .argument('[number]', 'show only this extension')
      .argument('[setting...]', 'dnd on|off, or forward all|busy|no-answer NUMBER|off'),
    extensions,
    [
      'pbx extensions',
      'pbx extensions 101',
      'pbx extensions 101 dnd on',
      'pbx extensions 101 forward all +15551230000',
      'pbx extensions 101 forward no-answer off',
    ],
  )
}

const forwards: Readonly<Record<string, keyof ExtensionChange>> = { all: 'forwardAll', busy: 'forwardBusy', 'no-answer': 'forwardNoAnswer' }

async function extensions({ json, client }: Context, number: string | undefined, setting: readonly string[]): Promise<void> {
  const box = await client()
  if (number === undefined || setting.length === 0) {
    const all = await box.get<ExtensionView[]>('/api/extensions')
    const view = all.filter((extension) => number === undefined || extension.number === number)
    if (number !== undefined && view.length === 0) throw new CommandError(`There is no extension ${number}.`)
    return show(json, view)
  }
  show(json, [await box.post<ExtensionView>(`/api/extensions/${encodeURIComponent(number)}`, changeOf(setting))])
}

function changeOf([what, which = '', to = '', ...rest]: readonly string[]): ExtensionChange {
  if (what === 'dnd' && (which === 'on' || which === 'off') && to === '') return { doNotDisturb: which === 'on' }
  const key = forwards[which]
  if (what === 'forward' && key !== undefined && to !== '' && rest.length === 0)
    return { [key]: to === 'off' ? null : to.replaceAll(/[\s().-]/g, '') }
  throw new CommandError('Write dnd on|off, or forward all|busy|no-answer NUMBER|off.', { exit: exitCode.usage })
}

function show(json: boolean, view: readonly ExtensionView[]): void {
  if (json) return printJson(view)
  if (view.length === 0) return print(dim('none configured: add extensions to the configuration'))
  print(
    table(
      ['NUMBER', 'NAME', 'STATE', 'TALKING', 'DO NOT DISTURB', 'ALL TO', 'BUSY TO', 'NO ANSWER TO'],
      view.map(({ number, name, state, talking, doNotDisturb, forwardAll, forwardBusy, forwardNoAnswer }) => [
        number,
        name,
        state,
        talking ? 'yes' : '',
        doNotDisturb ? 'on' : '',
        forwardAll ?? '',
        forwardBusy ?? '',
        forwardNoAnswer ?? '',
      ]),
    ),
  )
}
