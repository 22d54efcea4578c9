/** The audit trail as it is shown. */
import { Type } from '@sinclair/typebox'
import { Choice } from './choice.ts'
import { named, type View } from './named.ts'
import { TimeSchema } from './voice-call.ts'

export const AuditRowSchema = named(
  'AuditRow',
  Type.Object(
    {
      seq: Type.Integer({ minimum: 0 }),
      time: TimeSchema,
      actor: Type.String({ description: 'token:NAME, user:NAME, system or nobody.' }),
      address: Type.String({ description: 'Where the request came from; local for the socket.' }),
      deed: Type.String({ description: 'Such as inbox.media; docs/audit.md has them all.' }),
      object: Type.String({ description: 'Ids, separated by spaces.' }),
      outcome: Type.String({ description: 'done, or the code of the error.' }),
      count: Type.Integer(),
      requestId: Type.String(),
      previous: Type.String({ description: 'Hash of the row before.' }),
      hash: Type.String(),
    },
    { description: 'The order of its members is part of what hash covers.' },
  ),
)
export type AuditRowView = View<typeof AuditRowSchema>

const Link = Type.Union([Type.Object({ seq: Type.Integer(), hash: Type.String() }), Type.Null()])

export const AuditVerdictSchema = named(
  'AuditVerdict',
  Type.Object({
    ok: Type.Boolean(),
    rows: Type.Integer({ description: 'Looked at.' }),
    first: Link,
    last: Link,
    faults: Type.Array(
      Type.Object({
        seq: Type.Integer({ description: 'Number of the row, of the first where several are meant.' }),
        kind: Choice(['changed', 'missing', 'inserted', 'moved', 'unreadable']),
        text: Type.String(),
      }),
      { description: 'At most 100.' },
    ),
  }),
)
export type AuditVerdictView = View<typeof AuditVerdictSchema>
