/** docs/configuration.md: every key of the configuration, from its schema; examples are the values of docs/examples. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { root } from '../../daemon/base/root.ts'
import { effectMark, secretMark, type Effect } from '../../daemon/schema/config/forms.ts'
import { ConfigSchema } from '../../daemon/schema/config.ts'
import { code, kindOf, literal, table, type Shape } from './markdown.ts'

export const exampleFiles = ['clinic.yaml', 'text-trunks.yaml'].map((name) => join('docs', 'examples', name))

export interface Key {
  /** `trunks[].id`; of lists in kinds `sms.trunks[kind: modem].device`; NAME stands for any key. */
  readonly path: string
  readonly shape: Shape
  readonly required: boolean
  readonly effect: Effect
}

interface Kinds extends Shape {
  readonly allOf?: readonly { readonly if: { readonly properties: { readonly kind: { readonly const: string } } }; readonly then: Shape }[]
}

/** The keys of one section, in the order of the schema; groups are not among them, their keys are. */
export function keysOf(name: string): Key[] {
  const shape = (ConfigSchema.properties as unknown as Record<string, Shape>)[name]!
  return walk(shape, name, true, (ConfigSchema as unknown as Record<string, Effect>)[effectMark]!)
}

function walk(shape: Kinds, path: string, required: boolean, outer: Effect): Key[] {
  const effect = (shape[effectMark] as Effect | undefined) ?? outer
  const key: Key = { path, shape, required, effect }
  if (shape[secretMark] === true) return [key]
  if (shape.type === 'array' && isGroup(shape.items ?? {})) return [key, ...walk(shape.items!, `${path}[]`, true, effect)]
  if (shape.allOf !== undefined)
    return shape.allOf.flatMap((one) => walk(one.then, path.replace(/\[\]$/, `[kind: ${one.if.properties.kind.const}]`), true, effect))
  const values = Object.values(shape.patternProperties ?? {})[0]
  if (values?.properties !== undefined) return [key, ...walk(values, `${path}.NAME`, true, effect)]
  const named = (shape.anyOf ?? []).find((one) => one.properties !== undefined)
  if (named !== undefined) return [key, ...members(named, path, effect)]
  return shape.properties === undefined ? [key] : members(shape, path, effect)
}

function members({ properties = {}, required = [] }: Shape, path: string, effect: Effect): Key[] {
  return Object.entries(properties).flatMap(([name, inner]) => walk(inner, `${path}.${name}`, required.includes(name), effect))
}

const isGroup = (shape: Kinds): boolean => shape.properties !== undefined || shape.allOf !== undefined

const files: readonly unknown[] = exampleFiles.map((file) => parse(readFileSync(join(root, file), 'utf8')) as unknown)

