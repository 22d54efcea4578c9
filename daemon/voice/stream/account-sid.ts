/** The account that streams name, as Twilio's do: the same of a box for ever. */
import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Log } from '../../base/log.ts'
import type { Store } from '../../store/store.ts'

const key = 'accountSid'

/** Kept in the store, so that it goes with the box to another machine. At first made of this machine's id, which it does not reveal. */
export function accountSidOf(store: Store, log: Log): string {
  const kept = store.tables.meta.get(key)
  if (typeof kept === 'string') return kept
  const made = `AC${createHash('sha256').update('pbxd media streams').update(machineId()).digest('hex').slice(0, 32)}`
  store
    .transaction(() => store.tables.meta.put(key, made))
    .catch((err: unknown) => log.warn({ err }, 'the account of the media streams could not be stored'))
  return made
}

function machineId(): string | Buffer {
  try {
    return readFileSync('/etc/machine-id')
  } catch {
    return randomBytes(32)
  }
}
