/** Texts to and from an independent SIP telephone that stands where the trunk's provider would. */
import t from 'tap'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Baresip } from '../harness/baresip.ts'
import { certificate } from '../harness/processes.ts'
import { other, own, Rig, sipTrunk, skip } from './rig.ts'
import { eventually } from '../harness/waiting.ts'

t.setTimeout(180_000)

const stranger = '+15559999999'

for (const transport of ['udp', 'tcp', 'tls'] as const) {
  t.test(`to baresip over ${transport}, and back`, { skip }, async (t) => {
    const dir = mkdtempSync(join(tmpdir(), 'pbxd-texts-'))
    await certificate(dir)
    const rig = await Rig.start([])
    // It forgets a contact's transport, and answers over UDP.
    const contact = `sip:${own}@127.0.0.1:${rig.port()}`
    const baresip = await Baresip.start({
      registrar: '127.0.0.1',
      user: other,
      password: 'x',
      transport,
      noRegister: true,
      contacts: [contact],
    })
    t.teardown(async () => {
      await rig.stop()
      await baresip.close()
      rmSync(dir, { recursive: true })
    })
    const seen = async (what: RegExp): Promise<void> => {
      await eventually(String(what), () => what.test(baresip.output), 4000)
    }
    // Baresip shows a certificate of its own making.
    const trust = transport === 'tls' ? { tlsVerify: false } : {}
    const trunk = sipTrunk(`127.0.0.1:${baresip.port + (transport === 'tls' ? 1 : 0)}`, { transport, ...trust })
    const tls = { listen: '127.0.0.1:0', cert: join(dir, 'cert.pem'), key: join(dir, 'key.pem') }
    rig.driver.configure({ ...rig.configuration, tls, trunks: [trunk] })

    const said = 'Ihr Termin ist morgen um 9 Uhr. Grüße 😀'
    const outcome = await rig.send(said)
    t.match(outcome, { kind: 'accepted', accepted: [/./] })
    await seen(new RegExp(`MESSAGE sip:\\${other}@[\\s\\S]*Content-Type: text/plain;charset=UTF-8[\\s\\S]*${said}`))
    // From 1.1 on it takes a text for anybody: what the trunk says has to be what the telephone answered.
    const elsewhere = await rig.send('To somebody else', { to: stranger })
    const answered = new RegExp(`SIP/2\\.0 (\\d+) [^\\r\\n]*\\r?\\n(?:[^\\r\\n]+\\r?\\n)*?To: [^\\r\\n]*\\${stranger}`)
    await seen(answered)
    const answers = { 200: { kind: 'accepted', accepted: [/./] }, 404: { kind: 'refused', code: 'sip_404' } }
    const status = Number(answered.exec(baresip.output)?.[1])
    t.match(elsewhere, answers[status as keyof typeof answers] ?? 'neither 200 nor 404', `it answered ${status}`)

    t.ok((await baresip.command('message', 'Danke, bis morgen 😀')).ok)
    t.match(await rig.received(), { from: other, to: own, body: 'Danke, bis morgen 😀', encoding: 'UCS-2' })
    await seen(/SIP\/2\.0 200 OK\r?\nVia: SIP\/2\.0\/\w+ 127\.0\.0\.1[\s\S]*CSeq: \d+ MESSAGE/)

    rig.keep = () => Promise.reject(new Error('no room'))
    await baresip.command('message', 'wird abgelehnt')
    await rig.received(2)
    await seen(/SIP\/2\.0 503 Service Unavailable/)
  })
}
