/**
 * Runs a speech program, confined, once for each phrase. Text goes in by standard input and audio comes out on an unlinked file or
 * standard output, so neither is ever an argument, a shell's business, or left behind.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { accessSync, closeSync, constants as access, fstatSync, openSync, readSync, unlinkSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { confined, notThere } from '../confine.ts'
import { SpeechError } from '../speech.ts'

export interface Run {
  readonly command: string
  /** `{file}` stands for the path of the output file; without it standard output is the result. */
  readonly arguments: readonly string[]
  readonly input: string
  readonly limitMs: number
  readonly signal?: AbortSignal
}

/** Where programs lie, with their voices. */
const programs = ['/usr', '/bin']
/** Calls come before words that are still to be spoken. */
const confinement = { keepFds: 4, nice: 7, oomScore: 500, withParent: true, fileBytes: 64 * 1024 * 1024 } as const

/** Five minutes of 22 kHz: more than any phrase. */
const mostOutputBytes = 16 * 1024 * 1024

/** @throws SpeechError */
export async function runProgram(run: Run): Promise<Buffer> {
  if (run.signal?.aborted === true) throw new SpeechError('aborted', 'No longer wanted')
  return finished(begin(run), run)
}

/**
 * A program that is started before there is a phrase and waits for its text, so nobody waits for its start. After each phrase the next one
 * is started with the same arguments. This process may end while one waits, and it ends too.
 */
export class ReadyProgram {
  #waiting: { readonly words: string; readonly started: Started } | null = null

  /** @throws SpeechError */
  async run(run: Run): Promise<Buffer> {
    if (run.signal?.aborted === true) throw new SpeechError('aborted', 'No longer wanted')
    const words = [run.command, ...run.arguments].join('\0')
    const result = await finished(this.#take(words) ?? begin(run), run)
    if (this.#waiting?.words !== words) {
      this.#drop()
      const started = begin(run)
      // The next phrase sees that it has ended, and starts its own.
      started.child.on('error', () => undefined)
      keepAwake(started.child, false)
      this.#waiting = { words, started }
    }
    return result
  }

  #take(words: string): Started | null {
    const waiting = this.#waiting
    if (waiting === null) return null
    const { child } = waiting.started
    if (waiting.words !== words || child.exitCode !== null || child.signalCode !== null) {
      this.#drop()
      return null
    }
    this.#waiting = null
    keepAwake(child, true)
    return waiting.started
  }

  #drop(): void {
    if (this.#waiting === null) return
    const { child, file } = this.#waiting.started
    this.#waiting = null
    child.kill('SIGKILL')
    if (file !== null) closeSync(file)
  }
}

interface Started {
  readonly child: ChildProcess
  /** Where the audio goes; null where it is printed. */
  readonly file: number | null
}

function begin(run: Run): Started {
  const file = run.arguments.includes('{file}') ? openUnlinked() : null
  const [command, ...words] = confined(
    { ...confinement, run: [...programs, run.command], ...(file === null ? {} : { writeFd: 3 }) },
    run.command,
    run.arguments.map((argument) => (argument === '{file}' ? '/proc/self/fd/3' : argument)),
  )
  const child = spawn(command, words, {
    stdio: ['pipe', 'pipe', 'ignore', file ?? 'ignore'],
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C.UTF-8' },
  })
  // A program that ends before it has read everything closes the pipe; its status says what happened.
  child.stdin!.on('error', () => undefined)
  return { child, file }
}

/** Whether this process goes on for it. */
function keepAwake(child: ChildProcess, awake: boolean): void {
  for (const part of [child, child.stdin as Socket, child.stdout as Socket]) {
    if (awake) part.ref()
    else part.unref()
  }
}

async function finished(started: Started, run: Run): Promise<Buffer> {
  const { file } = started
  try {
    const printed = await spoken(started.child, run)
    return file === null ? printed : readAll(file)
  } finally {
    if (file !== null) closeSync(file)
  }
}

function spoken(child: ChildProcess, run: Run): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let failure: SpeechError | null = null
    const stop = (error: SpeechError): void => {
      failure ??= error
      child.kill('SIGKILL')
    }
    const limit = setTimeout(() => stop(new SpeechError('engine-failed', `${run.command} took longer than ${run.limitMs} ms`)), run.limitMs)
    const abort = (): void => stop(new SpeechError('aborted', 'No longer wanted'))
    run.signal?.addEventListener('abort', abort, { once: true })
    const settle = (): void => {
      clearTimeout(limit)
      run.signal?.removeEventListener('abort', abort)
    }
    const chunks: Buffer[] = []
    let bytes = 0
    child.stdout!.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > mostOutputBytes) stop(new SpeechError('engine-failed', `${run.command} gave more audio than a phrase can have`))
      else chunks.push(chunk)
    })
    child.on('error', (error: NodeJS.ErrnoException) => {
      settle()
      reject(
        new SpeechError(
          error.code === 'ENOENT' ? 'engine-missing' : 'engine-failed',
          `${run.command} could not be started: ${error.message}`,
        ),
      )
    })
    child.on('close', (code, signal) => {
      settle()
      if (failure !== null) reject(failure)
      else if (code === notThere) reject(new SpeechError('engine-missing', `${run.command} is not there`))
      else if (code !== 0) reject(new SpeechError('engine-failed', `${run.command} ended with ${signal ?? `status ${code}`}`))
      else resolve(Buffer.concat(chunks))
    })
    child.stdin!.end(run.input)
  })
}

/** In memory where the system has it: what is said on a call has no business on a disk. */
function openUnlinked(): number {
  let directory = tmpdir()
  try {
    accessSync('/dev/shm', access.W_OK)
    directory = '/dev/shm'
  } catch {
    // The temporary directory then.
  }
  const path = join(directory, `pbx-speech-${randomUUID()}`)
  try {
    const file = openSync(path, 'wx+', 0o600)
    unlinkSync(path)
    return file
  } catch (error) {
    throw new SpeechError('engine-failed', `No temporary file for speech: ${String(error)}`)
  }
}

function readAll(file: number): Buffer {
  const { size } = fstatSync(file)
  if (size > mostOutputBytes) throw new SpeechError('engine-failed', 'The speech program gave more audio than a phrase can have')
  const data = Buffer.allocUnsafe(size)
  const read = readSync(file, data, 0, size, 0)
  return data.subarray(0, read)
}
