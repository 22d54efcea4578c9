/** A configuration is put to use on trial: it is written only when the provider answers as it should. */
import type { ConfigCheckView, ConfigStateView, ConfigUnderWayView } from '../../../daemon/schema/config/change.ts'
import type { LineView } from '../../../daemon/schema/operation.ts'
import { CommandError, exitCode, type Client } from '../client.ts'
import { tellCheck, follow } from '../config/change.ts'
import type { Context } from '../command.ts'
import { dim, print } from '../output.ts'
import { patience } from '../patience.ts'
import { GivenUp } from './questions.ts'

const askMs = 500
/** Of the minute in which a change waits to be confirmed. */
const trunkMs = 40_000
const startMs = 60_000

export class ProviderRefuses extends CommandError {}

/** @throws CommandError with the reason; then the box is as it was. */
export async function putToUse(context: Context, text: string, trunk: boolean): Promise<void> {
  let givenUp = false
  const giveUp = (): void => void (givenUp = true)
  // Ctrl-C while the provider is asked must leave nothing on trial.
  process.on('SIGINT', giveUp).on('SIGTERM', giveUp).on('SIGHUP', giveUp)
  try {
    await tried(context, text, trunk, () => givenUp)
  } finally {
    process.off('SIGINT', giveUp).off('SIGTERM', giveUp).off('SIGHUP', giveUp)
  }
}

async function tried(context: Context, text: string, trunk: boolean, givenUp: () => boolean): Promise<void> {
  const client = await context.client()
  const view = await client.post<ConfigCheckView>('/api/config/check', { text })
  if (!view.ok) {
    tellCheck(view, 'the result of your answers')
    throw new CommandError('the answers do not give a valid configuration; nothing was changed')
  }
  const order = { text, note: 'pbx setup', confirmed: false }
  const begun = await client.post<ConfigUnderWayView>('/api/config/apply', order)
  const ready = await calm(context, client, begun, givenUp)
  const change = await until(client, ready, ({ state }) => ['unconfirmed', 'applied', 'reverted'].includes(state))
  if (change.state === 'reverted' && givenUp()) throw new GivenUp()
  if (change.state === 'reverted') throw new CommandError(`the configuration was rolled back: ${change.reason}`)
  if (change.state === 'unconfirmed') {
    if (trunk && !context.json) print(dim('registering at the provider'))
    const fault = trunk ? await trunkFault(client, givenUp) : null
    if (fault !== null || givenUp()) {
      await client.post('/api/config/revert', {})
      await until(client, change, ({ state }) => state === 'reverted')
      if (givenUp()) throw new GivenUp()
      throw new ProviderRefuses(`the provider does not accept the registration: ${fault}. Nothing was written.`)
    }
  }
  if (change.state === 'unconfirmed') await client.post('/api/config/confirm')
  if ((await follow(context, client, change, { yes: true }, text)) !== exitCode.done)
    throw new CommandError('the configuration is in use, but its file could not be written', { fix: 'run this as root' })
}

/** Calls that the restart would cut may end first; so long as they take, up to ten minutes. */
async function calm(context: Context, client: Client, begun: ConfigUnderWayView, givenUp: () => boolean): Promise<ConfigUnderWayView> {
  let change = await until(client, begun, ({ state }) => state !== 'applying')
  if (change.state !== 'waiting') return change
  if (!context.json) print(dim(`${change.reason}: waiting for calls to end (Ctrl-C stops)`))
  while (change.state === 'waiting') {
    if (givenUp()) await client.post('/api/config/revert', {})
    const began = performance.now()
    change = await until(client, change, ({ state }) => state !== 'waiting' || givenUp() || performance.now() > began + startMs / 2)
  }
  return change
}

async function until(
  client: Client,
  begun: ConfigUnderWayView,
  over: (change: ConfigUnderWayView) => boolean,
): Promise<ConfigUnderWayView> {
  let change = begun
  const deadline = performance.now() + startMs
  while (!over(change)) {
    await new Promise((done) => setTimeout(done, askMs))
    if (performance.now() > deadline + patience.standstillMs) throw new CommandError('the change did not finish')
    try {
      const ended = {
        ...change,
        state: 'reverted',
        reason: 'the daemon ended during the change and started with the previous configuration',
      } as const
      change = (await client.get<ConfigStateView>('/api/config')).change ?? ended
    } catch (error) {
      if (!(error instanceof CommandError) || error.exit !== exitCode.unreachable || performance.now() > deadline) throw error
    }
  }
  return change
}

/** Null: it is up, or nobody waits for it any more. */
async function trunkFault(client: Client, givenUp: () => boolean): Promise<string | null> {
  const deadline = performance.now() + trunkMs
  for (;;) {
    const line = (await client.get<LineView[]>('/api/lines')).find(({ id, kind }) => id === 'main' && kind === 'trunk')
    if (line?.ok === true || givenUp()) return null
    // A refusal is an answer; silence may end.
    const reason = line?.reason || line?.state || 'it does not exist'
    if (line?.state === 'refused' || performance.now() > deadline) return reason
    await new Promise((done) => setTimeout(done, askMs))
  }
}
