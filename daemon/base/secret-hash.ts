/**
 * What is kept of a PIN or a password: scrypt (RFC 7914), so that somebody who has stolen the store needs time and memory for each guess. It is
 * worked out in threads of the library, two at once: 64 MiB at most, and two threads are left to those who read files.
 */
import { scrypt } from 'node:crypto'

export interface HashCost {
  readonly N: number
  readonly r: number
  readonly p: number
}

/** 32 MiB and three passes: as good as OWASP's first choice (2^17, 8, 1) at a quarter of its memory. */
export const hashCost: HashCost = { N: 2 ** 15, r: 8, p: 3 }
/** Of what was kept without its costs, by an earlier version: Node's own. */
export const formerHashCost: HashCost = { N: 2 ** 14, r: 8, p: 1 }

const hashBytes = 32
const mostMemory = 64 * 1024 * 1024
const mostAtOnce = 2

let underWay = 0
const waiting: (() => void)[] = []

export const hashesWaiting = (): number => waiting.length

/** 32 bytes. `salt`: 16 random bytes. */
export async function hashOfSecret(text: string, salt: Buffer, cost: HashCost = hashCost): Promise<Buffer> {
  if (underWay >= mostAtOnce) await new Promise<void>((resolve) => waiting.push(resolve))
  else underWay += 1
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  scrypt(text, salt, hashBytes, { ...cost, maxmem: mostMemory }, (error, made) => (error === null ? resolve(made) : reject(error)))
  try {
    return await promise
  } finally {
    const next = waiting.shift()
    // Its place goes on to the next one.
    if (next === undefined) underWay -= 1
    else next()
  }
}
