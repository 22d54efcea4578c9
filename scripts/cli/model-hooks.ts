/** What the installation of speech models asks of the engines: a Piper voice made fit for sherpa-onnx, a trial in a process of its own. */
import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { writeDurably } from '../../daemon/speech/models/record.ts'
import type { InstallHooks } from '../../daemon/speech/models/models.ts'
import type { ProcessPlan } from '../../daemon/speech/process/protocol.ts'
import { patchPiperMetadata, piperTokens } from '../../drivers/speech-sherpa/piper-format.ts'
import type { ModelFiles } from '../../drivers/speech.ts'
import { root } from './client.ts'

const longestTrialMs = 180_000

export const finish: NonNullable<InstallHooks['finish']> = {
  async piper(folder, { model, config }) {
    if (model === undefined || config === undefined) throw new Error('a Piper voice has a model and a config')
    const voice = JSON.parse(await readFile(join(folder, config), 'utf8')) as unknown
    const onnx = await readFile(join(folder, model))
    await writeDurably(join(folder, model), patchPiperMetadata(onnx, voice))
    await writeDurably(join(folder, 'tokens.txt'), piperTokens(voice))
    return { tokens: 'tokens.txt' }
  },
}

/** Loads the model in a process that may die of it. */
export async function trial(model: ModelFiles): Promise<{ ok: boolean; reason: string }> {
  const file = model.files['model']
  const plan: ProcessPlan = {
    role: 'call',
    detector: model.kind === 'silero' && file !== undefined ? { kind: 'silero', file: join(model.directory, file) } : null,
    recognisers: ['piper', 'silero'].includes(model.kind) ? [] : [model],
    voices: model.kind === 'piper' ? [model] : [],
  }
  const child = spawn(process.execPath, [join(root, 'daemon/speech-process.ts'), '--trial'], {
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: longestTrialMs,
    killSignal: 'SIGKILL',
  })
  child.stdin.on('error', () => {})
  child.stdin.end(JSON.stringify(plan))
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal })),
  )
  const [out, err, { code, signal }] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  try {
    const { ok, reason } = JSON.parse(out.trim().split('\n').at(-1) ?? '') as { ok: boolean; reason: string }
    return { ok, reason }
  } catch {
    const lines = err.split('\n').filter((line) => line.trim() !== '' && !/^(\s+at |Node\.js v)/.test(line))
    const said = (lines.find((line) => /error/i.test(line)) ?? lines.at(-1) ?? '').trim()
    const how =
      signal === 'SIGKILL'
        ? `took longer than ${longestTrialMs / 1000} s`
        : signal === null
          ? `ended with code ${code}`
          : `died of ${signal}`
    return { ok: false, reason: `the process that loaded it ${how}${said === '' ? '' : `: ${said}`}` }
  }
}
