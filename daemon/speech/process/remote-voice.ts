/** A voice whose model lives in the speech process. */
import { SpeechError, type ModelFiles, type Synthesiser } from '../../../drivers/speech.ts'
import { coversLanguage } from './protocol.ts'
import type { SpeechSupervisor } from './supervisor.ts'

/** The embedded voices are there at once: nobody waits for a process that is not. */
const waitMs = 0

export interface RemoteVoiceOptions {
  readonly process: SpeechSupervisor
  readonly model: ModelFiles
  /** Part of the cache key: names the model and its version. */
  readonly id?: string
}

export function createRemoteVoice({ process, model, id }: RemoteVoiceOptions): Synthesiser {
  return {
    id: id ?? `${model.kind}-${model.id}`,
    async check() {
      const state = process.state()
      const leftOut = state.leftOut.find((engine) => engine.id === model.id)
      if (leftOut !== undefined) return { ok: false, reason: `the voice ${model.id} was left out: ${leftOut.reason}` }
      if (state.status === 'running' && state.voices.includes(model.id)) return { ok: true, reason: '' }
      return { ok: false, reason: `the speech process is ${state.status}${state.reason === '' ? '' : `: ${state.reason}`}` }
    },
    speaks: (language) => coversLanguage(model.languages, language),
    voices: () => model.languages.map((language) => ({ name: model.id, language })),
    synthesise: ({ text, language, voice, rate, signal }) =>
      new Promise((resolve, reject) => {
        if (!coversLanguage(model.languages, language)) {
          reject(new SpeechError('language-unsupported', `${model.id} does not speak ${language}`))
          return
        }
        if (signal?.aborted === true) {
          reject(new SpeechError('aborted', 'The phrase is no longer needed'))
          return
        }
        const over = (settle: () => void): void => {
          signal?.removeEventListener('abort', abort)
          session.close()
          settle()
        }
        const session = process.open(waitMs, {
          report(report) {
            if (report.t === 'spoken') over(() => resolve(report.samples))
            else if (report.t === 'unspoken') over(() => reject(new SpeechError(report.code, report.message)))
          },
          lost: (reason) => over(() => reject(new SpeechError('engine-failed', `The speech process did not speak: ${reason}`))),
        })
        const abort = (): void => over(() => reject(new SpeechError('aborted', 'The phrase is no longer needed')))
        signal?.addEventListener('abort', abort, { once: true })
        session.send({ t: 'speak', request: { voice: model.id, name: voice === model.id ? '' : voice, text, language, rate } })
      }),
  }
}
