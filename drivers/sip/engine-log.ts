/** What the engine prints: lines for the log, and the word of the system about an engine that could not even begin. */
import type { ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'

/** What this driver writes to; a pino logger fits. */
export interface DriverLog {
  debug(facts: object, text: string): void
  info(facts: object, text: string): void
  warn(facts: object, text: string): void
  error(facts: object, text: string): void
}

/** Of the dynamic linker (ld.so(8)), before any program of ours runs. */
const missing = /error while loading shared libraries: ([\w.+-]+): /

/** `library` is called with the name of a shared library without which the engine does not start, such as `libsrtp2.so.1`. */
export function followLog(child: ChildProcess, log: DriverLog, library: (name: string) => void): void {
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue
    createInterface({ input: stream, crlfDelay: Infinity }).on('line', (line) => {
      const name = missing.exec(line)?.[1]
      if (name !== undefined) library(name)
      const match = /^(ERROR|WARN|INFO|DEBUG)\s+(.*)$/i.exec(line)
      writeLog(log, name !== undefined ? 'error' : (match?.[1]?.toLowerCase() ?? 'info'), match?.[2] ?? line)
    })
  }
}

const facts = { source: 'pbx-engine' }

function writeLog(log: DriverLog, level: string, text: string): void {
  if (level === 'error') log.error(facts, text)
  else if (level === 'warn') log.warn(facts, text)
  else if (level === 'debug') log.debug(facts, text)
  else log.info(facts, text)
}
