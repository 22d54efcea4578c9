/** sipp and what happens within a call: early media, PRACK, UPDATE, hold, other media addresses, session timers. */
import { tone } from '../../../harness/audio.ts'
import { freePort } from '../../../harness/daemon.ts'
import { RtpPhone } from '../../../harness/phone.ts'
import { Box, pause, trunk } from '../box.ts'
import { check, keeping, type Cell, type Feature, type Kept } from '../cell.ts'
import { judge, levelOf, listen, ourLevel } from '../sound.ts'
import { sippEnds } from './sipp-ends.ts'
import { edits, ok200, patient, Phone, replaced, withHeaders, type Edit, type Line } from './sipp-phone.ts'

/** A call from the box that the phone answered. */
async function outbound(kept: Kept, line: Line): Promise<{ box: Box; phone: Phone; leg: number }> {
  const port = await freePort()
  const phone = await Phone.waits(kept, { ...line, port })
  const box = kept.keep(await Box.open())
  await box.engine.configure({ trunks: [trunk(`127.0.0.2:${port}`)] })
  return { box, phone, leg: (await box.call({ trunk: 'main', to: patient })).leg }
}

/** A call to the box, which answered it. */
async function inbound(kept: Kept, line: Line): Promise<{ box: Box; phone: Phone; leg: number }> {
  const box = kept.keep(await Box.open())
  await box.engine.configure({ trunks: [trunk('127.0.0.2:9')] })
  const phone = await Phone.calls(kept, box.address(), line)
  return { box, phone, leg: (await box.answer()).leg }
}

const sdp = (port = '[field0]', address = '[local_ip]', version = 1): string =>
  `v=0
      o=phone 1 ${version} IN IP4 [local_ip]
      s=-
      c=IN IP4 ${address}
      t=0 0
      m=audio ${port} RTP/AVP 0 101
      a=rtpmap:0 PCMU/8000
      a=rtpmap:101 telephone-event/8000
      a=fmtp:101 0-16
      a=sendrecv`

/** 180 becomes 183 with a description, and more headers. */
const withProgress = (...headers: readonly string[]): Edit =>
  replaced(
    /SIP\/2\.0 180 Ringing([\s\S]*?)Content-Length: \[len\]\n\n/,
    `SIP/2.0 183 Session Progress$1${headers.map((line) => `${line}\n      `).join('')}Content-Type: application/sdp\n      Content-Length: [len]\n\n      ${sdp()}\n`,
  )

const early = () =>
  keeping(async (kept) => {
    const port = await freePort()
    const phone = await Phone.waits(kept, { port, ringMs: 2500, edit: withProgress() })
    const box = kept.keep(await Box.open())
    await box.engine.configure({ trunks: [trunk(`127.0.0.2:${port}`)] })
    const leg = box.engine.dial({ trunk: 'main', to: patient })
    const ringing = await box.engine.next('ringing', { leg, early: true })
    box.engine.send('tap', { leg, on: true })
    await pause(1600)
    check(box.engine.of('answered', { leg }).length === 0, 'it was answered before')
    const before = judge('before the answer we hear', box.engine.heard(leg), phone.hz, phone.level, 800)
    await box.answered(leg)
    const out = await box.bothWays(leg, phone, { ended: () => phone.satisfied() })
    // Over UDP nothing is sent before the caller has shown where it is, so the other direction is tried over TCP.
    const caller = await Phone.calls(kept, box.address('tcp'), { transport: 't1' })
    const { leg: second } = await box.engine.next('invite')
    box.engine.send('progress', { leg: second, code: 183 })
    box.engine.send('play', { leg: second, play: 2, tone: { hz: [700], ms: 1500, dbm0: -10 } })
    await box.engine.next('played', { leg: second, play: 2 })
    const heard = judge('before the answer it hears', caller.heard(), 700, ourLevel, 800)
    box.engine.send('answer', { leg: second })
    await box.answered(second as number)
    const inwards = await box.bothWays(second as number, caller, { ended: () => caller.satisfied() })
    return `out (${ringing['code']}): ${before}, then ${out}; in: ${heard}, then ${inwards}`
  })

