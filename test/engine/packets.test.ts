/** What a packet of RTP costs: it is taken off its socket by one call of the kernel, and nothing else is asked about the socket. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { RtpPhone } from '../harness/phone.ts'
import { Engine, skip, trunk } from './engine.ts'
import { compiled } from './instant.ts'
import { Dialog, SipPeer } from './sip-peer.ts'
import { sdp } from './sip-text.ts'

t.test('a packet of RTP is one call of the kernel', { skip, timeout: 60_000 }, async (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'pbx-packets-'))
  const file = join(dir, 'counts')
  const engine = await Engine.start({}, { LD_PRELOAD: compiled('kernel-calls', ['-shared', '-fPIC']), KERNEL_CALLS: file })
  const peer = await SipPeer.udp(engine.port())
  await engine.configure({ trunks: [trunk(`127.0.0.1:${peer.port}`)] })
  const phone = await RtpPhone.open()
  t.teardown(async () => {
    phone.close()
    peer.close()
    await engine.stop()
    rmSync(dir, { recursive: true })
  })
  const counts = () => {
    const bytes = readFileSync(file)
    const [controlled, received, inVain] = [0, 8, 16].map((at) => Number(bytes.readBigUInt64LE(at)))
    return { controlled: controlled!, received: received!, inVain: inVain! }
  }
  const call = new Dialog(peer)
  call.invite('101', { body: sdp(phone.port, { codecs: '0 101' }) })
  const leg = Number((await engine.next('invite', { sipCallId: call.callId }))['leg'])
  engine.send('answer', { leg })
  await call.answered()
  await engine.next('answered', { leg })
  await phone.until('audio', () => phone.packets.length > 20)
  const before = counts()
  const heard = phone.packets.length
  await phone.until('200 packets', () => phone.packets.length > heard + 200)
  const after = counts()
  const received = after.received - before.received
  t.ok(received > 100, `${received} packets were received: they are counted`)
  t.ok(after.controlled - before.controlled < received / 10, `epoll_ctl: ${after.controlled - before.controlled}`)
  t.ok(after.inVain - before.inVain < received / 10, `recvfrom in vain: ${after.inVain - before.inVain}`)
  engine.send('hangup', { leg })
  peer.answer(await call.request('BYE'), 200)
  await engine.next('ended', { leg })
})
