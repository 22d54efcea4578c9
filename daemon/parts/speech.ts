/** Speech on the box: who understands, who speaks, and the processes they run in. */
import { join } from 'node:path'
import type { Dispatcher } from 'undici'
import type { Core } from '../core.ts'
import { speechRoutes } from '../speech/routes.ts'
import type { Part } from '../part.ts'
import { createSpeech, type Speech } from '../speech/speech.ts'
import { speechTrials } from '../speech/trials.ts'
import { speechPackage } from './speech-package.ts'
import { createSpeechEngines, type SpeechEngines } from './speech-engines.ts'

export interface SpeechPart extends Part {
  readonly speech: Speech
  readonly engines: SpeechEngines
}

/** `dispatcher`: for audio that documents name. */
export async function speechPart(core: Core, { dispatcher }: { readonly dispatcher: Dispatcher }): Promise<SpeechPart> {
  const { config, root, log } = core
  const engines = await createSpeechEngines(core)
  const library = speechPackage(core)
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
