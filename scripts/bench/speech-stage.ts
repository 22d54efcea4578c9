/**
 * What the measurements of speech share: models that cost what real ones do, installed as real ones are; a speech process
 * of the daemon's own kind with one engine in it; what is said.
 *
 * No weights are at hand here. A twin has a real model's number of multiplications and none of its knowledge: it measures
 * time, never words.
 */
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../daemon/clock.ts'
import { createLog } from '../../daemon/log.ts'
import type { Ear } from '../../daemon/speech/hearing.ts'
import { Catalogue, catalogue } from '../../daemon/speech/models/catalogue.ts'
import { importModels, modelPlaces } from '../../daemon/speech/models/models.ts'
import { createEar } from '../../daemon/speech/process/ear.ts'
import type { RecogniserPlan } from '../../daemon/speech/process/protocol.ts'
import { SpeechSupervisor } from '../../daemon/speech/process/supervisor.ts'
import type { ModelFiles } from '../../drivers/speech.ts'
import { speech } from '../../test/harness/audio.ts'
import { root } from '../../test/harness/daemon.ts'
import { childrenOf, commandOf } from '../../test/harness/processes.ts'
import { piperConfig, rawPiper, twinCtc } from '../../test/speech-sherpa/onnx.ts'
import { finish, trial } from '../cli/model-hooks.ts'
import { writeFileSync } from 'node:fs'

export const silero = join(root, '.cache/models/silero-vad/silero_vad.onnx')
export const departments = ['billing', 'appointments', 'prescription refill', 'Doctor Patel', 'front desk', 'medical records']

/** A folder for models; `close` removes it. */
export function modelFolder(): { readonly path: string; close(): void } {
  const path = mkdtempSync(join(tmpdir(), 'pbxd-models-'))
  return { path, close: () => rmSync(path, { recursive: true, force: true }) }
}

/** A model in the place of the catalogue's entry of that name: same name, kind and roles, other files. */
async function install(directory: string, id: string, files: Readonly<Record<string, string>>): Promise<void> {
  const entry = catalogue().find(id)
  const { source: _, ...rest } = entry
  const replaced = {
    ...rest,
    files: Object.entries(files).map(([role, path]) => ({
      role,
      name: path.split('/').at(-1) ?? '',
      url: `http://127.0.0.1/${path.split('/').at(-1)}`,
      bytes: statSync(path).size,
      sha256: createHash('sha256').update(readFileSync(path)).digest('hex'),
    })),
  }
  const from = join(Object.values(files)[0] ?? '', '..')
  await importModels(from, new Catalogue([replaced]), { places: modelPlaces(directory), finish, trial })
}

/** The twin of a small Conformer, installed in its place, for calls and recordings. */
export async function installTwin(directory: string): Promise<void> {
  const made = modelFolder()
  try {
    const twin = twinCtc(made.path)
    await install(directory, 'conformer-small', {
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
    await install(directory, 'piper-amy-low', { model: join(made.path, 'voice.onnx'), config: join(made.path, 'voice.onnx.json') })
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
  await changed
  const { status, leftOut, pid, recognisers } = supervisor.state()
  if (status !== 'running' || recognisers.length === 0 || pid === null) {
    await supervisor.stop()
    throw new Error(leftOut.map(({ id, reason }) => `${id}: ${reason}`).join('; ') || 'the speech process did not become ready')
  }
  return { ear: createEar({ process: supervisor }), pid, close: () => supervisor.stop() }
}

export const id = (recogniser: RecogniserPlan): string => (typeof recogniser === 'string' ? recogniser : recogniser.id)
export type { ModelFiles }

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
