/** A daemon, and phones of the house of which each says a tone of its own, so that what one heard shows with whom it talked when. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { course, inOrder, password } from '../sip-driver/phones.ts'
import { HandPhone, type HandCall } from '../sip-driver/hand-phone.ts'
import { tone, toneLevel, writeWav } from './audio.ts'
import { Baresip } from './baresip.ts'
import type { Daemon, DaemonOptions } from './daemon.ts'
import { Scene } from './scene.ts'

export const voices: Readonly<Record<string, number>> = { 101: 400, 102: 700, 103: 1000 }
/** Of phones of another site. */
const farVoices: Readonly<Record<string, number>> = { 201: 1000, 202: 700 }
export const musicHz = 1400
/** What is heard of the tones for so long, in ms, was heard. */
const shortest = 200

/** A clinic with these phones, and music of one tone. */
export function openTalkers(
  more: (base: Record<string, unknown>) => void = () => undefined,
  options: Partial<DaemonOptions> = {},
  start = true,
): Promise<Scene> {
  const scene: Partial<DaemonOptions> = {
    ...options,
    settings: (base) => {
      base['extensions'] = Object.keys(voices).map((number) => ({ number, name: `Desk ${number}`, password }))
      base['inbound'] = [{ trunk: 'main', to: '+15550001000', destination: '101' }]
      const dir = join(String((base['storage'] as { dir: string }).dir), '..')
      writeFileSync(join(dir, 'music.wav'), writeWav(tone(musicHz, 1000)))
      base['site'] = { ...(base['site'] as object), music: ['music.wav'] }
      more(base)
    },
  }
  return Scene.open(scene, start)
}

/** A real phone, registered; `box`: at which, where there are two. */
export async function desk(scene: Scene, user: string, autoAnswer = true, box: Pick<Daemon, 'sipPort'> = scene.daemon): Promise<Baresip> {
  const registrar = `127.0.0.1:${box.sipPort}`
  const voice = tone((voices[user] ?? farVoices[user])!, 60_000)
  const phone = scene.keep(await Baresip.start({ registrar, user, password, autoAnswer, voice }))
  await phone.until('REGISTER_OK')
  return phone
}

/** The call that a box took last. */
export const newest = async (box: Daemon) => (await box.api('GET', '/api/voice/calls?limit=1')).body.items[0]

/** A phone whose SIP the test writes. */
export async function handDesk(scene: Scene, user: string): Promise<HandPhone> {
  return scene.keep(await HandPhone.register(scene.daemon.sipPort, user, voices[user]!, `127.0.1.${Number(user) - 100}`))
}

/** The longest time in which that tone was not heard, from its first piece to its last. */
export function gapMs(samples: Int16Array, hz: number): number {
  let [longest, last] = [0, -1]
  for (let at = 0; at + 160 <= samples.length; at += 160) {
    if (toneLevel(samples.subarray(at, at + 160), hz) < -30) continue
    if (last >= 0) longest = Math.max(longest, (at - last) / 8 - 20)
    last = at
  }
  return longest
}
/** Longer than any hitch of a loaded machine, and far shorter than a daemon is away. */
export const mostGapMs = 200

const tag = (header: string) => /tag=([^;>]+)/.exec(header)?.[1]
/** How another names this dialog of a phone's (RFC 3891, 3: its own tag is the other's `to-tag`). */
export const dialogOf = ({ dialog: { callId, remote, local } }: HandCall): string =>
  `${callId};to-tag=${tag(remote)};from-tag=${tag(local)}`

/** The tones that were heard, in their order, silence left out. */
export function tonesIn(samples: Int16Array): number[] {
  const heard = inOrder(course(samples, [...Object.values(voices), 300, musicHz]), shortest).filter((hz) => hz !== 0)
  return heard.filter((hz, i) => hz !== heard[i - 1])
}
