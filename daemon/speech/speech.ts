/** Puts the speech of the box together: engines, caches, the speaker and the prompt library. */
import { join } from 'node:path'
import type { Dispatcher } from 'undici'
import type { Log } from '../base/log.ts'
import type { Config } from '../schema/config.ts'
import { PhraseCache } from './cache.ts'
import { DiskCache } from './disk-cache.ts'
import { AudioFetcher } from './fetch-audio.ts'
import { Prompts } from './prompts.ts'
import { openRendered } from './rendered.ts'
import { Speaker, type SpeakerEngines } from './speaker.ts'

export interface Speech {
  readonly speaker: Speaker
  readonly prompts: Prompts
  state(): { readonly ok: boolean; readonly reason: string; readonly detail: string }
  /** Finds out which engines work, and speaks the box's own phrases ahead. */
  warm(): Promise<void>
  /** Other voices from now on; resolves when they were tried. */
  replace(engines: SpeakerEngines): Promise<void>
}

export interface SpeechOptions extends SpeakerEngines {
  readonly config: Config
  readonly log: Log
  readonly dispatcher: Dispatcher
  /** Folder of the phrases that were spoken when the program was installed; none when absent. */
  readonly renderedDir?: string
}

/** How long what was found of the engines is believed. */
const recheckMs = 10_000
const diskCacheBytes = 256 * 1024 * 1024

/** Several daemons may share a machine but not a storage directory, so the caches are below it. */
export async function createSpeech(options: SpeechOptions): Promise<Speech> {
  const { engines, preferred, config, log, dispatcher } = options
  const { dir } = config.storage
  const disk = await DiskCache.open(join(dir, 'cache', 'tts'), diskCacheBytes, (error) =>
    log.warn({ err: error }, 'the cache of spoken phrases has a fault'),
  )
  const rendered =
    options.renderedDir === undefined
      ? null
      : await openRendered(options.renderedDir, (error) => log.warn({ err: error }, 'the phrases spoken ahead have a fault'))
  const speaker = new Speaker({
    engines,
    ...(preferred === undefined ? {} : { preferred }),
    language: config.site.language,
    cache: new PhraseCache(config.voice.cacheMegabytes * 1024 * 1024, disk),
    log,
    rendered,
  })
  const prompts = new Prompts({
    speaker,
    fetcher: new AudioFetcher({ dispatcher }),
    language: config.site.language,
    directory: join(dir, 'prompts'),
  })
  let broken: readonly { id: string; reason: string }[] = []
  let checkedMs = -Infinity
  let warmed = false
  const warm = async (): Promise<void> => {
    checkedMs = performance.now()
    const before = broken.length
    broken = (await speaker.check()).filter((engine) => !engine.ok)
    if (before !== broken.length || !warmed) await prompts.warm()
    warmed = true
  }
  return {
    speaker,
    prompts,
    state: () => {
      // A voice that was still being loaded, or a package that was installed since, is found by the next look.
      if (broken.length > 0 && performance.now() - checkedMs > recheckMs)
        warm().catch((error: unknown) => log.error({ err: error }, 'the box could not try its voice'))
      return {
        ok: broken.length === 0,
        reason: broken.length > 0 ? 'a voice is missing' : warmed ? '' : 'not checked yet',
        detail: broken.map(({ id, reason }) => `${id}: ${reason}`).join('; '),
      }
    },
    warm,
    replace: async (replacing) => {
      speaker.replace(replacing)
      warmed = false
      await warm()
    },
  }
}
