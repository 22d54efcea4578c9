/** systemd's journal: lines there carry their priority as a prefix `<N>` (sd-daemon(3)), which the journal takes off again. */
import { fstatSync } from 'node:fs'

/** Whether `fd` is the journal's stream: `JOURNAL_STREAM` names it as `device:inode` (systemd.exec(5)), and is inherited by programs whose output goes elsewhere. */
export function isJournal(fd: number, named = process.env.JOURNAL_STREAM): boolean {
  if (named === undefined || named === '') return false
  const { dev, ino } = fstatSync(fd, { bigint: true })
  return named === `${dev}:${ino}`
}

/** pino's level to a priority of syslog (RFC 5424, 6.2.1): fatal 2, error 3, warn 4, info 6, debug and trace 7. */
export function journalPriority(level: number): number {
  if (level >= 60) return 2
  if (level >= 50) return 3
  if (level >= 40) return 4
  return level >= 30 ? 6 : 7
}

/** A destination of pino's that puts the priority before each line. */
export function journalLines(to: { write(line: string): unknown }) {
  return {
    // pino sets `lastLevel` before each line where this is true.
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 30,
    write(line: string): void {
      to.write(`<${journalPriority(this.lastLevel)}>${line}`)
    },
  }
}
