/**
 * A process for one model, as the speech processes are: loads what the first message names, answers each further message
 * with what was recognised, and ends by `close`.
 */
import type { ModelFiles, Recogniser } from '../../drivers/speech.ts'
import { createSherpaRecogniser } from '../../drivers/speech-sherpa/recogniser.ts'

let recogniser: Recogniser | undefined

async function answer(message: { load?: ModelFiles; samples?: Int16Array; close?: true }): Promise<unknown> {
  if (message.load !== undefined) {
    recogniser = await createSherpaRecogniser(message.load)
    return { loaded: recogniser.id }
  }
  if (message.samples !== undefined) return recogniser!.recognise(message.samples, { language: 'en-US', hints: [], digits: null })
  await recogniser?.close()
  process.disconnect()
  return undefined
}

process.on('message', (message: Parameters<typeof answer>[0]) => {
  void answer(message).then(
    (reply) => reply === undefined || process.send!(reply),
    (error: Error & { code?: string }) => process.send!({ code: error.code, message: error.message }),
  )
})