/** The first value of a key in the example files; undefined where none has it. */
function shown(path: string): unknown {
  const steps = path.split(/\.|(?=\[)/)
  return files.flatMap((file) => found(file, steps))[0]
}

function found(value: unknown, [step, ...rest]: readonly string[]): unknown[] {
  if (step === undefined) return value === undefined ? [] : [value]
  if (typeof value !== 'object' || value === null) return []
  if (step === 'NAME') return Object.values(value).flatMap((inner) => found(inner, rest))
  if (!step.startsWith('[')) return Object.hasOwn(value, step) ? found((value as Record<string, unknown>)[step], rest) : []
  const kind = /kind: (\w+)/.exec(step)?.[1]
  if (!Array.isArray(value)) return []
  const items = value as { kind?: string }[]
  return items.filter((item) => kind === undefined || item.kind === kind).flatMap((item) => found(item, rest))
}

/** What may be written for a key: from the example files, else the schema's own, else the default. */
export function exampleOf({ path, shape }: Key): unknown {
  return shown(path) ?? shape.examples?.[0] ?? shape.default ?? shape.enum?.[0]
}

function kindOfKey({ path, shape }: Key): string {
  if (shape[secretMark] === true) return 'secret'
  if (isListOfGroups(shape)) return 'list'
  if (Object.values(shape.patternProperties ?? {})[0]?.properties !== undefined) return 'by name'
  return path.endsWith('.rtpPorts') ? 'range of ports' : kindOf(shape)
}

const isListOfGroups = (shape: Shape): boolean => shape.type === 'array' && isGroup(shape.items ?? {})

/** Flow of YAML as people write it, such as `{ file: voice.secret }`. */
function written(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(written).join(', ')}]`
  if (typeof value === 'object' && value !== null) {
    const inner = Object.entries(value).map(([name, member]) => `${name}: ${written(member)}`)
    return inner.length === 0 ? '{}' : `{ ${inner.join(', ')} }`
  }
  return typeof value === 'string' && (value === '' || /^[\d+*]|[:#{}[\],&*]/.test(value)) ? JSON.stringify(value) : String(value)
}

function row(key: Key): string[] {
  const { path, shape, required, effect } = key
  const fallback = shape.default !== undefined ? literal(written(shape.default)) : required ? 'required' : 'none'
  const example = isListOfGroups(shape) ? 'below' : code(written(exampleOf(key)))
  return [code(path), kindOfKey(key), fallback, example, effect, shape.description ?? '']
}

const head = ['Key', 'What may be written', 'Default', 'Example', 'Takes effect', 'Meaning']

function section(name: string, shape: Shape): string {
  return [`## ${name}`, '', shape.description ?? '', '', table(head, keysOf(name).map(row))].join('\n')
}

const sections = Object.entries(ConfigSchema.properties as unknown as Record<string, Shape>)

export function configurationPage(): string {
  return [
    '# Configuration: every key',
    '',
    '<!-- Written by `npm run generate` from daemon/schema/config*.ts and docs/examples. -->',
    '',
    'The configuration is one YAML file: `npm start -- --config FILE`, `PBXD_CONFIG=FILE`, or `/etc/pbxd/pbxd.yaml` on an installed box. Every key',
    'is optional; an unknown key is an error. [docs/examples/clinic.yaml](examples/clinic.yaml) is a complete file,',
    '[docs/examples/text-trunks.yaml](examples/text-trunks.yaml) has a text trunk of each kind. A test loads both.',
    '',
    '```sh',
    'pbx config check FILE        # every fault at once, as file:line:column: path: text',
    'pbx config apply FILE        # checks, shows what changes, applies it; rolls back when something fails',
    'pbx config schema            # the JSON Schema of the file, for editors',
    '```',
    '',
    '**When a change takes effect.** With `pbx config apply` ([changing-configuration.md](changing-configuration.md)): `live` while the daemon runs, and',
    'no call is touched; `restart` after a restart, which waits until it cuts no call. Not in the file, and live: access tokens (`pbx token`), bans',
    '(`pbx lines unban`), speech models (`pbx models`), the stop list of texts and the opt-outs of reminders.',
    '',
    '**In an editor.** An extension for YAML schemas (VS Code: YAML by Red Hat) completes, explains and checks keys while you type:',
    '',
    '```sh',
    'pbx config schema > /etc/pbxd/pbxd.schema.json',
    '```',
    '',
    'Write `# yaml-language-server: $schema=./pbxd.schema.json` as the first line of the file. For all files of that name, write into the settings',
    'of VS Code: `"yaml.schemas": { "/etc/pbxd/pbxd.schema.json": "pbxd.yaml" }`.',
    '',
    '**Secrets** are text, `{ file: PATH }` or, under systemd, `{ credential: NAME }`. Secrets that sign have 24 characters or more:',
    '`openssl rand -hex 24 > voice.secret`. **File names** are relative to the folder of the configuration file. **Telephone numbers** need quotes:',
    'YAML reads `0501234567` as a number.',
    '',
    `Sections: ${sections.map(([name]) => `[${name}](#${name.toLowerCase()})`).join(', ')}.`,
    '',
    ...sections.map(([name, shape]) => `${section(name, shape)}\n`),
  ].join('\n')
}
