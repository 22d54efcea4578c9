/**
 * Reads the configuration file: YAML 1.2, one schema, then what a schema cannot say. Every fault is found in one pass and reported with its
 * line and column, in words that say what to write.
 */
import { readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Config } from '../schema/config.ts'
import { CrmSchema } from '../schema/config/crm.ts'
import { checkMeaning } from './meaning.ts'
import { readSecrets } from './secrets.ts'
import { ConfigSource, type Path, faultLine } from './source.ts'
import { validate } from './validate.ts'
import { root } from '../base/root.ts'
import { systemWords } from '../base/errors.ts'

/** `path` is a JSON pointer into the file, '' for the file as a whole. Lines and columns count from 1. */
export interface ConfigFault {
  file: string
  line: number
  column: number
  path: string
  text: string
}

export class ConfigError extends Error {
  readonly faults: ConfigFault[]

  constructor(faults: ConfigFault[]) {
    super(faults.map(faultLine).join('\n'))
    this.name = 'ConfigError'
    this.faults = faults
  }
}

/** Where the program keeps its data when the file does not say. */
const installedStorage = '/var/lib/pbxd'
const installedSocket = '/run/pbxd/pbxd.sock'

export interface Loaded {
  config: Config
  /** What it was read from. */
  text: string
  warnings: ConfigFault[]
  /** A fault that is found later, at its place in the file. */
  at(path: Path, text: string): ConfigFault
}

/** @throws ConfigError with all faults */
export function loadConfig(file: string): Loaded {
  return parseConfig(readConfigFile(file), file)
}

/** @throws ConfigError */
export function readConfigFile(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new ConfigError([{ file, line: 1, column: 1, path: '', text: `the file cannot be read: ${systemWords(error)}` }])
  }
}

/** The same for a text; `file` names it in faults, and relative paths count from its folder. */
export function parseConfig(text: string, file: string): Loaded {
  const source = new ConfigSource(text, file)
  if (source.faults.length > 0) throw new ConfigError(source.faults)
  const data = source.data()
  const base = dirname(resolve(file))
  setPlaces(data, base)
  setListeners(data)

  const faults: ConfigFault[] = []
  const warnings: ConfigFault[] = []
  const { broken, told } = validate(data, source, faults)
  readSecrets(data, base, source, told, faults)
  absolutePaths(data, base)
  checkMeaning(data as unknown as Config, {
    broken,
    fault(path, text) {
      const fault = source.at(path, text)
      if (!told.has(fault.path)) faults.push(fault)
    },
    warning: (path, text) => warnings.push(source.at(path, text)),
  })
  for (const name of Object.keys(section(data, 'crm') ?? {})) {
    if (!(name in CrmSchema.properties)) warnings.push(source.at(['crm', name], `crm.${name} is not used by this version`))
  }
  if (faults.length > 0) throw new ConfigError(inOrder(faults))
  finish(data)
  return { config: data as unknown as Config, text, warnings: inOrder(warnings), at: (path, fault) => source.at(path, fault) }
}

function inOrder(faults: ConfigFault[]): ConfigFault[] {
  return faults.sort((a, b) => a.line - b.line || a.column - b.column)
}

type Tree = Record<string, unknown>

function section(data: Tree, name: string): Tree | undefined {
  const value = data[name]
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Tree) : undefined
}

function isInstalled(base: string): boolean {
  return base === '/etc' || base.startsWith('/etc/')
}

/** `storage.dir` as it was given, or its default for a file in the folder `base`. */
export function storagePlace(given: unknown, base: string): string {
  if (typeof given === 'string') return given
  return isInstalled(base) ? installedStorage : join(root, 'var')
}

/** Defaults that depend on where the file lies, set before the schema's own. */
function setPlaces(data: Tree, base: string): void {
  const installed = isInstalled(base)
  for (const name of ['storage', 'control', 'speech']) data[name] ??= {}
  const storage = section(data, 'storage')
  if (storage !== undefined) storage.dir ??= storagePlace(undefined, base)
  const dir = storage !== undefined && typeof storage.dir === 'string' ? storage.dir : 'var'
  const control = section(data, 'control')
  if (control !== undefined) control.socket ??= installed ? installedSocket : join(dir, 'run/pbxd.sock')
  const speech = section(data, 'speech')
  if (speech !== undefined) {
    speech.models ??= {}
    const models = section(speech, 'models')
    if (models !== undefined) models.dir ??= join(dir, 'models')
  }
}

/** Of SIP over UDP and TCP, the one that is not named listens where the other does. */
function setListeners(data: Tree): void {
  const sip = section(data, 'sip')
  if (sip === undefined) return
  for (const [name, other] of [
    ['tcp', 'udp'],
    ['udp', 'tcp'],
  ] as const)
    if (sip[name] === undefined && typeof sip[other] === 'string' && sip[other] !== 'off') sip[name] = sip[other]
}

/** File names count from the folder of the configuration file. */
function absolutePaths(data: Tree, base: string): void {
  const places: [Tree | undefined, string][] = [
    [section(data, 'storage'), 'dir'],
    [section(data, 'control'), 'socket'],
    [section(data, 'backup'), 'dir'],
    [section(data, 'backup'), 'sshConfig'],
    [section(section(data, 'speech') ?? {}, 'models'), 'dir'],
    ...Object.keys(data).map((name): [Tree | undefined, string] => [section(data, name), 'caFile']),
    [section(data, 'voice'), 'streamCaFile'],
    ...(Array.isArray(data.trunks) ? data.trunks : []).map((trunk: unknown): [Tree | undefined, string] => [
      trunk !== null && typeof trunk === 'object' ? (trunk as Tree) : undefined,
      'caFile',
    ]),
    ...[section(section(data, 'http') ?? {}, 'tls'), section(section(data, 'sip') ?? {}, 'tls')].flatMap(
      (tls): [Tree | undefined, string][] => [
        [tls, 'cert'],
        [tls, 'key'],
      ],
    ),
  ]
  for (const [tree, key] of places) if (tree !== undefined && typeof tree[key] === 'string') tree[key] = resolve(base, tree[key])
  for (const mailbox of Array.isArray(data.mailboxes) ? data.mailboxes : []) {
    const greeting = mailbox !== null && typeof mailbox === 'object' ? section(mailbox as Tree, 'greeting') : undefined
    if (typeof greeting?.file === 'string') greeting.file = resolve(base, greeting.file)
  }
  const site = section(data, 'site')
  if (Array.isArray(site?.music)) site.music = site.music.map((file: unknown) => (typeof file === 'string' ? resolve(base, file) : file))
}

/** From the form that is written to the form the program uses. */
function finish(data: Tree): void {
  const sip = data.sip as Tree
  sip.rtpPorts = String(sip.rtpPorts).split('-').map(Number)
  for (const key of ['udp', 'tcp']) if (sip[key] === 'off') sip[key] = null
  for (const token of (data.auth as { tokens: { sha256: string }[] }).tokens) token.sha256 = token.sha256.toLowerCase()
}
