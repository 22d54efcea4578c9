/**
 * The log: one JSON object a line on standard output, with its priority before it in systemd's journal, a readable form on a terminal. Every text in it goes through `forLog`, so that
 * a field which somebody forgot names no patient either; a sentence of ours is given as log.warn(facts, '%s', said`...`).
 */
import { createRequire } from 'node:module'
import { pino } from 'pino'
import { allForLog, forLog, Ours } from './for-log.ts'
import { fstatSync } from 'node:fs'

// systemd's journal: lines there carry their priority as a prefix `<N>` (sd-daemon(3)), which the journal takes off again.

/** Whether `fd` is the journal's stream: `JOURNAL_STREAM` names it as `device:inode` (systemd.exec(5)), and is inherited by programs whose output goes elsewhere. */
function isJournal(fd: number, named = process.env.JOURNAL_STREAM): boolean {
  if (named === undefined || named === '') return false
  const { dev, ino } = fstatSync(fd, { bigint: true })
  return named === `${dev}:${ino}`
}

/** pino's level to a priority of syslog (RFC 5424, 6.2.1): fatal 2, error 3, warn 4, info 6, debug and trace 7. */
function journalPriority(level: number): number {
  if (level >= 60) return 2
  if (level >= 50) return 3
  if (level >= 40) return 4
  return level >= 30 ? 6 : 7
}

/** A destination of pino's that puts the priority before each line. */
function journalLines(to: { write(line: string): unknown }) {
  return {
    // pino sets `lastLevel` before each line where this is true.
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 30,
    write(line: string): void {
      to.write(`<${journalPriority(this.lastLevel)}>${line}`)
    },
  }
}

export type Log = pino.Logger

/**
 * What watches the deeds of others inside their transactions: what it throws would undo the deed. It is logged with that sentence, and the deed
 * goes on.
 */
export function spared<A extends unknown[]>(
  log: Pick<Log, 'error'>,
  sentence: string,
  watch: (...about: A) => void,
): (...about: A) => void {
  return (...about) => {
    try {
      watch(...about)
    } catch (err) {
      log.error({ err }, sentence)
    }
  }
}

/** Of what could not be written yet, in characters. */
const mostUnwritten = 1024 * 1024
let fault = ''

/** Why nothing can be written to the log; '' where it can. */
export function logFault(): string {
  return fault
}

/** `pretty` defaults to whether standard output is a terminal; `to` takes the lines in its place. Lines are written synchronously: none is lost in a crash. Where standard output takes none, such as a file on a full disk, they wait. */
export function createLog(options: { level?: string; pretty?: boolean; to?: pino.DestinationStream } = {}): Log {
  const settings: pino.LoggerOptions = {
    level: options.level ?? 'info',
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }), log: clean },
    hooks: {
      logMethod(given, method) {
        // pino takes the text of an error for its message where it is given none.
        const [first] = given as readonly unknown[]
        const error = first instanceof Error ? first : (first as { err?: unknown } | null | undefined)?.err
        const [facts, ...words] = first instanceof Error ? [{ err: first }, ...given.slice(1)] : given
        if (words.length === 0 && typeof facts !== 'string' && error instanceof Error) words.push(error.message)
        method.apply(
          this,
          [facts, ...words].map((item) => (typeof item === 'string' || item instanceof Ours ? forLog(item) : item)) as typeof given,
        )
      },
    },
  }
  if (options.to !== undefined) return pino(settings, options.to)
  if (options.pretty ?? process.stdout.isTTY) {
    // On a terminal alone: a box at rest need not have it loaded.
    const pretty = createRequire(import.meta.url)('pino-pretty') as typeof import('pino-pretty')
    return pino(settings, pretty({ sync: true, translateTime: 'SYS:HH:MM:ss.l', singleLine: true }))
  }
  const out = pino.destination({ fd: 1, sync: true, maxLength: mostUnwritten })
  // A log that cannot be written ends no call.
  out.on('error', (error: Error) => (fault = error.message))
  out.on('write', () => (fault = ''))
  return pino(settings, isJournal(1) ? journalLines(out) : out)
}

function clean(facts: object): Record<string, unknown> {
  return allForLog(facts) as Record<string, unknown>
}

/** `***4567`: enough to recognise a call, too little to identify a patient. Extensions and short codes stay readable. */
export function maskNumber(number: string): string {
  const digits = number.replace(/[^0-9]/g, '')
  if (digits.length === 0) return number === '' ? '' : '***'
  return digits.length <= 6 ? digits : `***${digits.slice(-4)}`
}
