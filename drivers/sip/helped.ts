/** Calls for help that the engine has placed by itself, for no daemon took them in time. */
import type { Message } from './frames.ts'
import { text, whole } from './reading.ts'

export interface HelpedCall {
  readonly number: string
  readonly extension: string
  /** IP address of the phone. */
  readonly source: string
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Through no trunk; false where it was answered, or the phone gave up. */
  readonly lost: boolean
}

export class HelpedCalls {
  /** Told of each, also of those while no daemon was there. */
  onHelped: (call: HelpedCall) => void = () => undefined

  receive(message: Message): boolean {
    if (message.t !== 'helped') return false
    const { number, extension, source, at, lost } = message
    this.onHelped({ number: text(number), extension: text(extension), source: text(source), at: whole(at), lost: lost === true })
    return true
  }
}