/** What is answered to the INVITE after other requests came in between. */
const savedInvite: Edit = edits(
  replaced(
    'assign_to="me" /></action></recv>',
    'assign_to="me" /><ereg regexp=".*" search_in="hdr" header="Via:" assign_to="via" /><ereg regexp=".*" search_in="hdr" header="CSeq:" assign_to="cseq1" /></action></recv>',
  ),
  replaced(
    /(<send retrans="500">\s*<!\[CDATA\[\s*SIP\/2\.0 200 OK\n) +\[last_Via:\]\n +\[last_From:\]\n +\[last_To:\]([^\n]*)\n +\[last_Call-ID:\]\n +\[last_CSeq:\]/,
    '$1      Via:[$via]\n      From:[$them]\n      To:[$me]$2\n      [last_Call-ID:]\n      CSeq:[$cseq1]',
  ),
  replaced('variables="remote,', 'variables="rack,cseq1,via,remote,'),
)

const reliable = () =>
  keeping(async (kept) => {
    const takesPrack = replaced(
      /(<!\[CDATA\[\s*SIP\/2\.0 183[\s\S]*?<\/send>)/,
      `$1\n  <recv request="PRACK"><action><ereg regexp="^ *7 [0-9]+ INVITE" search_in="hdr" header="RAck:" check_it="true" assign_to="rack" /></action></recv>\n  ${ok200}`,
    )
    const { box, phone, leg } = await outbound(kept, { edit: edits(savedInvite, withProgress('Require: 100rel', 'RSeq: 7'), takesPrack) })
    const out = await box.bothWays(leg, phone, { ended: () => phone.satisfied() })
    const prack = `<send retrans="500"><![CDATA[
      PRACK [$remote] SIP/2.0
      Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=z9hG4bKp-[call_id]
      From: "[field3]" <sip:[field2]@[local_ip]:[local_port]>;tag=[pid]a[call_number]
      [last_To:]
      Call-ID: [call_id]
      CSeq: 2 PRACK
      RAck:[$rseq] 1 INVITE
      Max-Forwards: 70
      Content-Length: 0

  ]]></send>
  <recv response="200" next="waiting" />`
    const sendsPrack = edits(
      withHeaders('INVITE sip', 'Require: 100rel'),
      replaced(
        '<recv response="180" optional="true" next="waiting" />',
        '<recv response="180" optional="true" next="reliable"><action><ereg regexp="sip:[^&gt;]*" search_in="hdr" header="Contact:" assign_to="remote" /><ereg regexp=".*" search_in="hdr" header="RSeq:" check_it="true" assign_to="rseq" /></action></recv>',
      ),
      replaced('<label id="drop" />', `<label id="reliable" />\n  ${prack}\n  <label id="drop" />`),
      replaced('variables="remote,', 'variables="rseq,remote,'),
    )
    const caller = await Phone.calls(kept, box.address(), { edit: sendsPrack })
    const { leg: second } = await box.engine.next('invite')
    box.engine.send('progress', { leg: second, code: 180 })
    await caller.sip.until('the answer to PRACK', (text) => /SIP\/2\.0 200[\s\S]{0,600}CSeq: 2 PRACK/.test(text))
    box.engine.send('answer', { leg: second })
    await box.answered(second as number)
    return `out: RAck 7, ${out}; in: 180 with RSeq, PRACK 200, ${await box.bothWays(second as number, caller, { ended: () => caller.satisfied() })}`
  })

/** Another place for the media of a phone, which says 700 Hz. */
async function elsewhere(kept: Kept, address: string): Promise<RtpPhone> {
  const rtp = kept.keep(await RtpPhone.open(address))
  rtp.say(tone(700, 20_000, 8000))
  return rtp
}

/** Both ways between the box and a media address, while the call goes on. */
async function listensAt(box: Box, leg: number, rtp: RtpPhone, hz: number): Promise<string> {
  const before = rtp.packets.length
  const earlier = box.engine.heard(leg).length
  await box.play(leg, 1500)
  const heard = judge('we hear', box.engine.heard(leg).subarray(earlier), hz, levelOf(8000), 700)
  check(rtp.packets.length - before > 50, `${rtp.packets.length - before} packets came there`)
  return `${heard}, ${judge('it hears', rtp.heard(), 440, ourLevel, 700)}`
}

const updated = () =>
  keeping(async (kept) => {
    const of = async (place: typeof outbound, called: boolean) => {
      const second = await elsewhere(kept, '127.0.0.2')
      const edit = edits(
        replaced('INFO [$remote]', 'UPDATE [$remote]'),
        replaced('CSeq: [cseq] INFO', 'CSeq: [cseq] UPDATE\n      Contact: <sip:phone@[local_ip]:[local_port]>'),
        replaced('application/dtmf-relay', 'application/sdp'),
        replaced(/Signal=\[\$key\]\s*Duration=120/, sdp(String(second.port), '[local_ip]', 5)),
      )
      const { box, phone, leg } = await place(kept, { edit })
      await box.play(leg, 300)
      await phone.command('KEY', called)
      await phone.sip.until('the answer to UPDATE', (text) => /SIP\/2\.0 200[\s\S]{0,800}CSeq: \d+ UPDATE/.test(text))
      const before = performance.now()
      await second.until('audio at the new port', () => second.packets.some(({ at }) => at > before))
      const levels = await listensAt(box, leg, second, 700)
      await box.hangUp(leg)
      await phone.satisfied()
      return levels
    }
    return `audio moved to another port; out: ${await of(outbound, true)}; in: ${await of(inbound, false)}`
  })

const holdBlock = /(o=phone 1 3 IN IP4 \[local_ip\]\s*s=-\s*c=IN IP4 )\[local_ip\](\s*t=0 0\s*m=audio )\[field0\]([\s\S]*?)a=sendonly/
const offers = (address: string, port: string, direction: string): Edit => replaced(holdBlock, `$1${address}$2${port}$3a=${direction}`)

/** The phone holds and resumes; nothing is sent to it in between. */
const held = (address: string, direction: string) => () =>
  keeping(async (kept) => {
    const of = async ({ box, phone, leg }: { box: Box; phone: Phone; leg: number }, called: boolean) => {
      await box.play(leg, 500)
      await phone.command('HOLD', called)
      await box.engine.next('held', { leg })
      await pause(200)
      const from = performance.now()
      await pause(800)
      const during = phone.packetsSince(from)
      check(during === 0, `${during} packets were sent while it held the call`)
      const answers = phone.received().filter((message) => message.status === 200 && message.header('CSeq').endsWith('INVITE'))
      const answer = /a=(sendrecv|sendonly|recvonly|inactive)/.exec(answers.at(-1)?.body ?? '')?.[1]
      // To 0.0.0.0 (RFC 2543) there is no direction to be answered: it is enough that nothing is sent.
      check(answer !== 'sendrecv' || address === '0.0.0.0', 'it was answered sendrecv')
      await phone.command('RESUME', called)
      await box.engine.next('resumed', { leg })
      return `answered ${answer}, silent, then ${await box.bothWays(leg, phone, { ended: () => phone.satisfied() })}`
    }
    const edit = offers(address, '[field0]', direction)
    return `out: ${await of(await outbound(kept, { edit }), true)}; in: ${await of(await inbound(kept, { edit }), false)}`
  })

const ourHold = () =>
  keeping(async (kept) => {
    const receives = replaced(/(<label id="reinvited"[\s\S]*?)a=sendrecv/, '$1a=recvonly')
    const { box, phone, leg } = await outbound(kept, { edit: receives })
    await box.play(leg, 500)
    box.engine.send('hold', { leg, on: true })
    const invites = () => phone.received().filter((message) => message.method === 'INVITE')
    await phone.sip.until('a re-INVITE', () => invites().length === 2)
    const offered = /a=(sendonly|inactive)/.exec(invites()[1]!.body)?.[1]
    check(offered !== undefined, 'the re-INVITE holds nothing')
    await pause(400)
    box.engine.send('hold', { leg, on: false })
    await phone.sip.until('a second re-INVITE', () => invites().length === 3)
    await box.play(leg, 800)
    const end = await box.hangUp(leg)
    await phone.satisfied()
    const { ms } = listen(phone.heard(), 440)
    check(ms >= 900, `440 Hz for ${ms} ms`)
    return `offered ${offered}, taken back; ended by ${end['by']}`
  })

const direct = () =>
  keeping(async (kept) => {
    const of = async (place: typeof outbound, called: boolean) => {
      const second = await elsewhere(kept, '127.0.0.3')
      const { box, phone, leg } = await place(kept, { edit: offers('127.0.0.3', String(second.port), 'sendrecv') })
      await box.play(leg, 500)
      await phone.command('HOLD', called)
      const before = performance.now()
      await second.until('audio at the other address', () => second.packets.some(({ at }) => at > before))
      const away = await listensAt(box, leg, second, 700)
      await phone.command('RESUME', called)
      const back = performance.now()
      await phone.rtp.until('audio at the first address', () => phone.packetsSince(back) > 10)
      const home = await box.bothWays(leg, phone, { ended: () => phone.satisfied() })
      return `${away} at another host; back: ${home}`
    }
    return `out: ${await of(outbound, true)}; in: ${await of(inbound, false)}`
  })

const timed = (refresher: string): string[] => ['Require: timer', `Session-Expires: 90;refresher=${refresher}`]

/** We refresh, by UPDATE or a re-INVITE, and the call stands when its session would have expired. */
const refreshed = () =>
  keeping(async (kept) => {
    const refreshes = edits(
      replaced(
        /(<send retrans="500">\s*<!\[CDATA\[\s*SIP\/2\.0 200 OK\n)/,
        `$1${timed('uac')
          .map((line) => `      ${line}\n`)
          .join('')}`,
      ),
      replaced(/(<label id="okay"[\s\S]*?SIP\/2\.0 200 OK\n)/, '$1      Session-Expires: 90;refresher=uac\n      Require: timer\n'),
      replaced(/(<label id="reinvited"[\s\S]*?SIP\/2\.0 200 OK\n)/, '$1      Session-Expires: 90;refresher=uac\n      Require: timer\n'),
    )
    const asks = edits(
      withHeaders('INVITE sip', 'Supported: timer', 'Session-Expires: 90;refresher=uas', 'Min-SE: 90'),
      replaced(/(<label id="okay"[\s\S]*?SIP\/2\.0 200 OK\n)/, '$1      Session-Expires: 90;refresher=uac\n      Require: timer\n'),
    )
    const [out, inwards] = await Promise.all([outbound(kept, { edit: refreshes }), inbound(kept, { edit: asks })])
    const of = async ({ box, phone, leg }: typeof out) => {
      const began = performance.now()
      const initial = phone.received().filter((message) => message.method === 'INVITE').length
      const refresh = () => phone.received().filter((message) => ['UPDATE', 'INVITE'].includes(message.method))[initial]
      await phone.sip.until('a refresh', () => refresh() !== undefined, 70_000)
      const how = refresh()!.method
      const at = Math.round((performance.now() - began) / 1000)
      await pause(Math.max(0, 95_000 - (performance.now() - began)))
      check(box.engine.of('ended', { leg }).length === 0, 'the call ended')
      phone.rtp.say(tone(1000, 5000))
      return `${how} after ${at} s, at 95 s ${await box.bothWays(leg, phone, { ended: () => phone.satisfied() })}`
    }
    const [first, second] = await Promise.all([of(out), of(inwards)])
    return `out: ${first}; in: ${second}`
  })

/** The far end ought to refresh and does not: BYE, and the report says that the system ended it. */
const runsOut = () =>
  keeping(async (kept) => {
    const owes = replaced(
      /(<send retrans="500">\s*<!\[CDATA\[\s*SIP\/2\.0 200 OK\n)/,
      `$1${timed('uas')
        .map((line) => `      ${line}\n`)
        .join('')}`,
    )
    const promises = withHeaders('INVITE sip', 'Supported: timer', 'Session-Expires: 90;refresher=uac', 'Min-SE: 90')
    const [out, inwards] = await Promise.all([outbound(kept, { edit: owes }), inbound(kept, { edit: promises })])
    const of = async ({ box, phone, leg }: typeof out) => {
      const began = performance.now()
      const end = await box.engine.next('ended', { leg }, 95_000)
      const seconds = Math.round((performance.now() - began) / 1000)
      await phone.satisfied()
      check(end['by'] === 'system', `ended by ${end['by']}, ${end['reason']} after ${seconds} s`)
      return `BYE after ${seconds} of 90 s, by ${end['by']} (${end['reason']})`
    }
    const [first, second] = await Promise.all([of(out), of(inwards)])
    return `out: ${first}; in: ${second}`
  })

export function sippCalls(): Cell[] {
  const cell = (feature: Feature, run: () => Promise<string>): Cell => ({ feature, peer: 'sipp', run })
  return [
    cell('early', early),
    cell('prack', reliable),
    cell('update', updated),
    cell('hold-sendonly', held('[local_ip]', 'sendonly')),
    cell('hold-inactive', held('[local_ip]', 'inactive')),
    cell('hold-zero', held('0.0.0.0', 'sendrecv')),
    cell('our-hold', ourHold),
    cell('direct', direct),
    cell('timer-refreshed', refreshed),
    cell('timer-out', runsOut),
    ...sippEnds(),
  ]
}
