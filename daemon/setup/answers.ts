/** What a first set-up asks, at a terminal or on a page, as the file of answers that twenty boxes share. The configuration is made of them once; it is the configuration that counts. */
import { Type, type Static, type TProperties } from '@sinclair/typebox'
import { Value, type ValueError } from '@sinclair/typebox/value'
import { isSupportedCountry } from 'libphonenumber-js/max'
import { officeAnswers, officeFaults } from './office.ts'

/** Kinds of providers and what each needs, as far as their own pages say. Only account and address were tried with a real provider. */
export interface Provider {
  readonly title: string
  /** Where all its customers have the same. */
  readonly server?: string
  readonly transport: 'udp' | 'tcp' | 'tls'
  /** Whether it knows us by a password that we prove, or by our address. */
  readonly register: boolean
}

export const providers = {
  account: { title: 'an account with a name and a password (most providers)', transport: 'udp', register: true },
  address: { title: 'a provider that recognises the address of this site, without a password', transport: 'udp', register: false },
  sipgate: { title: 'sipgate trunking', server: 'sipconnect.sipgate.de', transport: 'tcp', register: true },
  telnyx: { title: 'Telnyx, with credentials', server: 'sip.telnyx.com', transport: 'tcp', register: true },
  voipms: { title: 'VoIP.ms (the server of your city, such as newyork1.voip.ms)', transport: 'udp', register: true },
} as const satisfies Record<string, Provider>
export type ProviderName = keyof typeof providers

const strict = { additionalProperties: false } as const
const Text = Type.String({ minLength: 1, maxLength: 200 })
export const numberPattern = '\\+[1-9]\\d{4,14}'
const Number = Type.String({ pattern: `^${numberPattern}$`, description: 'As +15550001000, in quotes.' })
const Extension = Type.Object({ number: Type.String({ pattern: '^\\d{2,6}$', description: 'In quotes.' }), name: Text }, strict)
const names = Object.keys(providers) as [ProviderName, ...ProviderName[]]

const answers = {
  site: Type.Object(
    {
      name: Text,
      country: Type.String({ pattern: '^[A-Z]{2}$', description: 'ISO 3166-1, such as US.' }),
      timeZone: Type.String({ description: 'IANA, such as America/New_York.' }),
      language: Type.Optional(Type.String({ description: 'Such as en-US.' })),
      address: Type.Optional(Type.String({ description: 'The location for emergency calls: street and floor.' })),
    },
    strict,
  ),
  network: Type.Optional(
    Type.String({
      description: "lan (default): this machine's address in the local network; an address; all: every network; none: this machine only.",
    }),
  ),
  provider: Type.Optional(
    Type.Object(
      {
        kind: Type.Union(names.map((name) => Type.Literal(name))),
        server: Type.Optional(Text),
        transport: Type.Optional(Type.Union([Type.Literal('udp'), Type.Literal('tcp'), Type.Literal('tls')])),
        username: Type.Optional(Text),
        password: Type.Optional(Text),
        numbers: Type.Array(Number, { minItems: 1 }),
      },
      strict,
    ),
  ),
  extensions: Type.Array(Extension, { minItems: 1 }),
  lines: Type.Optional(
    Type.Array(
      Type.Object(
        { device: Text, number: Number, roles: Type.Array(Type.Union([Type.Literal('voice'), Type.Literal('fax')]), { minItems: 1 }) },
        strict,
      ),
    ),
  ),
  ...officeAnswers,
  certificate: Type.Optional(Type.Boolean({ description: 'Make a certificate for the web port and for phones over TLS. Default true.' })),
  backup: Type.Optional(Type.Boolean({ description: 'Make a recovery key. Default true.' })),
}
const Answers = Type.Object(answers)
/** With what the steps have of their own. */
export type Answers = Static<typeof Answers>

/** A piece that a capability brings: its members, and what the schema cannot say of them. */
export interface Brought {
  readonly answers: TProperties
  faults(answers: object, draft: boolean): Iterable<string>
}

/** Every fault at once, each a sentence; none where the value is `Answers`. `draft`: answers and passwords may be missing yet. */
export function faultsOf(value: unknown, brought: readonly Brought[], draft = false): string[] {
  const all = Object.assign({}, answers, ...brought.map((one) => one.answers)) as TProperties
  const properties = draft ? Object.fromEntries(Object.entries(all).map(([name, one]) => [name, Type.Optional(one)])) : all
  const faults = [...Value.Errors(Type.Object(properties, strict), value)].map(
    (error) => `${error.path.slice(1).replaceAll('/', '.') || 'answers'}: ${inWords(error)}`,
  )
  if (faults.length === 0)
    faults.push(...meaning(value as Answers, draft), ...brought.flatMap((one) => [...one.faults(value as Answers, draft)]))
  return [...new Set(faults)]
}

const inWords = ({ message, schema, value }: ValueError): string =>
  typeof schema.pattern === 'string' && schema.description !== undefined && typeof value === 'string'
    ? `"${value}" does not have the right form: ${schema.description.replace(/\.$/, '')}`
    : message

function* meaning(answers: Partial<Answers>, draft: boolean): Iterable<string> {
  const { provider, extensions = [], site, fax } = answers
  // While somebody goes from question to question, the numbers may follow the number of the fax.
  const numbers = [...(provider?.numbers ?? []), ...(draft && fax?.number !== undefined ? [fax.number] : [])]
  yield* officeFaults(answers, numbers, 'mail' in answers)
  if (provider !== undefined) {
    const template: Provider = providers[provider.kind]
    if (template.server === undefined && provider.server === undefined)
      yield `provider.server: ${provider.kind} needs the server of your account`
    if (template.register && (provider.username === undefined || (provider.password === undefined && !draft)))
      yield 'provider: username and password are needed'
  }
  const twice = extensions.find(({ number }, at) => extensions.findIndex((other) => other.number === number) !== at)
  if (twice !== undefined) yield `extensions: ${twice.number} is given twice`
  if (site === undefined) return
  if (!isCountry(site.country)) yield `site.country: ${site.country} is not a country`
  if (!isTimeZone(site.timeZone)) yield `site.timeZone: ${site.timeZone} is not a time zone`
}

/** One whose numbers the daemon knows. */
export function isCountry(code: string): boolean {
  return /^[A-Z]{2}$/.test(code) && isSupportedCountry(code)
}

export function isTimeZone(timeZone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone })
    return true
  } catch {
    return false
  }
}
