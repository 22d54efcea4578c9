/** Has PDFs read by the service for it (systemd/pbxd-pages.socket): it is given the PDF and gives the pages back, and has no file of ours. */
import { once } from 'node:events'
import { constants } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { pagesFix } from '../../base/services.ts'
import type { ChildTask, Outcome } from './child-protocol.ts'
import { StarvedError, type ChildOptions, takeTurn } from './limited-child.ts'
import { PageError } from './page-error.ts'
import { Incoming, type ServiceAnswer, type ServiceOrder } from './service-protocol.ts'

/** Runs the task to its end, in its turn. Throws PageError, or StarvedError, or the reason of the signal. */
export async function runInService(path: string, task: ChildTask, options: ChildOptions): Promise<Outcome> {
  const { signal } = options
  const done = await takeTurn(task.task, signal)
  const socket = connect(path)
  const aborted = (): void => void socket.destroy()
  try {
    signal?.throwIfAborted()
    signal?.addEventListener('abort', aborted, { once: true })
    await reached(socket, path)
    return await talk(socket, task, options)
  } catch (error) {
    signal?.throwIfAborted()
    throw error instanceof PageError || error instanceof StarvedError ? error : broken(error)
  } finally {
    signal?.removeEventListener('abort', aborted)
    socket.destroy()
    done()
  }
}

function broken(error: unknown): StarvedError {
  return new StarvedError(`The service that reads PDFs gave no answer: ${error instanceof Error ? error.message : String(error)}`)
}

async function reached(socket: Socket, path: string): Promise<void> {
  try {
    await once(socket, 'connect')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new StarvedError(`PDFs are not read because their reader is not at ${path} (${code ?? 'no answer'}): ${pagesFix}`)
  }
}

async function talk(socket: Socket, task: ChildTask, { limits, pdf, outputs = [], onPage }: ChildOptions): Promise<Outcome> {
  // What fails here ends what is read below.
  const said = ask(socket, { task, limits, files: outputs.length }, pdf).catch((error: unknown) => void socket.destroy(error as Error))
  const incoming = new Incoming(socket)
  for (;;) {
    const line = await incoming.line()
    if (line === null) throw new Error('it ended')
    const answer = JSON.parse(line) as ServiceAnswer
    if ('page' in answer) {
      onPage?.(answer.page)
      continue
    }
    if ('failed' in answer) throw errorOf(answer.failed)
    await said
    for (const [index, path] of outputs.entries()) await receive(incoming, path, answer.files[index] ?? 0)
    return answer.outcome
  }
}

async function ask(socket: Socket, order: Omit<ServiceOrder, 'bytes'>, pdf: string): Promise<void> {
  const file = await open(pdf, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const { size: bytes } = await file.stat()
    socket.write(`${JSON.stringify({ ...order, bytes } satisfies ServiceOrder)}\n`)
    if (bytes === 0) return
    for await (const piece of file.createReadStream({ end: bytes - 1, autoClose: false }) as AsyncIterable<Buffer>)
      if (!socket.write(piece)) await Promise.race([once(socket, 'drain'), once(socket, 'close')])
  } finally {
    await file.close()
  }
}

async function receive(incoming: Incoming, path: string, bytes: number): Promise<void> {
  const file: FileHandle = await open(path, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW, 0o600)
  try {
    if (!(await incoming.take(bytes, (piece) => file.writeFile(piece)))) throw new Error('it ended before the last page')
  } finally {
    await file.close()
  }
}

function errorOf({ code, message }: Extract<ServiceAnswer, { failed: unknown }>['failed']): Error {
  if (code === null) return new StarvedError(message)
  return code === undefined ? broken(new Error(message)) : new PageError(code, message)
}
