/** The section `menus` of the configuration: callers choose by key where they go. */
import { Type, type Static } from '@sinclair/typebox'
import { Id, strict } from './forms.ts'

export const MenuSchema = strict(
  {
    id: Id('Name in destinations: menu:ID.'),
    say: Type.String({ minLength: 1, maxLength: 4096, description: 'What callers hear, in site.language: plain text, or SSML.' }),
    keys: Type.Record(Type.String(), Type.String({ minLength: 1 }), {
      default: {},
      description: 'Where each key leads: 0 to 9, * and #.',
    }),
    dialExtensions: Type.Boolean({ default: false, description: 'Whether callers may dial the number of an extension as well.' }),
    timeoutSeconds: Type.Integer({
      default: 6,
      minimum: 1,
      maximum: 60,
      description: 'How long the menu waits for a key after the last word.',
    }),
    repeats: Type.Integer({
      default: 2,
      minimum: 0,
      maximum: 10,
      description: 'How often the menu is repeated after no key or an unknown key.',
    }),
    onNothing: Type.Optional(
      Type.String({ minLength: 1, description: 'Where calls go after that, and when the chosen destination cannot take the call.' }),
    ),
  },
  'A menu.',
)

export type MenuConfig = Static<typeof MenuSchema>
