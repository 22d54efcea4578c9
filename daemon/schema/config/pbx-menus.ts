/** The section `menus` of the configuration: callers choose by key where they go. */
import { Type, type Static } from '@sinclair/typebox'
import { Id, strict } from './forms.ts'

export const MenuSchema = strict(
  {
    id: Id('Its name: calls are sent there by menu:ID.'),
    say: Type.String({ minLength: 1, maxLength: 4096, description: 'What callers hear, in site.language: plain text, or SSML.' }),
    keys: Type.Record(Type.String(), Type.String({ minLength: 1 }), {
      default: {},
      description: 'Where each key leads: 0 to 9, * and #.',
    }),
    dialExtensions: Type.Boolean({ default: false, description: 'Whether callers may dial the number of an extension as well.' }),
    timeoutSeconds: Type.Integer({ default: 6, minimum: 1, maximum: 60, description: 'How long a key is waited for after the last word.' }),
    repeats: Type.Integer({
      default: 2,
      minimum: 0,
      maximum: 10,
      description: 'How often it is said again to who pressed nothing, or what is not there.',
    }),
    onNothing: Type.Optional(Type.String({ minLength: 1, description: 'Where calls go then, and those whose choice cannot take them.' })),
  },
  'A menu.',
)

export type MenuConfig = Static<typeof MenuSchema>
