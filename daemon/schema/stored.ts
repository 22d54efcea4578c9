/** What is kept and can be deleted one by one. */
import { Type } from '@sinclair/typebox'
import { Choice } from './choice.ts'

export const storedKinds = ['fax', 'inbox', 'mail', 'recording', 'reminder', 'sms', 'trace'] as const
export type StoredKind = (typeof storedKinds)[number]

export const StoredKindSchema = Choice(storedKinds)
export const DeletedSchema = Type.Object({ deleted: Type.String({ description: 'Its id.' }) })
