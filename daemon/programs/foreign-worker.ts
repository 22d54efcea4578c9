/** The thread in which files of parties, and pages and long answers of the CRM, are read. */
import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { foreignWork, type ForeignAnswer, type ForeignMessage, type ForeignWork } from '../crm/foreign-work.ts'
import { ApiError } from '../base/errors.ts'
import { PartyInputSchema } from '../schema/crm.ts'
import { checker } from '../http/validate.ts'

/** Of this thread alone (setpriority(2)): the loop that serves the calls comes first. */
const nice = 10
if (parentPort !== null) setPriority(0, nice)

const checks = { imported: checker(PartyInputSchema, false) }
const read = new Map<number, ForeignWork>()

parentPort?.on('message', (message: ForeignMessage) => {
  void answerTo(message).then((answer) => answer !== null && parentPort?.postMessage(answer))
})

async function answerTo(message: ForeignMessage): Promise<ForeignAnswer | null> {
  const { id } = message
  if ('done' in message) return (read.delete(id), null)
  if ('piece' in message) return { id, piece: read.get(id)?.pieces[message.piece] ?? '[]' }
  try {
    const work = await foreignWork(message.order, Buffer.concat(message.bytes), checks)
    read.set(id, work)
    return { id, head: work.head, pieces: work.pieces.length }
  } catch (error) {
    return { id, error: error instanceof ApiError ? { code: error.code, message: error.message } : { code: null, message: String(error) } }
  }
}
