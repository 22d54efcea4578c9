/** The log: one JSON object a line on standard output, a readable form on a terminal. */
import { pino } from 'pino'
import pretty from 'pino-pretty'

export type Log = pino.Logger

/** `pretty` defaults to whether standard output is a terminal. Lines are written synchronously: none is lost in a crash. */
export function createLog(options: { level?: string; pretty?: boolean } = {}): Log {
  const settings: pino.LoggerOptions = {
    level: options.level ?? 'info',
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
  }
  if (options.pretty ?? process.stdout.isTTY) {
    return pino(settings, pretty({ sync: true, translateTime: 'SYS:HH:MM:ss.l', singleLine: true }))
  }
  return pino(settings, pino.destination({ fd: 1, sync: true }))
}

/** `***4567`: enough to recognise a call, too little to identify a patient. Extensions and short codes stay readable. */
export function maskNumber(number: string): string {
  const digits = number.replace(/[^0-9]/g, '')
  if (digits.length === 0) return number === '' ? '' : '***'
  return digits.length <= 6 ? digits : `***${digits.slice(-4)}`
}
