/** The configuration whose place setup takes: it keeps where the box has its things, and is not thrown away unasked. */
import { existsSync, readFileSync } from 'node:fs'
import { isMap, parseDocument } from 'yaml'
import { ConfigSource, faultLine } from '../../../daemon/config/source.ts'
import { CommandError } from '../client.ts'
import type { Present } from '../../../daemon/setup/document.ts'
import { systemWords } from '../../../daemon/base/errors.ts'

/** `force`: whatever the file says. Otherwise throws CommandError where somebody has set it up, or nobody can read it. */
export function readPresent(file: string, force: boolean): Present {
  const text = existsSync(file) ? readText(file) : ''
  const document = parseDocument(text)
  // Nothing in it, or only remarks: nothing can be lost.
  if (document.contents === null) return {}
  const faults = new ConfigSource(text, file).faults
  if (faults.length > 0 && !force) {
    throw new CommandError(`the existing configuration cannot be read:\n${faults.map((fault) => `  ${faultLine(fault)}`).join('\n')}`, {
      fix: `repair ${file} with pbx config edit, or start from scratch with pbx setup --force, which discards its content`,
    })
  }
  const data = faults.length > 0 ? whatIsLeft(text) : (document.toJS() as Record<string, unknown>)
  if (!force) refuseWhereSetUp(file, data)
  return Object.fromEntries(Object.entries(data).filter(([, value]) => value !== null))
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${systemWords(error)}`, { fix: 'sudo pbx setup' })
  }
}

/** Of broken YAML: most of its sections can still be read, the folder of the store among them. */
function whatIsLeft(text: string): Record<string, unknown> {
  const document = parseDocument(text, { uniqueKeys: false })
  if (!isMap(document.contents)) return {}
  const names = ['storage', 'control', 'http', 'sip'] as const
  return Object.fromEntries(
    names.map((name) => [name, document.get(name)]).flatMap(([name, node]) => (isMap(node) ? [[name, node.toJS(document)]] : [])),
  )
}

/** What somebody has set up by hand is not thrown away. */
function refuseWhereSetUp(file: string, { trunks, extensions, lines }: Record<string, unknown>): void {
  const isThere = (list: unknown): boolean => (Array.isArray(list) ? list.length > 0 : list !== undefined && list !== null)
  if (![trunks, extensions, lines].some(isThere)) return
  throw new CommandError(`${file} already has phones or trunks`, {
    fix: 'pbx config edit changes it; pbx setup --force starts from scratch, and pbx config revert goes back; pbx setup --test only tries it',
  })
}
