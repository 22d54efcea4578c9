/**
 * A conversation between a SIP phone and a telephone behind an analog line, in real time, through a whole daemon: each plays a tone without
 * an end, and each 20 ms of what the other hears is judged: is the tone there, and does it go on where it was? A frame that was left out or
 * made up against the drift of the modem's crystal is a jump of its phase; silence is a gap.
 */
import { readFileSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { toneLevel, tone, ulawToLinear } from '../../harness/audio.ts'
import { analogOutside } from '../../harness/lines/analog.ts'
import { rankAsHardware } from './rank.ts'

const frame = 160
/** 8.2 and 14.2 rounds in a frame: one frame more or less turns the phase by a fifth of a round. */
const [phoneHz, telephoneHz] = [410, 710]
const saysMs = 10_000
const jumpDegrees = 35
/** Until then frames are left out or repeated for the state at the start of the conversation, not for the clocks. */
const settledMs = 15_000

class Judge {
  readonly #hz: number
  #rest = new Int16Array(0)
  #last: number | null = null
  frames = 0
  gaps = 0
  jumps = 0

  constructor(hz: number) {
    this.#hz = hz
  }

  hear(samples: Int16Array): void {
    const all = new Int16Array(this.#rest.length + samples.length)
    all.set(this.#rest)
    all.set(samples, this.#rest.length)
    let at = 0
    for (; at + frame <= all.length; at += frame) this.#frame(all.subarray(at, at + frame))
    this.#rest = all.slice(at)
  }

  #frame(samples: Int16Array): void {
    this.frames += 1
    if (toneLevel(samples, this.#hz) < -30) {
      this.gaps += 1
      this.#last = null
      return
    }
    let [re, im] = [0, 0]
    for (const [i, sample] of samples.entries()) {
      re += sample * Math.cos((2 * Math.PI * this.#hz * i) / 8000)
      im -= sample * Math.sin((2 * Math.PI * this.#hz * i) / 8000)
    }
    const phase = Math.atan2(im, re)
    if (this.#last !== null) {
      const turned = (phase - this.#last) / (2 * Math.PI) - (this.#hz * frame) / 8000
      if (Math.abs(turned - Math.round(turned)) * 360 > jumpDegrees) this.jumps += 1
    }
    this.#last = phase
  }
}

/** What the machine did since the last look: how long this process stood still, and what the host took from all of it (ms). */
class Standstills {
  readonly #own = monitorEventLoopDelay({ resolution: 5 })
  #stolen = this.#stolenMs()
  #seen = 0

  constructor() {
    this.#own.enable()
  }

  /** Of all processors since the machine started, in ticks of 10 ms (proc(5), `steal`). */
  #stolenMs(): number {
    const [, , , , , , , , steal = '0'] = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]!.split(/ +/)
    return Number(steal) * 10
  }

  #look(): string {
    const stolen = this.#stolenMs()
    const text = `this process stood still for ${(this.#own.max / 1e6).toFixed(0)} ms, the host took ${stolen - this.#stolen} ms`
    this.#stolen = stolen
    this.#own.reset()
    return text
  }

  /** Reports each second in which something went wrong. */
  tell(seconds: number, judges: readonly Judge[]): void {
    const [wrong, what] = [judges.reduce((sum, { gaps, jumps }) => sum + gaps + jumps, 0), this.#look()]
    if (wrong > this.#seen)
      console.log(
        `after ${seconds.toFixed(0)} s: ${judges.map(({ gaps, jumps }) => `${gaps} without the tone and ${jumps} jumps`).join(', ')}; ${what}`,
      )
    this.#seen = wrong
  }
}

/** False where sound was lost, or more frames were left out and made up than the crystal asks for. */
export async function bridge(minutes: number, ppm: number): Promise<boolean> {
  rankAsHardware()
  const outside = await analogOutside({ ppm }, (base) => {
    ;(base['inbound'] as object[]).push({ trunk: 'main', to: '*', destination: 'endpoint:reception' })
  })
  const { scene } = outside
  const { number, taken } = await outside.expect('answer')
  scene.app.script = (e) => (e.event === 'call.inbound.pre_route' ? [{ forward: { to: number } }] : [])
  const phone = await scene.call()
  const telephone = await taken
  const say = (): void => {
    telephone.say(tone(telephoneHz, saysMs))
    phone.rtp.say(tone(phoneHz, saysMs))
  }
  const began = performance.now()
  say()
  const [atTelephone, atPhone] = [new Judge(phoneHz), new Judge(telephoneHz)]
  const standstills = new Standstills()
  const until = began + settledMs + minutes * 60_000
  let seen = phone.rtp.packets.length
  outside.forget()
  for (let saidMs = saysMs; performance.now() < until;) {
    if (saidMs - (performance.now() - began) < saysMs / 2) {
      say()
      saidMs += saysMs
    }
    await delay(1000)
    const heard = telephone.heard()
    outside.forget()
    const packets = phone.rtp.packets.slice(seen)
    seen = phone.rtp.packets.length
    if (performance.now() - began < settledMs) continue
    atTelephone.hear(heard)
    for (const packet of packets) atPhone.hear(Int16Array.from(packet.payload, ulawToLinear))
    standstills.tell((performance.now() - began) / 1000, [atTelephone, atPhone])
  }
  await phone.hangup()
  await outside.close()
  const expected = Math.ceil((minutes * 60 * Math.abs(ppm)) / 1e6 / 0.02) + 1
  for (const [who, { frames, gaps, jumps }] of [
    ['the telephone', atTelephone],
    ['the phone', atPhone],
  ] as const)
    console.log(`${who}: ${frames} frames of 20 ms, ${gaps} without the tone, ${jumps} jumps (the crystal asks for ${expected} at most)`)
  return [atTelephone, atPhone].every(({ gaps, jumps }) => gaps === 0 && jumps <= expected)
}
