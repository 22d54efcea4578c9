/** One call through the whole voice path, with the simulated line in place of a trunk. */
import { toTelephoneRate } from '../../drivers/resample.ts'
import { createSimDriver, type SimStep } from '../../drivers/sim/driver.ts'
import { readWav, WavError, type Wav } from '../../drivers/wav.ts'
import { ApiError } from '../base/errors.ts'
import type { Inbound } from '../routing/inbound.ts'
import type { Config } from '../schema/config.ts'
import type { SimulateEvent, SimulateOptions } from '../schema/simulate.ts'
import type { Speaker } from '../speech/speaker.ts'

export interface Simulated {
  readonly inbound: Inbound
  readonly config: Config
  readonly speaker: Speaker
  readonly options: SimulateOptions
  readonly play: readonly SimStep[]
}

/** After such a pause a caller takes a prompt for ended. The application's answer takes real time, however fast the line is. */
const pauseMs = 300
const leastRealMs = 100

export async function simulateCall(
  { inbound, config, speaker, options, play }: Simulated,
  onEvent: (event: SimulateEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  const extension = config.extensions.some((candidate) => candidate.number === options.from) ? options.from : ''
  const trunk = config.trunks.find((candidate) => candidate.numbers.includes(options.to)) ?? config.trunks[0]
  // Somebody who has pressed all their keys listens to what follows, and hangs up if the application does not.
  const words = options.say === '' ? [] : await wordsOf(speaker, options.say)
  const prompts: SimStep = { do: 'wait-prompts', quietMs: Math.max(pauseMs, leastRealMs * options.speed) }
  const script: SimStep[] = [
    ...play,
    ...options.keys.flatMap((digits): SimStep[] => [prompts, { do: 'press', digits }]),
    ...words.flatMap((samples, index): SimStep[] => [...(index === 0 ? [prompts] : []), { do: 'speak', samples }]),
    ...(play.length === 0 ? [prompts, { do: 'wait', ms: 2000 } as const] : []),
    { do: 'hangup' },
  ]
  const hears =
    options.hear === true
      ? {
          hears: (samples: Int16Array) =>
            onEvent({ type: 'heard', payload: Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength).toString('base64') }),
        }
      : {}
  const sim = createSimDriver({ speed: options.speed })
  const asks = silentAsks()
  let settled: Promise<void> = Promise.resolve()
  await sim.start({
    inbound: (info) => {
      const call = inbound.take(info)
      settled = call.settled
      onEvent({ type: 'started', callId: call.id })
      for (const entry of call.trace.entries()) onEvent({ type: 'trace', entry })
      call.trace.observe((entry) => {
        if (asks(entry)) far.asked()
        onEvent({ type: 'trace', entry })
      })
      void call.settled.then(() => onEvent({ type: 'ended', endReason: call.row.endReason ?? '', talkSeconds: call.row.talkSeconds }))
    },
    statusChanged: () => undefined,
  })
  const far = sim.call({
    // As a call of one who withholds the number comes from the engine.
    from: /^(anonymous|withheld)$/i.test(options.from) ? '' : options.from,
    to: options.to,
    extension,
    trunkId: extension === '' ? (trunk?.id ?? '') : '',
    script,
    ...hears,
  })
  const hangup = () => far.hangup()
  signal.addEventListener('abort', hangup)
  await settled
  signal.removeEventListener('abort', hangup)
  await sim.stop()
}

/** Whether the entry says that the application waits for the caller and lets nothing be heard first: no prompt then says when it is their turn. */
function silentAsks(): (entry: { readonly kind: string; readonly text: string }) => boolean {
  let heard = true
  return ({ kind, text }) => {
    if (kind === 'document') heard = /\b(say|play|pause)\b/.test(text)
    return kind === 'verb' && text === 'gather' && !heard
  }
}

/** Somebody who talks at once, to a stream for example, and listens until nothing more comes. */
export function playedBy({ play }: SimulateOptions): SimStep[] {
  if (play === undefined) return []
  const { rate, samples } = wavOf(play)
  const said = rate === 8000 ? samples : toTelephoneRate(samples, rate)
  return [{ do: 'wait-answered' }, { do: 'speak', samples: said }, { do: 'wait-quiet', quietMs: 3000, mostMs: 60_000 }]
}

function wavOf(base64: string): Wav {
  try {
    return readWav(Buffer.from(base64, 'base64'))
  } catch (error) {
    if (error instanceof WavError)
      throw new ApiError('validation_failed', error.message, { details: [{ path: '/play', message: error.message }] })
    throw error
  }
}

/** The caller's own voice: the box's. */
async function wordsOf(speaker: Speaker, text: string): Promise<Int16Array[]> {
  const parts = await Promise.all(speaker.prepare({ text, callId: 'simulated' }).parts)
  return parts.flatMap((part) => ('samples' in part ? [part.samples] : []))
}
