/** sipp and how calls end: refusals, hang-ups with their causes, and CANCEL at ten moments of a call. */
import { freePort } from '../../../harness/daemon.ts'
import { Box, pause, trunk } from '../box.ts'
import { check, keeping, type Cell, type Kept } from '../cell.ts'
import { givenUpByThem, givenUpByUs } from '../given-up.ts'
import { edits, ok200, patient, Phone, replaced, withHeaders } from './sipp-phone.ts'

/** Statuses of a callee, and the causes of Q.850 that they are reported with where the far end names none; 0: not judged. */
const refusals: Readonly<Record<string, number>> = {
  '302 Moved Temporarily': 0,
  '403 Forbidden': 21,
  '404 Not Found': 1,
  '408 Request Timeout': 19,
  '410 Gone': 22,
  '480 Temporarily Unavailable': 19,
  '484 Address Incomplete': 28,
  '486 Busy Here': 17,
  '487 Request Terminated': 0,
  '488 Not Acceptable Here': 0,
  '500 Server Internal Error': 41,
  '502 Bad Gateway': 38,
  '600 Busy Everywhere': 17,
  '603 Decline': 21,
  '503 Service Unavailable': 41,
}

async function standing(kept: Kept, port: number): Promise<Box> {
  const box = kept.keep(await Box.open())
  await box.engine.configure({ trunks: [trunk(`127.0.0.2:${port}`)] })
  return box
}

async function refusedByThem(kept: Kept, box: Box, port: number): Promise<string> {
  const told: string[] = []
  for (const [status, cause] of Object.entries(refusals)) {
    const phone = await Phone.waits(kept, { port, scenario: 'callee-refuses', ringMs: 20, edit: replaced('486 Busy Here', status) })
    const leg = box.engine.dial({ trunk: 'main', to: patient })
    const end = await box.engine.next('ended', { leg }, 10_000)
    await phone.satisfied()
    const code = Number(status.slice(0, 3))
    check(end['by'] === 'remote' && end['code'] === code, `${status}: ended by ${end['by']} with ${end['code']}`)
    check(cause === 0 || end['cause'] === cause, `${status}: told as cause ${end['cause']}`)
    told.push(`${code} ${end['reason']} ${end['cause']}`)
  }
  return told.join(', ')
}

/** Causes that come and go with BYE and with refusals (RFC 3326). */
async function withReasons(kept: Kept, box: Box, port: number): Promise<string> {
  for (const cause of [16, 18, 31, 102]) {
    const phone = await Phone.waits(kept, { port, edit: withHeaders('BYE', `Reason: Q.850;cause=${cause}`) })
    const { leg } = await box.call({ trunk: 'main', to: patient })
    await phone.command('HANGUP', true)
    const end = await box.engine.next('ended', { leg })
    check(end['by'] === 'remote' && end['cause'] === cause, `BYE of cause ${cause}: ended by ${end['by']}, cause ${end['cause']}`)
    await phone.satisfied()
  }
  for (const cause of [16, 17, 34]) {
    const phone = await Phone.waits(kept, { port })
    const { leg } = await box.call({ trunk: 'main', to: patient })
    box.engine.send('hangup', { leg, cause })
    await box.engine.next('ended', { leg })
    await phone.satisfied()
    const reason = phone
      .received()
      .find(({ method }) => method === 'BYE')
      ?.header('Reason')
    check(reason !== undefined && /Q\.850;\s*cause=(\d+)/.exec(reason)?.[1] === String(cause), `our BYE of cause ${cause} says ${reason}`)
  }
  for (const code of [404, 480, 486, 503, 603]) {
    const phone = await Phone.calls(kept, box.address())
    const { leg } = await box.engine.next('invite')
    box.engine.send('reject', { leg, code })
    await phone.satisfied()
    await box.engine.next('ended', { leg })
    check(phone.sip.statuses().at(-1) === code, `refused with ${code}, it heard ${phone.sip.statuses().join(' ')}`)
  }
  return 'BYE with causes 16, 18, 31, 102 told and with 16, 17, 34 sent; calls in refused with 404, 480, 486, 503, 603'
}

const causes = () =>
  keeping(async (kept) => {
    const port = await freePort()
    const box = await standing(kept, port)
    const reasons = await withReasons(kept, box, port)
    return `${await refusedByThem(kept, box, port)}; ${reasons}`
  })

/** Milliseconds after the INVITE; the call rings at 30 and is answered at 150. */
const moments = [0, 5, 15, 30, 50, 90, 130, 148, 152, 200]

/** Gives up at that moment, whatever has become of the call by then. */
async function givesUp(kept: Kept, box: Box, moment: number): Promise<number> {
  const edit = replaced('<label id="talking" />', '<label id="talking" />\n  <recv request="DROP" optional="true" next="hangup" />')
  const caller = await Phone.calls(kept, box.address(), {
    edit: edits(edit, drops, replaced('variables="remote,', 'variables="answered,remote,')),
  })
  const { leg } = await givenUpByThem(box, moment, 150, () => caller.command('DROP'))
  await caller.satisfied()
  await pause(50)
  check(box.engine.of('ended', { leg }).length === 0, `after ${moment} ms: ended twice`)
  return caller.sip.statuses().includes(487) ? 487 : 200
}

