/** pbx calls: who talks now. */
import type { CallView } from '../../../daemon/schema/voice-api.ts'
import type { Context } from '../context.ts'
import { age, dim, duration, localTime, print, printJson, table } from '../output.ts'

export async function calls({ json, client }: Context, options: { all?: true; limit: number }): Promise<void> {
  const query = { state: options.all ? 'all' : 'live' }
  const view = (await (await client()).list<CallView>('/api/voice/calls', options.limit, query)).map(shown)
  if (json) return printJson(view)
  if (view.length === 0) return print(dim(options.all ? 'no calls yet' : 'no calls in progress (ended ones: pbx calls --all)'))
  print(
    table(
      ['CALL', 'STARTED', 'DIRECTION', 'FROM', 'TO', 'STATE', 'TIME', 'BY'],
      view.map((call) => [
        call.callId,
        localTime(call.startedAt),
        call.direction,
        call.from || 'unknown',
        call.to,
        call.endReason ? `${call.state} (${call.endReason})` : call.activity ? `${call.state} (${call.activity})` : call.state,
        call.endedAt === null ? age(call.startedAt) : duration(call.talkSeconds),
        call.endpoint || '-',
      ]),
    ),
  )
}

/** `pbx --json` leaves no member out and has a text where the interface has null: so it always was. */
export function shown(call: CallView) {
  const { startedAt, endpoint = '', endReason } = call
  return { ...call, startedAt: startedAt ?? call.createdAt, endpoint, endReason: endReason ?? '' }
}
