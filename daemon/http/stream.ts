/** Answers that come piece by piece: newline-delimited JSON, and server-sent events. */
import { ApiError } from '../base/errors.ts'
import { internalError, type Answer } from './answer.ts'
import type { Exchange } from './exchange.ts'
import type { Emit, Reply } from './route.ts'

/** Never rejects. `failed` is called for a fault of our own. */
export async function sendStream(exchange: Exchange, answer: Answer, run: (emit: Emit) => Promise<void>, failed: (error: unknown) => void) {
  exchange.begin(answer)
  let last: object = { done: true }
  try {
    await run((value) => exchange.push(`${JSON.stringify(value)}\n`))
  } catch (error) {
    if (!(error instanceof ApiError) && !exchange.closed) failed(error)
    const { message, code, details } = error instanceof ApiError ? error : internalError(error)
    last = { failed: { error: message, code, ...(details === undefined ? {} : { details }) } }
  }
  exchange.finish(`${JSON.stringify(last)}\n`)
}

/** Whatever ends it, the client connects again, and asks for what it has missed. Rejects with what `run` throws. */
export async function sendEvents(exchange: Exchange, answer: Answer, run: NonNullable<Reply['events']>): Promise<void> {
  exchange.begin(answer)
  await run((piece) => exchange.push(piece))
  exchange.finish('')
}
