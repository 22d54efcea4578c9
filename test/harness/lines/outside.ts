/** The outside of a box, whatever line leads there: somebody calls in, presses keys, speaks, listens and hangs up; somebody is called. */
import type { Ear } from '../ears.ts'
import type { Scene } from '../scene.ts'

/** Somebody in a call. */
export interface Outsider extends Ear {
  press(key: string): void | Promise<void>
  say(samples: Int16Array): void
  /** Resolves when a key that is pressed then comes after all that was to be said. */
  said(): Promise<unknown>
  /** All that was heard. */
  heard(): Int16Array
  /** Something is heard, for the first time or again. */
  sound(): Promise<unknown>
  /** Nothing is heard any more for so long. */
  quiet(ms: number): Promise<unknown>
  hangUp(): void | Promise<void>
  /** The box has ended the call, and this one puts down too. */
  released(): Promise<unknown>
}

export type Manner = 'answer' | 'busy' | 'ring'

export interface Outside {
  readonly scene: Scene
  readonly trunkId: string
  /** Whether the box hears while it speaks. */
  readonly fullDuplex: boolean
  /** The sound goes from one clock to another on its way. */
  readonly drifts?: true
  /** Documents begin with it where callers do not hear the first second of them. */
  readonly greeting: readonly unknown[]
  call(): Promise<Outsider>
  /** A number outside, and who takes the next call to it. */
  expect(manner: Manner): Promise<{ readonly number: string; readonly taken: Promise<Outsider> }>
  /** After each test. */
  rest(): Promise<void>
  close(): Promise<void>
}
