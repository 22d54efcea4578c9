/**
 * What the measurements of speech share: models that cost what real ones do, installed as real ones are; a speech process
 * of the daemon's own kind with one engine in it; what is said.
 *
 * No weights are at hand here. A twin has a real model's number of multiplications and none of its knowledge: it measures
 * time, never words.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '../../../daemon/base/clock.ts'
import { createLog } from '../../../daemon/base/log.ts'
import type { Ear } from '../../../daemon/speech/hearing.ts'
import { createEar } from '../../../daemon/speech/process/ear.ts'
import type { RecogniserPlan } from '../../../daemon/speech/process/protocol.ts'
import { SpeechSupervisor } from '../../../daemon/speech/process/supervisor.ts'
import { speech } from '../../harness/audio.ts'
import { root } from '../../harness/daemon.ts'
import { installInPlaceOf, modelFolder } from '../../harness/models.ts'
import { childrenOf, commandOf } from '../../harness/processes.ts'
import { piperConfig, rawPiper, twinCtc } from '../../speech-sherpa/onnx.ts'

export const silero = join(root, '.cache/models/silero-vad/silero_vad.onnx')
export const departments = ['billing', 'appointments', 'prescription refill', 'Doctor Patel', 'front desk', 'medical records']

/** The twin of a small Conformer, installed in its place, for calls and recordings. */
export async function installTwin(directory: string): Promise<void> {
  const made = modelFolder()
  try {
    const twin = twinCtc(made.path)
    await installInPlaceOf('conformer-small', directory, {
      model: join(twin.directory, twin.files['model'] ?? ''),
      tokens: join(twin.directory, twin.files['tokens'] ?? ''),
    })
  } finally {
    made.close()
  }
}

/** A voice of Piper's form and next to no cost, installed in the place of a real one. */
export async function installTinyPiper(directory: string): Promise<void> {
  const made = modelFolder()
  try {
    writeFileSync(join(made.path, 'voice.onnx'), rawPiper())
    writeFileSync(join(made.path, 'voice.onnx.json'), JSON.stringify(piperConfig))
    await installInPlaceOf('piper-amy-low', directory, { model: join(made.path, 'voice.onnx'), config: join(made.path, 'voice.onnx.json') })
  } finally {
    made.close()
  }
}

export interface SpeechProcess {
  readonly ear: Ear
  readonly pid: number
  close(): Promise<void>
}

/** The daemon's speech process for calls with this recogniser; rejects when it does not load. */
export async function speechProcess(recogniser: RecogniserPlan): Promise<SpeechProcess> {
  const { promise: changed, resolve } = Promise.withResolvers<void>()
  const supervisor: SpeechSupervisor = new SpeechSupervisor({
    plan: { role: 'call', detector: { kind: 'silero', file: silero }, recognisers: [recogniser], voices: [] },
    memoryMegabytes: 2000,
    clock: systemClock,
    log: createLog({ level: 'silent' }),
    changed: () => {
      const { status, leftOut } = supervisor.state()
      if (status === 'running' || leftOut.length > 0) resolve()
    },
  })
  supervisor.start()
  // A process with the grammar alone is started by the first who needs it.
  const needed = createEar({ process: supervisor }).listen(
    { callId: 'bench', language: 'en-US', hints: [], digits: null, endSilenceMs: 5000, partials: false },
    () => undefined,
  )
  await changed
  needed.stop()
  const { status, leftOut, pid, recognisers } = supervisor.state()
  if (status !== 'running' || recognisers.length === 0 || pid === null) {
    await supervisor.stop()
    throw new Error(leftOut.map(({ id, reason }) => `${id}: ${reason}`).join('; ') || 'the speech process did not become ready')
  }
  return { ear: createEar({ process: supervisor }), pid, close: () => supervisor.stop() }
}

/** Speech of so many seconds without a pause that would end it, loud to its last sample. */
export function speechOf(seconds: number): Int16Array {
  const text = [
    'Four five six seven one two three eight nine four two six one five seven three',
    'Appointments billing pharmacy medical records prescription refill and the front desk please',
    'Today tomorrow Monday Tuesday Wednesday Thursday Friday and the week after next',
  ]
  const whole = new Int16Array(seconds * 8000)
  for (let at = 0, n = 0; at < whole.length; n += 1) {
    const clip = speech(text[n % text.length] ?? '')
    whole.set(clip.subarray(0, whole.length - at), at)
    at += clip.length
  }
  return whole
}

/** No telephone line is quite silent. */
export const hiss = (ms: number): Int16Array => Int16Array.from({ length: ms * 8 }, () => Math.round((Math.random() - 0.5) * 40))

/** The daemon's processes for speech: first that for calls. */
export function speechPids(daemonPid: number, role: 'call' | 'recording'): number[] {
  return childrenOf(daemonPid).filter((pid) => commandOf(pid).includes('speech-process') && niceOf(pid) === (role === 'call' ? 5 : 19))
}

function niceOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[16])
}
