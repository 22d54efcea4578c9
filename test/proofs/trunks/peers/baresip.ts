/** baresip as a phone: it registers with the box, is called and calls. */
import { tone } from '../../../harness/audio.ts'
import { Baresip, type BaresipOptions } from '../../../harness/baresip.ts'
import { certificate } from '../../../harness/processes.ts'
import { register } from '../../../engine/registering.ts'
import { SipPeer } from '../../../engine/sip-peer.ts'
import { Box, extension, pause, type Far } from '../box.ts'
import { check, keeping, type Cell, type Feature, type Kept } from '../cell.ts'
import { givenUpByThem, givenUpByUs, tally } from '../given-up.ts'
import { judge, levelOf } from '../sound.ts'
import { folder } from './sipp-setup.ts'

const password = 'a-password-of-mine'

/** What it hears is complete only after the call; what it says all the time is 300 Hz. */
export const ear = (phone: Baresip): Far => ({ hz: 300, level: levelOf(8000), heard: () => phone.heard() })

/** G.722 speaks 16,000 samples a second: 150 Hz at 8,000 is 300 Hz there. */
export const wideband = { codecs: 'G722/16000/1', voiceRate: 16_000, voice: tone(150, 60_000) }

interface Line extends Partial<BaresipOptions> {
  readonly number?: string
}

async function withPhones(kept: Kept, srtp: 'auto' | 'off' = 'auto'): Promise<{ box: Box; phone(line?: Line): Promise<Baresip> }> {
  const dir = folder(kept)
  await certificate(dir)
  const tls = { listen: '127.0.0.1:0', cert: `${dir}/cert.pem`, key: `${dir}/key.pem` }
  const extensions = ['101', '102'].map((number) => extension(number, password, { srtp }))
  const box = kept.keep(await Box.open({ tls, phoneNetworks: ['127.0.0.0/8'], extensions }))
  const phone = async ({ number = '101', ...line }: Line = {}) => {
    const registrar = box.address(line.transport ?? 'udp')
    const opened = kept.keep(await Baresip.start({ registrar, user: number, password, ...line }))
    await opened.until('REGISTER_OK', 15_000)
    return opened
  }
  return { box, phone }
}

const ring = (box: Box): number => box.engine.dial({ extension: '101', to: '101', from: '+15551230001' })

/** Called by us and calling us, heard from both ends. */
async function bothDirections(
  box: Box,
  phone: Baresip,
  transport: 'udp' | 'tcp' | 'tls',
  expected: { codec: string; secure: boolean },
): Promise<string> {
  const closed = (nth: number) => async () => {
    await phone.until('CALL_CLOSED', 8000, nth)
    await pause(200)
  }
  const leg = ring(box)
  const judged = (answered: Record<string, unknown>) =>
    check(
      answered['codec'] === expected.codec && answered['secure'] === expected.secure,
      `${answered['codec']}, secure: ${answered['secure']}`,
    )
  judged(await box.answered(leg))
  const called = await box.bothWays(leg, ear(phone), { ended: closed(1) })
  await phone.command('dial', `sip:700@${box.address(transport)};transport=${transport}`)
  const { leg: second, answered } = await box.answer()
  judged(answered)
  return `called: ${called}; calling: ${await box.bothWays(second, ear(phone), { ended: closed(2) })}`
}

const over =
  (line: Line, codec: string, secure = false) =>
  () =>
    keeping(async (kept) => {
      const { box, phone } = await withPhones(kept, secure ? 'auto' : 'off')
      const levels = await bothDirections(box, await phone({ autoAnswer: true, ...line }), line.transport ?? 'udp', { codec, secure })
      return `${codec}${secure ? ', SRTP' : ''}; ${levels}`
    })

const registers = () =>
  keeping(async (kept) => {
    const { box, phone } = await withPhones(kept)
    await phone()
    const told = await box.engine.next('registration', { extension: '101' })
    const wrong = kept.keep(await Baresip.start({ registrar: box.address(), user: '102', password: 'not this one', address: '127.0.1.2' }))
    const refused = await wrong.until('REGISTER_FAIL', 15_000)
    return `${(told['contacts'] as unknown[]).length} contact; a wrong password: ${refused.param}`
  })

/**
 * The rest of a call, from a re-INVITE on: baresip records no more of what it hears then, so that its own count of what arrives must do
 * for that direction.
 */
export async function fromHereOn(box: Box, leg: number, phone: Baresip): Promise<string> {
  const told = phone.output.length
  const earlier = box.engine.heard(leg).length
  await box.play(leg, 4000)
  const heard = judge('we hear', box.engine.heard(leg).subarray(earlier), 300, levelOf(8000))
  const rates = [...phone.output.slice(told).matchAll(/audio=\d+\/(\d+) \(bit\/s\)/g)].map(([, rate]) => Number(rate))
  const most = Math.max(0, ...rates)
  check(most > 40_000, `it receives ${most} bit/s`)
  const end = await box.hangUp(leg)
  check(end['by'] === 'local' && end['reason'] === 'hangup', `ended by ${end['by']}, ${end['reason']}`)
  await phone.until('CALL_CLOSED')
  return `${heard}, it receives ${most} bit/s`
}

