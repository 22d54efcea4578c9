/**
 * Public test files of other readers: what tesseract reads of the first page of each as we draw it, and as poppler, MuPDF and Ghostscript do
 * at the same resolution. The words asked for are those that pdftotext finds, of three Latin letters at least. A page is worse where it
 * has fewer of them than the best of the three, by more than chance (see reading.ts). Files that we refuse are drawn by the three as well.
 */
import { fork, type ChildProcess } from 'node:child_process'
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Bitmap } from '../../../daemon/fax/pages/bitmap.ts'
import { hashOf, kept } from './kept.ts'
import { drawnBy, outputOf, peers } from './peers.ts'
import { placesOf } from './places.ts'
import type { Answer } from './public-child.ts'
import { compareWords, type Compared } from './reading.ts'
import { table } from './study.ts'

export interface Judged {
  readonly file: string
  readonly verdict: Compared['verdict'] | 'no words' | 'refused' | 'fault'
  readonly words?: Compared
  readonly reason?: string
  /** Of the others that draw a file which we refuse. */
  readonly drawnBy?: readonly string[]
  readonly milliseconds?: number
}

const mostWords = 300
/** For a whole document, looked over and its first page drawn. */
const drawSeconds = 90
/** PDFium keeps what it has opened. */
const filesOfChild = 60

class Drawer {
  #child: ChildProcess | undefined
  #left = 0

  draw(path: string): Promise<Answer> {
    if (this.#left-- <= 0) this.end()
    if (this.#child === undefined) {
      this.#child = fork(join(import.meta.dirname, 'public-child.ts'), {
        serialization: 'advanced',
        stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      })
      this.#left = filesOfChild
    }
    const child = this.#child
    return new Promise((resolve) => {
      let late = false
      const timer = setTimeout(() => (late = child.kill('SIGKILL')), drawSeconds * 1000)
      const done = (answer: Answer): void => {
        clearTimeout(timer)
        child.removeAllListeners('message').removeAllListeners('exit')
        if ('last' in answer && answer.last === true) this.#child = undefined
        resolve(answer)
      }
      child.once('message', (answer: Answer) => done(answer))
      child.once('exit', (code, signal) => {
        this.#child = undefined
        done(
          late ? { refused: `It takes longer than ${drawSeconds} s.` } : { refused: `The process ended (${signal ?? code}).`, ended: true },
        )
      })
      child.send(path)
    })
  }

  end(): void {
    this.#child?.kill()
    this.#child = undefined
  }
}

async function wordsOf(path: string): Promise<string[]> {
  const text = await kept(
    hashOf('pdftotext', readFileSync(path)),
    async () => (await outputOf('pdftotext', ['-l', '1', path, '-'], 20)) ?? Buffer.alloc(0),
  )
  return text
    .toString('utf8')
    .split(/\s+/)
    .map((word) => word.replaceAll(/^[^a-z0-9]+|[^a-z0-9]+$/gi, ''))
    .filter((word) => /^[a-z]{3,}$/i.test(word))
    .slice(0, mostWords)
}

async function judge(path: string, file: string, drawer: Drawer, work: string): Promise<Judged> {
  const began = performance.now()
  const own = await drawer.draw(path)
  const milliseconds = Math.round(performance.now() - began)
  const scale = 'sheets' in own ? own.scale : 1
  const others = async (): Promise<Map<string, Bitmap>> => {
    const drawn = new Map<string, Bitmap>()
    for (const peer of peers) {
      const bitmap = await drawnBy(peer, path, scale, work)
      if (bitmap !== undefined) drawn.set(peer.name, bitmap)
    }
    return drawn
  }
  if ('refused' in own) {
    const drawn = [...(await others())].filter(([, { data }]) => data.some((bits) => bits !== 0)).map(([name]) => name)
    return { file, verdict: own.ended ? 'fault' : 'refused', reason: own.refused, drawnBy: drawn, milliseconds }
  }
  const words = await wordsOf(path)
  if (words.length === 0) return { file, verdict: 'no words', milliseconds }
  const compared = await compareWords(own, words, others, await placesOf(path))
  return { file, verdict: compared.verdict, words: compared, milliseconds }
}

function report(judged: readonly Judged[]): string {
  const corpora = [...new Set(judged.map(({ file }) => file.split('/')[0] as string))].toSorted()
  const row = (name: string, some: readonly Judged[]): string[] => {
    const count = (of: (each: Judged) => boolean): string => String(some.filter(of).length)
    const is = (verdict: Judged['verdict']): string => count((each) => each.verdict === verdict)
    return [
      ...[name, String(some.length), count(({ words }) => words !== undefined)],
      ...[is('all'), is('better'), is('level'), is('worse'), is('no words'), is('refused')],
      ...[
        count(({ verdict, drawnBy }) => verdict === 'refused' && drawnBy?.length === 0),
        count(({ verdict, drawnBy }) => verdict === 'refused' && drawnBy?.length === peers.length),
        is('fault'),
      ],
    ]
  }
  const head = [
    'corpus',
    'files',
    'pages compared',
    'every word',
    'better',
    'level',
    'worse',
    'no words',
    'refused',
    'by all four',
    'by us alone',
    'faults',
  ]
  const rows = corpora.map((corpus) =>
    row(
      corpus,
      judged.filter(({ file }) => file.startsWith(`${corpus}/`)),
    ),
  )
  return table([head, ...rows, row('all', judged)])
}

/**
 * `folder` holds PDFs, those of a corpus in a folder of its own; a line of JSON for each goes to `out`, and those that it has are left out.
 * `only`: a part of the name. Status 1 where a page is worse.
 */
export async function publicFiles(options: {
  folder?: string | undefined
  out?: string | undefined
  only?: string | undefined
}): Promise<number> {
  const { folder, out, only = '' } = options
  if (folder === undefined || out === undefined) return 2
  const judged: Judged[] = []
  try {
    for (const line of readFileSync(out, 'utf8').split('\n')) if (line !== '') judged.push(JSON.parse(line) as Judged)
  } catch {
    // The first run.
  }
  const done = new Set(judged.map(({ file }) => file))
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.pdf$/i.test(name) && name.includes(only))
  const waiting = files.filter((file) => !done.has(file)).toSorted()
  const worker = async (): Promise<void> => {
    const work = mkdtempSync(join(tmpdir(), 'pbxd-public-'))
    const drawer = new Drawer()
    try {
      for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) {
        const one = await judge(join(folder, file), file, drawer, work)
        judged.push(one)
        appendFileSync(out, `${JSON.stringify(one)}\n`)
        if (judged.length % 50 === 0) process.stderr.write(`${judged.length} of ${files.length} files\n`)
      }
    } finally {
      drawer.end()
      rmSync(work, { recursive: true, force: true })
    }
  }
  await Promise.all([worker(), worker()])
  const worse = judged.filter(({ verdict }) => verdict === 'worse' || verdict === 'fault')
  for (const { file, words, reason } of worse)
    process.stdout.write(
      `${file}: ${reason ?? `${words?.ours} of ${words?.of} words, ${words?.by} ${words?.best}: ${words?.lacking?.join(' ')}`}\n`,
    )
  process.stdout.write(`${report(judged)}\n`)
  return worse.length === 0 ? 0 : 1
}
