/**
 * Loaded into a daemon before anything else: the time of day as `PBX_CLOCK_FILE` sets it, in milliseconds to add; read at the start and at
 * each SIGUSR2. The system's own clock stays as it is.
 */
import { readFileSync } from 'node:fs'

const TrueDate = Date
let offset = 0

function read(): void {
  try {
    offset = Number(readFileSync(process.env['PBX_CLOCK_FILE'] ?? '', 'utf8')) || 0
  } catch {
    offset = 0
  }
}

read()
process.on('SIGUSR2', read)

class SetDate extends TrueDate {
  static override now(): number {
    return TrueDate.now() + offset
  }

  constructor(...given: unknown[]) {
    super(...((given.length === 0 ? [SetDate.now()] : given) as [number]))
  }
}
globalThis.Date = SetDate as DateConstructor
