/** What `pbx setup` asks, as the file of answers that twenty boxes share. The configuration is made of them once; it is the configuration that counts. */
import { Type, type Static, type TProperties } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { isSupportedCountry } from 'libphonenumber-js/max'
import { CommandError, exitCode } from '../client.ts'
import { officeAnswers, officeFaults } from './office.ts'
import type { SetupStep } from './step.ts'

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

/** @throws CommandError with every fault at once. */
export function checkAnswers(value: unknown, steps: readonly SetupStep[]): Answers {
  const schema = Type.Object(Object.assign({}, answers, ...steps.map((step) => step.answers)) as TProperties, strict)
  const faults = [...Value.Errors(schema, value)].map(
    ({ path, message }) => `${path.slice(1).replaceAll('/', '.') || 'answers'}: ${message}`,
  )
  if (faults.length === 0) faults.push(...meaning(value as Answers), ...steps.flatMap((step) => [...step.faults(value as Answers)]))
  if (faults.length > 0)
    throw new CommandError(`the answers cannot be used:\n${[...new Set(faults)].map((fault) => `  ${fault}`).join('\n')}`, {
      exit: exitCode.usage,
      fix: 'see docs/setup.md for every answer',
    })
  return value as Answers
}

function* meaning(answers: Answers): Iterable<string> {
  const { provider, extensions, site } = answers
  yield* officeFaults(answers, provider?.numbers ?? [], 'mail' in answers)
  if (provider !== undefined) {
    const template: Provider = providers[provider.kind]
    if (template.server === undefined && provider.server === undefined)
      yield `provider.server: ${provider.kind} needs the server of your account`
    if (template.register && (provider.username === undefined || provider.password === undefined))
      yield 'provider: username and password are needed'
  }
  const twice = extensions.find(({ number }, at) => extensions.findIndex((other) => other.number === number) !== at)
  if (twice !== undefined) yield `extensions: ${twice.number} is given twice`
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
