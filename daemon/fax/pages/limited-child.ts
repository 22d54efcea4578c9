/**
 * Starts the program that reads PDFs, daemon/programs/fax-render, as a child that may not do much: pbx-confine takes the network, other programs
 * and all files but its own code from it and bounds memory, processor time and file size; the PDF and the pages are open files that it is
 * given; Node's permission model is a second fence. A child that takes too long is killed. PDFium itself runs as WebAssembly inside.
 */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { closeSync, constants, openSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { code, codeFile } from '../../../drivers/code.ts'
import { confined, confinementState, notConfined, type Confinement } from '../../../drivers/confine.ts'
import { root } from '../../base/root.ts'
import type { ChildReport, ChildTask, Outcome } from './child-protocol.ts'
import { fallbackFolder } from './fallback-font.ts'
import { PageError } from './page-error.ts'

/** Children that read documents take turns: of each kind of task one runs. Each may have much memory, and a small box has calls to carry. */
type Kind = ChildTask['task']

const last: Record<Kind, Promise<void>> = {
  inspect: Promise.resolve(),
  render: Promise.resolve(),
  pictures: Promise.resolve(),
  receipt: Promise.resolve(),
}

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

export interface ChildLimits {
  /** From one page to the next, and from the start to the first. */
  readonly pageMilliseconds: number
  readonly totalMilliseconds: number
}

export interface ChildOptions {
  readonly limits: ChildLimits
  readonly pdf: string
  /** The files that are written, in the order of their descriptors. */
  readonly outputs?: readonly string[]
  readonly onPage?: (page: Extract<ChildReport, { report: 'page' }>) => void
  /** Aborting kills the child; what is thrown is the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Bytes of data, not of addresses: WebAssembly reserves addresses it never uses. One looks and one draws at a time, so that a small box
 * has memory left for its calls whatever it is sent.
 */
const mostMemory: Readonly<Record<ChildTask['task'], number>> = {
  inspect: 640 * 1024 ** 2,
  render: 1024 ** 3,
  pictures: 640 * 1024 ** 2,
  receipt: 640 * 1024 ** 2,
}
const mostFileBytes = 512 * 1024 ** 2
const program = codeFile('daemon/programs/fax-render')

/** Folder of the packages PDFium comes from, wherever they are installed. */
const packages = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.resolve('@hyzyla/pdfium'))))))

const readable = [join(code, 'daemon'), packages, join(root, 'daemon/fax/pages/font'), fallbackFolder, join(code, 'package.json')].map(
  (path) => resolve(path),
)

/** What the child may do; `files` are the open ones that it is given. */
export function pdfConfinement(task: ChildTask['task'], limits: ChildLimits, files: number): Confinement {
  return {
    run: [process.execPath],
    read: readable,
    keepFds: 3 + files,
    dataBytes: mostMemory[task],
    cpuSeconds: Math.ceil(limits.totalMilliseconds / 1000) + 2,
    fileBytes: mostFileBytes,
    // Calls in progress come first.
    nice: 10,
    oomScore: 1000,
    // The next daemon renders the job again, into the same files.
    withParent: true,
  }
}

const nodeArguments = [
  ...['--no-warnings', '--max-old-space-size=256', '--permission'],
  ...readable.map((path) => `--allow-fs-read=${path}`),
  program,
]

/** Descriptors 3 and on of the child. The caller closes them. */
function openFiles({ pdf, outputs = [] }: ChildOptions): number[] {
  const files: number[] = []
  try {
    files.push(openSync(pdf, constants.O_RDONLY | constants.O_NOFOLLOW))
    const writing = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW
    for (const path of outputs) files.push(openSync(path, writing, 0o600))
    return files
  } catch (error) {
    for (const file of files) closeSync(file)
    throw error
  }
}

/** A child that is killed may leave half a line. */
function reportIn(text: string): ChildReport | undefined {
  try {
    return JSON.parse(text) as ChildReport
  } catch {
    return undefined
  }
}

function outcomeIn({ pages, warnings, sizes }: Extract<ChildReport, { report: 'done' }>): Outcome {
  return { pages, warnings, ...(sizes === undefined ? {} : { sizes }) }
}

type Ending = Outcome | { readonly error: PageError | StarvedError }

/** The machine was too busy to give the PDF any of its time, had no memory to begin with it, or cannot confine its reader: nothing is said of the PDF. */
export class StarvedError extends Error {
  constructor(message = 'The machine was too busy to read the PDF.') {
    super(message)
    this.name = 'StarvedError'
  }
}

/** Share of its time that a child must have had the processor for, so that the PDF is to blame; else it has its time again, so often. */
const leastShare = 0.5
const longestPatience = 2

/** Used so far, as the kernel counts it in ticks of 10 ms (proc(5)). Infinity when it is not known. */
function processorMilliseconds(pid: number | undefined): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) * 10
  } catch {
    return Infinity
  }
}

