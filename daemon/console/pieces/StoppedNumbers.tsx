/** Numbers that are to be left alone, the newest first: a part of one finds it, and a manager takes one off. */
import type { ComponentChildren } from 'preact'
import { may } from '../frame/session.ts'
import { nameOf } from './names.ts'
import { numberText, Person } from './Number.tsx'
import { say } from './words.ts'

/** Rows in the document; a part of the number finds the others. */
const most = 40

interface Stopped {
  readonly number: string
  /** A moment, as a number or as text that sorts by it. */
  readonly since: number | string
}

export interface StoppedNumbersProps<T extends Stopped> {
  readonly all: readonly T[]
  /** What somebody has typed to find one. */
  readonly part: string
  /** Behind the number: since when, and by whom. */
  readonly note: (one: T) => ComponentChildren
  /** The button of a row, and the words it is known by to a reader of the screen. */
  readonly lift: string
  readonly liftOf: (number: string) => string
  readonly onLift: (one: T) => void
}

const digitsOf = (text: string): string => text.replaceAll(/\D/g, '')

export function StoppedNumbers<T extends Stopped>({ all, part, note, lift, liftOf, onLift }: StoppedNumbersProps<T>) {
  const digits = digitsOf(part)
  const found = all.filter(({ number }) => digitsOf(number).includes(digits)).toSorted((a, b) => (a.since < b.since ? 1 : -1))
  return (
    <>
      <ul class="tight">
        {found.slice(0, most).map((one) => (
          <li key={one.number} class="row">
            <span class="grow">
              <Person name={nameOf(one.number)} number={one.number} /> {note(one)}
            </span>
            {may('liftStops') ? (
              <button type="button" class="btn small" aria-label={liftOf(numberText(one.number))} onClick={() => onLift(one)}>
                {lift}
              </button>
            ) : null}
          </li>
        ))}
      </ul>
      {found.length > most ? <p class="empty">{say('moreNumbers', { n: found.length - most })}</p> : null}
    </>
  )
}
