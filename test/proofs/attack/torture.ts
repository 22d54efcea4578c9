/** The torture messages of RFC 4475 from a stranger, from the trunk's own address, and from a phone that is registered. */
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { register } from '../../engine/registering.ts'
import { SipPeer } from '../../engine/sip-peer.ts'
import { pause, type Scene } from '../../harness/scene.ts'
import type { Area, Verdict } from './attack.ts'
import { tortureMessages } from './torture-messages.ts'

/** Sends all of them from an address; the methods of the requests that were answered. */
async function send({ daemon }: Scene, from: string): Promise<string[]> {
  const socket = createSocket('udp4')
  const answered: string[] = []
  socket.on('message', (text) => {
    const method = /^cseq\s*:\s*\d+\s+(\S+)/im.exec(text.toString('latin1'))?.[1]
    if (/^SIP\/2\.0 /.test(text.toString('latin1'))) answered.push(method ?? '?')
  })
  socket.bind(0, from)
  await once(socket, 'listening')
  for (const { bytes } of tortureMessages) {
    // The answer goes where the request came from, if at all: rport is not asked for, so the Via is ours.
    const here = bytes.toString('latin1').replace(/host5\.example\.net;/, `${from}:${socket.address().port};`)
    socket.send(Buffer.from(here, 'latin1'), daemon.sipPort, '127.0.0.1')
    await pause(10)
  }
  await pause(700)
  socket.close()
  return answered
}

/** The same from a phone that has registered; whether a call still finds that phone afterwards, and nothing else. */
async function fromPhone({ daemon }: Scene): Promise<{ answers: number; rings: boolean }> {
  const phone = await SipPeer.udp(daemon.sipPort)
  try {
    const registered = await register(phone, '101', 'a-long-password')
    if (registered?.status !== 200) throw new Error(`the phone could not register: ${registered?.status ?? 'silence'}`)
    for (const { bytes } of tortureMessages) {
      phone.raw(Buffer.from(bytes.toString('latin1').replace(/host5\.example\.net;/, `${phone.address}:${phone.port};`), 'latin1'))
      await pause(10)
    }
    await pause(700)
    const answers = phone.received.splice(0).filter(({ status }) => status > 0).length
    const { body } = await daemon.api('POST', '/api/voice/originate', { to: '101', endpoint: 'reception' })
    const invite = await phone.request('INVITE', 5000).catch(() => undefined)
    if (invite !== undefined) phone.answer(invite, 486)
    await daemon.api('POST', `/api/voice/calls/${body.callId}`, { state: 'completed' })
    return { answers, rings: invite !== undefined }
  } finally {
    phone.close()
  }
}

async function survived(box: Scene, engine: readonly number[], seen: string, quiet: boolean): Promise<Verdict> {
  box.app.reset()
  box.app.script = (event) => (event.event === 'call.inbound.pre_route' ? [{ pause: { seconds: 0.2 } }, { hangup: {} }] : [])
  await box.call()
  await box.app.until('call.inbound.pre_route', undefined, 5000)
  await box.app.until('call.ended')
  const same = String(box.daemon.enginePids()) === String(engine)
  return { seen: `${seen}; ${same ? 'the engine lives and takes a call' : 'the engine ended'}`, stood: same && quiet }
}

export const torture: Area = {
  name: 'torture',
  attacks: [
    {
      name: `${tortureMessages.length} torture messages (RFC 4475) from a stranger`,
      play: async (box) => {
        const engine = box.daemon.enginePids()
        const answered = await send(box, '127.0.0.71')
        const others = answered.filter((method) => method !== 'REGISTER')
        return survived(box, engine, `${answered.length} answers, ${others.length} to others than REGISTER`, others.length === 0)
      },
    },
    {
      name: `${tortureMessages.length} torture messages from the trunk's address`,
      play: async (box) => {
        const engine = box.daemon.enginePids()
        const answered = await send(box, '127.0.0.1')
        return survived(box, engine, `${answered.length} answers`, true)
      },
    },
    {
      name: `${tortureMessages.length} torture messages from a registered phone`,
      play: async (box) => {
        const engine = box.daemon.enginePids()
        const { answers, rings } = await fromPhone(box)
        return survived(box, engine, `${answers} answers, the phone ${rings ? 'rings' : 'IS NOT FOUND'} afterwards`, rings)
      },
    },
  ],
}