/** A CANCEL may cross the answer: then the call is acknowledged and ended (RFC 3261, 9.1 and 15). */
const drops = replaced(
  /(<label id="drop" \/>[\s\S]*?)<recv response="200" \/>\s*<recv response="487" next="refused" \/>/,
  `$1<label id="dropped" />
  <recv response="200" optional="true" next="which"><action><ereg regexp="sip:[^&gt;]*" search_in="hdr" header="Contact:" assign_to="remote" /><ereg regexp=".*" search_in="hdr" header="From:" assign_to="me" /><ereg regexp=".*" search_in="hdr" header="To:" assign_to="them" /><ereg regexp="INVITE" search_in="hdr" header="CSeq:" assign_to="answered" /></action></recv>
  <recv response="180" optional="true" next="dropped" />
  <recv response="481" optional="true" next="dropped" />
  <recv response="487" next="refused" />
  <label id="which" />
  <nop test="answered" next="late" />
  <nop next="dropped" />
  <label id="late" />
  <send><![CDATA[
      ACK [$remote] SIP/2.0
      Via: SIP/2.0/[transport] [local_ip]:[local_port];branch=z9hG4bKd1-[call_id]
      From:[$me]
      To:[$them]
      Call-ID: [call_id]
      CSeq: 1 ACK
      Max-Forwards: 70
      Content-Length: 0

  ]]></send>
  <nop next="hangup" />`,
)

/** sipp rings at once and answers after 150 ms; what comes of a CANCEL before, at and after that. */
const crossing = `<?xml version="1.0" encoding="UTF-8" ?>
<scenario name="callee-crossing">
  <recv request="INVITE"><action><ereg regexp=".*" search_in="hdr" header="From:" assign_to="them" /><ereg regexp=".*" search_in="hdr" header="To:" assign_to="me" /><ereg regexp=".*" search_in="hdr" header="Via:" assign_to="via" /><ereg regexp=".*" search_in="hdr" header="CSeq:" assign_to="cseq" /></action></recv>
  <send><![CDATA[
      SIP/2.0 180 Ringing
      [last_Via:]
      [last_From:]
      [last_To:];tag=[pid]b[call_number]
      [last_Call-ID:]
      [last_CSeq:]
      Contact: <sip:phone@[local_ip]:[local_port]>
      Content-Length: 0

  ]]></send>
  <recv request="CANCEL" timeout="150" ontimeout="answer" />
  SENT_200
  <send retrans="500"><![CDATA[
      SIP/2.0 487 Request Terminated
      Via:[$via]
      From:[$them]
      To:[$me];tag=[pid]b[call_number]
      [last_Call-ID:]
      CSeq:[$cseq]
      Content-Length: 0

  ]]></send>
  <recv request="ACK" next="over" />
  <label id="answer" />
  <send retrans="500"><![CDATA[
      SIP/2.0 200 OK
      Via:[$via]
      From:[$them]
      To:[$me];tag=[pid]b[call_number]
      [last_Call-ID:]
      CSeq:[$cseq]
      Contact: <sip:phone@[local_ip]:[local_port]>
      Content-Type: application/sdp
      Content-Length: [len]

      v=0
      o=phone 1 1 IN IP4 [local_ip]
      s=-
      c=IN IP4 [local_ip]
      t=0 0
      m=audio [field0] RTP/AVP 0 101
      a=rtpmap:0 PCMU/8000
      a=rtpmap:101 telephone-event/8000
  ]]></send>
  <label id="open" />
  <recv request="CANCEL" optional="true" next="crossed" />
  <recv request="ACK" optional="true" next="open" />
  <recv request="BYE" />
  SENT_200
  <nop next="over" />
  <label id="crossed" />
  SENT_200
  <nop next="open" />
  <label id="over" />
  <timewait milliseconds="50" />
  <Reference variables="me,them,via,cseq" />
</scenario>
`.replaceAll('SENT_200', ok200)

async function weGiveUp(kept: Kept, box: Box, port: number, moment: number): Promise<number> {
  const phone = await Phone.waits(kept, { port, edit: () => crossing })
  const leg = box.engine.dial({ trunk: 'main', to: patient })
  const reason = await givenUpByUs(box, leg, moment)
  // Before the INVITE has left there is nobody who could be satisfied.
  if (phone.received().length > 0) await phone.satisfied()
  await pause(50)
  check(box.engine.of('ended', { leg }).length === 0, `after ${moment} ms: ended twice`)
  await phone.sip.close()
  return reason === 'canceled' ? 487 : 200
}

const cancels = () =>
  keeping(async (kept) => {
    const port = await freePort()
    const box = await standing(kept, port)
    const count = (codes: readonly number[]): string =>
      `${codes.filter((code) => code === 487).length} canceled, ${codes.filter((code) => code === 200).length} answered and ended`
    const theirs: number[] = []
    for (const moment of moments) theirs.push(await givesUp(kept, box, moment))
    const ours: number[] = []
    for (const moment of moments) ours.push(await weGiveUp(kept, box, port, moment))
    return `at ${moments.join(', ')} ms; in: ${count(theirs)}; out: ${count(ours)}; each ended once`
  })

export function sippEnds(): Cell[] {
  return [
    { feature: 'causes', peer: 'sipp', run: causes },
    { feature: 'cancel', peer: 'sipp', run: cancels },
  ]
}
