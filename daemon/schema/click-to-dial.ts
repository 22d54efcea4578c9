/** Click-to-dial: what programs ask for. */
import { Type } from '@sinclair/typebox'
import { Choice } from './choice.ts'
import { named } from './named.ts'

const RefSchema = Type.String({ minLength: 1, maxLength: 128, pattern: '^[^\\u0000-\\u001f\\u007f]+$' })

const how = {
  callerId: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'Number of a trunk that the called person sees; by default that of the extension.',
    }),
  ),
  externalRef: Type.Optional(RefSchema),
  timeoutSeconds: Type.Integer({ minimum: 5, maximum: 60, default: 25, description: 'How long the phone of who asks for it rings.' }),
  record: Type.Optional(Type.Boolean({ description: 'Whether the talk is recorded, also where its extension’s are not.' })),
}

export const StartCallSchema = named(
  'StartCallRequest',
  Type.Object(
    {
      extension: Type.String({ minLength: 1, maxLength: 16, description: 'Its phone rings first.' }),
      to: Type.String({ minLength: 1, maxLength: 64, description: 'A number as people write it, or an extension.' }),
      customerId: Type.Optional(RefSchema),
      ...how,
    },
    { examples: [{ extension: '101', to: '555-123-4567', customerId: 'c_8812', timeoutSeconds: 25 }] },
  ),
)

export const StartCrmCallSchema = named(
  'StartCrmCallRequest',
  Type.Object(
    {
      userId: { ...RefSchema, description: 'User of the CRM whose phone rings first.' },
      customerId: Type.Optional({ ...RefSchema, description: 'Called at their primary number, unless there is a phoneNumber.' }),
      phoneNumber: Type.Optional(Type.String({ minLength: 1, maxLength: 64, description: 'Or: the number to call.' })),
      ...how,
    },
    { examples: [{ userId: 'u_17', customerId: 'c_8812', externalRef: 'task-4411' }] },
  ),
)

export const UserSchema = named(
  'ExtensionUser',
  Type.Object({
    extension: Type.String(),
    userId: Type.String(),
    name: Type.String(),
    registered: Type.Boolean({ description: 'A phone of it can be rung.' }),
    onCall: Type.Boolean({ description: 'A phone of it calls somebody or talks.' }),
    source: Choice(['crm', 'local'], { description: 'local: the configuration of this box; the CRM does not know, or was not reached.' }),
  }),
)
