/** Calls to numbers outside. */
import type { Calls } from '../../calls/calls.ts'
import type { Ground } from '../../core.ts'
import type { Part } from '../../part.ts'
import type { Talks } from '../../routing/connect.ts'
import type { Routing } from '../../routing/routing.ts'
import { Outside, canCallBack } from './outside.ts'

export interface OutsidePart extends Part {
  readonly outside: Outside
  /** Whether the caller who showed that number may be called back. */
  canCallBack(number: string): boolean
}

export interface OutsidePartOptions {
  readonly routing: Pick<Routing, 'takers' | 'trunks'>
  readonly calls: Calls
  readonly talks: Talks
}

const rememberMs = 86_400_000

export function outsidePart(
  { config, clock }: Pick<Ground, 'config' | 'clock'>,
  { routing, calls, talks }: OutsidePartOptions,
): OutsidePart {
  const outside = new Outside({ config, calls, trunks: routing.trunks, clock, talks })
  routing.takers.add('external', (call, { number }, request) => outside.take(call, number, request))
  return {
    name: 'outside',
    outside,
    canCallBack: (number) => canCallBack(config, number),
    *warnings() {
      const at = outside.tooManyAbroadAt
      if (at === null || clock.now() - at > rememberMs) return
      yield {
        code: 'too-many-abroad',
        severity: 'warning',
        text: 'A call to another country was refused in the last day because limits.internationalCalls was reached',
        fix: 'pbx calls --all: are these calls yours?',
      }
    },
    stepped(stepMs) {
      if (outside.tooManyAbroadAt !== null) outside.tooManyAbroadAt += stepMs
    },
  }
}
