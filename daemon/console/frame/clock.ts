/** The clock of the box. That of the machine with the browser may be wrong, and what lasts is read by the one that wrote when it began. */
import { signal } from '@preact/signals'

/** Milliseconds by which the box is ahead. */
const ahead = signal(0)

/** Milliseconds since the epoch, as the box has them. */
export const boxNow = (): number => Date.now() + ahead.value

/** `at`: what the box's clock showed just now, ISO 8601. Less than a second is the way of the answer. */
export function boxSaid(at: string): void {
  const by = Date.parse(at) - Date.now()
  if (Math.abs(by - ahead.peek()) > 1_000) ahead.value = by
}
