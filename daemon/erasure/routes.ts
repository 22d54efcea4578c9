/** Deletion of what is kept, one item at a time and by its whole id: for the technician, who need not know which table has it. */
import { Type } from '@sinclair/typebox'
import type { DeedName } from '../audit/deed.ts'
import type { Eraser } from './erasure.ts'
import { ApiError } from '../base/errors.ts'
import { defineRoute, type Route } from '../http/route.ts'

/** The answer to a deletion. */
const DeletedSchema = Type.Object({ deleted: Type.String({ description: 'Its id.' }) })

/** `erasers`: by kind. */
export function storedRoutes(erasers: Readonly<Record<string, Eraser | undefined>>): Route[] {
  return [
    defineRoute({
      method: 'DELETE',
      path: '/api/stored/:kind/:id',
      access: 'technician',
      operationId: 'deleteStored',
      // Which of them it is, its path says.
      deed: 'inbox.delete',
      summary: 'Delete an item with everything that repeats it',
      description: 'Kinds are the groups of `pbx` that have a command `delete`, such as fax.',
      tag: 'Deletion',
      params: Type.Object({ kind: Type.String(), id: Type.String() }),
      responses: { 200: { description: 'Deleted.', schema: DeletedSchema } },
      handle: async ({ params: { kind, id }, deed }) => {
        const erase = Object.hasOwn(erasers, kind) ? erasers[kind] : undefined
        if (erase === undefined) throw new ApiError('not_found', `Nothing of the kind ${kind} is stored.`)
        deed.becomes(`${kind}.delete` as DeedName)
        deed.about(id)
        await erase(id, (object) => deed.record(object))
        return { status: 200, body: { deleted: id } }
      },
    }),
  ]
}