/** Runs the task to its end, in its turn. Throws PageError, or StarvedError. */
export async function runLimited(task: ChildTask, options: ChildOptions): Promise<Outcome> {
  const done = await takeTurn(task.task, options.signal)
  try {
    return await run(task, options)
  } finally {
    done()
  }
}

async function run(task: ChildTask, options: ChildOptions): Promise<Outcome> {
  options.signal?.throwIfAborted()
  const { filtered, reason } = confinementState()
  if (!filtered) throw new StarvedError(`PDFs are not read because their reader cannot be confined: ${reason}`)
  const files = openFiles(options)
  const [command, ...words] = confined(pdfConfinement(task.task, options.limits, files.length), process.execPath, nodeArguments)
  const env = { PATH: process.env.PATH ?? '/usr/bin:/bin', PBXD_ROOT: root }
  const child = spawn(command, words, { stdio: ['pipe', 'pipe', 'pipe', ...files], env }) as ChildProcessWithoutNullStreams
  for (const file of files) closeSync(file)
  child.stdin.on('error', () => {}) // it ended before it read its task: its status below reports it
  child.stdin.end(JSON.stringify(task))
  let ending: Ending | undefined
  let page = 1
  let stopped = false
  /** Used of the processor when the page began. */
  let before = 0
  /** It had the memory to begin. */
  let started = false
  const patience = { page: longestPatience, total: longestPatience }
  /** At the end of a time: a child that did not get the processor says nothing about its PDF, and may go on for a while. */
  const expired = (of: keyof typeof patience, timer: NodeJS.Timeout, milliseconds: number, usedBefore: number, message: string): void => {
    const starved = processorMilliseconds(child.pid) - usedBefore < milliseconds * leastShare
    if (starved && patience[of]-- > 0) return void timer.refresh()
    ending ??= { error: starved ? new StarvedError() : new PageError('pdf_unreadable', message) }
    stopped = true
    child.kill('SIGKILL')
  }
  const seconds = (milliseconds: number): string => `${Math.round(milliseconds / 1000)} seconds`
  const { pageMilliseconds, totalMilliseconds } = options.limits
  const total = setTimeout(
    () => expired('total', total, totalMilliseconds, 0, `The PDF takes more than ${seconds(totalMilliseconds)} to draw.`),
    totalMilliseconds,
  )
  const onePage = setTimeout(() => {
    const what = task.task === 'inspect' ? 'The PDF' : `Page ${page}`
    const toWhat = task.task === 'inspect' ? 'read' : 'draw'
    expired('page', onePage, pageMilliseconds, before, `${what} takes more than ${seconds(pageMilliseconds)} to ${toWhat}.`)
  }, pageMilliseconds)
  const aborted = (): void => void child.kill('SIGKILL')
  options.signal?.addEventListener('abort', aborted)
  let complaint = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-2000)
  })
  createInterface({ input: child.stdout }).on('line', (text) => {
    const report = reportIn(text)
    if (report === undefined) return
    if (report.report === 'started') started = true
    else if (report.report === 'page') {
      page++
      before = processorMilliseconds(child.pid)
      onePage.refresh()
      options.onPage?.(report)
    } else if (report.report === 'done') ending ??= outcomeIn(report)
    else ending ??= { error: new PageError(report.code, report.message) }
  })
  const status = await new Promise<number | string>((settled) => {
    child.once('error', (error) => settled(error.message))
    child.once('close', (code, signal) => settled(code ?? signal ?? 'unknown'))
  })
  clearTimeout(total)
  clearTimeout(onePage)
  options.signal?.removeEventListener('abort', aborted)
  options.signal?.throwIfAborted()
  // Its work was done when we stopped it: it only had no time left to leave.
  if (ending !== undefined && 'pages' in ending && (status === 0 || stopped)) return ending
  if (ending !== undefined && 'error' in ending) throw ending.error
  throw unexpected(status, complaint, started)
}

/** The child ended without a report: out of memory or time in the kernel's eyes, or it could not be started at all. */
function unexpected(status: number | string, complaint: string, started: boolean): PageError | StarvedError {
  const memory = /out of memory|Cannot allocate|heap limit|bad_alloc|OOM/i.test(complaint)
  const killed = status === 'SIGABRT' || status === 'SIGTRAP' || status === 'SIGSEGV' || status === 'SIGKILL'
  if (!started && (memory || killed)) return new StarvedError()
  if (status === notConfined) return new StarvedError(`PDFs are not read because their reader cannot be confined: ${complaint.trim()}`)
  if (memory || killed) {
    return new PageError('pdf_unreadable', 'The PDF needs too much memory to draw, such as a picture of giant size.')
  }
  if (status === 'SIGXCPU') return new PageError('pdf_unreadable', 'The PDF takes too long to draw.')
  return new PageError('internal', `The program that draws PDFs ended with ${status}: ${complaint.trim().split('\n').at(-1) ?? ''}`)
}
