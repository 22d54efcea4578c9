/** Asterisk within a call: its hold, direct media between two boxes and back, session timers. */
import { childrenOf } from '../../../harness/processes.ts'
import { Box, pause } from '../box.ts'
import { check } from '../cell.ts'
import { judge, ourLevel } from '../sound.ts'
import { Asterisk } from './asterisk.ts'
import { ariKey } from './asterisk-settings.ts'
import { count, Stage } from './asterisk-stage.ts'

/** A call of its ARI, which can hold. */
export async function heldByThem(on: Stage): Promise<string> {
  const box = await on.box('hold')
  const base = `http://${on.asterisk.places.host}:${on.asterisk.places.http}/ari`
  const key = `api_key=${ariKey}`
  const ask = async (method: string, path: string): Promise<void> => {
    const answer = await fetch(`${base}${path}${path.includes('?') ? '&' : '?'}${key}`, { method })
    check(answer.ok, `${method} ${path}: ${answer.status} ${await answer.text()}`)
  }
  // An application exists in Asterisk as long as somebody listens to its events.
  const events = new WebSocket(`${base.replace('http', 'ws')}/events?app=matrix&${key}`)
  await new Promise((resolve, reject) => ((events.onopen = resolve), (events.onerror = () => reject(new Error('no events from Asterisk')))))
  on.kept.keep(events)
  const id = `hold${on.next()}`
  const endpoint = encodeURIComponent('PJSIP/+15550001000@hold')
  await ask('POST', `/channels?endpoint=${endpoint}&app=matrix&channelId=${id}`)
  const { leg } = await box.answer()
  await ask('POST', `/channels/${id}/play?media=sound:/fax/out/short`)
  await box.play(leg, 500)
  const from = on.asterisk.log().length
  await ask('POST', `/channels/${id}/hold`)
  await box.engine.next('held', { leg })
  await pause(500)
  await ask('DELETE', `/channels/${id}/hold`)
  await box.engine.next('resumed', { leg })
  const offered = /a=(sendonly|inactive|recvonly)/.exec(on.asterisk.log().slice(from))?.[1]
  const name = on.next()
  await ask('POST', `/channels/${id}/continue?context=calls&extension=talk${name}&priority=1`)
  await pause(300)
  return `offered ${offered}, taken back, then ${await box.bothWays(leg, on.asterisk.ear(name))}`
}

/** Two boxes that Asterisk connects, once with its own media in between, once without, and with it again. */
export async function directMedia(on: Stage): Promise<string> {
  // On the loopback Asterisk offers its own address with the other's port: so the boxes live there too.
  const listeners = { udp: `${on.asterisk.places.host}:0`, tcp: null }
  const [left, right] = [await on.box('left', {}, listeners), await on.box('right', { numbers: ['+15550002000'] }, listeners)]
  const from = on.asterisk.log().length
  const leg = left.engine.dial({ trunk: 'left', to: 'bridge1' })
  const there = await right.answer()
  await left.answered(leg, 10_000)
  /** The ports of the other box in what a box is offered. */
  const offeredPorts = (log: string): number[] => [...log.matchAll(/m=audio (\d+) /g)].map(([, port]) => Number(port))
  const within = (port: number, box: Box) => port >= box.engine.configuration.rtpPorts[0] && port <= box.engine.configuration.rtpPorts[1]
  const reinvited = () => {
    const sent = on.asterisk
      .log()
      .slice(from)
      .split(/<--- /)
      .filter((part) => part.startsWith('Transmitting SIP request') && /\nINVITE sip:/.test(part))
    return (
      sent.some((part) => offeredPorts(part).some((port) => within(port, left))) &&
      sent.some((part) => offeredPorts(part).some((port) => within(port, right)))
    )
  }
  for (let attempt = 0; !reinvited(); attempt += 1) {
    check(attempt < 100, 'Asterisk offered neither box the address of the other')
    await pause(50)
  }
  await pause(300)
  const both = async (): Promise<string> => {
    const before = [left.engine.heard(leg).length, right.engine.heard(there.leg).length] as const
    await Promise.all([left.play(leg, 1500), right.play(there.leg, 1500)])
    await pause(200)
    const here = judge('left hears', left.engine.heard(leg).subarray(before[0]), 440, ourLevel, 700)
    return `${here}, ${judge('right hears', right.engine.heard(there.leg).subarray(before[1]), 440, ourLevel, 700)}`
  }
  const direct = await both()
  const again = on.asterisk.log().length
  // Listening in needs the audio to pass through Asterisk.
  const { Channel: channel } = await on.asterisk.event('channel', (event) => event['Channel']?.startsWith('PJSIP/left-') === true)
  await on.asterisk.action({ Action: 'MixMonitor', Channel: channel!, File: `/fax/in/direct${on.next()}.wav` })
  for (let attempt = 0; count(on.asterisk.log().slice(again), /\nINVITE sip:/) < 2; attempt += 1) {
    check(attempt < 100, 'Asterisk did not take the media back')
    await pause(50)
  }
  await pause(300)
  const back = await both()
  await left.hangUp(leg)
  const end = await right.engine.next('ended', { leg: there.leg })
  check(end['by'] === 'remote' && end['reason'] === 'hangup', `the other end: ${end['by']} ${end['reason']}`)
  return `re-INVITE to both with the other's ports: ${direct}; back: ${back}`
}

export async function timerRefreshed(on: Stage): Promise<string> {
  const box = await on.box('timer')
  const from = on.asterisk.log().length
  const [out, inwards] = [on.next(), on.next()]
  const began = performance.now()
  const { leg } = await box.call({ trunk: 'timer', to: `talk${out}` })
  await on.asterisk.call('timer', `talk${inwards}`)
  const taken = await box.answer()
  await pause(97_000 - (performance.now() - began))
  check(box.engine.of('ended').length === 0, 'a call ended')
  const refreshes = count(on.asterisk.log().slice(from), /\nUPDATE sip:/)
  const first = await box.bothWays(leg, on.asterisk.ear(out))
  const second = await box.bothWays(taken.leg, on.asterisk.ear(inwards))
  check(refreshes >= 2, `${refreshes} UPDATE in 97 s`)
  return `${refreshes} UPDATE; at 97 s of 90: out: ${first}; in: ${second}`
}

/** An Asterisk of its own that stops in the middle of a call: it neither refreshes nor answers. */
export async function runsOut(on: Stage): Promise<string> {
  const asterisk = on.kept.keep(await Asterisk.start())
  const own = new Stage(asterisk, on.kept)
  const box = await own.box('out', {}, { mediaTimeoutSeconds: 600 })
  const { leg } = await box.call({ trunk: 'out', to: `talk${on.next()}` })
  const began = performance.now()
  const processes = [asterisk.pid, ...childrenOf(asterisk.pid)]
  processes.forEach((pid) => process.kill(pid, 'SIGSTOP'))
  // 180 s, refreshed after half of them, and 32 s for the answer.
  const end = await box.engine.next('ended', { leg }, 160_000)
  const seconds = Math.round((performance.now() - began) / 1000)
  processes.forEach((pid) => process.kill(pid, 'SIGCONT'))
  check(end['by'] === 'system', `ended by ${end['by']} after ${seconds} s`)
  return `stopped in mid-call: ended after ${seconds} s by ${end['by']} (${end['reason']}, ${end['code']})`
}
