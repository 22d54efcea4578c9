/** pbx transcribe: the words of a WAV file on standard output, progress on standard error. */
import { createReadStream, fstatSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import type { Transcribing, TranscriptView } from '../../../daemon/schema/speech.ts'
import { CommandError, exitCode, type Upload } from '../client.ts'
import type { Context } from '../context.ts'
import { dim, print, printJson, printNote } from '../output.ts'
import { openGiven } from '../owner.ts'
import { progressBar } from '../progress.ts'

interface Options {
  language?: string
  hint?: string[]
}

const limit = 1024 ** 3

export async function transcribe({ json, client }: Context, file: string, { language, hint = [] }: Options): Promise<void> {
  const upload = file === '-' ? await standardInput() : fromFile(file)
  if (upload.bytes > limit) throw new CommandError(`${file} is larger than 1 GiB`, { exit: exitCode.usage, code: 'body_too_large' })
  const query = new URLSearchParams(hint.map((words): [string, string] => ['hint', words]))
  if (language !== undefined) query.set('language', language)
  const daemon = await client()
  const { ok, reason } = await daemon.get<{ ok: boolean; reason: string }>(`/api/speech/transcription?${query}`)
  if (!ok) throw refused(reason)
  const bar = progressBar('transcribing')
  let transcript: TranscriptView | undefined
  try {
    await daemon.upload<Transcribing>(`/api/speech/transcription?${query}`, upload, (told) => {
      if (told.type === 'progress') bar.show(told.doneMs / 1000, told.totalMs / 1000)
      else transcript = told
    })
  } finally {
    bar.end()
  }
  if (transcript === undefined) throw new CommandError('the daemon gave no transcript')
  const { status, text, reason: why, engine, ms } = transcript
  if (status === 'off') throw refused(why)
  if (status === 'failed') throw failed(why)
  if (json) return printJson({ status, text, engine, ms })
  if (status === 'done') print(text)
  printNote(dim(status === 'empty' ? 'nothing was said' : `${engine}, in ${(ms / 1000).toFixed(1)} s`))
}

const failures: Readonly<Record<string, string>> = {
  'engine-failed': 'the recogniser failed; "pbx speech" and the log of the daemon say why',
  'audio-unreadable': 'the file is no WAV file that is understood',
  'file-unreadable': 'the daemon could not read the file',
  'not-ready': 'the recogniser was not ready in time; see "pbx speech"',
  overloaded: 'too much is transcribed at the moment',
  stopped: 'the daemon stops',
}

/** `code: what exactly`, or the code alone. */
function failed(reason: string): CommandError {
  const [code = '', ...rest] = reason.split(': ')
  const detail = rest.length > 0 ? ` (${rest.join(': ')})` : ''
  return new CommandError(`no transcript: ${failures[code] ?? code}${detail}`, { code })
}

function refused(reason: string): CommandError {
  if (reason === 'model-missing')
    return new CommandError('no model for recordings is installed', { code: reason, fix: 'pbx models install parakeet-110m' })
  if (reason === 'model-unusable')
    return new CommandError('the installed model cannot be loaded', {
      code: reason,
      fix: 'pbx speech says which, and pbx models verify why',
    })
  if (reason === 'switched-off')
    return new CommandError('transcription is switched off', { code: reason, fix: 'speech: { recogniser: auto } in the configuration' })
  if (reason === 'language-unsupported')
    return new CommandError('no installed model understands this language', { code: reason, fix: 'pbx models list' })
  return new CommandError(`nothing can be transcribed now: ${reason}`, { code: reason, fix: 'pbx speech' })
}

function fromFile(file: string): Upload {
  const handle = openGiven(file)
  const { size } = fstatSync(handle)
  return {
    type: 'audio/wav',
    bytes: size,
    chunks: () => (size === 0 ? [] : createReadStream(file, { fd: handle, end: size - 1, highWaterMark: 1 << 18 })),
  }
}

/** Its length has to be known first. */
async function standardInput(): Promise<Upload> {
  const all = await buffer(process.stdin)
  return { type: 'audio/wav', bytes: all.length, chunks: () => [all] }
}
