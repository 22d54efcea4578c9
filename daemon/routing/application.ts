/** A call that comes in for a voice endpoint. */
import type { Call } from '../calls/call.ts'
import type { Config } from '../schema/config.ts'
import type { CallEventContent } from '../schema/events.ts'
import type { TakeRequest } from './destinations.ts'
import { answered, type Taken } from './taken.ts'

/** Which headers of an INVITE an application hears of. */

/** Headers come from the caller: an application gets those it was promised. Names in lower case. */
function listedHeaders(headers: Readonly<Record<string, string>>, listed: readonly string[]): { sipHeaders?: Record<string, string> } {
  const names = listed.map((name) => name.toLowerCase())
  const told = Object.entries(headers).filter(([name]) => names.includes(name))
  return told.length === 0 ? {} : { sipHeaders: Object.fromEntries(told) }
}

/** What the first event of an inbound call says of it besides what every event does. */
export type InboundFields = CallEventContent<'call.inbound.pre_route'>['fields']

/** Drives a call by an application until the call has ended. Never rejects for what an application does. */
export interface ApplicationRunner {
  /** `faxes`: the number takes faxes too. */
  inbound(call: Call, endpointId: string, extra: InboundFields, faxes: boolean): Promise<void>
  answered(call: Call): Promise<void>
  /**
   * The same by an application of this program, for a call that comes in or that another sends on, at the longest until `signal` aborts.
   * `faxes`: a fax machine may call here.
   */
  takeOver(call: Call, name: string, signal: AbortSignal, faxes: boolean): Promise<void>
}

/** Resolves when the application has no part in the call any more. */
export async function takeToApplication(
  config: Config,
  applications: Pick<ApplicationRunner, 'inbound'>,
  call: Call,
  id: string,
  { arrival }: TakeRequest,
): Promise<Taken> {
  const endpoint = config.voice.endpoints.find((candidate) => candidate.id === id)
  if (endpoint === undefined || arrival === undefined) {
    call.end({ reason: 'no-route', by: 'system' }, { sipCode: 404 })
    return { outcome: 'failed', sipCode: 404, text: `there is no voice endpoint ${id}` }
  }
  const { row } = call
  const { calledName, diversion, headers } = arrival.info
  row.endpointId = endpoint.id
  row.statusCallbackUrl = endpoint.statusCallbackUrl ?? ''
  row.statusEvents = [...endpoint.statusEvents]
  const extra = {
    ...(calledName === '' ? {} : { calledName }),
    ...(diversion === '' ? {} : { diversion }),
    ...listedHeaders(headers, config.voice.sipHeaders),
  }
  await applications.inbound(call, endpoint.id, extra, arrival.faxes)
  return answered
}
