/** Numbers as they are given on the command line. */
import { InvalidArgumentError } from 'commander'

export function positive(text: string): number {
  const n = Number(text)
  if (!(n > 0)) throw new InvalidArgumentError('A number above zero is wanted.')
  return n
}

/** How many rows a list shows. */
export function rows(text: string): number {
  const n = Number(text)
  if (!Number.isInteger(n) || n < 1 || n > 1000) throw new InvalidArgumentError('A whole number from 1 to 1000 is wanted.')
  return n
}
