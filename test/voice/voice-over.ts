/** What the stages of voice have in common: a voice over a store, calls and recordings; each stage brings what it tests. */
import type { Dispatcher } from 'undici'
import type { Synthesiser } from '../../drivers/speech.ts'
import type { Clock } from '../../daemon/base/clock.ts'
import type { Log } from '../../daemon/base/log.ts'
import type { Calls } from '../../daemon/calls/calls.ts'
import { checker } from '../../daemon/http/validate.ts'
import type { Outbox } from '../../daemon/outbox/outbox.ts'
import type { Config } from '../../daemon/schema/config.ts'
import { ServerFrameSchema } from '../../daemon/schema/stream-frames.ts'
import { PhraseCache } from '../../daemon/speech/cache.ts'
import { Speaker } from '../../daemon/speech/speaker.ts'
import type { Store } from '../../daemon/store/store.ts'
import { FinishedInputs } from '../../daemon/voice/inputs.ts'
import type { Recordings } from '../../daemon/voice/recordings.ts'
import { Requestor } from '../../daemon/voice/requestor.ts'
import { createVerbAbilities } from '../../daemon/voice/verb-abilities.ts'
import { Voice } from '../../daemon/voice/voice.ts'

type Options = ConstructorParameters<typeof Voice>[1]

export interface VoiceParts extends Pick<Options, 'promptSource' | 'ear' | 'transcripts' | 'destinations' | 'alert'> {
  readonly config: Config
  readonly store: Store
  readonly outbox: Outbox
  readonly calls: Calls
  readonly recordings: Recordings
  readonly clock: Clock
  readonly log: Log
  readonly engines: readonly Synthesiser[]
  readonly dispatcher: Dispatcher
  readonly checkUrl: ConstructorParameters<typeof Requestor>[0]['checkUrl']
}

export function voiceOver({ config, store, outbox, calls, recordings, clock, log, engines, dispatcher, checkUrl, ...own }: VoiceParts): {
  readonly voice: Voice
  readonly inputs: FinishedInputs
} {
  const lives = (callId: string) => calls.get(callId) !== undefined
  const inputs = new FinishedInputs({ store, outbox, recordings, lives, transcribe: () => undefined, clock, log })
  const speaker = new Speaker({ engines, language: 'en-US', cache: new PhraseCache(1 << 20, null), log })
  const abilities = createVerbAbilities({
    config,
    policy: { allowLoopback: true },
    calls,
    destinations: own.destinations,
    speaker,
    clock,
    log,
    userAgent: 'pbx/test',
    accountSid: `AC${'0'.repeat(32)}`,
    checkFrame: checker(ServerFrameSchema, false),
  })
  const voice = new Voice(config, {
    requestor: new Requestor({ dispatcher, again: dispatcher, checkUrl, clock, log, userAgent: 'pbx/0', endpointRequests: 20 }),
    speaker,
    recordings,
    inputs,
    clock,
    log,
    guards: { redirects: 10, documents: 500, silentGathers: 30 },
    recovered: () => undefined,
    abilities,
    ...own,
  })
  return { voice, inputs }
}
