/** Puts the speech of the box together: engines, caches, the speaker and the prompt library. */
import { join } from 'node:path'
import type { Dispatcher } from 'undici'
import type { Synthesiser } from '../../drivers/speech.ts'
import type { Log } from '../log.ts'
import type { Config } from '../schema/config.ts'
import { PhraseCache } from './cache.ts'
import { DiskCache } from './disk-cache.ts'
import { AudioFetcher } from './fetch-audio.ts'
import { Prompts } from './prompts.ts'
import { Speaker } from './speaker.ts'

export interface Speech {
  readonly speaker: Speaker
  readonly prompts: Prompts
  state(): { readonly ok: boolean; readonly reason: string; readonly detail: string }
  /** Finds out which engines work, and speaks the box's own phrases ahead. */
  warm(): Promise<void>
}

const diskCacheBytes = 256 * 1024 * 1024

/** Several daemons may share a machine but not a storage directory, so the caches are below it. */
export async function createSpeech(options: {
  engines: readonly Synthesiser[]
  config: Config
  log: Log
  dispatcher: Dispatcher
}): Promise<Speech> {
  const { engines, config, log, dispatcher } = options
  const { dir } = config.storage
  const disk = await DiskCache.open(join(dir, 'cache', 'tts'), diskCacheBytes, (error) =>
    log.warn({ err: error }, 'the cache of spoken phrases has a fault'),
  )
  const speaker = new Speaker({
    engines,
    language: config.site.language,
    cache: new PhraseCache(config.voice.cacheMegabytes * 1024 * 1024, disk),
    log,
  })
  const prompts = new Prompts({ speaker, fetcher: new AudioFetcher({ dispatcher }), directory: join(dir, 'prompts') })
  let broken: readonly { id: string; reason: string }[] = []
  let checked = false
  return {
    speaker,
    prompts,
    state: () => ({
      ok: broken.length === 0,
      reason: broken.length > 0 ? 'a voice is missing' : checked ? '' : 'not checked yet',
      detail: broken.map(({ id, reason }) => `${id}: ${reason}`).join('; '),
    }),
    warm: async () => {
      broken = (await speaker.check()).filter((engine) => !engine.ok)
      checked = true
      await prompts.warm()
    },
  }
}
