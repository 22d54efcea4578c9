/** What is counted of a set of sources, and how. */
import { posix } from 'node:path'
import { capabilityNames } from '../../../scripts/generate/rooms.ts'

export interface Source {
  /** Path from the root. */
  readonly name: string
  readonly text: string
}

export interface Measure {
  readonly what: string
  readonly count: number
  readonly goal?: string
  /** Those that were counted. */
  readonly files?: readonly string[]
}

/** Studies lay in scripts/ before they were moved to test/proofs. */
const oldProofs = /^scripts\/(attack|bench|calls|fax|fuzz|inbox|reminders|speech|trunks)\//
const isTest = (name: string): boolean => name.startsWith('test/') || oldProofs.test(name) || /\/engine\/(test|fuzz|study)\//.test(name)
const isProduct = (name: string): boolean => /^(daemon|drivers|scripts\/cli)\//.test(name) && !isTest(name)
/** Lists that npm run generate writes of what it finds. */
const generated = new Set([
  'scripts/cli/commands.ts',
  'daemon/config/checks.ts',
  'daemon/schema/shown-lists.ts',
  'daemon/schema/house-kinds.ts',
])
/** Of the daemon and its program, which is where a capability is hung up. */
const isHouse = (name: string): boolean => /^(daemon|scripts\/cli)\//.test(name) && name.endsWith('.ts') && !generated.has(name)

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[^]*?\*\//g, '').replaceAll(/^\s*\/\/.*$/gm, '')
}

/** Neither blank nor a remark. */
function codeLines(text: string): number {
  return withoutComments(text)
    .split('\n')
    .filter((line) => line.trim() !== '').length
}

/** How the files of a capability are called that lie in a layer: its schemas, rows, checks of settings, programs and commands. Otherwise as its folder. */
const spellings: Readonly<Record<string, string>> = {
  alarms: 'alarms?|alarm-ways',
  backup: 'backups?|restore|support-bundle',
  box: 'box(?!-)',
  'box-events': 'box-events?|events?-commands|commands/events',
  crm: 'crm|directory|foreign-worker',
  doctor: 'doctor|status',
  fax: 'fax(es)?',
  mail: 'e?mails?',
  messaging: 'sms|texts?',
  modems: 'modems?',
  notices: 'notices?|notify',
  pbx: 'pbx|extensions?|queues?|hours|menus?|emergency|where',
  provisioning: 'provisioning|phones?',
  reminders: 'reminders?',
  speech: 'speech|models?|selftest|say|transcribe',
  history: 'history|call-records',
  voice: 'voice(?!-call)|recordings?|trace',
  voicemail: 'voicemails?|mailbox(es)?',
}

function importsOf({ name, text }: Source): string[] {
  const found = text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^'\n]+)'/g)
  return Array.from(found, ([, path = '']) => posix.join(posix.dirname(name), path))
}

/** Whether a file is of this capability: in its folder, or one of its own in a layer. */
function isOf(capability: string, name: string): boolean {
  const spelt = spellings[capability] ?? capability
  const named = new RegExp(`^(daemon/(schema|store|config/checks|programs|description)|scripts/cli)/(.+/)?(${spelt})([-/].*)?\\.ts$`)
  return name.startsWith(`daemon/${capability}/`) || named.test(name)
}

/** Files of no capability that import one of its files: those that its removal would edit. */
function knowing(capability: string, sources: readonly Source[]): string[] {
  return sources
    .filter(({ name }) => isHouse(name) && !capabilityNames.some((other) => isOf(other, name)))
    .filter((source) => importsOf(source).some((name) => isOf(capability, name)))
    .map(({ name }) => name)
}

/** The console is a client of the interface: its pages say what they show. */
const outsideConsole = (name: string): boolean => !name.startsWith('daemon/console/')

