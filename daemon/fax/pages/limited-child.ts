/**
 * Starts the program that reads PDFs, daemon/fax-render, as a child that may not do much: memory, processor time and file size
 * are limited by the kernel, files by Node's permission model, the network is taken away where the system lets us, and a child
 * that takes too long is killed. PDFium itself runs as WebAssembly inside.
 */
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, extname, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { root } from '../../root.ts'
import type { ChildReport, ChildTask } from './child-protocol.ts'
import { PageError } from './page-error.ts'

export interface ChildLimits {
  /** From one page to the next, and from the start to the first. */
  readonly pageMilliseconds: number
  readonly totalMilliseconds: number
}

export interface ChildOptions {
  readonly limits: ChildLimits
  readonly readable: readonly string[]
  readonly writable: readonly string[]
  readonly onPage?: (page: Extract<ChildReport, { report: 'page' }>) => void
  /** Aborting kills the child; what is thrown is the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** Bytes of data, not of addresses: WebAssembly reserves addresses it never uses. */
const mostMemory = 1024 ** 3
const mostFileBytes = 512 * 1024 ** 2
const codeRoot = join(import.meta.dirname, '../..')
const program = join(codeRoot, `fax-render${extname(import.meta.filename)}`)

/** Folder of the packages PDFium comes from, wherever they are installed. */
const packages = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.resolve('@hyzyla/pdfium'))))))

let withoutNetwork: readonly string[] | undefined

/** A service that may not make namespaces has to do without: PDFium has no way to the network anyway. */
function networkRemover(): readonly string[] {
  const command = ['unshare', '--user', '--net', '--']
  withoutNetwork ??= spawnSync(command[0] as string, [...command.slice(1), 'true'], { stdio: 'ignore' }).status === 0 ? command : []
  return withoutNetwork
}

function commandFor(options: ChildOptions): string[] {
  const seconds = Math.ceil(options.limits.totalMilliseconds / 1000) + 2
  return [
    // Calls in progress come first.
    'nice',
    '-n',
    '10',
    'prlimit',
    `--data=${mostMemory}`,
    `--cpu=${seconds}`,
    `--fsize=${mostFileBytes}`,
    '--core=0',
    '--',
    ...networkRemover(),
    // It dies with the daemon: the next one renders the job anew, into the same files.
    'setpriv',
    '--no-new-privs',
    '--pdeathsig=KILL',
    '--',
    // What others would have every Node load is not among what it may read.
    'env',
    '--unset=NODE_OPTIONS',
    process.execPath,
    '--no-warnings',
    '--max-old-space-size=256',
    '--permission',
    ...[codeRoot, packages, join(root, 'daemon/fax/pages/font'), ...options.readable].map((path) => `--allow-fs-read=${resolve(path)}`),
    ...options.writable.map((path) => `--allow-fs-write=${resolve(path)}`),
    program,
  ]
}

/** A child that is killed may leave half a line. */
function reportIn(text: string): ChildReport | undefined {
  try {
    return JSON.parse(text) as ChildReport
  } catch {
    return undefined
  }
}

type Ending = { readonly pages: number } | { readonly error: PageError | StarvedError }

/** The machine was too busy to give the PDF any of its time, or had no memory to begin with it: a later try may go well. */
export class StarvedError extends Error {
  constructor() {
    super('The machine was too busy to read the PDF.')
    this.name = 'StarvedError'
  }
}

/** Share of its time that a child must have had the processor for, so that the PDF is to blame; else it has its time again, so often. */
const leastShare = 0.5
const longestPatience = 2

/** Used so far, as the kernel counts it in ticks of 10 ms (proc(5)). Infinity when it cannot be told. */
function processorMilliseconds(pid: number | undefined): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return (Number(fields[11]) + Number(fields[12])) * 10
  } catch {
    return Infinity
  }
}

/** Runs the task to its end; gives the number of pages. Throws PageError, or StarvedError. */
export async function runLimited(task: ChildTask, options: ChildOptions): Promise<number> {
  options.signal?.throwIfAborted()
  const [command, ...words] = commandFor(options)
  const child = spawn(command as string, words, { stdio: 'pipe', env: { PATH: process.env.PATH ?? '/usr/bin:/bin', PBXD_ROOT: root } })
  child.stdin.on('error', () => {}) // it ended before it read its task: told by its status below
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
    } else if (report.report === 'done') ending ??= { pages: report.pages }
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
  if (ending !== undefined && 'pages' in ending && (status === 0 || stopped)) return ending.pages
  if (ending !== undefined && 'error' in ending) throw ending.error
  throw unexpected(status, complaint, started)
}

/** The child ended without a report: out of memory or time in the kernel's eyes, or it could not be started at all. */
function unexpected(status: number | string, complaint: string, started: boolean): PageError | StarvedError {
  const memory = /out of memory|Cannot allocate|heap limit|bad_alloc|OOM/i.test(complaint)
  const killed = status === 'SIGABRT' || status === 'SIGTRAP' || status === 'SIGSEGV' || status === 'SIGKILL'
  if (!started && (memory || killed)) return new StarvedError()
  if (memory || killed) {
    return new PageError('pdf_unreadable', 'The PDF needs too much memory to draw, such as a picture of giant size.')
  }
  if (status === 'SIGXCPU') return new PageError('pdf_unreadable', 'The PDF takes too long to draw.')
  return new PageError('internal', `The program that draws PDFs ended with ${status}: ${complaint.trim().split('\n').at(-1) ?? ''}`)
}