const holds = () =>
  keeping(async (kept) => {
    const { box, phone } = await withPhones(kept)
    const far = await phone({ autoAnswer: true })
    const leg = ring(box)
    await box.answered(leg)
    await box.play(leg, 500)
    await far.command('hold')
    await box.engine.next('held', { leg })
    await pause(600)
    await far.command('resume')
    await box.engine.next('resumed', { leg })
    return `held, resumed, then ${await fromHereOn(box, leg, far)}`
  })

const ourHold = () =>
  keeping(async (kept) => {
    const { box, phone } = await withPhones(kept)
    const far = await phone({ autoAnswer: true })
    const leg = ring(box)
    await box.answered(leg)
    await box.play(leg, 500)
    for (const on of [true, false]) {
      box.engine.send('hold', { leg, on })
      await pause(700)
    }
    return `held and taken back, then ${await fromHereOn(box, leg, far)}`
  })

const causes = () =>
  keeping(async (kept) => {
    const { box, phone } = await withPhones(kept)
    const far = await phone()
    const declined = ring(box)
    await far.until('CALL_INCOMING')
    await far.command('hangup')
    const refused = await box.engine.next('ended', { leg: declined })
    check(refused['by'] === 'remote' && refused['code'] === 486, `declined: ${refused['code']} by ${refused['by']}`)
    const talking = ring(box)
    await far.until('CALL_INCOMING', 8000, 2)
    await far.command('accept')
    await box.answered(talking)
    await far.command('hangup')
    const bye = await box.engine.next('ended', { leg: talking })
    check(bye['by'] === 'remote' && bye['reason'] === 'hangup', `BYE: ${bye['reason']} by ${bye['by']}`)
    const heard: string[] = []
    for (const [at, code] of [404, 480, 486, 503, 603].entries()) {
      await far.command('dial', `sip:700@${box.address()}`)
      const { leg } = await box.engine.next('invite')
      box.engine.send('reject', { leg, code })
      heard.push(String((await far.until('CALL_CLOSED', 8000, 3 + at)).param))
      check(heard.at(-1)!.startsWith(String(code)), `refused with ${code}, it heard ${heard.at(-1)}`)
    }
    return `declined: 486 ${refused['reason']} ${refused['cause']}; BYE: ${bye['cause']}; it heard ${heard.join(', ')}`
  })

const moments = [0, 5, 15, 30, 50, 90, 130, 148, 152, 200]

const cancels = () =>
  keeping(async (kept) => {
    const { box, phone } = await withPhones(kept)
    const far = await phone()
    const reasons: string[] = []
    for (const moment of moments) {
      await far.command('dial', `sip:700@${box.address()}`)
      reasons.push((await givenUpByThem(box, moment, 150, () => far.command('hangup'))).reason)
      await pause(150)
    }
    const ours: string[] = []
    for (const moment of moments) {
      ours.push(await givenUpByUs(box, ring(box), moment))
    }
    check(box.engine.of('ended').length === 0, 'a call ended twice')
    return `at ${moments.join(', ')} ms; by it: ${tally(reasons)}; by us: ${tally(ours)}; each ended once`
  })

const twoPhones = () =>
  keeping(async (kept) => {
    const { box, phone } = await withPhones(kept)
    // What it sends comes from 127.0.0.1 whatever address it has, so that the one in the conversation has that.
    const [desk, hall] = [await phone({ address: '127.0.1.2' }), await phone()]
    const dead = await SipPeer.udp(box.engine.port(), '127.0.1.3')
    check((await register(dead, '101', password))?.status === 200, 'the third is not registered')
    dead.close()
    const closed = async () => (await hall.until('CALL_CLOSED'), await pause(200))
    const leg = ring(box)
    const began = performance.now()
    await Promise.all([desk.until('CALL_INCOMING'), hall.until('CALL_INCOMING')])
    await box.engine.next('ringing', { leg })
    const ms = Math.round(performance.now() - began)
    await hall.command('accept')
    await box.answered(leg)
    await desk.until('CALL_CLOSED')
    check(box.engine.of('ended', { leg }).length === 0, 'the call ended')
    return `both ring beside a third that is dead, in ${ms} ms; one answers, the other stops: ${await box.bothWays(leg, ear(hall), { ended: closed })}`
  })

export function baresipCells(): Cell[] {
  const cell = (feature: Feature, run: () => Promise<string>): Cell => ({ feature, peer: 'baresip', run })
  const pcmu = 'PCMU/8000/1'
  return [
    cell('registration', registers),
    cell('tcp', over({ transport: 'tcp', codecs: pcmu }, 'PCMU')),
    cell('tls', over({ transport: 'tls', codecs: pcmu }, 'PCMU')),
    cell('srtp', over({ transport: 'tls', codecs: pcmu, mediaEncryption: 'srtp-mand' }, 'PCMU', true)),
    cell('pcmu', over({ codecs: pcmu }, 'PCMU')),
    cell('pcma', over({ codecs: 'PCMA/8000/1' }, 'PCMA')),
    cell('g722', over(wideband, 'G722')),
    cell('hold-sendonly', holds),
    cell('our-hold', ourHold),
    cell('causes', causes),
    cell('cancel', cancels),
    cell('two-phones', twoPhones),
  ]
}
