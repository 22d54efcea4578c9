/** The answer to a deletion. */
import { Type } from '@sinclair/typebox'

export const DeletedSchema = Type.Object({ deleted: Type.String({ description: 'Its id.' }) })
