/** The fetched weights, installed as `pbx models import` does it, with the trial in a process of its own. */
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { modelPlaces, readModels } from '../../../../daemon/speech/models/models.ts'
import type { ModelFiles } from '../../../../drivers/speech.ts'
import { installInPlaceOf } from '../../../harness/models.ts'
import { joeFolder, tinyFolder, whisperFolder } from './install.ts'

const whispers = {
  'whisper-base': { folder: whisperFolder, size: 'base' },
  'whisper-tiny.en': { folder: tinyFolder, size: 'tiny.en' },
} as const
export type RealModel = keyof typeof whispers | 'piper-joe-medium'
export const realWhispers = Object.keys(whispers) as (keyof typeof whispers)[]

function filesOf(id: RealModel, bits: 8 | 32): Record<string, string> {
  if (id === 'piper-joe-medium') {
    const model = join(joeFolder, 'en_US-joe-medium.onnx')
    return { model, config: `${model}.json` }
  }
  const { folder, size } = whispers[id]
  const network = (part: string): string => join(folder, `${size}-${part}${bits === 8 ? '.int8' : ''}.onnx`)
  return { encoder: network('encoder'), decoder: network('decoder'), tokens: join(folder, `${size}-tokens.txt`) }
}

export const isFetched = (id: RealModel): boolean => Object.values(filesOf(id, 8)).every((file) => existsSync(file))

/** Installs it into `directory` where it is not there yet. */
export async function installReal(id: RealModel, directory: string, bits: 8 | 32 = 8): Promise<ModelFiles> {
  const installed = (): ModelFiles | null => readModels(modelPlaces(directory)).find(({ entry }) => entry.id === id)?.files ?? null
  if (installed() === null) {
    mkdirSync(directory, { recursive: true })
    await installInPlaceOf(id, directory, filesOf(id, bits))
  }
  const files = installed()
  if (files === null) throw new Error(`${id} did not come to be installed in ${directory}`)
  return files
}
