/** What the tests of the speech processes share: plans, sounds, a supervisor of the scripted program. */
import { EventEmitter, once } from 'node:events'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildSync } from 'esbuild'
import { systemClock, type Clock } from '../../daemon/base/clock.ts'
import { createLog } from '../../daemon/base/log.ts'
import type { Ear, Heard, Hearing, ListenRequest } from '../../daemon/speech/hearing.ts'
import type { ProcessPlan } from '../../daemon/speech/process/protocol.ts'
import type { SpeechProcessState, SupervisorTiming } from '../../daemon/speech/process/options.ts'
import { SpeechSupervisor } from '../../daemon/speech/process/supervisor.ts'
import type { ModelFiles } from '../../drivers/speech.ts'
import { root } from '../harness/daemon.ts'

/**
 * The scripted program in one file, as the one that ships is: it may read the files next to it, and is started some forty times. Several
 * files of tests make it at once.
 */
export const scripted = join(root, '.cache', 'test-modules', 'scripted-engines.mjs')
const made = buildSync({
  entryPoints: [join(import.meta.dirname, 'scripted-engines.ts')],
  bundle: true,
  write: false,
  platform: 'node',
  format: 'esm',
  packages: 'external',
})
writeFileSync(`${scripted}.${process.pid}`, made.outputFiles[0]!.contents)
renameSync(`${scripted}.${process.pid}`, scripted)
export const silent = createLog({ level: 'silent' })

export function model(id: string, directory = '', languages: readonly string[] = ['*']): ModelFiles {
  return { id, kind: 'scripted', directory, files: {}, languages }
}

export function plan(over: Partial<ProcessPlan> = {}): ProcessPlan {
  return { role: 'call', detector: { kind: 'silero', file: '' }, recognisers: [model('a')], voices: [], ...over }
}

export interface Scene {
  readonly supervisor: SpeechSupervisor
  /** Resolves with the first state that fits, now or later. */
  until(fits: (state: SpeechProcessState) => boolean): Promise<SpeechProcessState>
}

export function scene(
  started: ProcessPlan,
  options: { timing?: Partial<SupervisorTiming>; clock?: Clock; memoryMegabytes?: number; program?: string; readable?: string[] } = {},
): Scene {
  const changes = new EventEmitter()
  const supervisor = new SpeechSupervisor({
    plan: started,
    memoryMegabytes: options.memoryMegabytes ?? 900,
    clock: options.clock ?? systemClock,
    log: silent,
    readable: options.readable ?? [],
    ...(options.program === '' ? {} : { program: options.program ?? scripted }),
    timing: { ...(options.clock === undefined ? { restartFirst: 50, restartMost: 400 } : {}), ...options.timing },
    changed: () => changes.emit('changed'),
  })
  supervisor.start()
  return {
    supervisor,
    async until(fits) {
      while (!fits(supervisor.state())) await once(changes, 'changed')
      return supervisor.state()
    },
  }
}

export const silence = (ms: number): Int16Array => new Int16Array(ms * 8)
/** A square wave of 400 Hz: no sample of it is quiet. */
export const loud = (ms: number, amplitude = 8000): Int16Array =>
  Int16Array.from({ length: ms * 8 }, (_, index) => (index % 20 < 10 ? amplitude : -amplitude))

export const request = (over: Partial<ListenRequest> = {}): ListenRequest => ({
  callId: 'CA00',
  language: 'en-US',
  hints: [],
  digits: null,
  endSilenceMs: 500,
  partials: false,
  ...over,
})

export interface Listening {
  readonly hearing: Hearing
  readonly all: Heard[]
  next(...types: Heard['type'][]): Promise<Heard>
}

/** Listens and remembers what was heard. */
export function listen(ear: Ear, over: Partial<ListenRequest> = {}): Listening {
  const heard = new EventEmitter()
  const all: Heard[] = []
  const hearing = ear.listen(request(over), (what) => {
    all.push(what)
    heard.emit('heard')
  })
  let seen = 0
  return {
    hearing,
    all,
    async next(...types) {
      for (;;) {
        for (; seen < all.length; seen += 1) {
          const what = all[seen]
          if (what !== undefined && types.includes(what.type)) {
            seen += 1
            return what
          }
        }
        await once(heard, 'heard')
      }
    },
  }
}

/** Sends audio as a line does, in frames of 20 ms. */
export function send(hearing: { audio(samples: Int16Array): void }, ...parts: readonly Int16Array[]): void {
  for (const part of parts) for (let at = 0; at < part.length; at += 160) hearing.audio(part.subarray(at, at + 160))
}
