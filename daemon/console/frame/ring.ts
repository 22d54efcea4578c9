/**
 * A call that rings at the own phone is said once a browser: in the titles of its tabs, and, where the person wants it, by a notice of the
 * system and a sound of the tab that has the stream. A notice has no name unless the person allows it: others see the screen.
 */
import { computed, effect } from '@preact/signals'
import { foreign, numberText } from '../pieces/Number.tsx'
import { house } from './house.ts'
import { leads } from './live.ts'
import { ringingAt } from './ringing.ts'
import { me, standing } from './session.ts'
import { site } from './site.ts'
import { isStale } from './presence.ts'
import { say } from './wording.ts'

/** Calls that ring at the own phone, as far as that is known now. */
export const ringsHere = computed(() => {
  const own = me.value?.extension ?? null
  if (own === null || standing.value !== 'in' || isStale.value) return []
  return (house.data.value?.calls ?? []).filter((call) => ringingAt(call).includes(own))
})

const notices = new Map<string, Notification>()
/** Calls of which a sound was made here. */
const sounded = new Set<string>()

export function announceRings(): void {
  effect(() => {
    const now = new Map(ringsHere.value.map((call) => [call.callId, call]))
    for (const [callId, notice] of notices) {
      if (now.has(callId)) continue
      notice.close()
      notices.delete(callId)
    }
    for (const callId of sounded) if (!now.has(callId)) sounded.delete(callId)
    if (!leads.value) return
    const wanted = me.value?.alerts ?? []
    for (const { callId, callerName = '', from } of now.values()) {
      if (wanted.includes('sound') && !sounded.has(callId)) {
        sounded.add(callId)
        void sound()
      }
      if (notices.has(callId) || !wanted.includes('notification') || Notification.permission !== 'granted') continue
      const name = callerName === '' ? numberText(from) : foreign(callerName)
      const body = wanted.includes('names') ? name : site.name
      // The same tag: one notice, whichever tab gives it.
      notices.set(callId, new Notification(say('ringsHere'), { tag: callId, body }))
    }
  })
}

const toneSeconds = 0.9

/** Two tones, made here: there is no file to fetch. */
async function sound(): Promise<void> {
  const context = new AudioContext()
  const gain = new GainNode(context, { gain: 0.08 })
  gain.connect(context.destination)
  for (const frequency of [440, 480]) {
    const tone = new OscillatorNode(context, { frequency })
    tone.connect(gain)
    tone.start()
    tone.stop(context.currentTime + toneSeconds)
  }
  await new Promise((done) => setTimeout(done, toneSeconds * 1_000))
  await context.close()
}
