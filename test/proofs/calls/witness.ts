/** What the daemons of a study knew, by their own account: read after each is gone or has nothing more to say. */
import { readFileSync } from 'node:fs'
import type { Witnessed } from '../../../daemon/calls/witness.ts'

/** Moments are counted through all daemons: a later one is larger. */
export interface Input {
  /** By the address that it is sent to. */
  readonly step: number
  readonly finishedAt: number
  stored: boolean
}

/** One call, as the daemon knew it that took it. */
export interface Account {
  /** Process id. */
  readonly daemon: number
  readonly keys: string[]
  ended: boolean
  /** When the line reported it last. */
  heardAt: number
  /** When each verb began that takes what a person does. */
  readonly verbs: number[]
  /** Ids of recordings, from when each had its row. */
  readonly begun: string[]
  readonly inputs: Input[]
}

export class Witness {
  /** By daemon: when the latest of the inputs was finished that are known to be on the disk. */
  readonly lastStored = new Map<number, number>()
  /** By daemon: when it did anything but hear. What it heard after that it had not turned to yet. */
  readonly lastDid = new Map<number, number>()
  readonly calls = new Map<string, Account>()

  constructor(file: string) {
    const finished = new Map<string, Input>()
    for (const [at, line] of readFileSync(file, 'utf8').split('\n').entries()) {
      const seen = parsed(line)
      if (seen === null) continue
      const { pid, callId, what, text } = seen
      const account = this.calls.get(callId) ?? { daemon: pid, keys: [], ended: false, heardAt: 0, verbs: [], begun: [], inputs: [] }
      this.calls.set(callId, account)
      if (what === 'heard') account.heardAt = at
      else this.lastDid.set(pid, at)
      switch (what) {
        case 'heard':
          if (text === 'end') account.ended = true
          else account.keys.push(text)
          break
        case 'verb':
          account.verbs.push(at)
          break
        case 'begun':
          account.begun.push(text)
          break
        case 'finished': {
          const [eventId = '', url = ''] = text.split(' ')
          const input = { step: Number(url.split('/').at(-1)), finishedAt: at, stored: false }
          finished.set(eventId, input)
          account.inputs.push(input)
          break
        }
        case 'stored': {
          const input = finished.get(text)
          if (input === undefined) break
          input.stored = true
          this.lastStored.set(pid, Math.max(input.finishedAt, this.lastStored.get(pid) ?? 0))
        }
      }
    }
  }
}

/** null for the last line of a killed process, which may be cut. */
function parsed(line: string): (Witnessed & { readonly pid: number }) | null {
  try {
    return JSON.parse(line) as Witnessed & { readonly pid: number }
  } catch {
    return null
  }
}
