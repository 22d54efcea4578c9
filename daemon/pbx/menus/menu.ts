/**
 * The conversation of a menu: what a caller did and what was typed before go in, the next control document or the choice comes out. Pure;
 * every path ends. A key that begins a longer number is waited on for a moment.
 */
import type { Said } from '../../words/words.ts'

export interface MenuFacts {
  /** What callers hear, and in which language (BCP 47). */
  readonly say: string
  readonly language: string
  readonly wrong: Said
  /** What may be typed, and where it leads. */
  readonly choices: ReadonlyMap<string, string>
  readonly timeoutSeconds: number
  readonly repeats: number
}

export interface MenuState {
  readonly typed: string
  /** How often the menu was said. */
  readonly said: number
}

export type MenuEvent = { readonly type: 'begin' } | { readonly type: 'key'; readonly key: string } | { readonly type: 'silence' }

export type MenuStep =
  | { readonly kind: 'ask'; readonly state: MenuState; readonly document: readonly unknown[] }
  | { readonly kind: 'chosen'; readonly destination: string }
  | { readonly kind: 'nothing' }

export const beginning: MenuState = { typed: '', said: 0 }

/** How long the next key of a number is waited for. */
const nextKeySeconds = 2

export function converse(facts: MenuFacts, state: MenuState, event: MenuEvent): MenuStep {
  switch (event.type) {
    case 'begin':
      return say(facts, state, 'first')
    case 'silence':
      return state.typed === '' ? say(facts, state, 'silent') : typed(facts, state, state.typed, false)
    case 'key':
      // A caller who knows that a number is complete says so as everywhere else.
      if (event.key === '#' && facts.choices.has(state.typed)) return typed(facts, state, state.typed, false)
      return typed(facts, state, state.typed + event.key, true)
  }
}

function typed(facts: MenuFacts, state: MenuState, keys: string, more: boolean): MenuStep {
  const longer = [...facts.choices.keys()].some((choice) => choice.length > keys.length && choice.startsWith(keys))
  if (more && longer) {
    const gather = { numDigits: 1, finishOnKey: '', timeout: nextKeySeconds, typeAhead: true }
    return { kind: 'ask', state: { ...state, typed: keys }, document: [{ gather }] }
  }
  const destination = facts.choices.get(keys)
  return destination === undefined ? say(facts, state, 'wrong') : { kind: 'chosen', destination }
}

function say(facts: MenuFacts, { said }: MenuState, why: 'first' | 'silent' | 'wrong'): MenuStep {
  if (said > facts.repeats) return { kind: 'nothing' }
  const { text, language } = facts.wrong
  const document = [
    ...(why === 'wrong' ? [{ say: { text, language } }] : []),
    { say: { text: facts.say, language: facts.language } },
    // Earlier keys belong to the wrong input.
    { gather: { numDigits: 1, finishOnKey: '', bargeIn: 'dtmf', timeout: facts.timeoutSeconds, typeAhead: why === 'first' } },
  ]
  return { kind: 'ask', state: { typed: '', said: said + 1 }, document }
}
