/** A phone in a namespace of its own, behind address translation: registers through the edge, calls the echo and prints what came back. */
import { setTimeout as pause } from 'node:timers/promises'
import { edge } from '../../../scripts/cluster/fleet.ts'
import { SipPeer } from '../../engine/sip-peer.ts'
import { Phone, Sound } from './stage.ts'

const own = '192.168.77.2'
const phone = new Phone(await SipPeer.udp(5060, own, edge), '101')
const registered = await phone.register()
const sound = await Sound.open(own)
const { dialog, answer: first } = await phone.dials('*43', sound.offer)
const answer = first.status >= 200 ? first : await dialog.final('INVITE', 10_000)
if (answer.status === 200) {
  dialog.learn(answer)
  dialog.send('ACK')
  sound.speak(answer.body)
  // The box says what the echo is for before it listens.
  await pause(8000)
}
const before = sound.received
await pause(3000)
const back = sound.received - before
if (answer.status === 200) dialog.send('BYE')
await pause(200)
process.stdout.write(JSON.stringify({ registered, answered: answer.status, back }))
process.exit(0)
