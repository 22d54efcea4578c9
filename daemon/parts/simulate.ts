/** One call through the whole voice path, with the simulated line in place of a trunk. */
import { createSimDriver } from '../../drivers/sim/driver.ts'
import type { SimStep } from '../../drivers/sim/driver.ts'
import { simulateRoutes } from '../http/routes/simulate.ts'
import type { Part } from '../part.ts'
import type { Inbound } from '../routing/inbound.ts'
import type { Config } from '../schema/config.ts'
import type { SimulateEvent, SimulateOptions } from '../schema/simulate.ts'
import type { Speaker } from '../speech/speaker.ts'

export function simulatePart(config: Config, { inbound, speaker }: { readonly inbound: Inbound; readonly speaker: Speaker }): Part {
  return {
    name: 'simulate',
    routes: simulateRoutes((options, onEvent, signal) => simulateCall(inbound, config, speaker, options, onEvent, signal)),
  }
}

async function simulateCall(
  inbound: Inbound,
  config: Config,
  speaker: Speaker,
  options: SimulateOptions,
  onEvent: (event: SimulateEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  const extension = config.extensions.some((candidate) => candidate.number === options.from) ? options.from : ''
  const trunk = config.trunks.find((candidate) => candidate.numbers.includes(options.to)) ?? config.trunks[0]
  // Somebody who has pressed all their keys listens to what follows, and hangs up if the application does not.
  const words = options.say === '' ? [] : await wordsOf(speaker, options.say)
  const script: SimStep[] = [
    ...options.keys.flatMap((digits): SimStep[] => [{ do: 'wait-prompts' }, { do: 'press', digits }]),
    ...words.flatMap((samples, index): SimStep[] => [...(index === 0 ? [{ do: 'wait-prompts' } as const] : []), { do: 'speak', samples }]),
    { do: 'wait-prompts' },
    { do: 'wait', ms: 2000 },
    { do: 'hangup' },
  ]
  const sim = createSimDriver({ speed: options.speed })
  let settled: Promise<void> = Promise.resolve()
  await sim.start({
    inbound: (info) => {
      const call = inbound.take(info)
      settled = call.settled
      onEvent({ type: 'started', callId: call.id })
      for (const entry of call.trace.entries()) onEvent({ type: 'trace', entry })
      call.trace.observe((entry) => onEvent({ type: 'trace', entry }))
      void call.settled.then(() => onEvent({ type: 'ended', endReason: call.row.endReason ?? '', talkSeconds: call.row.talkSeconds }))
    },
    statusChanged: () => undefined,
  })
  const far = sim.call({ from: options.from, to: options.to, extension, trunkId: extension === '' ? (trunk?.id ?? '') : '', script })
  const hangup = () => far.hangup()
  signal.addEventListener('abort', hangup)
  await settled
  signal.removeEventListener('abort', hangup)
  await sim.stop()
}

/** The caller's own voice: the box's. */
async function wordsOf(speaker: Speaker, text: string): Promise<Int16Array[]> {
  const parts = await Promise.all(speaker.prepare({ text, callId: 'simulated' }).parts)
  return parts.flatMap((part) => ('samples' in part ? [part.samples] : []))
}
