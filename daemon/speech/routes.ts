/** How the box hears and speaks, and both without a call: for the technician. */
import { randomUUID } from 'node:crypto'
import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { ApiError } from '../base/errors.ts'
import {
  LanguageSchema,
  SaidSchema,
  SayRequestSchema,
  SpeechSchema,
  TranscribesSchema,
  TranscribingSchema,
  type SpeechView,
} from '../schema/speech.ts'
import type { SpeechTrials } from './trials.ts'
import { defineRoute, type Emit, type Route, type RouteContext } from '../http/route.ts'

export interface SpeechServices extends SpeechTrials {
  view(): SpeechView | Promise<SpeechView>
  /** Looks at the installed models again; resolves when what was found serves. */
  reload(): Promise<void>
}

/** Largest file that is transcribed: more than two days of a telephone's audio. */
const uploadLimit = 1024 ** 3

const access = 'technician'
const tag = 'Speech'
const Hint = Type.String({ maxLength: 100 })
const Transcription = Type.Object({
  language: Type.Optional(LanguageSchema),
  hint: Type.Optional(Type.Union([Hint, Type.Array(Hint, { maxItems: 200 })], { description: 'Words and names that are likely.' })),
})

export function speechRoutes(speech: SpeechServices): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/speech',
      access,
      people: ['technician'],
      operationId: 'getSpeech',
      summary: 'Who hears and who speaks, and why',
      tag,
      responses: { 200: { description: 'Roles, processes, voices and problems.', schema: SpeechSchema } },
      handle: async () => ({ status: 200, body: await speech.view() }),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/speech/reload',
      access,
      people: ['technician'],
      operationId: 'reloadSpeech',
      deed: 'speech.reload',
      summary: 'Look at the installed models again, without a restart',
      tag,
      responses: { 200: { description: 'What serves now.', schema: SpeechSchema } },
      handle: async () => {
        await speech.reload()
        return { status: 200, body: await speech.view() }
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/speech/say',
      access,
      people: ['technician'],
      operationId: 'say',
      deed: 'speech.say',
      summary: 'Speak a text, as a caller would hear it',
      tag,
      body: SayRequestSchema,
      responses: { 200: { description: 'The audio.', schema: SaidSchema } },
      handle: async ({ body }) => ({ status: 200, body: await speech.say(body) }),
    }),
    defineRoute({
      method: 'GET',
      path: '/api/speech/transcription',
      access,
      operationId: 'canTranscribe',
      summary: 'Whether a file would be transcribed now: asked before it is sent',
      tag,
      query: Transcription,
      responses: { 200: { description: 'Whether, and why not.', schema: TranscribesSchema } },
      handle: ({ query: { language } }) => ({ status: 200, body: speech.transcribes(language) }),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/speech/transcription',
      access,
      operationId: 'transcribe',
      summary: 'The words of a WAV file',
      tag,
      query: Transcription,
      bodyType: 'stream',
      limitBytes: uploadLimit,
      responses: {
        200: { description: 'How far it is, then the words.', contentType: 'application/x-ndjson', schema: TranscribingSchema },
      },
      handle: ({ query: { language, hint = [] }, upload, signal }) => ({
        status: 200,
        stream: (emit) =>
          transcribe(speech, { hints: [hint].flat(), ...(language === undefined ? {} : { language }) }, upload, signal, emit),
      }),
    }),
  ]
}

async function transcribe(
  speech: SpeechServices,
  options: { language?: string; hints: readonly string[] },
  upload: RouteContext['upload'],
  signal: AbortSignal,
  emit: Emit,
): Promise<void> {
  const file = join(speech.uploads, randomUUID())
  try {
    await mkdir(speech.uploads, { recursive: true, mode: 0o700 })
    await keep(upload, file)
    const progress = (doneMs: number, totalMs: number) => void emit({ type: 'progress', doneMs, totalMs })
    await emit({ type: 'transcript', ...(await speech.transcribe(file, options, progress, signal)) })
  } finally {
    await rm(file, { force: true })
  }
}

async function keep(upload: RouteContext['upload'], file: string): Promise<void> {
  const handle = await open(file, 'wx', 0o600)
  try {
    for await (const chunk of upload) await handle.writeFile(chunk)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    throw new ApiError('storage_full', 'There is no room for the file: free space on the disk of storage.dir.')
  } finally {
    await handle.close()
  }
}
