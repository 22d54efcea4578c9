/** Click-to-dial, and who sits at which phone. */
import { Type } from '@sinclair/typebox'
import type { Directory } from './directory.ts'
import type { Users } from './users.ts'
import { ApiError } from '../base/errors.ts'
import type { CallRecords } from '../history/records.ts'
import { normaliseNumber } from '../numbers/numbers.ts'
import { StartCallSchema, StartCrmCallSchema, UserSchema } from '../schema/click-to-dial.ts'
import type { Config } from '../schema/config.ts'
import { CallRecordSchema } from '../schema/history.ts'
import type { PartyRow } from '../store/tables.ts'
import { mustOwnExtension } from '../http/mask.ts'
import { mustBeUnrestricted } from '../http/reach.ts'
import { signer } from '../http/signature.ts'
import { defineRoute, type Reply, type Route, type RouteContext } from '../http/route.ts'
import { callLines } from '../schema/call-lines.ts'

export interface ClickOrder {
  readonly extension: string
  readonly to: string
  readonly shown: string
  readonly callerId?: string
  readonly customerId?: string
  readonly userId?: string
  readonly externalRef?: string
  readonly token?: string
  readonly timeoutSeconds: number
  readonly record: boolean
}

export interface ClickToDialServices {
  readonly config: Config
  readonly directory: Pick<Directory, 'get' | 'known'>
  readonly users: Users
  readonly records: Pick<CallRecords, 'get'>
  /** Resolves with the callId. `alongside` runs in the transaction that begins the call. */
  readonly place: (order: ClickOrder, alongside: (callId: string) => void) => Promise<string>
  readonly presence: (extension: string) => { readonly registered: boolean; readonly onCall: boolean }
}

type How = { callerId?: string; externalRef?: string; timeoutSeconds: number; record?: boolean }
type Whom = Pick<ClickOrder, 'extension' | 'to' | 'customerId' | 'userId'>

const tag = 'CRM'
const begins = 'its phone rings; when it is answered, the call to the number is placed as if it had been dialled there'

export function clickToDialRoutes({ config, directory, users, records, place, presence }: ClickToDialServices): Route[] {
  const start = async (context: RouteContext<unknown, unknown, How>, whom: Whom): Promise<Reply> => {
    const { body, token, deed } = context
    mustBeUnrestricted(token, 'phones of the house')
    mustOwnExtension(token, whom.extension)
    const { callerId, externalRef, timeoutSeconds, record = false } = body
    const order: ClickOrder = {
      ...whom,
      shown: nameOf(whom, directory, config),
      timeoutSeconds,
      record,
      ...(callerId === undefined ? {} : { callerId }),
      ...(externalRef === undefined ? {} : { externalRef }),
      ...(token === null ? {} : { token: token.name }),
    }
    let reply: Reply | null = null
    await place(order, (callId) => {
      reply = { status: 202, body: records.get(callId) }
      context.remember(reply)
      deed.record(callId)
    })
    return reply!
  }
  const placed = { deed: 'call.originate', access: 'crm', tag, idempotent: true } as const
  const rate = { perMinute: () => config.limits.originatesPerMinute }
  const missing = (): ApiError | undefined =>
    callLines(config).length === 0 ? new ApiError('no_trunk', 'No trunk is configured') : undefined
  const responses = { 202: { description: 'The call, which begins.', schema: CallRecordSchema, example } }
  return [
    defineRoute({
      ...placed,
      method: 'POST',
      path: '/api/pbx/calls/start',
      people: ['desk', 'manager'],
      operationId: 'startCall',
      summary: 'Click-to-dial, from an extension',
      description: `Of the extension ${begins}.`,
      body: StartCallSchema,
      rate,
      missing,
      responses,
      handle: (context) => {
        const { extension, to, customerId } = context.body
        return start(context, { extension, to, ...(customerId === undefined ? {} : { customerId }) })
      },
    }),
    defineRoute({
      ...placed,
      method: 'POST',
      path: '/api/pbx/calls/start/crm',
      operationId: 'startCrmCall',
      summary: 'Click-to-dial, from a user of the CRM to a customer',
      description: `Of the user ${begins}.`,
      body: StartCrmCallSchema,
      rate,
      missing,
      responses,
      handle: async (context) => {
        const { userId, customerId, phoneNumber } = context.body
        const extension = await users.extensionOf(userId)
        if (extension === null) throw new ApiError('user_unknown', 'No extension has this user.')
        const to = phoneNumber ?? primaryOf(directory, customerId)
        return start(context, { extension, userId, to, ...(customerId === undefined ? {} : { customerId }) })
      },
    }),
    ...userRoutes({ users, presence }),
  ]
}

function userRoutes({ users, presence }: Pick<ClickToDialServices, 'users' | 'presence'>): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/pbx/users/extension/:extension',
      access: 'crm',
      operationId: 'getUserOfExtension',
      summary: 'Who sits at an extension',
      description: 'As the CRM says, which is asked once an hour; else as the configuration of the box says.',
      tag,
      params: Type.Object({ extension: Type.String() }),
      responses: {
        200: {
          description: 'The user.',
          schema: UserSchema,
          example: { extension: '101', userId: 'u_17', name: 'Front desk', registered: true, onCall: false, source: 'local' },
        },
      },
      handle: async ({ params: { extension }, token }) => {
        mustBeUnrestricted(token, 'phones of the house')
        const user = await users.userAt(extension, token?.name !== signer.name)
        if (user === null) throw new ApiError('extension_unknown', 'There is no extension with that number.')
        return { status: 200, body: { extension, ...user, ...presence(extension) } }
      },
    }),
  ]
}

/** What the phone shows: the customer's name, else whose number it is. */
function nameOf({ customerId, to }: Whom, directory: ClickToDialServices['directory'], { site, extensions }: Config): string {
  const colleague = extensions.find(({ number }) => number === to)
  if (colleague !== undefined) return colleague.name
  const party = customerId === undefined ? undefined : partyOf(directory, customerId)
  return party?.name ?? directory.known(normaliseNumber(to, site.country).e164 ?? '')?.name ?? ''
}

/** Of an id that no directory can have nobody is looked for. */
function partyOf(directory: ClickToDialServices['directory'], id: string): PartyRow | undefined {
  return /^[\x20-\x7e]+$/.test(id) ? directory.get(id) : undefined
}

function primaryOf(directory: ClickToDialServices['directory'], customerId: string | undefined): string {
  if (customerId === undefined)
    throw new ApiError('validation_failed', 'customerId or phoneNumber is needed.', {
      details: [{ path: '/customerId', message: 'customerId or phoneNumber is needed' }],
    })
  const party = partyOf(directory, customerId)
  if (party === undefined) throw new ApiError('customer_unknown', 'There is no customer with that id in the directory.')
  const phones = party.phones.filter(({ label }) => label !== 'fax')
  const phone = phones.find(({ primary }) => primary === true) ?? phones[0]
  if (phone === undefined) throw new ApiError('customer_has_no_number', 'This customer has no telephone number.')
  return phone.number
}

const example = {
  callId: 'CA019a5b3c4d5e7f808192a3b4c5d6e7f8',
  rev: 1,
  direction: 'outbound',
  state: 'dialing',
  from: '101',
  to: '+15551234567',
  callerName: 'Front desk',
  extension: '101',
  userId: 'u_17',
  customerId: 'c_8812',
  startedAt: '2026-03-02T14:10:00Z',
  steps: [],
  legs: [],
  recordings: [],
  crmSync: 'off',
}
