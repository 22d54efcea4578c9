/** What the installation of speech models asks of the engines: a Piper voice made fit for sherpa-onnx, a trial in a process of its own. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeDurably } from '../../../daemon/speech/models/record.ts'
import type { InstallHooks } from '../../../daemon/speech/models/models.ts'
import type { ProcessPlan } from '../../../daemon/speech/process/protocol.ts'
import { tryModels } from '../../../daemon/speech/process/trial.ts'
import { patchPiperMetadata, piperTokens } from '../../../drivers/speech-sherpa/piper-format.ts'
import type { ModelFiles } from '../../../drivers/speech.ts'

const longestTrialMs = 180_000

export const finish: NonNullable<InstallHooks['finish']> = {
  async piper(folder, { model, config }) {
    if (model === undefined || config === undefined) throw new Error('a Piper voice needs a model and a config')
    const voice = JSON.parse(await readFile(join(folder, config), 'utf8')) as unknown
    const onnx = await readFile(join(folder, model))
    await writeDurably(join(folder, model), patchPiperMetadata(onnx, voice))
    await writeDurably(join(folder, 'tokens.txt'), piperTokens(voice))
    return { tokens: 'tokens.txt' }
  },
}

/** Loads the model in a process that may die of it. */
export function trial(model: ModelFiles): Promise<{ ok: boolean; reason: string }> {
  const file = model.files['model']
  const plan: ProcessPlan = {
    role: 'call',
    detector: model.kind === 'silero' && file !== undefined ? { kind: 'silero', file: join(model.directory, file) } : null,
    recognisers: ['piper', 'silero'].includes(model.kind) ? [] : [model],
    voices: model.kind === 'piper' ? [model] : [],
  }
  return tryModels(plan, { limitMs: longestTrialMs })
}
