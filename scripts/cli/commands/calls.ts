/** pbx calls: who talks to whom. */
import { setTimeout as pause } from 'node:timers/promises'
import type { CallView } from '../../../daemon/schema/voice-api.ts'
import type { Context } from '../context.ts'
import { age, dim, duration, harmless, localTime, print, printJson, table } from '../output.ts'

interface Wanted {
  readonly all?: true
  readonly limit: number
  readonly watch?: true
}

const betweenMs = 1000

export async function calls({ json, client }: Context, { all, limit, watch }: Wanted): Promise<void> {
  const asked = await client()
  const look = async () => (await asked.list<CallView>('/api/voice/calls', limit, { state: all ? 'all' : 'live' })).map(shown)
  if (json) return printJson(await look())
  if (!watch) return print(screen(await look(), all))
  for (;;) {
    const text = screen(await look(), all)
    // The whole screen anew, from its first line on.
    process.stdout.write(`${process.stdout.isTTY ? '\u001b[H\u001b[2J' : ''}${harmless(text)}\n`)
    await pause(betweenMs)
  }
}

function screen(view: readonly ReturnType<typeof shown>[], all: true | undefined): string {
  if (view.length === 0) return dim(all ? 'no calls yet' : 'no calls in progress (ended ones: pbx calls --all)')
  return table(
    ['CALL', 'STARTED', 'DIRECTION', 'FROM', 'TO', 'WITH', 'STATE', 'TIME', 'BY'],
    view.map((call) => [
      call.callId,
      localTime(call.startedAt),
      call.direction,
      call.from || 'unknown',
      call.to,
      others(call),
      call.endReason ? `${call.state} (${call.endReason})` : call.activity ? `${call.state} (${call.activity})` : call.state,
      call.endedAt === null ? age(call.startedAt) : duration(call.talkSeconds),
      call.endpoint || '-',
    ]),
  )
}

/** Who talks there, else who rings there; of a call that is over, who talked. */
export function others({ legs = [], endedAt }: Pick<CallView, 'legs' | 'endedAt'>): string {
  const talk = legs.filter((leg) => leg.answeredAt !== null && (endedAt !== null || leg.endedAt === null))
  if (talk.length > 0) return talk.map(({ to }) => to).join(', ')
  const ringing = endedAt === null ? legs.filter((leg) => leg.endedAt === null) : []
  return ringing.length === 0 ? '-' : `rings ${ringing.map(({ to }) => to).join(', ')}`
}

/** `pbx --json` leaves no member out and has a text where the interface has null: so it always was. */
export function shown(call: CallView) {
  const { startedAt, endpoint = '', endReason } = call
  return { ...call, startedAt: startedAt ?? call.createdAt, endpoint, endReason: endReason ?? '' }
}
