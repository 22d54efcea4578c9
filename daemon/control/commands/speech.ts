/** `pbx speech`, `pbx say`, `pbx transcribe`: how the box hears and speaks, and both without a call. */
import { randomUUID } from 'node:crypto'
import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { Type } from '@sinclair/typebox'
import { ApiError } from '../../errors.ts'
import { withBody, type ControlRoute } from '../route.ts'

/** Largest file that is transcribed: more than two days of a telephone's audio. */
export const uploadLimit = 1024 ** 3

const languagePattern = '^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$'
const Say = Type.Object(
  {
    text: Type.String({ minLength: 1, maxLength: 4096 }),
    voice: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
    language: Type.Optional(Type.String({ pattern: languagePattern })),
    rate: Type.Optional(Type.Number({ minimum: 0.5, maximum: 2 })),
  },
  { additionalProperties: false },
)

export const speechRoutes: readonly ControlRoute[] = [
  { method: 'GET', path: '/speech', answer: (services) => services.speech.view() },
  {
    method: 'POST',
    path: '/speech/reload',
    deed: 'speech.reload',
    async answer({ speech }) {
      await speech.reload()
      return speech.view()
    },
  },
  withBody({
    method: 'POST',
    path: '/speech/say',
    deed: 'speech.say',
    body: Say,
    async answer({ speech }, { body }) {
      const { wav, ...said } = await speech.say(body)
      return { ...said, wav: wav.toString('base64') }
    },
  }),
  {
    method: 'GET',
    path: '/speech/transcription',
    answer: ({ speech }, { query }) => speech.transcribes(languageOf(query)),
  },
  {
    method: 'POST',
    path: '/speech/transcription',
    async upload({ speech }, { query, signal }, body, emit) {
      const language = languageOf(query)
      const hints = query.getAll('hint')
      if (hints.length > 200 || hints.some((hint) => hint.length > 100))
        throw new ApiError('validation_failed', 'There are at most 200 hints, each of at most 100 characters.')
      const file = join(speech.uploads, randomUUID())
      try {
        await mkdir(speech.uploads, { recursive: true, mode: 0o700 })
        await receive(body, file, signal)
        const transcript = await speech.transcribe(
          file,
          { hints, ...(language === undefined ? {} : { language }) },
          (doneMs, totalMs) => emit({ type: 'progress', doneMs, totalMs }),
          signal,
        )
        emit({ type: 'transcript', ...transcript })
      } finally {
        await rm(file, { force: true })
      }
    },
  },
]

function languageOf(query: URLSearchParams): string | undefined {
  const language = query.get('language')
  if (language === null) return undefined
  if (!new RegExp(languagePattern).test(language)) throw new ApiError('validation_failed', 'A language is a tag such as en-US.')
  return language
}

/** The body is never destroyed on the way: its connection carries the answer. */
async function receive(body: Readable, file: string, signal: AbortSignal): Promise<void> {
  const handle = await open(file, 'wx', 0o600)
  let size = 0
  try {
    for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      signal.throwIfAborted()
      size += chunk.length
      if (size > uploadLimit) throw new ApiError('body_too_large', 'A file to be transcribed has at most 1 GiB.')
      await handle.writeFile(chunk)
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    throw new ApiError('storage_full', 'There is no room for the file: free space on the disk of storage.dir.')
  } finally {
    await handle.close()
  }
}
