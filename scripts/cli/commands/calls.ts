/** pbx calls: who talks now. */
import type { CallView } from '../../../daemon/control/services.ts'
import type { Context } from '../context.ts'
import { age, dim, duration, localTime, print, printJson, table } from '../output.ts'

export async function calls({ json, client }: Context, options: { all?: true; limit: number }): Promise<void> {
  const view = await (await client()).get<CallView[]>(`/calls?all=${options.all === true}&limit=${options.limit}`)
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
