/**
 * Holds every event that this process sends against its schema; rigs import it. One that does not fit ends the test that sent it: what a
 * subscriber throws is an uncaught fault of the process.
 */
import { subscribe } from 'node:diagnostics_channel'
import { checker, type Check } from '../../daemon/http/validate.ts'
import { eventSpecs, sentChannel, type EventName } from '../../daemon/schema/events.ts'

const checks = new Map<string, Check>()

/** What is wrong with an event, in words; nothing where it fits. */
export function misfitsOf(event: object & { readonly event?: unknown }): string[] {
  const name = String(event.event)
  if (!Object.hasOwn(eventSpecs, name)) return [`there is no event ${name}`]
  const known = checks.get(name) ?? checker(eventSpecs[name as EventName].schema, false)
  checks.set(name, known)
  return (known(structuredClone(event)) ?? []).map(({ path, message }) => `${name}${path} ${message}`)
}

/** Names of the events that were sent so far. */
export const sent = new Set<string>()

subscribe(sentChannel.name, (message) => {
  const event = message as { readonly event: string }
  sent.add(event.event)
  // As a receiver has it: without members that are undefined.
  const misfits = misfitsOf(JSON.parse(JSON.stringify(event)) as typeof event)
  if (misfits.length > 0) throw new Error(`an event that does not fit its schema: ${misfits.join('; ')}`)
})
