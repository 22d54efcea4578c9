/** Schemas as words and tables of Markdown, for the pages that are generated. */
import { unitMark } from '../../daemon/schema/named.ts'

export interface Shape {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Shape[]
  readonly items?: Shape
  readonly properties?: Readonly<Record<string, Shape>>
  readonly patternProperties?: Readonly<Record<string, Shape>>
  readonly required?: readonly string[]
  readonly format?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly maxItems?: number
  readonly [mark: string]: unknown
}

/** A table; `|` inside of cells is kept from ending them. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n')
}

export function json(value: unknown): string {
  return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``
}

/** A control document, a verb on a line. */
export function document(verbs: readonly object[]): string {
  return `\`\`\`json\n[\n${verbs.map((verb) => `  ${spaced(verb)}`).join(',\n')}\n]\n\`\`\``
}

function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const inner = Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${spaced(member)}`)
  return inner.length === 0 ? '{}' : `{ ${inner.join(', ')} }`
}

export const code = (text: string): string => `\`${text}\``

/** A value as the file or the wire has it, on one line. */
export function literal(value: unknown): string {
  return code(value === '' ? '""' : typeof value === 'string' ? value : JSON.stringify(value))
}

/** What a value may be, in words: its kind, its range and its unit. */
export function kindOf(shape: Shape): string {
  if (shape.const !== undefined) return literal(shape.const)
  if (shape.enum !== undefined) return shape.enum.map(literal).join(', ')
  if (shape.anyOf !== undefined)
    return [...new Set(shape.anyOf.map(kindOf))].join(shape.anyOf.every((one) => one.const !== undefined) ? ', ' : ' or ')
  if (Array.isArray(shape.type)) return shape.type.map((type: string) => kindOf({ ...shape, type })).join(' or ')
  switch (shape.type) {
    case 'string':
      return textKind(shape)
    case 'integer':
      return `whole number${range(shape)}`
    case 'number':
      return `number${range(shape)}`
    case 'boolean':
      return 'true or false'
    case 'null':
      return 'null'
    case 'array':
      return `list of ${shape.maxItems === undefined ? '' : `at most ${shape.maxItems} `}${plural(kindOf(shape.items ?? {}))}`
    case 'object':
      return shape.patternProperties === undefined ? 'object' : 'object with texts as values'
    default:
      return 'any value'
  }
}

function textKind({ format, maxLength }: Shape): string {
  const kinds: Readonly<Record<string, string>> = { uri: 'URL', 'date-time': 'time', uuid: 'UUID' }
  return kinds[format ?? ''] ?? (maxLength === undefined ? 'text' : `text of at most ${maxLength} characters`)
}

function range(shape: Shape): string {
  const { minimum, maximum } = shape
  const unit = shape[unitMark] === undefined ? '' : `, ${String(shape[unitMark])}`
  if (maximum === undefined) return unit
  return `, ${minimum ?? 0} to ${maximum.toLocaleString('en-US')}${unit.replace(',', '')}`
}

function plural(kind: string): string {
  if (kind.startsWith('text')) return kind.replace('text', 'texts')
  return kind === 'object' || kind === 'URL' || kind === 'UUID' ? `${kind}s` : kind
}

/** Where a heading of GitHub and its kin is found. */
export function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^a-z0-9 _-]/g, '')
    .replaceAll(' ', '-')
}

/** What members there are, and when. */
export const memberHead = ['Member', 'Type', 'Present', 'Meaning']

/** A row for each member and for those within it, whose names have their way to them in front. `read`: what has a default may be left out. */
export function memberRows(shape: Shape, read = false, before = ''): string[][] {
  const required = new Set(shape.required ?? [])
  return Object.entries(shape.properties ?? {}).flatMap(([name, member]) => {
    const always = required.has(name) && !(read && member.default !== undefined)
    const row = [code(before + name), kindOf(member), always ? 'always' : 'not always', member.description ?? '']
    const objects = [member, ...(member.anyOf ?? [])].find(({ properties }) => properties !== undefined)
    const inside = objects ?? (member.items?.properties === undefined ? undefined : member.items)
    return [row, ...(inside === undefined ? [] : memberRows(inside, read, `${before}${name}${objects === undefined ? '[]' : ''}.`))]
  })
}
