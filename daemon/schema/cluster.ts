/** The description of several boxes and of the machines in front of them, from which `pbx cluster render` writes the files of Kamailio, HAProxy and keepalived. */
import { Type, type Static } from '@sinclair/typebox'
import { boxIdPattern } from './config/box.ts'
import { strict } from './config/forms.ts'

const ipv4 = '(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?:\\.(?!$)|$|(?=/))){4}'
const Address = (description: string) => Type.String({ pattern: `^${ipv4}$`, description })
const File = (description: string) => Type.String({ pattern: '^/[A-Za-z0-9._/-]+$', description })
/** Names of machines and interfaces stand in files of other programs. */
const Name = (description: string) => Type.String({ pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]{0,14}$', description })

const MachineSchema = strict({ name: Name('Its host name.'), address: Address('Its own address.') }, 'A machine of the edge.')

const EdgeSchema = strict(
  {
    address: Type.String({
      pattern: `^${ipv4}/(?:[89]|[12]\\d|3[0-2])$`,
      description: 'The address of the whole house, with its network (192.0.2.10/24). One of the machines has it.',
    }),
    interface: Name('The network interface that has it.'),
    machines: Type.Array(MachineSchema, { minItems: 1, maxItems: 2, description: 'One machine, or two of which one takes over.' }),
    router: Type.Integer({
      default: 51,
      minimum: 1,
      maximum: 255,
      description: 'The number of the pair in VRRP; no other pair of the network has it.',
    }),
    sip: strict(
      {
        tls: Type.Optional(
          strict({ cert: File('PEM file with the certificate chain.'), key: File('PEM file with the private key.') }, 'SIP over TLS.'),
        ),
      },
      'What phones and providers reach.',
    ),
    http: strict(
      {
        cert: Type.Optional(File('PEM file with the certificate chain and the private key. Without it HTTP goes in the clear.')),
        ca: Type.Optional(File('PEM file with the authority of the certificates of the boxes. Without it they are not checked.')),
      },
      'What programs reach.',
    ),
    providers: Type.Array(Address('Of a provider.'), {
      default: [],
      description: 'Addresses from which calls and texts come that any box may take.',
    }),
  },
  'The machines in front of the boxes, and their common address.',
)

const BoxOfClusterSchema = strict(
  {
    id: Type.String({ pattern: boxIdPattern, description: 'Its box.id: three hexadecimal digits.' }),
    address: Address('Its address.'),
    weight: Type.Integer({ default: 100, minimum: 1, maximum: 100, description: 'Its share of the calls, next to that of the others.' }),
    extensions: Type.Optional(
      Type.String({
        pattern: '^[0-9x]{2,6}(?:,[0-9x]{2,6})*$',
        description: 'Its phones: numbers, x for any digit, such as 1xx or 20x,310.',
      }),
    ),
    http: Type.Optional(
      Type.String({ pattern: '^https?://[0-9.]+:\\d{1,5}$', description: 'Its web port. Default: https:// at its address, port 8443.' }),
    ),
  },
  'A box.',
)

const PairSchema = strict(
  {
    address: Type.String({
      pattern: `^${ipv4}/(?:[89]|[12]\\d|3[0-2])$`,
      description: 'The address of the box, with its network (192.0.2.21/24). The machine in service has it.',
    }),
    interface: Name('The network interface that has it.'),
    machines: Type.Array(strict({ name: Name('Its host name.'), address: Address('Its own address.') }, 'A machine of the pair.'), {
      minItems: 2,
      maxItems: 2,
      description: 'The two machines.',
    }),
    witness: Address('A third machine with corosync-qnetd. It votes and holds no data.'),
    disk: Type.String({ pattern: '^/dev/[A-Za-z0-9._/-]+$', description: 'The disk of each machine that DRBD mirrors.' }),
    web: Type.String({
      default: 'https://ADDRESS:8443',
      pattern: '^https?://ADDRESS:\\d{1,5}$',
      description: 'The web port of the box, with ADDRESS for the address of the pair.',
    }),
    watchdog: Type.Optional(
      Type.String({ pattern: '^/dev/[A-Za-z0-9._/-]+$', description: 'The watchdog that resets a machine without a majority.' }),
    ),
    fence: Type.Optional(
      strict(
        {
          agent: Type.String({ pattern: '^fence_[a-z0-9_]+$', description: 'A fence agent of Debian, such as fence_ipmilan.' }),
          options: Type.Record(Type.String({ pattern: '^[A-Za-z_][A-Za-z0-9_-]*$' }), Type.String({ pattern: '^[ -~]*$' }), {
            default: {},
            description: 'Its options; %n is the name of the machine that is switched off.',
          }),
        },
        'What switches a machine off.',
      ),
    ),
  },
  'Two machines that are one box: the other one takes over when one dies.',
)
export type Pair = Static<typeof PairSchema>

/** A pair without an edge in front of it. */
export const PairAloneSchema = Type.Object({ pair: PairSchema }, { additionalProperties: false, description: 'A pair alone.' })

export const ClusterSchema = Type.Object(
  {
    pair: Type.Optional(PairSchema),
    edge: EdgeSchema,
    boxes: Type.Array(BoxOfClusterSchema, { minItems: 1, maxItems: 256, description: 'The boxes.' }),
    inbox: Type.Optional(Type.String({ pattern: boxIdPattern, description: 'The box whose inbox programs poll. Default: the first box.' })),
  },
  { additionalProperties: false, description: 'Several boxes behind one address.' },
)
export type Cluster = Static<typeof ClusterSchema>
export type ClusterBox = Cluster['boxes'][number]
export type EdgeMachine = Cluster['edge']['machines'][number]
