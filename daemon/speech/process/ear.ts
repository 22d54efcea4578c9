/** The ear of the calls: each hearing is a session in the speech process. */
import type { Ear, Heard, Hearing, ListenRequest } from '../hearing.ts'
import type { SpeechSupervisor } from './supervisor.ts'

/** A caller who speaks does not wait longer for a process that is only starting; what is said meanwhile is kept for it. */
const waitMs = 5000

export function createEar(options: { readonly process: SpeechSupervisor }): Ear {
  return {
    listen(request: ListenRequest, heard: (what: Heard) => void): Hearing {
      const session = options.process.open(waitMs, {
        report(report) {
          if (report.t !== 'heard') return
          if (report.what.type === 'recogniser-error') session.close()
          heard(report.what)
        },
        lost: (reason) => heard({ type: 'recogniser-error', reason }),
      })
      const { language, hints, digits, endSilenceMs, partials } = request
      session.send({ t: 'listen', request: { language, hints: [...hints], digits, endSilenceMs, partials } })
      return {
        // The line's frame is only lent; it leaves at the end of this turn.
        audio: (samples) => session.send({ t: 'audio', samples: samples.slice() }),
        prompting: (on) => session.send({ t: 'prompting', on }),
        finish: () => session.send({ t: 'finish' }),
        stop: () => session.close(),
      }
    },
  }
}
