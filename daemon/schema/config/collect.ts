/** The section `collect` of the configuration: the inboxes of other boxes that this box shows as one with its own. */
import { Type, type Static } from '@sinclair/typebox'
import { boxIdPattern } from './box.ts'
import { Id, Secret, strict } from './forms.ts'

const CollectedBoxSchema = strict(
  {
    id: Type.String({ pattern: boxIdPattern, examples: ['002'], description: 'Its box.id.' }),
    api: Type.String({
      pattern: '^https?://[A-Za-z0-9.\\-\\[\\]:]+/?$',
      examples: ['https://192.0.2.22:8443'],
      description: 'Its web port.',
    }),
    token: {
      ...Secret('A token of that box with the scope inbox: pbx token create --name collector --scope inbox.'),
      examples: [{ file: '/etc/pbxd/collect-002.token' }],
    },
    ca: Type.Optional(
      Type.String({
        minLength: 1,
        examples: ['/etc/pbxd/boxes.pem'],
        description: 'PEM file with the authority of its certificate. Default: the authorities of the system.',
      }),
    ),
  },
  'A box whose inbox is collected.',
)

export const CollectSchema = strict(
  {
    boxes: Type.Array(CollectedBoxSchema, {
      default: [],
      maxItems: 256,
      description: 'Boxes whose received faxes, texts and voicemail this box gives to programs together with its own.',
    }),
    from: Type.Array(Id('A site: an entry of sites with api and token.'), {
      default: [],
      maxItems: 256,
      examples: [['north', 'south']],
      description: 'Sites whose received faxes, texts and voicemail this box gives to programs together with its own.',
    }),
  },
  'One inbox of several boxes or sites; see docs/scale.md. A box that is alone needs none of this.',
)

export type CollectedBoxConfig = Static<typeof CollectedBoxSchema>
