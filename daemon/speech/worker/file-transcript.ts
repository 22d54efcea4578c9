/** The transcript of a WAV file, read no faster than it is understood. */
import { WavError } from '../../../drivers/wav.ts'
import type { Transcript } from '../hearing.ts'
import { RecordingSession, type RecordingOptions } from './recording.ts'
import { openWav } from './wav-stream.ts'

export interface FileTranscript {
  /** Never rejects. */
  readonly transcript: Promise<Transcript>
  stop(): void
}

export function transcribeFile(
  path: string,
  options: Omit<RecordingOptions, 'progress'>,
  progress: (doneMs: number, totalMs: number) => void,
): FileTranscript {
  let totalMs = 0
  const session = new RecordingSession({ ...options, progress: (doneMs) => progress(Math.min(doneMs, totalMs), totalMs) })
  let stopped = false
  const run = async (): Promise<Transcript> => {
    const wav = await openWav(path)
    try {
      totalMs = wav.totalMs
      for await (const samples of wav.samples()) {
        if (stopped) break
        session.audio(samples)
        await session.room()
      }
    } finally {
      await wav.close()
    }
    const transcript = await session.end()
    if (!stopped) progress(totalMs, totalMs)
    return transcript
  }
  const failed = (error: unknown): Transcript => {
    const reason = error instanceof WavError ? 'audio-unreadable' : 'file-unreadable'
    return { status: 'failed', text: '', reason: `${reason}: ${plain(error)}`, engine: options.decoder.id }
  }
  return {
    transcript: run().catch(failed),
    stop() {
      stopped = true
      session.stop()
    },
  }
}

function plain(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code
  if (code === 'ENOENT') return 'there is no such file'
  if (code === 'EACCES') return 'the file may not be read'
  return error instanceof Error ? error.message : String(error)
}
