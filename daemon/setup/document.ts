/** The configuration that the answers mean. */
import { stringify } from 'yaml'
import { providers, type Answers, type Provider } from './answers.ts'
import { officeSections } from './office.ts'

/** Of the configuration that is there: where the box keeps its things, and its ports. */
export interface Present {
  readonly storage?: unknown
  readonly control?: unknown
  readonly http?: { readonly listen?: unknown }
  readonly sip?: { readonly udp?: unknown; readonly tls?: unknown; readonly rtpPorts?: unknown }
  /** Sections that stay as they are. */
  readonly whole?: object
}

export interface Made {
  /** By extension. */
  readonly passwords: ReadonlyMap<string, string>
  /** Where this machine is reached; null for itself alone. */
  readonly address: string | null
  readonly certificate: { readonly cert: string; readonly key: string } | null
  readonly recoveryKey: string | null
}

const head = `# yaml-language-server: $schema=./pbxd.schema.json
# Made by pbx setup. docs/configuration.md explains every key. After a change: pbx config apply
`

export function documentOf(
  answers: Answers,
  made: Made,
  brought: readonly { sections(answers: object): object }[],
  { storage, control, http, sip, whole = {} }: Present = {},
): string {
  const { site, provider, extensions, lines = [] } = answers
  const { address, certificate, recoveryKey } = made
  const host = address ?? '127.0.0.1'
  const port = (text: unknown, usual: string): string => /:(\d+)$/.exec(String(text))?.[1] ?? usual
  const sipPort = port(sip?.udp, '5060')
  const numbers = provider?.numbers ?? lines.map(({ number }) => number)
  const voicemail = `voicemail:${extensions[0]!.number}`
  const office = officeSections(answers, 'group:house', voicemail)
  // The number of the fax is nobody's to call back.
  const first = numbers.find((number) => number !== office.faxNumber) ?? numbers[0]
  const config = {
    site: {
      name: site.name,
      country: site.country,
      timeZone: site.timeZone,
      ...(site.language === undefined ? {} : { language: site.language }),
      ...(first === undefined ? {} : { number: first }),
      fallbackDestination: voicemail,
    },
    storage: storage ?? { dir: '/var/lib/pbxd' },
    control: control ?? { socket: '/run/pbxd/pbxd.sock' },
    http:
      certificate === null || address === null
        ? { listen: `127.0.0.1:${port(http?.listen, '8080')}` }
        : { listen: `${address}:8443`, tls: certificate },
    console: {},
    sip: {
      udp: `${host}:${sipPort}`,
      tcp: `${host}:${sipPort}`,
      ...(certificate !== null ? { tls: { listen: `${host}:5061`, ...certificate } } : sip?.tls === undefined ? {} : { tls: sip.tls }),
      rtpPorts: sip?.rtpPorts ?? '10000-19999',
    },
    ...(provider === undefined ? {} : { trunks: [trunkOf(provider)] }),
    extensions: extensions.map(({ number, name }) => ({
      ...{ number, name, password: made.passwords.get(number)!, pickupGroup: 'house' },
      ...{ onBusy: `voicemail:${number}`, onNoAnswer: `voicemail:${number}`, onUnreachable: office.onUnreachable(number) },
    })),
    ringGroups: [
      {
        ...{ id: 'house', name: site.name, members: extensions.map(({ number }) => number), ringSeconds: 25 },
        onNoAnswer: voicemail,
        ...office.notifyMissed,
      },
    ],
    mailboxes: extensions.map(({ number }) => ({ ext: number, ...office.notify })),
    ...(lines.length === 0 ? {} : { lines: lines.map((line, at) => ({ id: `line${at + 1}`, ...line })) }),
    ...office.hours,
    ...office.fax,
    ...office.texts,
    ...ways(answers, first, office),
    ...(Object.assign({}, ...brought.map((one) => one.sections(answers))) as object),
    ...(recoveryKey === null ? {} : { backup: { recoveryKey } }),
    ...whole,
  }
  return head + stringify(config, { lineWidth: 140, defaultStringType: 'PLAIN', defaultKeyType: 'PLAIN', aliasDuplicateObjects: false })
}

function trunkOf({ kind, numbers, ...given }: NonNullable<Answers['provider']>) {
  const { server, transport, register }: Provider = providers[kind]
  return { id: 'main', ...(server === undefined ? {} : { server }), transport, ...given, register, numbers, default: true }
}

/** In: all phones ring, while it is open. Out: numbers of the country, and help. */
function ways(
  { provider, lines = [], site }: Answers,
  first: string | undefined,
  { destination, faxNumber }: Pick<ReturnType<typeof officeSections>, 'destination' | 'faxNumber'>,
) {
  const voice = lines.flatMap(({ roles }, at) => (roles.includes('voice') ? [`line${at + 1}`] : []))
  const trunks = [...(provider === undefined ? [] : ['main']), ...voice]
  if (trunks.length === 0) return {}
  return {
    inbound: [
      ...(faxNumber === undefined ? [] : [{ trunk: 'main', to: faxNumber, destination: 'fax' }]),
      ...trunks.map((trunk) => ({ trunk, to: '*', destination })),
    ],
    outbound: [{ to: '*', class: 'national', trunks }],
    emergency: {
      trunks,
      ...(first === undefined ? {} : { callerId: first }),
      ...(site.address === undefined ? {} : { location: site.address }),
    },
  }
}
