/** What a caller hears when nothing else can be done, before the call ends: something went wrong, or nobody is there. */
import type { Call } from '../calls/call.ts'
import type { Apology } from '../calls/calls.ts'
import { PromptPlayer } from './prompts.ts'
import type { PromptSource } from './session-types.ts'
import type { Turn } from './turn.ts'

/** Silence after the last word, so that the far end's jitter buffer is empty when the BYE arrives. */
export const tailMs = 100

export async function apologise(call: Call, promptSource: PromptSource, turn: Turn, prompt: Apology = 'apology'): Promise<void> {
  if (!(await turn.within(call.answer(), false))) return
  const { parts } = promptSource.prepare({ prompt, callId: call.id })
  await new PromptPlayer(call, parts, turn.signal).play()
  if (!turn.over) await call.play({ kind: 'silence', ms: tailMs })
}
