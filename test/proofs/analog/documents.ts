/**
 * What a caller on an analog line feels of an application, through a whole daemon: its document to the first sound, a key to silence. Callers on a SIP
 * trunk of the same daemon are asked the same in the same run.
 */
import { setTimeout as delay } from 'node:timers/promises'
import { analogOutside } from '../../harness/lines/analog.ts'
import type { Outsider } from '../../harness/lines/outside.ts'
import { eventually } from '../../harness/scene.ts'
import { documentToVoice, keyToSilence } from '../bench/latency.ts'
import { describe, spread } from '../bench/measure.ts'
import { rankAsHardware } from './rank.ts'

type Analog = Awaited<ReturnType<typeof analogOutside>>

const rounds = 20
/** The telephone is asked so often what it has heard. */
const lookMs = 2
/** As the SIP caller's: the least that is no silence. */
const isSound = (samples: Int16Array): boolean => samples.some((sample) => Math.abs(sample) > 8)
/** Each said for the first time, so none is in the cache. */
const texts = (of: string): readonly string[] => Array.from({ length: rounds }, (_, at) => `${of} number ${at + 1}.`)
const menu = 'Please press one for appointments, two for prescriptions, three for billing, or stay on the line to speak to somebody.'

/** Whether something was heard since the last look. */
function hears(outside: Analog, telephone: Outsider): boolean {
  const heard = telephone.heard()
  outside.forget()
  return isSound(heard)
}

/** When the telephone has heard something. */
async function sound(outside: Analog, telephone: Outsider): Promise<number> {
  while (!hears(outside, telephone)) await delay(lookMs)
  return performance.now()
}

/** When it heard something for the last time before a pause of 150 ms. */
async function lastSound(outside: Analog, telephone: Outsider): Promise<number> {
  let last = performance.now()
  while (performance.now() - last < 150) {
    if (hears(outside, telephone)) last = performance.now()
    await delay(lookMs)
  }
  return last
}

async function documentToSound(outside: Analog, said: readonly string[]): Promise<number[]> {
  const { app } = outside.scene
  const more = { redirect: { url: `${app.url}/voice` } }
  const times: number[] = []
  let [at, next] = [0, 0]
  app.script = (event) => {
    if (event.event === 'call.inbound.pre_route') return [{ pause: { seconds: 1 } }, more]
    if (event.event === 'call.ended' || next >= said.length) return [{ hangup: {} }]
    outside.forget()
    at = performance.now()
    return [{ say: { text: said[next++]! } }, { pause: { seconds: 0.4 } }, more]
  }
  const telephone = await outside.call()
  for (let i = 0; i < said.length; i++) {
    await eventually('a document', () => at > 0, 20_000)
    const since = at
    at = 0
    times.push((await sound(outside, telephone)) - since)
    await lastSound(outside, telephone)
  }
  await telephone.released()
  await outside.rest()
  return times
}

async function keyToQuiet(outside: Analog): Promise<number[]> {
  const { app } = outside.scene
  const times: number[] = []
  app.script = (event) =>
    event.event === 'call.ended' ? [] : [{ pause: { seconds: 0.6 } }, { say: { text: menu } }, { gather: { numDigits: 1, timeout: 5 } }]
  const telephone = await outside.call()
  await eventually('the answer', () => app.received.length > 0)
  for (let i = 0; i < rounds; i++) {
    outside.forget()
    await sound(outside, telephone)
    await delay(400 + i * 40)
    await telephone.press('5')
    const pressed = performance.now()
    times.push((await lastSound(outside, telephone)) - pressed)
  }
  await telephone.hangUp()
  await outside.rest()
  return times
}

/** True where every document was heard within 350 ms, as the bench of SIP calls asks. */
export async function documents(): Promise<boolean> {
  rankAsHardware()
  const outside = await analogOutside({}, (base) => {
    ;(base['inbound'] as object[]).push({ trunk: 'main', to: '*', destination: 'endpoint:reception' })
  })
  const { scene } = outside
  const tell = (what: string, analog: readonly number[], sip: readonly number[]): void =>
    console.log(`${what}: ${describe(spread([...analog]))}; on the SIP trunk ${describe(spread([...sip]))}`)
  const firsts = await documentToSound(outside, texts('Telephone'))
  tell('document -> first sound, new text', firsts, await documentToVoice(scene, texts('Desk')))
  const cached = await documentToSound(outside, texts('Telephone'))
  tell('document -> first sound, cached', cached, await documentToVoice(scene, texts('Desk')))
  tell('key of 100 ms (its begin) -> silence', await keyToQuiet(outside), (await keyToSilence(scene, 100)).begin)
  await outside.close()
  return [...firsts, ...cached].every((ms) => ms < 350)
}
