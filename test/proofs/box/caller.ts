/**
 * A far end that calls pbxd at 127.0.0.1:5060 through the trunk whose server is 127.0.0.1:5999, and looks in the samples that come back for
 * what a menu says: spoken here once more, by this machine's flite, and correlated.
 *   node caller.ts NUMBER TEXT SECONDS
 */
import { Dialog, SipPeer } from '../../engine/sip-peer.ts'
import { sdp } from '../../engine/sip-text.ts'
import { rms } from '../../harness/audio.ts'
import { RtpPhone } from '../../harness/phone.ts'

const [number = '', text = '', seconds = '60'] = process.argv.slice(2)
const ms = Number(seconds) * 1000
const peer = await SipPeer.udp(5060, '127.0.0.1', '127.0.0.1', 5999)
const phone = await RtpPhone.open()
const call = new Dialog(peer)
call.invite(number, { body: sdp(phone.port) })
const answer = await call.answered(ms)
if (answer.status !== 200) {
  console.log(answer.start)
  process.exit(1)
}
await phone.sound(0, ms)
await phone.quiet(3000, ms).catch(() => 0)
call.send('BYE')
const { heardMs, clipMs } = phone.heardText(text)
const samples = phone.heard()
console.log(
  `${answer.start}; ${phone.packets.length} packets, rms ${Math.round(rms(samples))}; of ${Math.round(clipMs)} ms said, ${Math.round(heardMs)} ms are in the samples`,
)
phone.close()
peer.close()
// An emulated engine may come too late with a packet: what was heard until then is enough to know the voice by.
process.exitCode = heardMs >= 800 ? 0 : 1
