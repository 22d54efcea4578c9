/**
 * Who of two that talk has put the other on hold, and what each hears: a pure machine. A party on hold hears music; one that was forgotten
 * there is brought back: the party that holds is rung.
 */

/** `own`: the party on the call's own leg; `far`: the one the call was connected with. */
export type Side = 'own' | 'far'

export type HoldState =
  | { readonly at: 'talking' }
  /** `by` holds the other. */
  | { readonly at: 'held'; readonly by: Side }
  /** Each holds the other: nobody is there to be called back by. */
  | { readonly at: 'both-held' }
  /** `by` holds the other for too long, and is being rung. */
  | { readonly at: 'back'; readonly by: Side }
  | { readonly at: 'over' }

export type HoldInput =
  | { readonly type: 'hold' | 'resume'; readonly side: Side }
  /** The time is up. */
  | { readonly type: 'forgotten' }
  /** Who holds did not take the call back. */
  | { readonly type: 'not-back' }
  /** A party left, or another one takes part: this conversation has ended. */
  | { readonly type: 'over' }

export const talking: HoldState = { at: 'talking' }

export function otherSide(side: Side): Side {
  return side === 'own' ? 'far' : 'own'
}

/** The state after `input`; the same one where it changes nothing. */
export function nextHold(state: HoldState, input: HoldInput): HoldState {
  if (state.at === 'over') return state
  switch (input.type) {
    case 'over':
      return { at: 'over' }
    case 'hold':
      return held(state, input.side)
    case 'resume':
      return resumed(state, input.side)
    case 'forgotten':
      return state.at === 'held' ? { at: 'back', by: state.by } : state
    case 'not-back':
      return state.at === 'back' ? { at: 'held', by: state.by } : state
  }
}

function held(state: HoldState, side: Side): HoldState {
  switch (state.at) {
    case 'talking':
      return { at: 'held', by: side }
    case 'held':
    case 'back':
      return state.by === side ? state : { at: 'both-held' }
    default:
      return state
  }
}

function resumed(state: HoldState, side: Side): HoldState {
  switch (state.at) {
    case 'both-held':
      return { at: 'held', by: otherSide(side) }
    case 'held':
    case 'back':
      return state.by === side ? talking : state
    default:
      return state
  }
}

/** Whether that side hears music instead of the other. */
export function hearsMusic(state: HoldState, side: Side): boolean {
  switch (state.at) {
    case 'held':
    case 'back':
      return state.by !== side
    case 'both-held':
      return true
    default:
      return false
  }
}
