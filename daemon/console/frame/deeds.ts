/** What was done, with a way back; what is asked before; and what is said aloud. */
import { signal } from '@preact/signals'
import { Fault } from './api.ts'
import { sentence } from './faults.ts'
import { onLeave } from './session.ts'

export interface Done {
  readonly id: number
  readonly text: string
  readonly undo: (() => Promise<void>) | undefined
}

/** A deed that cannot be taken back. */
export interface Question {
  /** What is asked: "Delete this voicemail?" */
  readonly title: string
  /** What is lost. */
  readonly lost: string
  /** Of the button: the deed, "Delete". */
  readonly button: string
}

export const dones = signal<readonly Done[]>([])
export const question = signal<(Question & { readonly answer: (yes: boolean) => void }) | undefined>(undefined)
/** For assistive technology. */
export const spoken = signal('')

let next = 0

/** Shows for 8 s that something was done. `undo`: takes it back. */
export function done(text: string, undo?: () => Promise<void>): void {
  dones.value = [...dones.value, { id: ++next, text, undo }].slice(-3)
}

export function dismiss(id: number): void {
  dones.value = dones.value.filter((one) => one.id !== id)
}

/** Resolves with true where the person wants it. No button is chosen beforehand. */
export function ask(asked: Question): Promise<boolean> {
  question.value?.answer(false)
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const answer = (yes: boolean): void => {
    question.value = undefined
    resolve(yes)
  }
  question.value = { ...asked, answer }
  return promise
}

/** Says what was done, or why it was not. `deed`: under way. */
export async function tried(deed: Promise<unknown>, said: string): Promise<void> {
  try {
    await deed
    done(said)
  } catch (error) {
    done(error instanceof Fault ? sentence(error) : String(error))
  }
}

/** After a question: does it, and says so. Resolves when it is done, or was not wanted. */
export async function afterAsking(asked: Question, deed: () => Promise<unknown>, said: string): Promise<void> {
  if (await ask(asked)) await tried(deed(), said)
}

const pauseMs = 2_000
const waiting: string[] = []
let timer: ReturnType<typeof setTimeout> | undefined

/** Politely, one sentence every 2 s. */
export function say(text: string): void {
  waiting.push(text)
  timer ??= setTimeout(speak, 50)
}

function speak(): void {
  const text = waiting.shift()
  timer = text === undefined ? undefined : setTimeout(speak, pauseMs)
  if (text !== undefined) spoken.value = text
}

onLeave(() => {
  question.value?.answer(false)
  dones.value = []
  waiting.length = 0
  spoken.value = ''
})
