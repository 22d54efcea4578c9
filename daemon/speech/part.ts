/** Speech on the box: who understands, who speaks, and the processes they run in. */
import { join } from 'node:path'
import type { Dispatcher } from 'undici'
import { synthesisers } from '../../drivers/index.ts'
import type { Core } from '../core.ts'
import { speechRoutes } from './routes.ts'
import type { Part } from '../part.ts'
import { createSpeech, type Speech } from './speech.ts'
import { speechTrials } from './trials.ts'
import { speechPackage } from './package.ts'
import { createSpeechEngines, type SpeechEngines } from './engines.ts'

export interface SpeechPart extends Part {
  readonly speech: Speech
  readonly engines: SpeechEngines
}

/** `dispatcher`: for audio that documents name. */
export async function speechPart(core: Core, { dispatcher }: { readonly dispatcher: Dispatcher }): Promise<SpeechPart> {
  const { config, root, store, clock, log, version } = core
  const embedded = [(await synthesisers.flite())(), (await synthesisers['espeak-ng']())()]
  const engines = createSpeechEngines({ config, clock, log, embedded })
  const library = speechPackage({ root, store, clock, version })
  const renderedDir = join(root, '.cache', 'prompts')
  const speech = await createSpeech({ ...engines.speakers(), config, log, dispatcher, renderedDir })
  const { speaker } = speech
  return {
    name: 'speech',
    speech,
    engines,
    routes: speechRoutes({
      ...speechTrials({ speaker, transcriber: engines.transcriber, language: config.site.language, storageDir: config.storage.dir, log }),
      view: () => engines.view(),
      async reload() {
        engines.reload()
        await speech.replace(engines.speakers())
      },
    }),
    *warnings() {
      yield* library.warnings()
      for (const { text, fix } of engines.view().problems) yield { code: `speech ${text.split(',')[0]}`, severity: 'warning', text, fix }
    },
    health: { speech: () => ({ ...speech.state(), required: false }) },
    async start() {
      engines.start()
      await library.start()
      void speech.warm().catch((error: unknown) => log.error({ err: error }, 'the box could not try its voice'))
    },
    stop: () => engines.stop(),
  }
}
