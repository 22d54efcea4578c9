/** The thread of the grammar engine: its decoding takes long enough to disturb other work on the same thread. */
import { parentPort, workerData } from 'node:worker_threads'
import { Listener } from './listener.ts'

export interface Question {
  readonly samples: Int16Array
  readonly hints: readonly string[]
  readonly digits: number | null
}

export interface Answer {
  readonly text: string
  readonly confidence: number
}

const port = parentPort!
const listener = await Listener.open((workerData as { guesser?: string }).guesser)
port.on('message', ({ samples, hints, digits }: Question) => {
  listener.understand(samples, { hints, digits }).then(
    (answer) => port.postMessage(answer satisfies Answer),
    // Whatever a trap left of the decoder's memory is not used again.
    (error: unknown) => {
      throw error
    },
  )
})
port.postMessage('ready')
