/** The extensions of the house, what is set of them, and what their lamps show. */
import { Type } from '@sinclair/typebox'
import {
  ExtensionChangeSchema,
  ExtensionSchema,
  LampSchema,
  lampExample,
  type ExtensionChange,
  type ExtensionView,
  type LampView,
} from '../../schema/extensions.ts'
import { mustOwnExtension } from '../../http/mask.ts'
import { mustBeUnrestricted } from '../../http/reach.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import { roles } from '../../schema/people.ts'

export interface ExtensionServices {
  list(): readonly ExtensionView[]
  /** `record` runs in the transaction. Throws ApiError: not_found, number_invalid. */
  change(number: string, changes: ExtensionChange, record: () => void): Promise<ExtensionView>
}

const access = 'technician'
const tag = 'Extensions'

export function extensionRoutes(extensions: ExtensionServices): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/extensions',
      access,
      people: roles,
      operationId: 'listExtensions',
      summary: 'The extensions, with do not disturb and forwards',
      tag,
      responses: { 200: { description: 'In the order of the configuration.', schema: Type.Array(ExtensionSchema) } },
      handle: () => ({ status: 200, body: extensions.list() }),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/extensions/:number',
      access,
      people: roles,
      operationId: 'changeExtension',
      deed: 'extension.change',
      summary: 'Set do not disturb and forwards of an extension',
      tag,
      params: Type.Object({ number: Type.String() }),
      body: ExtensionChangeSchema,
      responses: { 200: { description: 'As it is now.', schema: ExtensionSchema } },
      handle: async ({ params: { number }, body, token, deed }) => {
        mustOwnExtension(token, number, 'technician')
        return { status: 200, body: await extensions.change(number, body, () => deed.record(number)) }
      },
    }),
  ]
}

export function lampRoutes(lamps: { list(): readonly LampView[] }): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/lamps',
      access: 'inbox',
      people: roles,
      operationId: 'listLamps',
      summary: 'What lamps show of the extensions and mailboxes',
      description:
        'For the box of another site, which shows it to its phones. The topic `lamps` of /api/live goes on from the X-Live-Id of this list. It names no caller.',
      tag,
      responses: { 200: { description: 'In the order of the configuration.', schema: Type.Array(LampSchema), example: [lampExample] } },
      handle: ({ token }) => {
        mustBeUnrestricted(token, 'lamps of the whole house')
        return { status: 200, body: lamps.list() }
      },
    }),
  ]
}
