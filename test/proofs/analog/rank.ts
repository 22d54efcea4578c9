/** A modem, an exchange and a telephone are hardware elsewhere, which waits for no program of the box. */
import { setPriority } from 'node:os'

/** Before all others; without root a program as any other. */
export function rankAsHardware(): void {
  try {
    setPriority(-20)
  } catch {
    // As it is.
  }
}
