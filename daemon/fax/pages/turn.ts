/** Children that read PDFs take turns: one looks at a PDF, one draws. Each may have much memory, and a small box has calls to carry. */
import type { ChildTask } from './child-protocol.ts'

type Kind = ChildTask['task']

const last: Record<Kind, Promise<void>> = { inspect: Promise.resolve(), render: Promise.resolve() }

/** Resolves with the function that ends the turn. Throws the signal's reason when it was aborted before its turn came. */
export async function takeTurn(kind: Kind, signal?: AbortSignal): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const before = last[kind]
  last[kind] = before.then(() => promise)
  await before
  if (signal?.aborted === true) resolve()
  signal?.throwIfAborted()
  return resolve
}
