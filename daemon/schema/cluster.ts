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

export const ClusterSchema = Type.Object(
  {
    edge: EdgeSchema,
    boxes: Type.Array(BoxOfClusterSchema, { minItems: 1, maxItems: 256, description: 'The boxes.' }),
    inbox: Type.Optional(Type.String({ pattern: boxIdPattern, description: 'The box whose inbox programs poll. Default: the first box.' })),
  },
  { additionalProperties: false, description: 'Several boxes behind one address.' },
)
export type Cluster = Static<typeof ClusterSchema>
export type ClusterBox = Cluster['boxes'][number]
export type EdgeMachine = Cluster['edge']['machines'][number]