/** How a capability within the pbx is named by files that know it, besides imports of its part, its settings or their check. */
const namings = {
  /** The kind of destination. */
  menus: /(kind: |case |kind === )'menu'|^ {2}menu: \{$|\|menu\|/m,
  /** Anything of it. */
  parking: /[pP]ark(ed|ing)|'park'|\bpark:/,
}

/** Files of others that know it: those that adding it would edit. */
function knowingOfPbx(capability: keyof typeof namings, sources: readonly Source[]): string[] {
  const own = new RegExp(`/(pbx-)?${capability}(\\.ts$|/)`)
  return sources
    .filter(({ name }) => isHouse(name) && !own.test(name))
    .filter((source) => namings[capability].test(withoutComments(source.text)) || importsOf(source).some((name) => own.test(name)))
    .map(({ name }) => name)
}

/**
 * The verb `route`, its ability being `connect`: the files that hand it on from where it is made to the verb that uses it. What routing calls so
 * joins two legs, and is no ability of a verb.
 */
function touchedByVerb(sources: readonly Source[]): string[] {
  const handedOn = /^(?!.*(net'|socket|timeout)).*\bconnect(:|\(|,| \}|\))/m
  return sources
    .filter(({ name, text }) => {
      if (/^daemon\/voice\/verbs\/(route|index)\.ts$/.test(name)) return true
      return /^daemon\/([^/]+\.ts|(voice|calls|parts)\/)/.test(name) && handedOn.test(withoutComments(text))
    })
    .map(({ name }) => name)
}

const records = ['Call', 'Fax', 'Text', 'Mail', 'Reminder', 'Callback'] as const
const spelt: Readonly<Record<(typeof records)[number], string>> = {
  Call: 'Call',
  Fax: 'Fax',
  Text: 'Text|Sms|Message',
  Mail: 'Mail|Email',
  Reminder: 'Reminder',
  Callback: 'Callback',
}

/**
 * Shapes under which a record is shown: schemas, and interfaces and types that are written by hand. A type that is taken from a schema, and the
 * function that fills one, are no further ones.
 */
function viewsOf(record: (typeof records)[number], sources: readonly Source[]): string[] {
  const view = new RegExp(
    `^(?:export )?(?:interface|type|const) ((?:${spelt[record]})(?:View|Summary|Detail|ServicesView|Shown|Answer|Schema|SummarySchema|ViewSchema|AnswerSchema|DetailSchema|MessageSchema))\\b(?! = (?:Static|View)<)`,
    'gm',
  )
  return sources
    .filter(({ name }) => isHouse(name) && !name.includes('/config-'))
    .flatMap(({ name, text }) => [...text.matchAll(view)].map((found) => `${name}: ${found[1]}`))
}

const inARow = 6

/** Lines of the product that stand, at least six in a row, in another place as well. Imports and lone brackets do not count. */
function repeatedLines(sources: readonly Source[]): number {
  const places = new Map<string, [file: number, line: number][]>()
  const files = sources
    .filter(({ name }) => isProduct(name))
    .map(({ text }) =>
      withoutComments(text)
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => /\w/.test(line) && !/^(import|export \*|#include)\b/.test(line)),
    )
  for (const [file, lines] of files.entries()) {
    for (let at = 0; at + inARow <= lines.length; at++) {
      const block = lines.slice(at, at + inARow).join('\n')
      const known = places.get(block)
      if (known === undefined) places.set(block, [[file, at]])
      else known.push([file, at])
    }
  }
  const repeated = new Set<string>()
  for (const found of places.values())
    if (found.length > 1) for (const [file, at] of found) for (let n = 0; n < inARow; n++) repeated.add(`${file}:${at + n}`)
  return repeated.size
}

/**
 * A capability has a line in daemon.ts, in the settings and in the tables. Its commands, its checks of settings and its routes are found where
 * they lie. The pbx is of several parts.
 */
const most = (capability: string): number => (capability === 'pbx' ? 8 : 4)

export function measureHouse(sources: readonly Source[]): Measure[] {
  const lines = (fits: (name: string) => boolean): number =>
    sources.filter(({ name }) => fits(name)).reduce((sum, { text }) => sum + codeLines(text), 0)
  const counted = (what: string, files: readonly string[], goal?: string): Measure => ({
    what,
    count: files.length,
    files,
    ...(goal === undefined ? {} : { goal }),
  })
  const knowParking = knowingOfPbx('parking', sources)
  return [
    ...capabilityNames.map((name) =>
      counted(`shared files that know a capability: ${name}`, knowing(name, sources), `at most ${most(name)}`),
    ),
    counted('files that know a kind of destination (menu)', knowingOfPbx('menus', sources), 'at most 6'),
    counted('files that know parking', knowParking.filter(outsideConsole), 'at most 6'),
    counted(
      'files of the console that know parking',
      knowParking.filter((name) => !outsideConsole(name)),
      // One of them has the sentences of all traces in Spanish.
      'at most 5',
    ),
    counted('files that a verb with an ability touches (route)', touchedByVerb(sources), 'at most 3'),
    ...records.map((record) => counted(`views of a record: ${record.toLowerCase()}`, viewsOf(record, sources))),
    { what: 'lines of the product', count: lines(isProduct) },
    { what: 'lines of tests, studies and proofs', count: lines(isTest) },
    { what: 'files of the product', count: sources.filter(({ name }) => isProduct(name)).length },
    { what: `lines of the product that stand there twice (${inARow} in a row)`, count: repeatedLines(sources) },
  ]
}
